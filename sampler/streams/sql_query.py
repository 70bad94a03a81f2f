"""A query of a database as a source: the connection, the SQL text and the column that orders the rows; and its reader.

Each chunk is asked for after the last key of the one before; then rows that came late.
"""

import itertools
import math
import os
import re
import sqlite3
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, cast
from uuid import UUID

from sampler.arguments import shown, whole_number
from sampler.streams.chunk import Chunk
from sampler.streams.source_error import SourceError

POSTGRES = ("postgresql", "postgres")
PLAIN_TEXT = re.compile(r"[A-Za-z0-9_ .:+/@-]*")
PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*")
Key = int | float | str
ROWS = 8_192
NAMED = 20
"""Late rows that are named."""
ASK_EVERY = 0.5
"""Seconds between two questions for rows that may have come: a server has others to answer."""


@dataclass(frozen=True, eq=False)
class SqlQuery:
    """Rows of a query in the order of a key: ``DataStream(SqlQuery("shop.db", "SELECT * FROM visits", key="id"))``.

    The query becomes a subquery that is asked again for each chunk, from the last key on, so that any driver keeps one
    chunk in memory and no transaction is held open. An index on the key makes that quick. Rows that come later should have
    larger keys. Those that come late, with a smaller one, as transactions end in another order than they began, are read as
    long as their key is above the last ``late`` keys, when rows are waited for or a stream goes on after another; they come
    after rows with larger keys, and a warning names them. Below that they are counted, when a stream goes on, and not read.

    Attributes
    ----------
    database : path, URL or connection
        A path of a SQLite file, ``sqlite:///path``, ``postgresql://...`` (needs psycopg), or any DBAPI or ADBC
        connection of a database that knows LIMIT; one in autocommit mode sees rows that come later.
    query : str
        A SELECT.
    key : str
        Column of the result that is different in every row and never NULL: whole numbers, dates or plain text. It is no
        feature.
    parameters : sequence or mapping, optional
        Of the query, as the driver takes them.
    late : int
        Keys that are looked at again for rows that came late; 0 looks at none.
    """

    database: object
    query: str
    key: str
    parameters: Sequence[Any] | Mapping[str, Any] | None = None
    late: int = 1_000

    def __post_init__(self) -> None:
        if not hasattr(self.database, "cursor") and not isinstance(self.database, str | os.PathLike):
            raise SourceError("", "database must be a path of a SQLite file, a URL or a DBAPI connection, got "
                              f"{shown(self.database)}", "give the path of the file")
        if not isinstance(self.query, str) or not self.query.strip():
            raise SourceError("", f"query must be a SELECT, got {shown(self.query)}", "SELECT * FROM table gives every row")
        if not isinstance(self.key, str) or not self.key:
            raise SourceError("", "key must name a column of the query that is different in every row, got "
                              f"{shown(self.key)}", "it orders the rows, and a run that goes on starts after it")
        whole_number("late", self.late, 0, 100_000, "1000 is the default")

    def connect(self) -> Any:
        """Return an open connection; one that was given is returned as it is.

        Raises
        ------
        ValueError
            When the database is no path, URL or connection, its file is not there, or its driver is not installed.
        """
        if hasattr(self.database, "cursor"):
            return self.database
        database = cast("str | os.PathLike[str]", self.database)
        scheme, separator, rest = os.fspath(database).partition("://")
        if separator and scheme in POSTGRES:
            return _postgres(os.fspath(database))
        if separator and scheme != "sqlite":
            raise SourceError("database", f"there is no driver for {scheme}:// here; give a DBAPI connection of yours")
        path = Path(rest.removeprefix("/") if separator else database)
        if not path.is_file():
            raise SourceError("database", f"there is no file {os.fspath(path)!r} (from {os.getcwd()}); check the path")
        return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None,
                               check_same_thread=False)

    def select(self, what: str = "*", where: str = "", order: bool = False, limit: int = 1) -> str:
        """SQL text of a question to the query's result; ``{key}`` in ``where`` is the key column.

        Parameters
        ----------
        what : str
            Columns, as SQL says them.
        where : str
            A condition, in which ``{key}`` stands for the key column; empty for none.
        order : bool
            Sort by the key?
        limit : int
            Most rows.
        """
        key = self.key if PLAIN_NAME.fullmatch(self.key) else '"' + self.key.replace('"', '""') + '"'
        return (f"SELECT {what} FROM ({self.query.strip().rstrip(';')}) AS stream_rows"
                + (f" WHERE {where.format(key=key)}" if where else "") + (f" ORDER BY {key}" if order else "")
                + f" LIMIT {limit}")


def plain_key(value: Any) -> Key:
    """Return a key as JSON keeps it; ValueError for one that cannot be asked for again."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return value
    if isinstance(value, date | Decimal | UUID):
        return str(value)
    if isinstance(value, str) and PLAIN_TEXT.fullmatch(value):
        return value
    raise SourceError("", "key must be a whole number, a date or plain text (letters, digits and _ . : + / @ -) in every "
                      f"row, got {value!r}", "choose another column")


def literal(key: Key) -> str:
    """SQL text of what `plain_key` gave; in it nothing can need an escape."""
    return repr(key) if isinstance(key, int | float) else f"'{key}'"


def _postgres(url: str) -> Any:
    try:
        import psycopg
    except ImportError:
        raise SourceError("database", "PostgreSQL needs psycopg, which is not installed; pip install "
                         '"exit-time-lab[postgresql]"') from None
    try:
        return psycopg.connect(url, autocommit=True)
    except psycopg.OperationalError as error:
        raise SourceError("database", f"PostgreSQL does not answer ({_line(error)}); check the URL and the server") from None


class RecentKeys:
    """The last ``most`` keys that were read. No key among them is at or below ``below``, and all that were read above are.

    Attributes
    ----------
    below : key or None
        None while all keys that were read are among them.
    read : int or None
        Rows read in all; None where that was not counted.
    """

    def __init__(self, most: int) -> None:
        self._most, self._keys, self._late = most, deque[Key](), set[Key]()
        self.below: Key | None = None
        self.read: int | None = 0

    def add(self, keys: Iterable[Key], late: bool = False) -> None:
        """Take in keys that were read: above all before them in the order of the database, or ``late``."""
        for key in keys:
            self._keys.append(key)
            if late:
                self._late.add(key)
            self.read = None if self.read is None else self.read + 1
        while len(self._keys) > self._most:
            if (key := self._keys.popleft()) in self._late:  # those read before it have gone, one of them above it
                self._late.remove(key)
            else:
                self.below = key

    def unread(self, keys: list[Key]) -> list[Key]:
        """Return those of ``keys`` that were not read, of keys above ``below``."""
        read = set(self._keys)
        return [key for key in keys if key not in read]

    def state(self) -> dict[str, Any]:
        """Plain values; ``restore`` goes on from them."""
        return {"below": self.below, "read": self.read, "keys": list(self._keys), "late": list(self._late)}

    def restore(self, last: Key, state: dict[str, Any] | None) -> None:
        """Put back what ``state`` gave; with None nothing is known but the last key."""
        state = state or {"below": last, "read": None, "keys": [], "late": []}
        self._keys, self._late = deque(state["keys"]), set(state["late"])
        self.below, self.read = state["below"], state["read"]


class SqlReader:
    """Chunks of a query's rows, in the order of its key; memory of a chunk only.

    Parameters
    ----------
    query : SqlQuery
    follow : bool
        Ask again at the end, for rows with larger keys.
    stop : callable, optional
        Asked while waiting; True ends the stream.
    """

    def __init__(self, query: SqlQuery, follow: bool = False, stop: Callable[[], bool] | None = None) -> None:
        self._query, self._follow, self._stop = query, follow, stop or (lambda: False)
        self._connection = query.connect()
        if self._connection is not query.database:
            weakref.finalize(self, self._connection.close)
        self._last: Key | None = None
        self.at: Key | None = None  # of the rows handed out, the largest key
        self._recent, self._looks_back, self.warnings = RecentKeys(query.late), follow and query.late > 0, list[str]()
        described = self._ask(query.select(where="1 = 0"))[0]
        self.key = query.key
        if self.key not in described:
            raise SourceError("key", f"the query has no column {self.key!r}; its columns are {', '.join(described)}")
        twice = sorted({name for name in described if described.count(name) > 1})
        if twice:
            raise SourceError("query", f"two columns of the result are named {twice[0]!r}; rename one with AS")
        self._described, self._at = described, described.index(self.key)
        self.names = tuple(name for name in described if name != self.key)
        if self._ask(query.select("1", "{key} IS NULL"))[1]:
            raise SourceError("key", f"column {self.key!r} is NULL in some row, which then has no place in the order; "
                             "choose another column, or leave such rows out of the query")
        self._left = self._parts(None)
        first = next(filter(None, self._left), None)
        if first is None:
            raise SourceError("source", "the query gives no row; wait for data, or check the query")
        self._left = itertools.chain([first], self._left)

    @property
    def recent(self) -> dict[str, Any]:
        """Keys that are looked at again, as plain values."""
        return self._recent.state()

    def go_on_after(self, key: Key, recent: dict[str, Any] | None = None) -> None:
        """Start after the row with this key; a SourceError where it is gone, since others may be gone with it.

        With what was ``recent`` then, rows that came late since are read first, or counted.
        """
        if not self._ask(self._query.select("1", "{key} = " + literal(plain_key(key))))[1]:
            raise SourceError("source", f"the row with {self.key} = {key!r}, the last one used, is no longer in the "
                             "query, so rows after it may be gone too; bring it back, or start again with a new checkpoint")
        self._left = self._parts(key)
        self._last = self.at = key
        self._recent.restore(key, recent)
        self._looks_back = self._query.late > 0
        self._count()

    def chunks(self, names: tuple[str, ...]) -> Iterator[Chunk]:
        """The named columns, a chunk at a time."""
        first, places = 1, {name: self._described.index(name) for name in names}
        for part in self._left:
            self.at = self._last
            cells = list(zip(*part, strict=True)) or [()] * len(self._described)
            columns = {name: _column(cells[place]) for name, place in places.items()}
            yield Chunk(columns, len(part), first, keys=(self.key, cells[self._at]))
            first += len(part)

    def _parts(self, after: Any) -> Iterator[list[tuple[Any, ...]]]:
        """Rows after a key, a chunk at a time, then those that came late; an empty one while there is none yet."""
        while True:
            where = "" if after is None else "{key} > " + literal(after)
            rows = self._ask(self._query.select("*", where, order=True, limit=ROWS + 1))[1]
            keys = [row[self._at] for row in rows]
            for before, key in zip(keys, keys[1:], strict=False):
                if before == key:
                    raise SourceError("key", f"column {self.key!r} must be different in every row, {key!r} comes "
                                     "twice; choose another column")
            if rows:
                part = rows[:ROWS]
                after = self._last = self._key_of(part[-1])
                self._recent.add([self._key_of(row) for row in part])
                yield part
            if len(rows) <= ROWS and (late := self._late_rows()):
                yield late
            elif rows:
                continue
            elif not self._follow or self._stop():
                return
            else:
                time.sleep(ASK_EVERY)
                yield []

    def _late_rows(self) -> list[tuple[Any, ...]]:
        """Rows among the last keys read that have come since; they are read then."""
        if not self._looks_back or self._last is None:
            return []
        rows = self._looked_at_again(self._last, 2 * self._query.late + ROWS)
        late = dict.fromkeys(self._recent.unread([self._key_of(row) for row in rows]))
        if late:
            self._recent.add(late, late=True)
            named = ", ".join(map(repr, list(late)[:NAMED])) + ", …" * (len(late) > NAMED)
            self.warnings.append(f"rows that came late, after the one with {self.key} = {self._last!r}: {len(late):,}, "
                                 f"with {self.key} = {named}; they are read after it")
        return [row for row in rows if self._key_of(row) in late]

    def _count(self) -> None:
        """Tell of rows that came too late: more than were read, and are not among the last keys."""
        if self._recent.read is None or self._recent.below is None or self._last is None:
            return
        count = int(self._ask(self._query.select("COUNT(*)", "{key} <= " + literal(self._last)))[1][0][0])
        again = [self._key_of(row) for row in self._looked_at_again(self._last, count)]
        missed = count - self._recent.read - len(self._recent.unread(again))
        if missed > 0:
            self.warnings.append(f"rows that came too late to be read: {missed:,} at least, with {self.key} = "
                                 f"{self._recent.below!r} or below; have keys rise with time, or raise late")
        self._recent.read += missed  # reported once; below 0 where rows were deleted

    def _looked_at_again(self, last: Key, limit: int) -> list[tuple[Any, ...]]:
        """Rows up to the last key, above those that are not looked at again."""
        above = "" if self._recent.below is None else " AND {key} > " + literal(self._recent.below)
        return self._ask(self._query.select("*", "{key} <= " + literal(last) + above, order=True, limit=limit))[1]

    def _key_of(self, row: tuple[Any, ...]) -> Key:
        return plain_key(row[self._at])

    def _ask(self, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Names and rows of an answer."""
        try:
            with closing(self._connection.cursor()) as cursor:
                cursor.execute(sql, self._query.parameters) if self._query.parameters else cursor.execute(sql)
                return [column[0] for column in cursor.description], cursor.fetchall()
        except getattr(self._connection, "Error", Exception) as error:
            if self._last is None:
                raise SourceError("query", f"the database refuses it ({_line(error)}); check its text, and the names "
                                 "of tables and columns") from None
            raise SourceError("source", f"after the row with {self.key} = {self._last!r} the database refused to go on "
                             f"({_line(error)}); bring the table back and start again: with a checkpoint no row is lost"
                             ) from None


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def _column(cells: tuple[Any, ...]) -> Any:
    """PyArrow's array where the cells are of one kind, else a list."""
    import pyarrow as pa

    try:
        return pa.array(cells)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return list(cells)
