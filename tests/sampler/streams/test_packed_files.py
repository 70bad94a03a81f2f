"""Files packed with gzip, bzip2, xz or zstd are read as what they hold, a block at a time."""

import bz2
import gzip
import io
import lzma

import numpy as np
import pyarrow as pa
import pytest

from sampler import DataStream
from sampler.streams import check_upload, peek, read_table, text_file

PACK = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress,
        ".zst": lambda data: pa.compress(data, "zstd", asbytes=True)}
ROWS = np.random.default_rng(0).normal(size=(600, 3))
CSV = "a,b,c,answer\n" + "".join(f"{a:.4f},{b:.4f},{c:.4f},{'yes' if a > 0 else 'no'}\n" for a, b, c in ROWS)
SVM = "".join(f"{'+1' if a > 0 else '-1'} 1:{a:.4f} 3:{c:.4f}\n" for a, b, c in ROWS)
every = pytest.mark.parametrize("end", PACK)


def rows_of(source):
    return np.concatenate([features for features, _ in DataStream(source)])


@every
@pytest.mark.parametrize(("name", "text"), [("data.csv", CSV), ("data.libsvm", SVM), ("data", CSV)])
def test_a_packed_file_has_the_rows_it_holds(tmp_path, end, name, text):
    plain, packed = tmp_path / name, tmp_path / (name + end)
    plain.write_text(text)
    packed.write_bytes(PACK[end](text.encode()))
    expected = rows_of(plain)
    assert len(expected) == len(ROWS)
    for source in (packed, (packed.name, packed.read_bytes()), (packed.name, packed), io.BytesIO(packed.read_bytes())):
        np.testing.assert_array_equal(rows_of(source), expected)
    assert peek(packed).rows == peek(plain).rows
    np.testing.assert_array_equal(read_table(packed).features, read_table(plain).features)
    with pytest.raises(ValueError, match="follow must be False for a packed file"):
        DataStream(packed, follow=True)
    half = tmp_path / ("half" + name + end)
    half.write_bytes(packed.read_bytes()[:len(packed.read_bytes()) // 2])
    with pytest.raises(ValueError, match="half.*is compressed with .*; unpacking it broke off after"):
        rows_of(half)


@every
def test_packed_files_of_a_folder_are_one_stream_and_parts_packed_one_after_the_other_one_file(tmp_path, end):
    lines = CSV.splitlines(keepends=True)
    parts = b"".join(PACK[end]("".join(part).encode()) for part in (lines[:200], lines[200:]))
    for i, data in enumerate((PACK[end](CSV.encode()), parts)):
        (tmp_path / f"{i}.csv{end}").write_bytes(data)
    assert len(rows_of(tmp_path)) == 2 * len(ROWS)


@every
def test_what_unpacks_without_end_is_refused_before_memory_is_full(tmp_path, end, monkeypatch):
    monkeypatch.setattr(text_file, "MOST_UNPACKED", 1 << 20)
    monkeypatch.setattr(text_file, "MOST_PACKED", 10)
    path = tmp_path / ("bomb.csv" + end)
    path.write_bytes(PACK[end](b"a,answer\n" + b"1.0,1\n2.0,0\n" * 100_000))
    with pytest.raises(ValueError, match="bomb.csv.* unpacks to more than 1,048,576 bytes"):
        rows_of(path)


@every
def test_an_upload_is_looked_at_through_its_packing(end):
    wide = ",".join(f"c{i}" for i in range(2000)).encode() + b"\n"
    assert check_upload("x.csv" + end, PACK[end](wide)).startswith(b"c0,c1,")
    for inside, words in ((b"\x89PNG" + bytes(99), "PNG picture"), (bytes(range(256)), "not a text file")):
        with pytest.raises(ValueError, match=words):
            check_upload("x.csv" + end, PACK[end](inside))
