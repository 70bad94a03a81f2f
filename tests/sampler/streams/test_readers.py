import threading
import time

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from sampler import DataStream

ROWS = np.array([[0.5, 1.5, 0], [-1.0, 2.0, 1], [3.25, -4.0, 1], [1e-3, 7.0, 0], [2.0, 2.0, 1]])
NAMES = ["x1", "x2", "y"]


def csv_text(rows=ROWS, names=NAMES, separator=","):
    lines = [separator.join(names)] if names else []
    return "\n".join(lines + [separator.join(repr(float(v)) for v in row) for row in rows]) + "\n"


def everything(stream):
    parts = list(stream)
    return np.concatenate([x for x, _ in parts]), np.concatenate([y for _, y in parts])


def write_parquet(path, rows=ROWS):
    parquet.write_table(pa.table({name: rows[:, i] for i, name in enumerate(NAMES)}), path, row_group_size=2)


@pytest.fixture
def sources(tmp_path):
    """The same rows in every form a stream takes."""
    (tmp_path / "a.csv").write_text(csv_text())
    (tmp_path / "b.txt").write_text(csv_text(names=None, separator=";"))
    write_parquet(tmp_path / "c.parquet")
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "1.csv").write_text(csv_text(ROWS[:2]))
    (folder / "2.csv").write_text(csv_text(ROWS[2:]))
    write_parquet(folder / "3.parquet", ROWS[:0 + 1])
    (folder / "3.parquet").unlink()
    table = pa.table({name: ROWS[:, i] for i, name in enumerate(NAMES)})
    return {
        "csv": tmp_path / "a.csv", "semicolons, no header": tmp_path / "b.txt", "parquet": tmp_path / "c.parquet",
        "folder": folder, "upload": ("a.csv", csv_text().encode()),
        "parquet upload": ("c.parquet", (tmp_path / "c.parquet").read_bytes()),
        "mappings": [dict(zip(NAMES, row.tolist(), strict=True)) for row in ROWS],
        "pairs": [(row[:2], row[2]) for row in ROWS],
        "batches": [(ROWS[:3, :2], ROWS[:3, 2]), (ROWS[3:, :2], ROWS[3:, 2])],
        "cells": ROWS.tolist(), "record batches": table.to_batches(max_chunksize=2), "table": [table],
        "columns": [{name: ROWS[:, i] for i, name in enumerate(NAMES)}],
    }


def test_every_source_gives_the_same_rows_and_the_same_fingerprint(sources):
    prints = set()
    for name, source in sources.items():
        stream = DataStream(source)
        features, labels = everything(stream)
        np.testing.assert_array_equal(features, np.column_stack([ROWS[:, :2], np.ones(5)]), err_msg=name)
        np.testing.assert_array_equal(labels, ROWS[:, 2], err_msg=name)
        assert stream.model == "logistic" and stream.dim == 3 and stream.classes == (0.0, 1.0)
        prints.add(stream.fingerprint)
    assert len(prints) == 1


def test_the_fingerprint_sees_one_digit_the_order_and_the_columns():
    def of(rows, **options):
        stream = DataStream([rows.tolist()[i] for i in range(len(rows))], **options)
        everything(stream)
        return stream.fingerprint

    changed = ROWS.copy()
    changed[3, 1] = np.nextafter(7.0, 8.0)
    found = [of(ROWS), of(changed), of(ROWS[[1, 0, 2, 3, 4]]), of(ROWS, features=[2, 1]), of(ROWS[:4])]
    assert len(set(found)) == 5


def test_columns_are_chosen_by_name_or_number_and_the_intercept_is_last(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(csv_text())
    stream = DataStream(path, response="x1", features=["y", 2], model="linear")
    features, labels = everything(stream)
    assert stream.names == ("y", "x2", "intercept")
    np.testing.assert_array_equal(features[:, :2], ROWS[:, [2, 1]])
    np.testing.assert_array_equal(labels, ROWS[:, 0])
    assert everything(DataStream(path, intercept=False))[0].shape == (5, 2)


def test_a_mean_needs_no_response(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(csv_text())
    stream = DataStream(path, model="gaussian_mean")
    (features, labels), = list(stream)
    assert labels is None and stream.dim == 3
    np.testing.assert_array_equal(features, ROWS)


def test_small_blocks_and_large_blocks_give_the_same(tmp_path):
    from sampler.streams.csv_reader import CsvReader

    path = tmp_path / "a.csv"
    path.write_text(csv_text(np.repeat(ROWS, 50, axis=0)))
    def cells(block):
        return [c for chunk in CsvReader(path, block=block).chunks(("x2",)) for c in chunk.columns["x2"].to_pylist()]

    assert cells(64) == cells(1 << 20) and len(cells(64)) == 250


def test_a_growing_file_is_followed_line_by_line(tmp_path):
    path, seen = tmp_path / "grows.csv", []
    path.write_text("x1,x2,y\n0.5,1.5,0\n-1.0,2.0,1\n3.2")  # the last line is still being written
    finished = threading.Event()

    def read():
        for features, _ in DataStream(path, follow=True, stop=finished.is_set):
            seen.extend(features[:, 0])

    reader = threading.Thread(target=read)
    reader.start()

    def wait_for(n):
        while len(seen) < n and reader.is_alive():
            time.sleep(0.005)
        assert len(seen) == n

    wait_for(2)
    with open(path, "a") as file:
        file.write("5,-4.0,1\n")
    wait_for(3)
    assert seen == [0.5, -1.0, 3.25]
    finished.set()
    reader.join(60)
    assert not reader.is_alive()


def test_a_followed_file_that_becomes_shorter_is_refused(tmp_path):
    path = tmp_path / "cut.csv"
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
    with pytest.raises(ValueError, match="'a.csv' came into the folder after 'c.csv'"):
        next(rows)


def test_a_row_of_a_queue_is_used_as_soon_as_it_has_come():
    given = []

    def consumer():  # like a message queue: blocks until there is a message
        for row in ROWS:
            given.append(row)
            yield {"x1": row[0], "x2": row[1], "y": row[2]}

    stream = DataStream(consumer(), classes=(0, 1))
    for used, (features, _) in enumerate(stream, 1):
        assert len(features) == 1 and len(given) == used


def test_libsvm_is_understood(tmp_path):
    path = tmp_path / "sparse.txt"
    path.write_text("1 1:0.5 3:2\n2 2:1\n1 1:1\n")
    stream = DataStream(path, intercept=False)
    features, labels = everything(stream)
    np.testing.assert_array_equal(features, [[0.5, 0, 2], [0, 1, 0], [1, 0, 0]])
    np.testing.assert_array_equal(labels, [0, 1, 0])


def test_reading_needs_the_memory_of_a_batch_only(tmp_path):
    import tracemalloc

    path = tmp_path / "long.csv"
    with open(path, "w") as file:
        file.write("x1,x2,y\n")
        for _ in range(100):
            file.write("0.123456789,1.23456789,0\n-0.987654321,4.0,1\n" * 1000)  # 4.4 MB in all
    tracemalloc.start()
    rows = sum(len(features) for features, _ in DataStream(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rows == 200_000
    assert peak < 12e6  # Python's part: a block of 1 MB as text and a few arrays of its 40,000 rows; all rows are 8 MB
