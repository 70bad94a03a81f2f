import numpy as np
import pytest

from sampler import DataStream
from sampler.streams import LARGEST_UPLOAD


def stream(text, **options):
    return DataStream(("f.csv", text.encode()), **options)


def rows_of(text, **options):
    s = stream(text, **options)
    features = [x for x, _ in s]
    return s, np.concatenate(features) if features else np.empty((0, s.dim))


@pytest.mark.parametrize(("text", "options", "words"), [
    ("", {}, "is empty"),
    ("x,y\n", {}, "no rows"),
    ("x\n1\n2\n", {}, "one column .* a response and one feature"),
    ("x;z;y\n1;2;0\n3;4;1\n", {"separator": ","}, "looks separated by semicolons, pass separator=';'"),
    ("x,z,y\n1,2,0\n3,4,1\n", {"separator": "\t"}, "looks separated by commas"),
    ("x,z,y\n1,2,0\n3,4,1\n", {"separator": "::"}, "one character"),
    ("x,z,y\n1,2,0\n3,4,1\n", {"response": "label"}, "no column 'label'; the columns are x, z, y"),
    ("x,z,y\n1,2,0\n3,4,1\n", {"response": "Y"}, "did you mean 'y'"),
    ("x,z,y\n1,2,0\n3,4,1\n", {"features": ["w"]}, "no column 'w'"),
    ("x,z,y\n1,2,0\n3,4,1\n", {"features": ["x", "y"]}, "without the response 'y'"),
    ("x,x,y\n1,2,0\n3,4,1\n", {}, "two columns named 'x'"),
    ("x,y\n1,0\n2,1\n3,2\n", {"model": "logistic"}, "two values for logistic regression, got 0.0, 1.0, 2.0"),
    ("x,y\n1,0\n2,1\n3,2\n", {}, "more than two values; pass 'linear', 'poisson'"),
    ("x,y\n1,red\n2,green\n3,blue\n", {}, "text of three values"),
    ("x,y\n1,4\n2,4\n", {}, "only the value 4.0"),
    ("x,y\nred,0\ngreen,1\n", {}, "must hold numbers, but x hold text"),
    ("x,z,y\nred,1,0\ngreen,2,1\n", {"features": ["x", "z"]}, "column 'x' holds text \\('red' in row 1 of f.csv\\)"),
    ("x;z;y\n1,5;2,5;0\n3,5;4,5;1\n", {"separator": ";", "decimal": "."}, "decimal comma"),
    ("x,y\n1,0\n2,1\n", {"decimal": "x"}, "decimal must be"),
    ("x,y\n1,0\n2,1\n", {"model": "gamma"}, "model must be one of"),
    ("x,y\n1,0\n2,1\n", {"classes": (1, 1)}, "two different values"),
    ("x,y\n1,0\n2,1\n", {"scale": True, "settle": 1}, "settle must be"),
])
def test_what_cannot_be_read_is_said_before_any_row(text, options, words):
    with pytest.raises(ValueError, match=words):
        stream(text, **options)


@pytest.mark.parametrize(("text", "options", "words"), [
    ("x,y\n1,0\n2,1\n" + "3,0\n" * 100 + "4,7\n", {"classes": (0, 1)}, "row 103 of f.csv has '7'"),
    ("x,y\n1,0\n2,3\n3,-1\n", {"model": "poisson"}, "a count 0, 1, 2, … for Poisson regression, row 3"),
    ("x,y\n1,0\n2,1.5\n", {"model": "poisson"}, "row 2"),
])
def test_a_response_of_another_kind_is_named_by_its_row(text, options, words):
    with pytest.raises(ValueError, match=words):
        rows_of(text, **options)


def test_bad_cells_drop_their_row_counted_and_named_never_filled_in():
    s, features = rows_of("a;b;y\n1;2;0\n3;x;1\n;5;1\ninf;2;0\n1;2\n4;5;1\nnan;8;0\n-inf;2;1\n7;8;\n9;9;1\n")
    np.testing.assert_array_equal(features[:, :2], [[1, 2], [4, 5], [9, 9]])
    report = s.report()
    assert (report.rows_read, report.rows) == (10, 3)
    assert set(report.dropped) == {
        "2 rows left out, missing or NaN in column 'a': row 3, row 7 of f.csv",
        "2 rows left out, infinite in column 'a': row 4, row 8 of f.csv",
        "1 row left out, text in column 'b': row 2 of f.csv",
        "1 row left out, missing or NaN in column 'y': row 9 of f.csv",
        "1 row left out, 2 cells where 3 are expected: row 5 of f.csv",
    }
    assert any(line.startswith("3 of 10 rows used") for line in report.words())


def test_rows_after_one_that_could_not_be_split_keep_their_numbers():
    s, _ = rows_of("a,b,y\n1,2,0\n1,2\n1,2,3,4\n5,oops,1\n6,7,1\n")
    assert "1 row left out, text in column 'b': row 4 of f.csv" in s.report().dropped


def test_many_bad_rows_are_counted_and_the_first_five_named():
    s, features = rows_of("a,y\n1,0\n2,1\n" + ",1\n" * 1000)
    assert len(features) == 2
    line, = s.report().dropped
    assert line.startswith("1,000 rows left out") and line.endswith("row 3, row 4, row 5, row 6, row 7 of f.csv, …")


def test_a_file_in_a_folder_is_part_of_a_rows_name(tmp_path):
    (tmp_path / "1.csv").write_text("a,y\n1,0\n2,1\n")
    (tmp_path / "2.csv").write_text("a,y\n1,0\n,1\n")
    s = DataStream(tmp_path)
    assert sum(len(x) for x, _ in s) == 3
    assert "row 2 of 2.csv" in s.report().dropped[0]


def test_files_of_a_folder_must_have_the_same_columns(tmp_path):
    (tmp_path / "1.csv").write_text("a,y\n1,0\n2,1\n")
    (tmp_path / "2.csv").write_text("b,y\n1,0\n")
    with pytest.raises(ValueError, match="'2.csv' has the columns b, y, the files before it a, y"):
        list(DataStream(tmp_path))


def test_a_constant_feature_is_reported():
    s, _ = rows_of("a,b,y\n1,3,0\n2,3,1\n4,3,1\n")
    assert s.report().constant == ("b",)
    assert any("'b' never varies" in words for words in s.report().words())


def test_text_columns_nobody_asked_for_are_left_out_and_said():
    s, features = rows_of("a,colour,y\n1,red,no\n2,green,yes\n4,red,yes\n")
    assert features.shape == (3, 2) and s.classes == ("no", "yes")
    assert s.report().left_out == {"colour": "text, not numbers"}


def test_one_row_is_enough_where_the_model_is_given():
    s, features = rows_of("a,y\n1,1\n", model="logistic")
    assert len(features) == 1 and s.classes == (0.0, 1.0)


def test_a_huge_upload_is_told_to_use_its_path():
    with pytest.raises(ValueError, match="0.2 GB, .* give its path instead"):
        DataStream(("big.csv", bytearray(LARGEST_UPLOAD + 1)))


@pytest.mark.parametrize(("source", "words"), [
    ("/no/such/file.csv", "no file or folder"), (7, "a path or an iterable"), ([], "gave no row"),
    (["1,2"], "parse it first"), ([{"a": 1, "y": 0}, {"a": 1}], "row 2 has no 'y'"),
    ([{"a": [1, 2], "y": [0]}], "same length"), ([(np.zeros((3, 2)), np.zeros(2))], "a pair must be"),
])
def test_a_wrong_source_is_said(source, words):
    with pytest.raises(ValueError, match=words):
        list(DataStream(source, model="linear"))


def test_a_broken_parquet_file_is_said(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR1 but no end")
    with pytest.raises(ValueError, match="is no Parquet file"):
        DataStream(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="follow must be False"):
        DataStream(tmp_path / "a.parquet", follow=True)


def test_an_empty_folder_and_a_second_reading_are_said(tmp_path):
    with pytest.raises(ValueError, match="has no .csv"):
        DataStream(tmp_path)
    s = stream("a,y\n1,0\n2,1\n")
    list(s)
    with pytest.raises(ValueError, match="was read already"):
        list(s)
