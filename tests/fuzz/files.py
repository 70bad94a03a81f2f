"""Files as people have them, whole and torn: a name, and bytes that may be text in any encoding,
a picture or an archive."""

import io
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

CELLS = ["0", "1", "-1", "2.5", "1e3", "1e400", "nan", "NaN", "inf", "", "NA", "null", "?", "yes", "no", "a", "1,5",
"1.234,5", '"a,b"',
         '"x\ny"', '"', "'", "é", "\x00", " ", "3 ", "0x10", "1_0", "٣", "9" * 400, "1:2", "2:1e3", "1:nan", "0:1",
         "-1:1", "5:", ":", "#",
         "2024-01-01", "TRUE", "\ufeff", "=1+1"]
NAMES = ["a", "b", "y", "label", "x", "", "a", "target", "1", "ü", '"q"', " b "]
WHOLE = ["a,b,y\n" + "".join(f"{i % 7},{i * 0.5},{i % 2}\n" for i in range(30)),
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


def stored():
    """A parquet file, and arrays as numpy keeps them."""
    table, parquet, npz = pa.table({"a": [1.0, 2.0, None] * 8, "y": [0, 1, 1] * 8}), io.BytesIO(), io.BytesIO()
    pq.write_table(table, parquet)
    np.savez(npz, a=np.eye(3))
    return [parquet.getvalue(), npz.getvalue()]


BINARY = [*stored(), archive(), b"\x89PNG\r\n\x1a\n" + bytes(60), b"\xff\xd8\xff\xe0" + bytes(60),
                  b"%PDF-1.7\n" + bytes(60), b"\x1f\x8b\x08" + bytes(40),
          b"SQLite format 3\x00" + bytes(60)]

separators = st.sampled_from([",", ";", "\t", " ", "|", ", "])
texts = st.tuples(separators, st.sampled_from(["\n", "\r\n", "\r"]), st.lists(st.lists(st.sampled_from([*CELLS,
                  *NAMES]), max_size=5), max_size=8)
                  ).map(lambda drawn: drawn[1].join(drawn[0].join(row) for row in drawn[2]))
numbers = st.tuples(separators, st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(
    st.one_of(st.floats(-1e3, 1e3).map("{:.4g}".format), st.sampled_from(CELLS[:8])), min_size=width,
              max_size=width), min_size=1,
    max_size=25))).map(lambda drawn: "\n".join(drawn[0].join(row) for row in drawn[1]) + "\n")
encoded = st.tuples(st.one_of(texts, numbers, numbers, st.sampled_from(WHOLE), st.text(max_size=40)),
                    st.sampled_from(ENCODINGS)).map(
    lambda drawn: drawn[0].encode(drawn[1], "replace"))


def torn(data):
    """Return a file with a part cut off, put in, or put twice."""
    at = st.integers(0, len(data))
    return st.one_of(at.map(lambda n: data[:n]), at.map(lambda n: data[n:]), st.tuples(at, st.binary(max_size=4)).map(
        lambda drawn: data[:drawn[0]] + drawn[1] + data[drawn[0]:]), at.map(lambda n: data[:n] * 2))


content = st.one_of(encoded, encoded, encoded.flatmap(torn), st.sampled_from(BINARY),
                    st.sampled_from(BINARY).flatmap(torn), st.binary(max_size=60))
files = st.tuples(st.sampled_from(ENDINGS), content)
"""A name and the bytes under it."""
