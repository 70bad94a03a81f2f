"""Links read back: every wrong parameter is answered in words, none raises."""

import pytest

from app.state.parameters.knob import Choices, Knob, Switch
from app.state.parameters.url_reader import LinkReader, written

KNOB = Knob(10, 1, 1000, "rows", "Rows.", plain="n", key="n", whole=True)
SOME = Choices(("b",), ("a", "b", "c"), key="l")


@pytest.mark.parametrize("text, value, words", [
    ("7", 7, None), ("0", 1, "must be a whole number from 1 to 1,000; took 1"), ("1e9", 1000, "took 1,000"),
    ("2.6", 3, "took 3"), ("inf", 1000, "took 1,000"), ("-inf", 1, "took 1"), ("nan", 5, "is not a number; took 5"),
    ("x" * 90, 5, "…"), ("", 5, "is not a number"), (b"12", 12, None), (["3", "9"], 9, None),
])
def test_a_number_is_clamped_and_reported(text, value, words):
    link = LinkReader({"n": text})
    assert KNOB.from_link(link, 5) == value
    assert (link.words == []) if words is None else (len(link.words) == 1 and words in link.words[0])


@pytest.mark.parametrize("text, value", [("1e-300", 0.0), ("0.0009", 0.0), ("0.001", 0.001), ("0", 0.0), ("-1", 0.0)])
def test_a_number_below_the_least_is_zero(text, value):
    link = LinkReader({"c": text})
    assert Knob(1.0, 0.0, 100.0, plain="c", key="c", least=1e-3).from_link(link, 1.0) == value
    assert bool(link.words) == (value != float(text)) and all("0 or from 0.001 to 100" in note for note in link.words)


def test_a_missing_value_is_the_default_without_a_note():
    link = LinkReader(None)
    assert KNOB.from_link(link, 5) == 5 and link.choice("k", ("a", "b"), "b") == "b"
    assert Switch(True, "S", key="s").from_link(link, True) is True and SOME.from_link(link, ("b",)) == ("b",)
    assert link.words == [] and not link.has("n")


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e-12, 64, 1e9])
def test_a_written_number_reads_back_exactly(value):
    wide = Knob(1.0, 0.0, 1e12, "", "", plain="r", key="r")
    assert wide.from_link(LinkReader({"r": written(value)}), -1.0) == value
