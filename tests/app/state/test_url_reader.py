"""Links read back: every wrong parameter is answered in words, none raises."""

import pytest

from app.state.parameters.knob import Knob
from app.state.parameters.url_reader import LinkReader, written

KNOB = Knob(10, 1, 1000, "rows", "Rows.", plain="n", whole=True)
RATE = Knob(1.0, 0.1, 10.0, "rate", "Rate.", plain="r")


@pytest.mark.parametrize("given, value, words", [
    ("7", 7, None), ("0", 1, "must be a whole number from 1 to 1,000; took 1"), ("1e9", 1000, "took 1,000"),
    ("2.6", 3, "took 3"), ("inf", 1000, "took 1,000"), ("-inf", 1, "took 1"), ("nan", 5, "is not a number; took 5"),
    ("x" * 90, 5, "…"), ("", 5, "is not a number"), (b"12", 12, None), (["3", "9"], 9, None),
])
def test_a_number_is_clamped_and_said(given, value, words):
    link = LinkReader({"n": given})
    assert link.number("n", KNOB, 5) == value
    assert (link.words == []) if words is None else (len(link.words) == 1 and words in link.words[0])


@pytest.mark.parametrize("given, value", [("1e-300", 0.0), ("0.0009", 0.0), ("0.001", 0.001), ("0", 0.0), ("-1", 0.0)])
def test_what_cannot_be_told_from_zero_is_zero(given, value):
    link = LinkReader({"c": given})
    assert link.number("c", Knob(1.0, 0.0, 100.0, plain="c", least=1e-3), 1.0) == value
    assert bool(link.words) == (value != float(given)) and all("0 or from 0.001 to 100" in said for said in link.words)


def test_what_is_not_given_is_the_default_and_says_nothing():
    link = LinkReader(None)
    assert link.number("n", KNOB, 5) == 5 and link.choice("k", ("a", "b"), "b") == "b"
    assert link.switch("s", True, "S") is True and link.choices("l", ("a", "b"), ("b",)) == ("b",)
    assert link.words == [] and not link.has("n")


def test_lists_keep_the_options_order_and_name_strangers():
    link = LinkReader({"l": "c, a,zz"})
    assert link.choices("l", ("a", "b", "c"), ()) == ("a", "c")
    assert len(link.words) == 1 and "'zz'" in link.words[0]


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e-12, 64, 1e9])
def test_a_written_number_reads_back_exactly(value):
    wide = Knob(1.0, 0.0, 1e12, "", "", plain="r")
    assert LinkReader({"r": written(value)}).number("r", wide, -1.0) == value


@pytest.mark.parametrize("given, value", [("0,5", 0.5), ("5 × 10⁻¹", 0.5), ("1e1", 10.0), (2, 2.0)])
def test_a_knob_reads_numbers_as_people_type_them(given, value):
    assert RATE.read(given, 1.0) == value


@pytest.mark.parametrize("given, words", [("eleven", "“eleven” is not a number. Kept 1."),
                                          ("0.01", "r must be from 0.1 to 10. Kept 1.")])
def test_a_knob_refuses_in_words(given, words):
    with pytest.raises(ValueError) as wrong:
        RATE.read(given, 1.0)
    assert str(wrong.value) == words
