"""libsvm text wherever a source is taken: paths, uploads, open files, folders, files that grow."""

import io

import numpy as np
import pytest

from sampler.streams import DataStream, peek
from sampler.streams.csv_reader import CsvReader
from sampler.streams.libsvm_reader import LibsvmReader, survey
from sampler.streams.libsvm_rows import is_libsvm, sparse_rows

TEXT = "-1 1:0.5 3:2\n+1 2:1\n-1\n+1 1:1 3:-1e-2\n"
DENSE = [[0.5, 0, 2], [0, 1, 0], [0, 0, 0], [1, 0, -0.01]]


def everything(stream):
    parts = list(stream)
    return np.concatenate([features for features, _ in parts]), np.concatenate([labels for _, labels in parts])


def random_text(rng, rows, columns):
    lines, dense = [], np.zeros((rows, columns))
    for row in dense:
        at = np.sort(rng.choice(columns, rng.integers(0, columns + 1), replace=False))
        row[at] = np.round(rng.normal(size=at.size), 6)
        lines.append(" ".join([str(rng.integers(0, 2)), *(f"{j + 1}:{row[j]!r}" for j in map(int, at))]))
    return "\n".join(lines).replace("np.float64(", "").replace(")", "") + "\n", dense


@pytest.mark.parametrize("how", ["path", "upload", "file"])
def test_one_reader_whatever_way_a_file_comes(tmp_path, how):
    path = tmp_path / "a.libsvm"
    path.write_text(TEXT)
    source = {"path": path, "upload": ("a.libsvm", TEXT.encode()), "file": io.BytesIO(TEXT.encode())}[how]
    stream = DataStream(source, intercept=False)
    assert stream.names == ("x1", "x2", "x3") and stream.model == "logistic" and stream.classes == (-1.0, 1.0)
    features, labels = everything(stream)
    np.testing.assert_array_equal(features, DENSE)
    np.testing.assert_array_equal(labels, [0, 1, 0, 1])


def test_its_columns_can_be_chosen_like_any(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text(TEXT)
    stream = DataStream(path, response="x3", features=["x1", "label"], model="linear", intercept=False)
    features, labels = everything(stream)
    np.testing.assert_array_equal(features, [[0.5, -1], [0, 1], [0, -1], [1, 1]])
    np.testing.assert_array_equal(labels, [2, 0, 0, -0.01])
    assert peek(("a.svm", TEXT.encode()), 2).rows == (("0.5", "0", "2", "-1"), ("0", "1", "0", "1"))


def test_a_part_without_the_last_columns_has_zeros_there():
    stream = DataStream(("part.svm", TEXT.encode()), response="label", features=["x3", "x5"], intercept=False)
    np.testing.assert_array_equal(everything(stream)[0], [[2, 0], [0, 0], [0, 0], [-0.01, 0]])
    with pytest.raises(ValueError, match="'age'"):
        DataStream(("part.svm", TEXT.encode()), features=["x1", "age"])


def test_text_parsed_at_once_is_text_parsed_by_line():
    text, dense = random_text(np.random.default_rng(3), 200, 7)
    plain, commented = sparse_rows(text.encode()), sparse_rows(text.replace("\n", " # word\n").encode())
    for rows in (plain, commented):
        np.testing.assert_array_equal(rows.dense(np.arange(7), 7).T, dense)
        assert not rows.broken
    np.testing.assert_array_equal(plain.labels, commented.labels)
    np.testing.assert_array_equal(plain.dense([4, 0], 7), dense.T[[4, 0]])


@pytest.mark.parametrize(("line", "words"), [
    ("1 1:2:3 4", "expected index:value, got '1:2:3'"), ("1 :3 4:", "expected index:value, got ':3'"),
    ("1 3:1 2:1", "indices must rise from 1, got 2 after 3"), ("1 0:1", "indices must rise from 1, got 0 after 0"),
    ("1 1:inf", "expected index:value, got '1:inf'"), ("x 1:1", "the label must be a finite number, got 'x'"),
    ("1 qid:3 1:1", "expected index:value, got 'qid:3'"),
])
def test_a_broken_row_is_left_out_with_its_number_and_reason(tmp_path, line, words):
    path = tmp_path / "bad.libsvm"
    path.write_text(f"# made by hand\n0 1:1 2:1\n{line}\n\n1 1:2 4:1\n")
    stream = DataStream(path, intercept=False)
    features, _ = everything(stream)
    np.testing.assert_array_equal(features[:, :2], [[1, 1], [2, 0]])
    assert stream.report().rows_read == 3 and any(words in said and "row 2" in said for said in stream.report().dropped)


def test_classes_are_those_of_the_whole_file_even_if_it_is_sorted(tmp_path):
    path = tmp_path / "sorted.txt"
    path.write_text("2 1:1\n" * 120_000 + "1 1:3\n")  # a block holds one class only
    features, labels = everything(DataStream(path, intercept=False))
    assert labels.sum() == 120_000 and labels[-1] == 0 and features[-1, 0] == 3


def test_memory_is_that_of_a_block(tmp_path):
    import tracemalloc

    path = tmp_path / "long.libsvm"
    with open(path, "w") as file:
        for _ in range(60):
            file.write("1 1:0.123456 40:1.5\n0 7:0.5 39:-2.25\n" * 1000)
    tracemalloc.start()
    reader = LibsvmReader(path)
    rows = sum(chunk.n for chunk in reader.chunks(reader.names))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rows == reader.rows == 120_000
    assert peak < 30e6  # the dense file is 39 MB; a block is 1 MB of text, a chunk 4 MB of numbers


def test_wide_rows_come_a_few_at_a_time(tmp_path):
    path = tmp_path / "wide.libsvm"
    path.write_text("1 1:1 20000:1\n" * 500)
    reader = LibsvmReader(path)
    sizes = [chunk.n for chunk in reader.chunks(reader.names)]
    assert sum(sizes) == 500 and max(sizes) == 25  # 4 MB
    path.write_text("1 1:1 20001:1\n")
    with pytest.raises(ValueError, match="has 20,001 columns; at most 20,000 can be used"):
        LibsvmReader(path)


def test_files_of_a_folder_share_their_columns(tmp_path):
    (tmp_path / "a.libsvm").write_text("0 1:1\n1 2:1\n")
    (tmp_path / "b.libsvm").write_text("0 3:1\n")
    stream = DataStream(tmp_path, intercept=False)
    features, _ = everything(stream)
    np.testing.assert_array_equal(features, [[1, 0, 0], [0, 1, 0], [0, 0, 1]])


def test_a_file_that_grows_keeps_its_columns(tmp_path):
    path = tmp_path / "grows.libsvm"
    path.write_text("0 1:1\n1 2:1\n")
    ended = []
    stream = DataStream(path, intercept=False, follow=True, stop=lambda: bool(ended))
    batches = iter(stream)
    assert len(next(batches)[0]) == 2
    with open(path, "a") as file:
        file.write("1 1:4\n0 3:1\n")
    np.testing.assert_array_equal(next(batches)[0], [[4, 0]])
    ended.append(True)
    assert not list(batches)
    assert "index 3 is beyond the 2 columns that the file had when it was opened" in stream.report().dropped[0]


def test_a_pipe_is_refused_in_words():
    class Pipe(io.BytesIO):
        def seekable(self):
            return False

    with pytest.raises(ValueError, match="holds libsvm rows, whose number of columns is known at their end only"):
        DataStream(Pipe(TEXT.encode()))
    with pytest.raises(ValueError, match="give the path of a file"):
        CsvReader(Pipe(TEXT.encode()))


def test_what_looks_like_libsvm_and_what_does_not(tmp_path):
    assert is_libsvm(["# a comment", "1", "1 1:2 5:3"]) and is_libsvm(["1 1:2", "nothing good", "2 1:1", "1 2:2"])
    assert not is_libsvm(["a,b", "1,2"]) and not is_libsvm(["1 2 3"]) and not is_libsvm(["1", "2"]) and not is_libsvm([])
    assert not is_libsvm(["time value", "12:30 4"])
    path = tmp_path / "long.txt"
    path.write_text("1 " + " ".join(f"{j}:0.12345" for j in range(1, 9000)) + "\n")  # a line of 100 kB
    assert DataStream(path, response="x9", features=["x8"], model="linear").dim == 2
    path = tmp_path / "labels.txt"
    path.write_text("2 1:1\n2.0 3:1\n-1 2:1\n\n# end\n")
    assert survey(path) == (3, 3, (-1.0, 2.0))
