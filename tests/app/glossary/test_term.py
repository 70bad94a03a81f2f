"""The glossary's file: every term says what it means, where it stands, and in formulas that can be read."""

import re
from pathlib import Path

import pytest

from app.glossary import GLOSSARY, lookup, plain_math, unmarked
from app.glossary.term import read

PLACES = ("LMV-a ", "LMV-n ", "ZXG ", "CHC ", "ours", "Hoffman")
APP = Path(__file__).parents[3] / "app"


def test_a_term_says_what_it_means_in_a_sentence_or_few():
    for term in GLOSSARY.values():
        says = unmarked(term.says)
        assert says.endswith(".") and len(re.findall(r"[.?!](?= [A-Z]|$)", says)) <= 4 and 30 < len(says) < 420, term.name
        assert term.place.startswith(PLACES), term.name


def test_its_mathematics_can_be_read_without_being_set():
    for term in GLOSSARY.values():
        for words in (plain_math(term.symbol), plain_math(term.formula), unmarked(term.says + term.unit + term.place)):
            assert not re.search(r"[\\$^_]", words), term.name


def test_a_word_is_found_whatever_its_capitals_or_its_number():
    assert lookup("Escape  ball") is lookup("escape radius") is GLOSSARY["escape ball"]
    with pytest.raises(ValueError, match="near it are acceptance ball, escape ball"):
        lookup("ball of escape")


@pytest.mark.parametrize(("entry", "words"), [
    ('[a]\nsays = "It is."', "lacks 'place'"),
    ('[a]\nplace = "ours"', "lacks 'says'"),
    ('[a]\nsays = "It is."\nplace = "ours"\ntex = "x"', "has 'tex'"),
    ('[a]\nsays = "It is."\nplace = "ours"\n[b]\nsays = "It is."\nplace = "ours"\nalso = ["A"]', "'A' is there twice")])
def test_a_wrong_entry_is_refused_by_name(entry, words):
    with pytest.raises(ValueError, match=words):
        read(entry)


def test_every_term_that_a_text_of_the_app_marks_is_in_the_glossary():
    """Marks are read when a text is shown; this looks at all that are written down, lessons too."""
    for path in APP.rglob("*"):
        if path.suffix not in (".py", ".toml", ".js") or "glossary" in path.parts or path.name == "reader.py":
            continue
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".toml":  # whose own headers of tables look alike (reader.py names them)
            text = re.sub(r"^\[\[[a-z_.]+\]\](?=\s*(?:#|$))", "", text, flags=re.MULTILINE)
        for mark in re.findall(r"\[\[([A-Za-zα-ω][^\[\]{}\n,\"']*)\]\]", text):
            assert lookup(mark.split("|")[-1]), path
