"""Files that were damaged on their way: cut, with bytes that changed, with sizes that lie. Each is read, or refused."""

import io
import struct

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from sampler.streams import DataStream, levels, peek

ROWS = 12
TABLE = pa.table({"x": [1.0, 2.0, None] * 4, "y": list(range(ROWS)), "word": ["ja", "nein", "été"] * 4,
                  "day": pa.array([0, 1, 2] * 4, pa.timestamp("ms"))})


def parquet_bytes(**options):
    file = io.BytesIO()
    parquet.write_table(TABLE, file, **options)
    return file.getvalue()


def arrow_bytes(writer, compression):
    file = io.BytesIO()
    with writer(file, TABLE.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as out:
        out.write_table(TABLE)
    return file.getvalue()


WHOLE = {"packed.parquet": lambda: parquet_bytes(compression="zstd"),
         "plain.parquet": lambda: parquet_bytes(compression="none", use_dictionary=False, write_page_checksum=True,
                                                data_page_version="2.0", row_group_size=5),
         "file.arrow": lambda: arrow_bytes(pa.ipc.new_file, None),
         "stream.arrows": lambda: arrow_bytes(pa.ipc.new_stream, "lz4"),
         "file.feather": lambda: arrow_bytes(pa.ipc.new_file, "zstd"),
         "text.csv": lambda: b"x,y,word\n" + b"".join(b'%d,%d,"w\n%d"\n' % (i, i % 3, i % 2) for i in range(ROWS)),
         "rows.libsvm": lambda: b"".join(b"%d 1:%d 3:%d.5\n" % (i % 2, i, i) for i in range(ROWS))}
LIES = [struct.pack("<i", value) for value in (0, -1, 2**31 - 1)]
"""What four bytes say of a size."""


def damaged(data, places):
    """Every damage at some places: eight at each."""
    for at in places:
        yield data[:at]
        yield data[at:]
        yield data[:at] + data[at + 1:]
        yield data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1:]
        yield data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1:]
        for lie in LIES:
            yield data[:at] + lie + data[at + 4:]


def read(source, name):
    for features, response in DataStream(source, "label" if name == "rows.libsvm" else "y", model="linear"):
        assert np.isfinite(features).all() and np.isfinite(response).all()


def refused(call):
    """Whether a call is refused; in words, or not at all."""
    try:
        call()
    except ValueError as error:
        said = str(error)
        assert type(error) is ValueError and 20 < len(said) < 600, said
        assert said.startswith(("source", "response", "features", "model", "column", "line")), said
        return True
    return False


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("places", [pytest.param(9, id="some"), pytest.param(None, id="every", marks=pytest.mark.slow)])
def test_a_damaged_file_is_read_or_refused_in_words(name, places, tmp_path):
    data, path, cases = WHOLE[name](), tmp_path / name, 0
    assert len(peek((name, write(path, data))).rows) == 6
    read(path, name)
    at = range(len(data)) if places is None else np.linspace(0, len(data) - 1, places).astype(int).tolist()
    found = 0
    for torn in damaged(data, at):
        write(path, torn)
        found += sum([refused(lambda: peek(path)), refused(lambda: read(path, name)),
                      refused(lambda: levels(path, "word"))])
        if not name.endswith(("arrow", "arrows", "feather")):
            refused(lambda torn=torn: read((name, torn), name))
        cases += 1
    assert cases == 8 * len(at)
    assert found > cases / 2 or name == "text.csv"


def write(path, data):
    path.write_bytes(data)
    return path


def test_a_column_whose_description_is_damaged_does_not_end_the_process():
    """PyArrow ends it where a column's statistics of levels do not fit; they are not asked for."""
    data = parquet_bytes(compression="brotli")
    for at in range(len(data) - 900, len(data) - 8):
        torn = data[:at] + bytes([data[at] ^ 2]) + data[at + 1:]
        refused(lambda torn=torn: peek(("f.parquet", torn)))


def test_a_file_with_fewer_rows_than_it_says(tmp_path):
    path = tmp_path / "f.parquet"
    path.write_bytes(parquet_bytes())
    stream = DataStream(path, response="y", model="linear")
    stream._reader.rows += 1
    with pytest.raises(ValueError, match="'f.parquet' breaks off after row 12, its end says that it has 13; copy it again"):
        list(stream)


def test_dates_that_python_has_not_are_shown_as_text():
    far = pa.table({"x": [1.0, 2.0], "y": [0, 1], "day": pa.array([2**62, 1], pa.timestamp("ms")),
                    "tick": pa.array([1, 2], pa.timestamp("ns")),
                    "days": pa.array([[2**62], None], pa.list_(pa.timestamp("ms")))})
    file = io.BytesIO()
    parquet.write_table(far, file)
    shown = peek(("f.parquet", file.getvalue()))
    assert [row[:2] for row in shown.rows] == [("1", "0"), ("2", "1")]
    assert "1970-01-01" in shown.rows[1][2] and "4611686018427387904" in shown.rows[0][2]
    assert shown.rows[0][3] == "1970-01-01 00:00:00.000000001" and shown.rows[1][4] == ""
    stream = DataStream(("f.parquet", file.getvalue()), response="y", features=["x"])
    assert sum(len(rows) for rows, _ in stream) == 2
    with pytest.raises(ValueError, match="column 'day' holds text"):
        DataStream(("f.parquet", file.getvalue()), response="y", features=["day"])


def test_levels_of_a_column_that_is_not_there():
    with pytest.raises(ValueError, match="column must be one of x, y, word, day, got 'z'; choose one of them"):
        levels(("f.parquet", parquet_bytes()), "z")
