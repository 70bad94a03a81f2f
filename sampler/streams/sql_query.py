"""`SqlQuery`: a database query as a source: connection, SQL text and the key column that orders the rows; its reader.

Each chunk is selected after the last key of the previous one; late rows, inserted with smaller keys, follow.
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
"""Maximum number of late rows listed in a warning."""
POLL_EVERY = 0.5
"""Seconds between polls for new rows, to limit the load on the server."""


@dataclass(frozen=True, eq=False)
class SqlQuery:
    """Rows of a query in the order of a key: ``DataStream(SqlQuery("shop.db", "SELECT * FROM visits", key="id"))``.

    The query becomes a subquery executed once per chunk, from the last key on, so that any driver holds only one
    chunk in memory and no transaction stays open. An index on the key makes this fast. New rows should have larger keys.
    Late rows have smaller ones, as when transactions commit in another order than they began. Those within the range of the
    last ``late`` keys are read while waiting for rows or on resuming a stream, after rows with larger keys, and a warning
    lists them. Late rows with smaller keys still are counted on resuming, but not read.

    Attributes
    ----------
    database : path, URL or connection
        A path of a SQLite file, ``sqlite:///path``, ``postgresql://...`` (needs psycopg), or any DBAPI or ADBC
        connection of a database that supports LIMIT; new rows are visible to a connection in autocommit mode.
    query : str
        A SELECT statement.
    key : str
        Column of the result with a distinct, non-NULL value in every row: whole numbers, dates or plain text. It is not a
        feature.
    parameters : sequence or mapping, optional
        Parameters of the query in the format of the driver.
    late : int
        Number of last keys to query again for late rows; 0 disables it.
    """

    database: object
    query: str
    key: str
    parameters: Sequence[Any] | Mapping[str, Any] | None = None
    late: int = 1_000

    def __post_init__(self) -> None:
        if not hasattr(self.database, "cursor") and not isinstance(self.database, str | os.PathLike):
            raise SourceError("", "database must be a path of a SQLite file, a URL or a DBAPI connection, got "
                              f"{shown(self.database)}", "pass the path of the file")
        if not isinstance(self.query, str) or not self.query.strip():
            raise SourceError("", f"query must be a SELECT, got {shown(self.query)}", "SELECT * FROM table reads every row")
        if not isinstance(self.key, str) or not self.key:
            raise SourceError("", "key must name a column of the query that is different in every row, got "
                              f"{shown(self.key)}", "it orders the rows, and a resumed run starts after it")
        whole_number("late", self.late, 0, 100_000, "1000 is the default")

    def connect(self) -> Any:
        """Return an open connection; a supplied connection is returned unchanged.

        Raises
        ------
        ValueError
            If the file does not exist, the URL scheme is not supported, or the driver is not installed.
        """
        if hasattr(self.database, "cursor"):
            return self.database
        database = cast("str | os.PathLike[str]", self.database)
        scheme, separator, rest = os.fspath(database).partition("://")
        if separator and scheme in POSTGRES:
            return _postgres(os.fspath(database))
        if separator and scheme != "sqlite":
            raise SourceError("database", f"there is no driver for {scheme}:// here; pass a DBAPI connection")
        path = Path(rest.removeprefix("/") if separator else database)
        if not path.is_file():
            raise SourceError("database", f"there is no file {os.fspath(path)!r} (from {os.getcwd()}); check the path")
        return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None,
                               check_same_thread=False)

    def select(self, what: str = "*", where: str = "", order: bool = False, limit: int = 1) -> str:
        """Return the SQL text of a SELECT from the query's result.

        Parameters
        ----------
        what : str
            Column list in SQL.
        where : str
            Condition, in which ``{key}`` denotes the key column; empty for none.
        order : bool
            Whether to sort by the key.
        limit : int
            Maximum number of rows.
        """
        key = self.key if PLAIN_NAME.fullmatch(self.key) else '"' + self.key.replace('"', '""') + '"'
        return (f"SELECT {what} FROM ({self.query.strip().rstrip(';')}) AS stream_rows"
                + (f" WHERE {where.format(key=key)}" if where else "") + (f" ORDER BY {key}" if order else "")
                + f" LIMIT {limit}")


def plain_key(value: Any) -> Key:
    """Return a key in JSON-compatible form; raise a SourceError if it cannot be written as an SQL literal."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return value
    if isinstance(value, date | Decimal | UUID):
        return str(value)
    if isinstance(value, str) and PLAIN_TEXT.fullmatch(value):
        return value
    raise SourceError("", "key must be a whole number, a date or plain text (letters, digits and _ . : + / @ -) in every "
                      f"row, got {value!r}", "choose another column")


def literal(key: Key) -> str:
    """Return the SQL literal of a key from `plain_key`; its characters need no escape."""
    return repr(key) if isinstance(key, int | float) else f"'{key}'"


def _postgres(url: str) -> Any:
    try:
        import psycopg
    except ImportError:
        raise SourceError("database", "PostgreSQL requires psycopg, which is not installed; pip install "
                         '"exit-time-lab[postgresql]"') from None
    try:
        return psycopg.connect(url, autocommit=True)
    except psycopg.OperationalError as error:
        raise SourceError("database", f"PostgreSQL does not answer ({_line(error)}); check the URL and the server") from None


class RecentKeys:
    """The last keys read, up to ``most``: all keys read above ``below``.

    Attributes
    ----------
    below : key or None
        Lower bound of the stored keys; None while all keys read are stored.
    read : int or None
        Number of rows read in total; None if they were not counted.
    """

    def __init__(self, most: int) -> None:
        self._most, self._keys, self._late = most, deque[Key](), set[Key]()
        self.below: Key | None = None
        self.read: int | None = 0

    def add(self, keys: Iterable[Key], late: bool = False) -> None:
        """Add keys that were read, in the order of the database above all earlier ones unless ``late``."""
        for key in keys:
            self._keys.append(key)
            if late:
                self._late.add(key)
            self.read = None if self.read is None else self.read + 1
        while len(self._keys) > self._most:
            if (key := self._keys.popleft()) in self._late:  # keys read before it, one of them larger, are already gone
                self._late.remove(key)
            else:
                self.below = key

    def unread(self, keys: list[Key]) -> list[Key]:
        """Return the elements of ``keys``, all above ``below``, that were not read."""
        read = set(self._keys)
        return [key for key in keys if key not in read]

    def state(self) -> dict[str, Any]:
        """Return plain values for ``restore``."""
        return {"below": self.below, "read": self.read, "keys": list(self._keys), "late": list(self._late)}

    def restore(self, last: Key, state: dict[str, Any] | None) -> None:
        """Restore the values of ``state``; None if only the last key is available."""
        state = state or {"below": last, "read": None, "keys": [], "late": []}
        self._keys, self._late = deque(state["keys"]), set(state["late"])
        self.below, self.read = state["below"], state["read"]


class SqlReader:
    """Reader of a query's rows in the order of its key; holds one chunk in memory.

    Parameters
    ----------
    query : SqlQuery
    follow : bool
        Poll for rows with larger keys at the end.
    stop : callable, optional
        Polled while waiting; True ends the stream.
    """

    def __init__(self, query: SqlQuery, follow: bool = False, stop: Callable[[], bool] | None = None) -> None:
        self._query, self._follow, self._stop = query, follow, stop or (lambda: False)
        self._connection = query.connect()
        if self._connection is not query.database:
            weakref.finalize(self, self._connection.close)
        self._last: Key | None = None
        self.at: Key | None = None  # largest key of the rows yielded
        self._recent, self._looks_back, self.warnings = RecentKeys(query.late), follow and query.late > 0, list[str]()
        described = self._execute(query.select(where="1 = 0"))[0]
        self.key = query.key
        if self.key not in described:
            raise SourceError("key", f"the query has no column {self.key!r}; its columns are {', '.join(described)}")
        twice = sorted({name for name in described if described.count(name) > 1})
        if twice:
            raise SourceError("query", f"two columns of the result are named {twice[0]!r}; rename one with AS")
        self._described, self._at = described, described.index(self.key)
        self.names = tuple(name for name in described if name != self.key)
        if self._execute(query.select("1", "{key} IS NULL"))[1]:
            raise SourceError("key", f"column {self.key!r} is NULL in some row, so the rows have no order; "
                             "choose another column, or exclude such rows in the query")
        self._left = self._parts(None)
        first = next(filter(None, self._left), None)
        if first is None:
            raise SourceError("source", "the query returns no row; wait for data, or check the query")
        self._left = itertools.chain([first], self._left)

    @property
    def recent(self) -> dict[str, Any]:
        """State of the keys that are queried again for late rows, as plain values."""
        return self._recent.state()

    def go_on_after(self, key: Key, recent: dict[str, Any] | None = None) -> None:
        """Start after the row with this key; raise a SourceError if it no longer exists, since others may be missing too.

        With the ``recent`` state of the earlier stream, late rows since then are read first, or counted.
        """
        if not self._execute(self._query.select("1", "{key} = " + literal(plain_key(key))))[1]:
            raise SourceError("source", f"the row with {self.key} = {key!r}, the last one used, is no longer in the "
                             "query, so later rows may be missing too; restore it, or start again with a new checkpoint")
        self._left = self._parts(key)
        self._last = self.at = key
        self._recent.restore(key, recent)
        self._looks_back = self._query.late > 0
        self._count()

    def chunks(self, names: tuple[str, ...]) -> Iterator[Chunk]:
        """Yield the named columns, up to ``ROWS`` rows per chunk."""
        first, places = 1, {name: self._described.index(name) for name in names}
        for part in self._left:
            self.at = self._last
            cells = list(zip(*part, strict=True)) or [()] * len(self._described)
            columns = {name: _column(cells[place]) for name, place in places.items()}
            yield Chunk(columns, len(part), first, keys=(self.key, cells[self._at]))
            first += len(part)

    def _parts(self, after: Any) -> Iterator[list[tuple[Any, ...]]]:
        """Yield lists of rows after a key, then late rows; an empty list while waiting."""
        while True:
            where = "" if after is None else "{key} > " + literal(after)
            rows = self._execute(self._query.select("*", where, order=True, limit=ROWS + 1))[1]
            keys = [row[self._at] for row in rows]
            for before, key in zip(keys, keys[1:], strict=False):
                if before == key:
                    raise SourceError("key", f"column {self.key!r} must be different in every row, {key!r} occurs "
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
                time.sleep(POLL_EVERY)
                yield []

    def _late_rows(self) -> list[tuple[Any, ...]]:
        """Return rows inserted since among the last keys read, and mark them as read."""
        if not self._looks_back or self._last is None:
            return []
        rows = self._rows_again(self._last, 2 * self._query.late + ROWS)
        late = dict.fromkeys(self._recent.unread([self._key_of(row) for row in rows]))
        if late:
            self._recent.add(late, late=True)
            named = ", ".join(map(repr, list(late)[:NAMED])) + ", …" * (len(late) > NAMED)
            self.warnings.append(f"late rows, inserted after the one with {self.key} = {self._last!r}: {len(late):,}, "
                                 f"with {self.key} = {named}; they are read after it")
        return [row for row in rows if self._key_of(row) in late]

    def _count(self) -> None:
        """Warn of rows that came too late to be read: more rows than were read, outside the last keys."""
        if self._recent.read is None or self._recent.below is None or self._last is None:
            return
        count = int(self._execute(self._query.select("COUNT(*)", "{key} <= " + literal(self._last)))[1][0][0])
        again = [self._key_of(row) for row in self._rows_again(self._last, count)]
        missed = count - self._recent.read - len(self._recent.unread(again))
        if missed > 0:
            self.warnings.append(f"rows that came too late to be read: at least {missed:,}, with {self.key} = "
                                 f"{self._recent.below!r} or below; use keys that increase with time, or raise late")
        self._recent.read += missed  # reported once; negative if rows were deleted

    def _rows_again(self, last: Key, limit: int) -> list[tuple[Any, ...]]:
        """Query the rows up to the last key and above ``below`` again."""
        above = "" if self._recent.below is None else " AND {key} > " + literal(self._recent.below)
        return self._execute(self._query.select("*", "{key} <= " + literal(last) + above, order=True, limit=limit))[1]

    def _key_of(self, row: tuple[Any, ...]) -> Key:
        return plain_key(row[self._at])

    def _execute(self, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Execute SQL; return the column names and rows of the result."""
        try:
            with closing(self._connection.cursor()) as cursor:
                cursor.execute(sql, self._query.parameters) if self._query.parameters else cursor.execute(sql)
                return [column[0] for column in cursor.description], cursor.fetchall()
        except getattr(self._connection, "Error", Exception) as error:
            if self._last is None:
                raise SourceError("query", f"the database rejects it ({_line(error)}); check its text, and the names "
                                 "of tables and columns") from None
            raise SourceError("source", f"the query failed after the row with {self.key} = {self._last!r} "
                             f"({_line(error)}); restore the table and start again: with a checkpoint no row is lost"
                             ) from None


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def _column(cells: tuple[Any, ...]) -> Any:
    """Return a PyArrow array if the cells have one type, else a list."""
    import pyarrow as pa

    try:
        return pa.array(cells)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return list(cells)
