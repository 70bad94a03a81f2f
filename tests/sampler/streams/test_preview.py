import numpy as np
import pytest

from sampler.streams import peek


def test_the_first_rows_as_they_stand():
    found = peek(("f.csv", b"a;b;y\n1;;no\n2.5;x;yes\n3;4;no\n"), rows=2)
    assert found.names == ("a", "b", "y") and found.rows == (("1", "", "no"), ("2.5", "x", "yes"))
    assert len(peek(("f.csv", b"1,2\n3,4\n")).rows) == 2


def test_other_files_too(tmp_path):
    (tmp_path / "f.txt").write_text("1 2:0.5 3:1\n2 1:3\n")
    assert peek(tmp_path / "f.txt").rows[0] == ("0", "0.5", "1", "1") and peek(tmp_path / "f.txt").names[-1] == "label"
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({"a": np.arange(9.0), "y": [None] * 9}), tmp_path / "f.parquet")
    assert peek(tmp_path / "f.parquet", rows=1).rows == (("0", ""),)


def test_a_wrong_source_is_said():
    with pytest.raises(ValueError, match="is empty"):
        peek(("f.csv", b""))
