"""Whole CSV and libsvm files, and broken ones."""

import numpy as np
import pytest

from sampler.streams.tabular_file import read_csv, read_libsvm, read_table


def write(tmp_path, text, name="data.txt"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_libsvm_is_dense_and_its_labels_are_zero_and_one(tmp_path):
    path = write(tmp_path, "1 1:0.5 3:-2 # a comment\n\n2 2:1e-3\n# nothing here\n2\n1 3:4\n")
    table = read_table(path)
    np.testing.assert_array_equal(table.features, [[0.5, 0, -2], [0, 1e-3, 0], [0, 0, 0], [0, 0, 4]])
    np.testing.assert_array_equal(table.labels, [0, 1, 1, 0])
    assert table.names == ("x1", "x2", "x3") and table.label_values == (1.0, 2.0)


@pytest.mark.parametrize("line, words", [
    ("1 2:1 1:1", "indices must rise from 1, got 1 after 2"),
    ("1 2:1 2:1", "indices must rise from 1, got 2 after 2"),
    ("1 0:1", "indices must rise from 1, got 0 after 0"),
    ("1 1:x", "expected index:value, got '1:x'"),
    ("1 1:nan", "expected index:value, got '1:nan'"),
    ("1 1", "expected index:value, got '1'"),
    ("1 -1:3", "expected index:value, got '-1:3'"),
    ("1 1 :3", "expected index:value, got '1'"),
    ("yes 1:3", "label must be a finite number, got 'yes'"),
    ("inf 1:3", "label must be a finite number, got 'inf'"),
])
def test_a_broken_libsvm_line_is_named_by_its_number(tmp_path, line, words):
    path = write(tmp_path, f"# head\n1 1:1\n\n2 2:1\n{line}\n1 1:1\n", "bad.libsvm")
    with pytest.raises(ValueError, match=f"line 5 of 'bad.libsvm' is broken: .*{words}; repair or delete"):
        read_table(path)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_with_and_without_names(tmp_path, delimiter):
    rows = ["1", "2.5", "1"], ["-3", "4e1", "0"]
    text = "\n".join(delimiter.join(r) for r in rows)
    plain = read_table(write(tmp_path, text))
    named = read_table(write(tmp_path, delimiter.join(["age", "mass", "ill"]) + "\n" + text + "\n", "b.csv"))
    for table in (plain, named):
        np.testing.assert_array_equal(table.features, [[1, 2.5], [-3, 40]])
        np.testing.assert_array_equal(table.labels, [1, 0])
    assert named.names == ("age", "mass") and plain.names == ("x1", "x2")
    other = read_csv(tmp_path / "b.csv", label="mass")
    np.testing.assert_array_equal(other.features, [[1, 1], [-3, 0]])
    np.testing.assert_array_equal(other.labels, [0, 1])  # two values: 2.5 and 40
    assert other.names == ("age", "ill") and other.label_values == (2.5, 40.0)


@pytest.mark.parametrize("line, words", [
    ("1,2", "expected 3 columns, got 2"),
    ("1,,0", "column 'mass' must be a finite number, got an empty cell"),
    ("1,old,0", "column 'mass' must be a finite number, got 'old'"),
    ("1,NaN,0", "column 'mass' must be a finite number, got 'NaN'"),
])
def test_a_broken_csv_line_is_named_by_its_number(tmp_path, line, words):
    path = write(tmp_path, f"age,mass,ill\n1,2,0\n\n{line}\n", "bad.csv")
    with pytest.raises(ValueError, match=f"line 4 of 'bad.csv' is broken: {words}; repair or delete"):
        read_table(path)


def test_files_that_are_no_tables(tmp_path):
    with pytest.raises(ValueError, match="cannot be read as text"):
        read_table(tmp_path / "missing.csv")
    (tmp_path / "binary").write_bytes(b"\x07\x00\x00\x81")
    with pytest.raises(ValueError, match="is not a text file: it holds bytes that no text has"):
        read_table(tmp_path / "binary")
    with pytest.raises(ValueError, match="is empty"):
        read_table(write(tmp_path, "\n\n"))
    with pytest.raises(ValueError, match="at least two columns"):
        read_table(write(tmp_path, "a,b\n"))
    with pytest.raises(ValueError, match="no libsvm line with features"):
        read_libsvm(write(tmp_path, "1\n2\n"))
    with pytest.raises(ValueError, match="dense table of 2 x 500000000 numbers, beyond 2 GiB"):
        read_table(write(tmp_path, "1 1:1\n2 500000000:1\n"))
    with pytest.raises(ValueError, match="quotation mark that is never closed, before '2"):
        read_table(write(tmp_path, '1,"2\n3,4\n'))
    two_lines = read_table(write(tmp_path, 'a,"b\nin kg",y\n1,2,yes\n\n5,6,no\n'))
    assert two_lines.names == ("a", "b in kg") and two_lines.labels.tolist() == [1, 0]
    assert read_table(write(tmp_path, "a,y\n1,Yes\n5,no\n")).labels.tolist() == [1, 0]  # sorted as words are
    with pytest.raises(ValueError, match="line 3 .* column 'y' must be 'no' or 'Yes', got an empty cell"):
        read_table(write(tmp_path, "a,y\n1,Yes\n5,\n6,no\n"))
    path = write(tmp_path, "1,2,3\n")
    with pytest.raises(ValueError, match="label must be one of the columns x1, x2, x3, got 'y'"):
        read_csv(path, "y")
    with pytest.raises(ValueError, match=r"label must be a whole number in \[-3, 2\], got 7"):
        read_csv(path, 7)


def test_more_than_two_labels_stay_and_one_becomes_a_class(tmp_path):
    assert read_csv(write(tmp_path, "1,5\n2,6\n3,7\n")).labels.tolist() == [5, 6, 7]
    assert read_csv(write(tmp_path, "1,2\n2,2\n")).labels.tolist() == [1, 1]
    assert read_csv(write(tmp_path, "1,0\n2,0\n")).labels.tolist() == [0, 0]


@pytest.mark.parametrize(("text", "positive", "labels"), [
    ("x,y\n1,a\n2,b\n3,c\n4,b\n", "b", [0, 1, 0, 1]), ("1,5\n2,6\n3,7\n4,6.0\n", "6", [0, 1, 0, 1]),
    ("1;5,5\n2;6,5\n3;7,5\n", 6.5, [0, 1, 0]), ("5 1:1\n6 1:2\n7 1:3\n6 1:4\n", "6", [0, 1, 0, 1])])
def test_one_label_is_set_against_the_others(tmp_path, text, positive, labels):
    path = write(tmp_path, text)
    table = read_table(path, positive=positive)
    assert table.labels.tolist() == labels and table.label_values == (f"not {positive}", str(positive))
    with pytest.raises(ValueError, match=r"positive must be a value of the label, column '\w+' \(.*\), got 'z'; choose one"):
        read_table(path, positive="z")


def test_a_label_that_is_missing_is_none_of_the_others(tmp_path):
    path = write(tmp_path, "a,y\n1,b\n2,\n3,c\n4,d\n")
    with pytest.raises(ValueError, match="line 3 .* column 'y' must be 'not b' or 'b', got an empty cell"):
        read_table(path, positive="b")
    assert read_table(path, positive="b", leave_out=True).labels.tolist() == [1, 0, 0]
