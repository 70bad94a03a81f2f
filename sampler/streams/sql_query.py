"""A query of a database as a source: the connection, the SQL text, and the column that orders the rows."""

import math
import os
import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, cast
from uuid import UUID

from sampler.arguments import shown, whole_number
from sampler.streams.source_error import SourceError

POSTGRES = ("postgresql", "postgres")
PLAIN_TEXT = re.compile(r"[A-Za-z0-9_ .:+/@-]*")
PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*")


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


def plain_key(value: Any) -> int | float | str:
    """Return a key as JSON keeps it; ValueError for one that cannot be asked for again."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return value
    if isinstance(value, date | Decimal | UUID):
        return str(value)
    if isinstance(value, str) and PLAIN_TEXT.fullmatch(value):
        return value
    raise SourceError("", "key must be a whole number, a date or plain text (letters, digits and _ . : + / @ -) in every "
                      f"row, got {value!r}", "choose another column")


def literal(key: int | float | str) -> str:
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
        why = " ".join(str(error).split())
        raise SourceError("database", f"PostgreSQL does not answer ({why}); check the URL and the server") from None
