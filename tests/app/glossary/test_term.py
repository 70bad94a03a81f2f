"""The glossary: definitions and places of terms; marks in texts become elements, escaped once."""

import re
from pathlib import Path

import pytest

from app.glossary import GLOSSARY, lookup, marked, text_html, unmarked

PLACES = ("LMV-a ", "LMV-n ", "ZXG ", "CHC ", "ours", "Hoffman", "Lambert", "Chopin", "Shaw", "Prado", "Bierkens")
APP = Path(__file__).parents[3] / "app"


def test_a_term_is_defined_in_one_to_four_sentences():
    for term in GLOSSARY.values():
        text = unmarked(term.definition)
        assert text.endswith(".") and len(re.findall(r"[.?!](?= [A-Z]|$)", text)) <= 4 and 30 < len(text) < 420, term.name
        assert term.place.startswith(PLACES), term.name


def test_lookup_ignores_capitals_and_spaces():
    assert lookup("Escape  ball") is lookup("escape radius") is GLOSSARY["escape ball"]
    with pytest.raises(ValueError, match="near it are acceptance ball, escape ball"):
        lookup("ball of escape")


def test_a_word_belongs_to_one_term():
    words = [word.casefold() for term in GLOSSARY.values() for word in (term.name, *term.also)]
    assert len(set(words)) == len(words)


def test_every_term_that_a_text_of_the_app_marks_is_in_the_glossary():
    """Marks are read when a text is displayed; this checks those of all sources, including lessons."""
    for path in APP.rglob("*"):
        if path.suffix not in (".py", ".toml", ".js") or {"glossary", "dist"} & set(path.parts) or path.name == "reader.py":
            continue
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".toml":  # headers of tables look like marks (reader.py lists them)
            text = re.sub(r"^\[\[[a-z_.]+\]\](?=\s*(?:#|$))", "", text, flags=re.MULTILINE)
        for mark in re.findall(r"\[\[([A-Za-zα-ω][^\[\]{}\n,\"']*)\]\]", text):
            assert lookup(mark.split("|")[-1]), path


def test_a_mark_becomes_an_element_with_its_words():
    assert marked("The [[escape ball]], [[balls|acceptance ball]]") == (
        'The <lab-term key="escape ball">escape ball</lab-term>, <lab-term key="acceptance ball">balls</lab-term>')
    assert marked("$C' < \\frac{a}{b}$") == '<lab-math tex="C&#x27; &lt; \\frac{a}{b}"></lab-math>'
    assert text_html("a < b, η<sub>0</sub> <img src=x> [[reset]]") == (
        'a &lt; b, η<sub>0</sub> &lt;img src=x&gt; <lab-term key="reset">reset</lab-term>')
    assert unmarked("The [[escape ball]] is <b>no</b> [[ball|acceptance ball]]: e<sup>θ</sup>, x<sub>0</sub>") == (
        "The escape ball is no ball: e^(θ), x0")
    with pytest.raises(ValueError, match="must be a term"):
        marked("a [[balloon]]")
