"""Marks in texts become elements; what they hold is escaped once."""

import pytest

from app.glossary import marked, text_html, unmarked

TEXT = "The [[escape ball]] shrinks, as do [[steps|step size]] of $\\eta_0/(t + c)$."


def test_a_mark_is_an_element_that_reads_as_its_words():
    assert marked("The [[escape ball]], [[balls|acceptance ball]]") == (
        'The <lab-term key="escape ball">escape ball</lab-term>, <lab-term key="acceptance ball">balls</lab-term>')
    assert marked("$C' < \\frac{a}{b}$") == '<lab-math tex="C&#x27; &lt; \\frac{a}{b}">C′ &lt; a/b</lab-math>'


def test_a_plain_text_is_escaped_but_for_its_four_tags():
    assert text_html("a < b, η<sub>0</sub> <img src=x> [[reset]]") == (
        'a &lt; b, η<sub>0</sub> &lt;img src=x&gt; <lab-term key="reset">reset</lab-term>')


def test_without_marks_the_words_remain():
    assert unmarked(TEXT) == "The escape ball shrinks, as do steps of η0/(t + c)."


def test_a_mark_that_no_term_answers_to_is_refused():
    with pytest.raises(ValueError, match="must be a term"):
        marked("a [[balloon]]")
