"""libsvm text and compressed files as paths, uploads, open files, folders and growing files."""

import bz2
import gzip
import io
import lzma

import numpy as np
import pyarrow as pa
import pytest

from sampler.streams import DataStream, check_upload, peek, read_table, text_file
from sampler.streams.libsvm_file import LibsvmReader, is_libsvm, survey
from tests.sampler.streams.reading import everything

TEXT = "-1 1:0.5 3:2 # a comment\n+1 2:1\n-1\n\n+1 1:1 3:-1e-2\n"
DENSE = [[0.5, 0, 2], [0, 1, 0], [0, 0, 0], [1, 0, -0.01]]


@pytest.fixture
def path(tmp_path):
    (tmp_path / "a.libsvm").write_text(TEXT)
    return tmp_path / "a.libsvm"


def test_paths_uploads_and_open_files_are_read_alike(path):
    for source in (path, ("a.libsvm", TEXT.encode()), io.BytesIO(TEXT.encode())):
        stream = DataStream(source, intercept=False)
        assert stream.names == ("x1", "x2", "x3") and stream.model == "logistic" and stream.classes == (-1.0, 1.0)
        features, labels = everything(stream)
        np.testing.assert_array_equal(features, DENSE)
        np.testing.assert_array_equal(labels, [0, 1, 0, 1])
    table = read_table(path)
    np.testing.assert_array_equal(np.column_stack([table.features, table.labels]), np.column_stack([DENSE, [0, 1, 0, 1]]))
    assert table.names == ("x1", "x2", "x3") and table.label_values == (-1.0, 1.0)


def test_columns_can_be_chosen_and_missing_ones_are_zero(path):
    stream = DataStream(path, response="x3", features=["x1", "label"], model="linear", intercept=False)
    features, labels = everything(stream)
    np.testing.assert_array_equal(features, [[0.5, -1], [0, 1], [0, -1], [1, 1]])
    np.testing.assert_array_equal(labels, [2, 0, 0, -0.01])
    assert peek(path, 2).rows == (("0.5", "0", "2", "-1"), ("0", "1", "0", "1"))
    stream = DataStream(path, response="label", features=["x3", "x5"], intercept=False)
    np.testing.assert_array_equal(everything(stream)[0], [[2, 0], [0, 0], [0, 0], [-0.01, 0]])
    with pytest.raises(ValueError, match="'age'"):
        DataStream(path, features=["x1", "age"])


@pytest.mark.parametrize(("line", "words"), [
    ("1 1:2:3 4", "expected index:value, got '1:2:3'"), ("1 :3 4:", "expected index:value, got ':3'"),
    ("1 3:1 2:1", "indices must increase from 1, got 2 after 3"), ("1 2:1 2:1", "increase from 1, got 2 after 2"),
    ("1 0:1", "indices must increase from 1, got 0 after 0"), ("1 -1:3", "expected index:value, got '-1:3'"),
    ("1 1:inf", "expected index:value, got '1:inf'"), ("x 1:1", "the label must be a finite number, got 'x'"),
    ("1 qid:3 1:1", "expected index:value, got 'qid:3'"), ("1 1", "expected index:value, got '1'"),
])
def test_a_broken_row_is_left_out_with_its_number_and_reason(path, line, words):
    path.write_text(f"# made by hand\n0 1:1 2:1\n{line}\n\n1 1:2 4:1\n")
    stream = DataStream(path, intercept=False)
    features, _ = everything(stream)
    np.testing.assert_array_equal(features[:, :2], [[1, 1], [2, 0]])
    assert stream.report().rows_read == 3 and any(words in note and "row 2" in note for note in stream.report().dropped)


def test_classes_are_those_of_the_whole_file(path):
    path.write_text("2 1:1\n" * 120_000 + "1 1:3\n")  # each block has one class
    assert DataStream(path).classes == (1.0, 2.0)


def test_wide_rows_are_read_in_small_chunks(path):
    path.write_text("1 1:1 20000:1\n" * 500)
    reader = LibsvmReader(path)
    sizes = [chunk.n for chunk in reader.chunks(reader.names)]
    assert sum(sizes) == reader.rows == 500 and max(sizes) == 25  # 4 MB of numbers
    path.write_text("1 1:1 20001:1\n")
    with pytest.raises(ValueError, match="has 20,001 columns; at most 20,000 can be used"):
        LibsvmReader(path)


def test_files_of_a_folder_share_columns_and_a_growing_file_keeps_its_own(tmp_path):
    (tmp_path / "a.libsvm").write_text("0 1:1\n1 2:1\n")
    (tmp_path / "b.libsvm").write_text("0 3:1\n")
    features, _ = everything(DataStream(tmp_path, intercept=False))
    np.testing.assert_array_equal(features, np.eye(3))
    ended = []
    stream = DataStream(tmp_path / "a.libsvm", intercept=False, follow=True, stop=lambda: bool(ended))
    batches = iter(stream)
    assert len(next(batches)[0]) == 2
    with open(tmp_path / "a.libsvm", "a") as file:
        file.write("1 1:4\n0 3:1\n")
    np.testing.assert_array_equal(next(batches)[0], [[4, 0]])
    ended.append(True)
    assert not list(batches)
    assert "index 3 is beyond the 2 columns that the file had when it was opened" in stream.report().dropped[0]


def test_a_pipe_is_rejected():
    class Pipe(io.BytesIO):
        def seekable(self):
            return False

    with pytest.raises(ValueError, match="columns requires a first pass over all rows; pass the path of a file"):
        DataStream(Pipe(TEXT.encode()))


def test_detection_of_libsvm(path):
    assert is_libsvm(["# a comment", "1", "1 1:2 5:3"]) and is_libsvm(["1 1:2", "nothing good", "2 1:1", "1 2:2"])
    assert not is_libsvm(["a,b", "1,2"]) and not is_libsvm(["1 2 3"]) and not is_libsvm(["1", "2"]) and not is_libsvm([])
    assert not is_libsvm(["time value", "12:30 4"])
    path.write_text("1 " + " ".join(f"{j}:0.12345" for j in range(1, 9000)) + "\n")  # a line of 100 kB
    assert DataStream(path, response="x9", features=["x8"], model="linear").dim == 2
    path.write_text("2 1:1\n2.0 3:1\n-1 2:1\n\n# end\n")
    assert survey(path) == (3, 3, (-1.0, 2.0))


PACK = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress,
        ".zst": lambda data: pa.compress(data, "zstd", asbytes=True)}
ROWS = np.random.default_rng(0).normal(size=(600, 3))
CSV = "a,b,c,answer\n" + "".join(f"{a:.4f},{b:.4f},{c:.4f},{'yes' if a > 0 else 'no'}\n" for a, b, c in ROWS)
SVM = "".join(f"{'+1' if a > 0 else '-1'} 1:{a:.4f} 3:{c:.4f}\n" for a, b, c in ROWS)
every = pytest.mark.parametrize("end", PACK)


def rows_of(source):
    return everything(DataStream(source))[0]


@every
@pytest.mark.parametrize(("name", "text"), [("data.csv", CSV), ("data.libsvm", SVM), ("data", CSV)])
def test_a_compressed_file_has_the_same_rows(tmp_path, end, name, text):
    plain, packed = tmp_path / name, tmp_path / (name + end)
    plain.write_text(text)
    packed.write_bytes(PACK[end](text.encode()))
    expected = rows_of(plain)
    assert len(expected) == len(ROWS)
    for source in (packed, (packed.name, packed.read_bytes()), (packed.name, packed), io.BytesIO(packed.read_bytes())):
        np.testing.assert_array_equal(rows_of(source), expected)
    assert peek(packed).rows == peek(plain).rows
    np.testing.assert_array_equal(read_table(packed).features, read_table(plain).features)
    with pytest.raises(ValueError, match="follow must be False for a compressed file"):
        DataStream(packed, follow=True)
    half = tmp_path / ("half" + name + end)
    half.write_bytes(packed.read_bytes()[:len(packed.read_bytes()) // 2])
    with pytest.raises(ValueError, match="half.*is compressed with .*; unpacking it broke off after"):
        rows_of(half)


@every
def test_compressed_folders_and_concatenated_parts(tmp_path, end):
    lines = CSV.splitlines(keepends=True)
    parts = b"".join(PACK[end]("".join(part).encode()) for part in (lines[:200], lines[200:]))
    for i, data in enumerate((PACK[end](CSV.encode()), parts)):
        (tmp_path / f"{i}.csv{end}").write_bytes(data)
    assert len(rows_of(tmp_path)) == 2 * len(ROWS)


@every
def test_unbounded_decompression_is_rejected(tmp_path, end, monkeypatch):
    monkeypatch.setattr(text_file, "MOST_UNPACKED", 1 << 20)
    monkeypatch.setattr(text_file, "MOST_PACKED", 10)
    path = tmp_path / ("bomb.csv" + end)
    path.write_bytes(PACK[end](b"a,answer\n" + b"1.0,1\n2.0,0\n" * 100_000))
    with pytest.raises(ValueError, match="bomb.csv.* unpacks to more than 1,048,576 bytes"):
        rows_of(path)


@every
def test_a_compressed_upload_is_checked(end):
    wide = ",".join(f"c{i}" for i in range(2000)).encode() + b"\n"
    assert check_upload("x.csv" + end, PACK[end](wide)).startswith(b"c0,c1,")
    for inside, words in ((b"\x89PNG" + bytes(99), "PNG picture"), (bytes(range(256)), "not a text file")):
        with pytest.raises(ValueError, match=words):
            check_upload("x.csv" + end, PACK[end](inside))
