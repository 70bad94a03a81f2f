"""Rows from databases and Arrow batches: same as from files, in bounded memory; late rows, offsets, errors."""

import json
import sqlite3
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from sampler import DataStream
from sampler.streams import SqlQuery, peek
from sampler.streams import sql_query as reader_module
from sampler.streams.sources import open_source
from sampler.streams.sql_query import SqlReader
from tests.sampler.streams.reading import table_of

ROWS = [(10, 0.5, 1.5, 0), (11, -1.0, 2.0, 1), (13, 3.25, -4.0, 1), (20, 1e-3, 7.0, 0), (21, 2.0, 2.0, 1)]
NUMBERS = np.array(ROWS)[:, 1:]
NAMES = ("x1", "x2", "y")
OPEN = []


@pytest.fixture(autouse=True)
def closed():
    """Close in-memory connections after each test; Python 3.13 warns about open ones."""
    yield
    while OPEN:
        OPEN.pop().close()


def table(rows=ROWS, kind="INTEGER"):
    """Return an in-memory database with the rows inserted out of order."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute(f"CREATE TABLE visits (id {kind}, x1 REAL, x2, y INTEGER)")
    connection.executemany("INSERT INTO visits VALUES (?, ?, ?, ?)", rows[::-1])
    OPEN.append(connection)
    return connection


def query(database, text="SELECT * FROM visits", key="id", **more):
    return SqlQuery(database, text, key, **more)


def batches():
    return pa.table({name: NUMBERS[:, i] for i, name in enumerate(NAMES)}).to_batches(max_chunksize=2)


def write_arrow(path, form):
    new = pa.ipc.new_file if form == "file" else pa.ipc.new_stream
    with new(str(path), batches()[0].schema) as writer:
        for batch in batches():
            writer.write(batch)


def test_decimals_become_the_nearest_numbers():
    cells = [Decimal(k).scaleb(-3) for k in range(-2000, 2001, 7)] + [Decimal("1e-9")]
    source = pa.table({"x": pa.array(cells, pa.decimal128(20, 9)), "y": np.arange(len(cells)) % 2})
    assert table_of(DataStream(source, intercept=False))[:, 0].tolist() == [float(cell) for cell in cells]


def test_a_query_is_read_in_chunks(monkeypatch):
    monkeypatch.setattr(reader_module, "ROWS", 2)
    statements = []
    connection = table()
    connection.set_trace_callback(statements.append)
    chunks = SqlReader(query(connection)).chunks(NAMES)
    assert [chunk.n for chunk in chunks] == [2, 2, 1]
    assert [sql.partition(" WHERE ")[2] for sql in statements[2:]] == [
        "", "id > 11 ORDER BY id LIMIT 3", "id > 20 ORDER BY id LIMIT 3", "id > 21 ORDER BY id LIMIT 3"]


def test_dates_and_text_are_keys_and_determine_the_order(monkeypatch):
    monkeypatch.setattr(reader_module, "ROWS", 1)
    days = [(f"2026-01-{d:02d} 10:00:00", *row[1:]) for d, row in enumerate(ROWS, 1)]
    connection = table(days, "TEXT")
    text = "SELECT id AS day, x1, x2, y FROM visits WHERE x1 > ?;"
    chunks = list(SqlReader(query(connection, text, "day", parameters=(0.0,))).chunks(("x1",)))
    assert [chunk.columns["x1"][0].as_py() for chunk in chunks] == [0.5, 3.25, 1e-3, 2.0]
    assert peek(query(connection), rows=1).rows == (("0.5", "1.5", "0"),)


def test_missing_cells_and_text_are_left_out_with_their_key():
    rows = [*ROWS, (30, None, 1.0, 1), (31, 2.0, "many", 0), (32, 2.0, 3.0, None)]
    stream = DataStream(query(table(rows)))
    assert len(table_of(stream)) == 5
    text = " ".join(stream.report().words())
    assert "missing or NaN in column 'x1': the row with id = 30" in text
    assert "text in column 'x2': the row with id = 31" in text and "'y': the row with id = 32" in text


def add(connection, *ids):
    connection.executemany("INSERT INTO visits VALUES (?, ?, ?, ?)", [(k, float(k), 1.0, k % 2) for k in ids])


def ids(stream):
    return [int(x) for features, _ in stream for x in features[:, 0]]


def test_late_rows_are_read_once_and_reported(monkeypatch):
    """Transactions that end in another order than their keys, while waiting for rows and between two runs."""
    monkeypatch.setattr(reader_module, "POLL_EVERY", 0.001)
    connection, turns = table([]), iter([[106, 107], [101, 103, 105], [], [102, 108]])
    add(connection, *range(1, 101))

    def stop():
        new = next(turns, None)
        add(connection, *(new or ()))
        return new is None

    stream = DataStream(query(connection), follow=True, stop=stop, intercept=False)
    assert ids(stream) == [*range(1, 101), 106, 107, 101, 103, 105, 108, 102]
    assert [words.partition(": ")[2] for words in stream.warnings] == [
        "3, with id = 101, 103, 105; they are read after it", "1, with id = 102; they are read after it"]
    assert stream.offset == {"key": "id", "at": 108} and stream.warnings[0] in stream.report().words()
    add(connection, 104, 110)
    again = DataStream(query(connection), intercept=False)
    again.go_on_after(stream.offset, json.loads(json.dumps(stream.recent)))
    assert ids(again) == [110, 104] and "1, with id = 104" in again.warnings[0]


def test_rows_that_are_too_late_are_counted():
    connection = table([])
    add(connection, *range(1, 200, 2))
    stream = DataStream(query(connection, late=10), model="linear", intercept=False)
    assert len(ids(stream)) == 100
    add(connection, 2, 4, 6, 198)
    for left in (3, 0):
        again = DataStream(query(connection, late=10), model="linear", intercept=False)
        again.go_on_after(stream.offset, stream.recent)
        assert again.warnings == ["rows that came too late to be read: at least 3, with id = 179 or below; use keys "
                                  "that increase with time, or raise late"][:left]
        assert ids(again) == [198][:left]
        stream = again
    old = DataStream(query(connection, late=10), model="linear", intercept=False)
    old.go_on_after(stream.offset)  # release 0.6.1 stored the last key only
    assert ids(old) == [] and not old.warnings


@pytest.mark.parametrize("source", ["query", "csv", "arrow"])
def test_a_stream_continues_after_the_offset_of_another(source, tmp_path, monkeypatch):
    monkeypatch.setattr(reader_module, "ROWS", 2)
    lines = [",".join(map(repr, row)) for row in NUMBERS.tolist()]
    (tmp_path / "a.csv").write_text("\n".join([",".join(NAMES), *lines[:2], "1,2,3,4", *lines[2:]]) + "\n")
    write_arrow(tmp_path / "a.arrow", "file")
    opened = {"query": query(table()), "csv": tmp_path / "a.csv", "arrow": tmp_path / "a.arrow"}[source]
    used, stream = 0, DataStream(opened, intercept=False)
    for features, _ in stream:
        used += len(features)
        again = DataStream(opened, intercept=False)
        again.go_on_after(stream.offset)
        rest = [np.empty((0, 2)), *(x for x, _ in again)]
        np.testing.assert_array_equal(np.concatenate(rest), NUMBERS[used:, :2])


@pytest.mark.parametrize(("change", "words"), [
    ({"key": "ident"}, "key: the query has no column 'ident'; its columns are id, x1, x2, y"),
    ({"text": "SELECT * FROM nowhere"}, "query: the database rejects it .no such table: nowhere"),
    ({"text": "SELECT * FROM visits WHERE id > 99"}, "source: the query returns no row"),
    ({"text": " "}, "query must be a SELECT"), ({"key": ""}, "key must name a column"),
    ({"key": "y"}, "key: column 'y' must be different in every row, 0 occurs twice"),
    ({"text": "SELECT NULLIF(id, 13) AS id, x1, y FROM visits"}, "key: column 'id' is NULL in some row"),
    ({"text": "SELECT id || '''' AS id, x1, y FROM visits"}, 'key must be a whole number, a date or plain text'),
    ({"database": "none.db"}, "there is no file 'none.db'"),
    ({"database": "sqlite:///none.db"}, "there is no file 'none.db'"),
    ({"database": "oracle://x"}, "there is no driver for oracle://"), ({"database": 7}, "database must be a path"),
    ({"database": "a.db"}, "query: the database rejects it .file is not a database")])
def test_a_wrong_query_or_database_is_an_error(change, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.db").write_text("a,b\n" * 300)
    with pytest.raises(ValueError, match=words):
        DataStream(query(**{"database": table(), **change}))


def test_wrong_columns_of_a_query_and_a_vanished_table_are_errors(monkeypatch):
    monkeypatch.setattr(reader_module, "ROWS", 2)
    with pytest.raises(ValueError, match="response: there is no column 'bought'; the columns are x1, x2, y"):
        DataStream(query(table()), response="bought")
    words = [(*row[:2], "red", row[3]) for row in ROWS]
    with pytest.raises(ValueError, match="column 'x2' holds text .'red' in the row with id = 10"):
        DataStream(query(table(words)), features=["x2"])
    connection = table()
    chunks = SqlReader(query(connection)).chunks(NAMES)
    next(chunks)
    connection.execute("DROP TABLE visits")
    with pytest.raises(ValueError, match="the query failed after the row with id = 11 .no such table: v"):
        next(chunks)


def test_a_missing_offset(tmp_path):
    connection = table()
    stream = DataStream(query(connection))
    list(stream)
    connection.execute("DELETE FROM visits WHERE id > 13")
    (tmp_path / "a.csv").write_text("x1,x2,y\n1,2,0\n2,1,1\n")
    for source, offset, words in (
            (query(connection), stream.offset, "the row with id = 21, the last one used, is no longer in the query"),
            (tmp_path / "a.csv", {"key": None, "at": 5}, "source: it has 2 rows, the earlier stream had read 5"),
            (tmp_path / "a.csv", stream.offset, "ended at the key 'id', this source is read by a number of rows"),
            (iter(NUMBERS.tolist()), {"key": None, "at": 5}, "this source has no positions")):
        with pytest.raises(ValueError, match=words):
            DataStream(source).go_on_after(offset)


@pytest.mark.parametrize("form", ["file", "stream"])
def test_a_truncated_arrow_file(tmp_path, form):
    path = tmp_path / "a.arrow"
    write_arrow(path, form)
    path.write_bytes(path.read_bytes()[:-250])
    words = {"file": "'a.arrow' is not a complete Arrow file", "stream": "'a.arrow' breaks off after row [24]"}[form]
    with pytest.raises(ValueError, match=words):
        list(open_source(path).chunks(NAMES))
    path.write_bytes(b"")
    with pytest.raises(ValueError, match="'a.arrow' is not a complete Arrow file"):
        DataStream(path)
    with pytest.raises(ValueError, match="follow must be False for an Arrow file"):
        DataStream(path, follow=True)
    with pytest.raises(ValueError, match="a header but no rows"):
        DataStream(pa.Table.from_batches([batches()[0].slice(0, 0)]))
