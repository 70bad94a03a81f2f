"""Rows from a PostgreSQL server of the distribution, started on loopback for these tests."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest

from sampler import DataStream
from sampler.streams import SqlQuery, sql_query
from tests.ports import free_port
from tests.sampler.streams.reading import table_of

pytestmark = pytest.mark.slow
QUERY = 'SELECT "Id", a, b, bought FROM visits'


@pytest.fixture(scope="module")
def server():
    """URL and connection of a temporary server."""
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: pip install -e .[postgresql]")
    places = [shutil.which("pg_ctl"), *map(str, Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))]
    programs = next((Path(place).resolve().parent for place in places if place), None)
    if programs is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    folder = tempfile.mkdtemp(prefix="postgresql-")
    root = {"user": "postgres"} if os.geteuid() == 0 else {}  # the server refuses to run as root
    if root:
        shutil.chown(folder, "postgres")
    port = free_port()

    def run(*arguments):
        subprocess.run(arguments, cwd=folder, check=True, stdout=subprocess.DEVNULL, **root)

    run(programs / "initdb", "-D", f"{folder}/data", "-A", "trust", "-U", "postgres")
    run(programs / "pg_ctl", "-D", f"{folder}/data", "-l", f"{folder}/log", "-w", "start", "-o",
        f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}")
    try:
        url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
        with psycopg.connect(url, autocommit=True) as connection:
            yield url, connection
    finally:
        run(programs / "pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "stop")
        shutil.rmtree(folder)


@pytest.fixture
def rows(server):
    """Rows of a newly created table as numbers; every hundredth has a missing cell and is omitted."""
    _, connection = server
    rng = np.random.default_rng(0)
    values = np.column_stack([np.arange(0, 4000, 2), rng.normal(size=2000), np.round(rng.normal(size=2000), 3),
                            rng.random(2000) < 0.5])
    connection.execute("DROP TABLE IF EXISTS visits")
    connection.execute('CREATE TABLE visits ("Id" bigint PRIMARY KEY, a double precision, b numeric(10, 3), bought boolean)')
    with connection.cursor() as cursor, cursor.copy('COPY visits FROM STDIN') as copy:
        for row in values[::-1]:
            copy.write_row((int(row[0]), None if row[0] % 200 == 0 else row[1], row[2], bool(row[3])))
    return values[values[:, 0] % 200 != 0]


def test_rows_come_in_order_with_numeric_and_boolean_columns(server, rows, monkeypatch):
    monkeypatch.setattr(sql_query, "ROWS", 300)
    stream = DataStream(SqlQuery(server[0], QUERY, "Id"), intercept=False)
    np.testing.assert_array_equal(table_of(stream), rows[:, 1:])
    assert stream.report().rows_read == 2000 and stream.offset == {"key": "Id", "at": 3998}
    some = DataStream(SqlQuery(server[1], QUERY + " WHERE a > %s;", "Id", (0.5,)), intercept=False)
    np.testing.assert_array_equal(table_of(some), rows[rows[:, 1] > 0.5, 1:])


def test_it_continues_after_an_offset_and_reads_new_rows(server, rows, monkeypatch):
    monkeypatch.setattr(sql_query, "POLL_EVERY", 0.001)
    late = iter([4001, 4003])

    def stop():
        key = next(late, None)
        if key is not None:
            server[1].execute("INSERT INTO visits VALUES (%s, 1, 2, true)", (key,))
        return key is None

    stream = DataStream(SqlQuery(server[0], QUERY, "Id"), intercept=False, follow=True, stop=stop)
    stream.go_on_after({"key": "Id", "at": 3000})
    np.testing.assert_array_equal(table_of(stream), [*rows[rows[:, 0] > 3000, 1:], [1, 2, 1], [1, 2, 1]])
    server[1].execute('DELETE FROM visits WHERE "Id" = 3000')
    with pytest.raises(ValueError, match="the row with Id = 3000, the last one used, is no longer in the query"):
        stream = DataStream(SqlQuery(server[0], QUERY, "Id"))
        stream.go_on_after({"key": "Id", "at": 3000})


def test_days_are_keys(server, rows):
    text = """SELECT DATE '2026-01-01' + "Id"::int AS day, a, bought FROM visits"""
    stream = DataStream(SqlQuery(server[0], text, "day"), intercept=False)
    np.testing.assert_array_equal(table_of(stream), rows[:, [1, 3]])
    assert stream.offset == {"key": "day", "at": "2036-12-12"}


def test_errors_of_the_database_are_reported(server, rows, monkeypatch):
    monkeypatch.setattr(sql_query, "ROWS", 300)
    for text, words in (("SELECT a FROM nowhere", 'the database rejects it .relation "nowhere" does not exist'),
                        ('SELECT a, a, "Id" FROM visits', "two columns of the result are named 'a'"),
                        ('SELECT NULLIF("Id", 2) AS "Id", a FROM visits', "column 'Id' is NULL in some row")):
        with pytest.raises(ValueError, match=words):
            DataStream(SqlQuery(server[0], text, "Id"))
    parts = iter(DataStream(SqlQuery(server[0], QUERY, "Id")))
    next(parts)
    server[1].execute("DROP TABLE visits")
    with pytest.raises(ValueError, match="the query failed after the row with Id = 598"):
        next(parts)
    with pytest.raises(ValueError, match="PostgreSQL does not answer"):
        DataStream(SqlQuery("postgresql://postgres@127.0.0.1:1/postgres", QUERY, "Id"))
