"""A query of a database as chunks of named columns, each asked for after the last key of the one before; late rows."""

import itertools
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sampler.streams.chunk import Chunk
from sampler.streams.source_error import SourceError
from sampler.streams.sql_query import SqlQuery, literal, plain_key

Key = int | float | str
ROWS = 8_192
NAMED = 20
"""Late rows that are named."""
ASK_EVERY = 0.5
"""Seconds between two questions for rows that may have come: a server has others to answer."""


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

    rows = None

    def __init__(self, query: SqlQuery, follow: bool = False, stop: Callable[[], bool] | None = None) -> None:
        self._query, self._follow, self._stop = query, follow, stop or (lambda: False)
        self._connection = query.connect()
        if self._connection is not query.database:
            weakref.finalize(self, self._connection.close)
        self._last: Key | None = None
        self._left: Iterator[list[tuple[Any, ...]]]
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
        rest = self._parts(None)
        first = next(filter(None, rest), None)
        if first is None:
            raise SourceError("source", "the query gives no row; wait for data, or check the query")
        self._left = itertools.chain([first], rest)

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
        where = "{key} <= " + literal(self._last)
        where += "" if self._recent.below is None else " AND {key} > " + literal(self._recent.below)
        rows = self._ask(self._query.select("*", where, order=True, limit=2 * self._query.late + ROWS))[1]
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
        up_to, above = "{key} <= " + literal(self._last), " AND {key} > " + literal(self._recent.below)
        count = int(self._ask(self._query.select("COUNT(*)", up_to))[1][0][0])
        rows = self._ask(self._query.select("*", up_to + above, limit=count))[1]
        missed = count - self._recent.read - len(self._recent.unread([self._key_of(row) for row in rows]))
        if missed > 0:
            self.warnings.append(f"rows that came too late to be read: {missed:,} at least, with {self.key} = "
                                 f"{self._recent.below!r} or below; have keys rise with time, or raise late")
        self._recent.read += missed  # reported once; below 0 where rows were deleted

    def _key_of(self, row: tuple[Any, ...]) -> Key:
        return plain_key(row[self._at])

    def _ask(self, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Names and rows of an answer."""
        try:
            cursor = self._connection.cursor()
            try:
                cursor.execute(sql, self._query.parameters) if self._query.parameters else cursor.execute(sql)
                return [column[0] for column in cursor.description], cursor.fetchall()
            finally:
                cursor.close()
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
