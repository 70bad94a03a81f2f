"""Whole files as tables, and broken ones; seeded splits into training and test rows."""

import numpy as np
import pytest

from sampler.streams import read_table, split_table


def write(tmp_path, text, name="data.txt"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_libsvm_labels_are_zero_and_one_and_a_broken_row_is_named_by_its_number(tmp_path):
    text = "1 1:0.5 3:-2 # a comment\n\n2 2:1e-3\n# nothing here\n2\n1 3:4\n"
    table = read_table(write(tmp_path, text))
    np.testing.assert_array_equal(table.features, [[0.5, 0, -2], [0, 1e-3, 0], [0, 0, 0], [0, 0, 4]])
    np.testing.assert_array_equal(table.labels, [0, 1, 1, 0])
    assert table.names == ("x1", "x2", "x3") and table.label_values == (1.0, 2.0)
    words = "row 5 of data.txt cannot be used: indices must rise from 1, got 1 after 2; repair or delete"
    with pytest.raises(ValueError, match=words):
        read_table(write(tmp_path, text + "1 2:1 1:1\n"))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_with_and_without_names(tmp_path, delimiter):
    rows = ["1", "2.5", "1"], ["-3", "4e1", "0"]
    text = "\n".join(delimiter.join(r) for r in rows)
    plain = read_table(write(tmp_path, text))
    named = read_table(write(tmp_path, delimiter.join(["age", "mass", "ill"]) + "\n" + text + "\n", "b.csv"))
    for table in (plain, named):
        np.testing.assert_array_equal(table.features, [[1, 2.5], [-3, 40]])
        np.testing.assert_array_equal(table.labels, [1, 0])
    assert named.names == ("age", "mass") and plain.names == ("c1", "c2")
    other = read_table(tmp_path / "b.csv", label="mass")
    np.testing.assert_array_equal(other.features, [[1, 1], [-3, 0]])
    np.testing.assert_array_equal(other.labels, [0, 1])  # two values: 2.5 and 40
    assert other.names == ("age", "ill") and other.label_values == (2.5, 40.0)


@pytest.mark.parametrize("line, words", [
    ("1,2", "2 cells where 3 are expected"), ("1,,0", "missing or NaN in column 'mass'"),
    ("1,old,0", "text in column 'mass'")])
def test_a_broken_csv_row_is_named_by_its_number(tmp_path, line, words):
    path = write(tmp_path, f"age,mass,ill\n1,2,0\n\n{line}\n", "bad.csv")
    with pytest.raises(ValueError, match=f"row 2 of bad.csv cannot be used: {words}; repair or delete"):
        read_table(path)


@pytest.mark.parametrize(("text", "label", "words"), [
    (b"\x07\x00\x00\x81", None, "is not a text file: it holds bytes that no text has"), (b"\n\n", None, "holds no rows"),
    (b"a,b\n", None, "a header but no rows"), (b"1 1:1\n2 500000000:1\n", None, "has 500,000,000 columns; at most 20,000"),
    (b'1,"2\n3,4\n', None, "quotation mark that is never closed, before '2"),
    (b"a,y\n1,Yes\n5,\n6,no\n", None, "row 2 of data.txt cannot be used: missing or NaN in column 'y'"),
    (b"1,2,3\n", "y", "label must be one of the columns c1, c2, c3, got 'y'"),
    (b"1,2,3\n", 7, r"label must be a whole number in \[-3, 2\], got 7")])
def test_files_that_are_no_tables(tmp_path, text, label, words):
    (tmp_path / "data.txt").write_bytes(text)
    with pytest.raises(ValueError, match=words):
        read_table(tmp_path / "data.txt", label)


def test_more_than_two_labels_stay_and_one_becomes_a_class(tmp_path):
    assert read_table(write(tmp_path, "1,5\n2,6\n3,7\n")).labels.tolist() == [5, 6, 7]
    assert read_table(write(tmp_path, "1,2\n2,2\n")).labels.tolist() == [1, 1]
    assert read_table(write(tmp_path, "1,0\n2,0\n")).labels.tolist() == [0, 0]


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
    with pytest.raises(ValueError, match="row 2 of data.txt cannot be used: missing or NaN in column 'y'"):
        read_table(path, positive="b")
    assert read_table(path, positive="b", leave_out=True).labels.tolist() == [1, 0, 0]


def a_table(tmp_path, n=40):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, 2)) * [10, 1] + [5, 0]
    path = tmp_path / "data.csv"
    path.write_text("".join(f"{a},7,{b},{i % 2}\n" for i, (a, b) in enumerate(x)))
    return read_table(path)


def test_a_split_is_seeded_whole_and_standardised_on_its_training_rows(tmp_path):
    table = a_table(tmp_path)
    split = split_table(table, 30, seed=3)
    assert split.train_features.shape == (30, 3) and split.test_features.shape == (10, 3)
    assert split.names == ("c1", "c3", "intercept")  # the constant second column is left out
    np.testing.assert_allclose(split.train_features[:, :2].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(split.train_features[:, :2].std(axis=0), 1)
    assert (split.train_features[:, 2] == 1).all() and abs(split.test_features[:, :2].mean()) > 1e-6
    np.testing.assert_array_equal(split_table(table, 0.75, seed=3).train_features, split.train_features)
    assert np.abs(split_table(table, 30, seed=4).train_features - split.train_features).max() > 0.1
    raw = split_table(table, 30, seed=3, standardize=False, intercept=False)
    both = np.concatenate([raw.train_features, raw.test_features])
    np.testing.assert_array_equal(np.sort(both, axis=0), np.sort(table.features, axis=0))


@pytest.mark.parametrize("train", [0, 40, 1.0, 0.0, -0.5, 0.001, True])
def test_a_split_needs_rows_on_both_sides(tmp_path, train):
    with pytest.raises(ValueError, match=r"train must be a share in \(0, 1\) or a number of rows in \[1, 39\]"):
        split_table(a_table(tmp_path), train)
