"""One CSV writer: names, notes, numbers without loss."""

import csv
import io

import numpy as np
import pytest

from app.csv_text import MAKER, csv_rows, result_columns


def test_numbers_are_read_back_as_they_were():
    values = [0.1, 1 / 3, 1e-300, 5e300, 123456789.0, -2.5, np.float64(np.pi), np.float32(0.1), 7, np.int64(9)]
    text = result_columns({"n": range(len(values)), "x": values})
    read = list(csv.reader(text.splitlines()))
    assert read[0] == ["n", "x", MAKER]
    assert [float(row[1]) for row in read[1:]] == [float(value) for value in values]
    assert read[5][:2] == ["4", "123456789"]


def test_missing_values_are_empty_and_words_are_quoted():
    assert csv_rows(["name", "x", "on"], [["a, b", None, True], ['say "c"', float("nan"), np.bool_(False)]]) == (
        'name,x,on\n"a, b",,1\n"say ""c""",,0\n')


def test_a_row_that_does_not_fit_is_refused():
    with pytest.raises(ValueError):
        csv_rows(["a", "b"], [[1]])
    with pytest.raises(ValueError):
        result_columns({"a": [1, 2], "b": [1]})


@pytest.mark.parametrize(("value", "written"), [
    ("=1+1", "'=1+1"), ("@SUM(A1)", "'@SUM(A1)"), ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"), ("\t=1", "'\t=1"),
    ("\r=1", "'\n=1"), ("a\rb", "a\nb"), ("-x", "'-x"), ("-1.5", "-1.5"), ("+2e3", "+2e3"), ("a=1", "a=1"), ("", ""),
    (-1.5, "-1.5")])
def test_no_text_is_a_formula_in_a_spreadsheet(value, written):
    """Names of columns, levels and files come from the user."""
    text = csv_rows([str(value), "x"], [[value, 1]])
    assert list(csv.reader(io.StringIO(text, newline=""))) == [[written, "x"], [written, "1"]]
