"""Realistic files, intact and damaged, as (name, bytes): text in any encoding, images, archives."""

import io
import struct
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

CELLS = ["0", "1", "-1", "2.5", "1e3", "1e400", "nan", "NaN", "inf", "", "NA", "null", "?", "yes", "no", "a", "1,5",
         "1.234,5", '"a,b"', '"x\ny"', '"', "'", "é", "\x00", " ", "3 ", "0x10", "1_0", "٣", "9" * 400, "1:2", "2:1e3",
         "1:nan", "0:1", "-1:1", "5:", ":", "#", "2024-01-01", "TRUE", "\ufeff", "=1+1"]
NAMES = ["a", "b", "y", "label", "x", "", "a", "target", "1", "ü", '"q"', " b "]
INTACT = ["a,b,y\n" + "".join(f"{i % 7},{i * 0.5},{i % 2}\n" for i in range(30)),
         "".join(f"{i % 2} 1:{i} 3:{0.5 * i}\n" for i in range(30)), "".join(f"{i};{i},5;{i % 3}\n" for i in range(20)),
         'n\tword\ty\n' + "".join(f'{i}\t"w {i % 3}\nmore"\t{i % 2}\n' for i in range(20))]
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "utf-32", "cp1252"]
ENDINGS = ["a.csv", "a.txt", "a.tsv", "a.libsvm", "a.svm", "a.parquet", "a.npz", "a.xlsx", "a.csv.gz", "a", ".csv",
           "ü b.csv", "a.PNG", "a.json"]


def archive():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as zipped:
        zipped.writestr("xl/workbook.xml", "<workbook/>")
    return file.getvalue()


TABLE = pa.table({"x": [1.0, 2.0, None] * 4, "y": list(range(12)), "word": ["ja", "nein", "été"] * 4,
                  "day": pa.array([0, 1, 2] * 4, pa.timestamp("ms"))})


def to_bytes(write):
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def arrow(new, compression):
    def write(file):
        with new(file, TABLE.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as out:
            out.write_table(TABLE)

    return to_bytes(write)


BY_KIND = [
    ("packed.parquet", to_bytes(lambda file: pq.write_table(TABLE, file, compression="zstd"))),
    ("plain.parquet", to_bytes(lambda file: pq.write_table(
        TABLE, file, compression="none", use_dictionary=False, write_page_checksum=True, data_page_version="2.0",
        row_group_size=5))),
    ("file.arrow", arrow(pa.ipc.new_file, None)), ("stream.arrows", arrow(pa.ipc.new_stream, "lz4")),
    ("file.feather", arrow(pa.ipc.new_file, "zstd")), ("text.csv", INTACT[3].encode()),
    ("rows.libsvm", INTACT[1].encode())]
"""Files with the suffix of their format."""
BINARY = [*(data for _, data in BY_KIND[:5]), to_bytes(lambda file: np.savez(file, a=np.eye(3))), archive(),
          b"\x89PNG\r\n\x1a\n" + bytes(60), b"\xff\xd8\xff\xe0" + bytes(60), b"%PDF-1.7\n" + bytes(60),
          b"\x1f\x8b\x08" + bytes(40), b"SQLite format 3\x00" + bytes(60)]

separators = st.sampled_from([",", ";", "\t", " ", "|", ", "])
texts = st.tuples(separators, st.sampled_from(["\n", "\r\n", "\r"]), st.lists(st.lists(st.sampled_from([*CELLS,
                  *NAMES]), max_size=5), max_size=8)
                  ).map(lambda drawn: drawn[1].join(drawn[0].join(row) for row in drawn[2]))
numbers = st.tuples(separators, st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(
    st.one_of(st.floats(-1e3, 1e3).map("{:.4g}".format), st.sampled_from(CELLS[:8])), min_size=width,
              max_size=width), min_size=1,
    max_size=25))).map(lambda drawn: "\n".join(drawn[0].join(row) for row in drawn[1]) + "\n")
encoded = st.tuples(st.one_of(texts, numbers, numbers, st.sampled_from(INTACT), st.text(max_size=40)),
                    st.sampled_from(ENCODINGS)).map(
    lambda drawn: drawn[0].encode(drawn[1], "replace"))


SIZES = st.sampled_from([0, -1, 2**31 - 1]).map(lambda size: struct.pack("<i", size))
"""Sizes as four bytes."""


def damaged(data):
    """Return a file with a part cut off, inserted, doubled or overwritten."""
    at = st.integers(0, len(data))
    insertion = st.tuples(at, st.one_of(st.binary(max_size=4), SIZES))
    return st.one_of(at.map(lambda n: data[:n]), at.map(lambda n: data[n:]), at.map(lambda n: data[:n] * 2),
                     insertion.map(lambda drawn: data[:drawn[0]] + drawn[1] + data[drawn[0]:]),
                     insertion.map(lambda drawn: data[:drawn[0]] + drawn[1] + data[drawn[0] + len(drawn[1]):]))


content = st.one_of(encoded, encoded, encoded.flatmap(damaged), st.sampled_from(BINARY),
                    st.sampled_from(BINARY).flatmap(damaged), st.binary(max_size=60))
by_kind = st.sampled_from(BY_KIND).flatmap(lambda file: st.tuples(st.just(file[0]), damaged(file[1])))
files = st.one_of(by_kind, st.tuples(st.sampled_from(ENDINGS), content))
"""File name and content."""
