"""All kinds of sources give the same rows; growing ones are followed; memory is that of a batch."""

import contextlib
import os
import sqlite3
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from sampler.streams import DataStream, SourceError, SqlQuery, levels, peek, sql_query
from tests.fuzz.files import TABLE, to_bytes
from tests.sampler.streams.reading import everything

ROWS = np.array([[0.5, 1.5, 0], [-1.0, 2.0, 1], [3.25, -4.0, 1], [1e-3, 7.0, 0], [2.0, 2.0, 1]])
NAMES = ["x1", "x2", "y"]


def csv_text(rows=ROWS, names=NAMES, separator=","):
    lines = [separator.join(names)] if names else []
    return "\n".join(lines + [separator.join(repr(float(v)) for v in row) for row in rows]) + "\n"


@pytest.fixture
def path(tmp_path):
    (tmp_path / "a.csv").write_text(csv_text())
    return tmp_path / "a.csv"


def test_every_source_gives_the_same_rows_and_the_same_fingerprint(path, tmp_path, monkeypatch):
    monkeypatch.setattr(sql_query, "ROWS", 2)
    (tmp_path / "b.txt").write_text(csv_text(names=None, separator=";"))
    table = pa.table({name: ROWS[:, i] for i, name in enumerate(NAMES)})
    parquet.write_table(table, tmp_path / "c.parquet", row_group_size=2)
    batches = table.to_batches(max_chunksize=2)
    chunks = (SimpleNamespace(data=batch) for batch in batches)
    for new, name in ((pa.ipc.new_file, "d.arrow"), (pa.ipc.new_stream, "d.arrows")):
        with new(str(tmp_path / name), table.schema) as file:
            file.write_table(table, max_chunksize=2)
    with contextlib.closing(sqlite3.connect(tmp_path / "e.db")) as database, database:
        database.execute("CREATE TABLE visits (id INTEGER, x1 REAL, x2, y INTEGER)")
        database.executemany("INSERT INTO visits VALUES (?, ?, ?, ?)", [(k, *ROWS[k]) for k in (4, 1, 3, 0, 2)])
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "1.csv").write_text(csv_text(ROWS[:2]))
    (folder / "2.csv").write_text(csv_text(ROWS[2:]))
    sources = {
        "csv": path, "semicolons, no header": tmp_path / "b.txt", "parquet": tmp_path / "c.parquet",
        "folder": folder, "upload": ("a.csv", csv_text().encode()),
        "parquet upload": ("c.parquet", (tmp_path / "c.parquet").read_bytes()),
        "mappings": [dict(zip(NAMES, row.tolist(), strict=True)) for row in ROWS],
        "pairs": [(row[:2], row[2]) for row in ROWS],
        "batches": [(ROWS[:3, :2], ROWS[:3, 2]), (ROWS[3:, :2], ROWS[3:, 2])],
        "cells": ROWS.tolist(), "record batches": batches, "table": [table], "a table itself": table,
        "reader": pa.RecordBatchReader.from_batches(table.schema, batches), "arrow": tmp_path / "d.arrow",
        "arrow stream": tmp_path / "d.arrows", "query": SqlQuery(tmp_path / "e.db", "SELECT * FROM visits", "id"),
        "query of a URL": SqlQuery(f"sqlite:///{tmp_path / 'e.db'}", "SELECT * FROM visits", "id"),
        "flight": SimpleNamespace(schema=table.schema, read_chunk=chunks.__next__),  # the part used by a stream
        "columns": [{name: ROWS[:, i] for i, name in enumerate(NAMES)}],
    }
    prints = set()
    for name, source in sources.items():
        stream = DataStream(source)
        features, labels = everything(stream)
        np.testing.assert_array_equal(features, np.column_stack([ROWS[:, :2], np.ones(5)]), err_msg=name)
        np.testing.assert_array_equal(labels, ROWS[:, 2], err_msg=name)
        assert stream.model == "logistic" and stream.dim == 3 and stream.classes == (0.0, 1.0)
        prints.add(stream.fingerprint)
    assert len(prints) == 1


def test_the_fingerprint_depends_on_digits_order_and_columns():
    def of(rows, **options):
        stream = DataStream(rows.tolist(), **options)
        everything(stream)
        return stream.fingerprint

    changed = ROWS.copy()
    changed[3, 1] = np.nextafter(7.0, 8.0)
    prints = [of(ROWS), of(changed), of(ROWS[[1, 0, 2, 3, 4]]), of(ROWS, features=[2, 1]), of(ROWS[:4])]
    assert len(set(prints)) == 5


def test_columns_are_chosen_by_name_or_number_and_a_mean_needs_no_response(path):
    stream = DataStream(path, response="x1", features=["y", 2], model="linear")
    features, labels = everything(stream)
    assert stream.names == ("y", "x2", "intercept")
    np.testing.assert_array_equal(features[:, :2], ROWS[:, [2, 1]])
    np.testing.assert_array_equal(labels, ROWS[:, 0])
    (features, labels), = DataStream(path, model="gaussian_mean")
    assert labels is None
    np.testing.assert_array_equal(features, ROWS)


def test_a_growing_file_is_followed_and_must_not_shrink(tmp_path):
    path, ended = tmp_path / "grows.csv", []
    path.write_text("x1,x2,y\n0.5,1.5,0\n-1.0,2.0,1\n3.2")  # the last line is still being written
    stream = DataStream(path, follow=True, stop=lambda: bool(ended), intercept=False)
    rows = iter(stream)
    assert next(rows)[0].tolist() == [[0.5, 1.5], [-1.0, 2.0]]
    with open(path, "a") as file:
        file.write("5,-4.0,1\n")
    assert next(rows)[0].tolist() == [[3.25, -4.0]]
    ended.append(True)
    assert not list(rows)
    path.write_text(csv_text())
    rows = iter(DataStream(path, follow=True))
    next(rows)
    path.write_text("x1,x2,y\n")
    with pytest.raises(ValueError, match="became shorter"):
        next(rows)


def test_a_followed_folder_takes_later_files_and_refuses_earlier_ones(tmp_path):
    (tmp_path / "b.csv").write_text(csv_text(ROWS[:2]))
    rows = iter(DataStream(tmp_path, follow=True))
    assert len(next(rows)[0]) == 2
    (tmp_path / "c.csv").write_text(csv_text(ROWS[2:]))
    assert len(next(rows)[0]) == 3
    (tmp_path / "a.csv").write_text(csv_text())
    with pytest.raises(ValueError, match="'a.csv' was added to the folder after 'c.csv'"):
        next(rows)


def test_a_row_of_a_queue_or_a_pipe_is_used_before_the_next():
    yielded = []

    def consumer():  # a message queue blocks until the next message
        for row in ROWS:
            yielded.append(row)
            yield {"x1": row[0], "x2": row[1], "y": row[2]}

    stream = DataStream(consumer(), classes=(0, 1))
    for used, (features, _) in enumerate(stream, 1):
        assert len(features) == 1 and len(yielded) == used
    out, into = os.pipe()
    with open(out, "rb", buffering=0) as pipe, open(into, "wb", buffering=0) as writer:
        writer.write(b"x1,x2,y\n0,5,0\n")
        stream = iter(DataStream(pipe, classes=(0, 1)))
        for row in range(1, 6):
            assert next(stream)[0].tolist() == [[row - 1, 5, 1]]
            writer.write(b"%d,5,0\n" % row)


def test_reading_needs_the_memory_of_a_batch_only(tmp_path):
    import tracemalloc

    path = tmp_path / "long.csv"
    path.write_text("x1,x2,y\n" + "0.123456789,1.23456789,0\n-0.987654321,4.0,1\n" * 100_000)  # 4.4 MB
    tracemalloc.start()
    rows = sum(len(features) for features, _ in DataStream(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rows == 200_000
    assert peak < 12e6  # Python's part: a block of 1 MB as text and a few arrays of its 40,000 rows; all rows are 8 MB


def test_peek_shows_the_first_rows(tmp_path):
    shown = peek(("f.csv", b"a;b;y\n1;;no\n2.5;x;yes\n3;4;no\n"), rows=2)
    assert shown.names == ("a", "b", "y") and shown.rows == (("1", "", "no"), ("2.5", "x", "yes"))
    assert len(peek(("f.csv", b"1,2\n3,4\n")).rows) == 2
    (tmp_path / "f.txt").write_text("1 2:0.5 3:1\n2 1:3\n")
    assert peek(tmp_path / "f.txt").rows[0] == ("0", "0.5", "1", "1") and peek(tmp_path / "f.txt").names[-1] == "label"
    parquet.write_table(pa.table({"a": np.arange(9.0), "y": [None] * 9}), tmp_path / "f.parquet")
    assert peek(tmp_path / "f.parquet", rows=1).rows == (("0", ""),)
    with pytest.raises(ValueError, match="is empty"):
        peek(("f.csv", b""))


def test_damaged_column_metadata_does_not_abort_the_process():
    """PyArrow aborts on inconsistent level statistics of a column; they are not read."""
    data = to_bytes(lambda file: parquet.write_table(TABLE, file, compression="brotli"))
    for at in range(len(data) - 900, len(data) - 8, 3):
        damaged = data[:at] + bytes([data[at] ^ 2]) + data[at + 1:]
        with contextlib.suppress(SourceError):
            peek(("f.parquet", damaged))


def test_dates_outside_pythons_range_are_shown_as_text():
    far = pa.table({"x": [1.0, 2.0], "y": [0, 1], "day": pa.array([2**62, 1], pa.timestamp("ms")),
                    "tick": pa.array([1, 2], pa.timestamp("ns")),
                    "days": pa.array([[2**62], None], pa.list_(pa.timestamp("ms")))})
    data = to_bytes(lambda file: parquet.write_table(far, file))
    shown = peek(("f.parquet", data))
    assert [row[:2] for row in shown.rows] == [("1", "0"), ("2", "1")]
    assert "1970-01-01" in shown.rows[1][2] and "4611686018427387904" in shown.rows[0][2]
    assert shown.rows[0][3] == "1970-01-01 00:00:00.000000001" and shown.rows[1][4] == ""
    stream = DataStream(("f.parquet", data), response="y", features=["x"])
    assert sum(len(rows) for rows, _ in stream) == 2
    with pytest.raises(ValueError, match="column 'day' holds text"):
        DataStream(("f.parquet", data), response="y", features=["day"])
    with pytest.raises(ValueError, match="column must be one of x, y, day, tick, days, got 'z'; choose one of them"):
        levels(("f.parquet", data), "z")
