"""Formulas are found in the plain words of the errata."""

import html
import re

import pytest

from app.chrome.errata_formulas import with_formulas
from app.chrome.errata_text import errata_html, indexed


def formulas(words):
    return [html.unescape(tex) for tex in re.findall(r'tex="([^"]*)"', with_formulas(words, indexed))]


@pytest.mark.parametrize(("words", "found"), [
    ("η_t = η₀/√(t + L₀/L).", [r"η_t = η₀/\sqrt{t + L₀/L}"]),
    ("P(exit) ≤ i_max [exp(−λ²/(2c²))], c the largest", [r"P(\text{exit}) ≤ i_{\max} [\exp(−λ²/(2c²))]"]),
    ("A sample at t = 1,000, c = 0 is a start.", ["t = 1{,}000", "c = 0"]),
    ("E⟨∇f(Y), Y − x*⟩ = d holds", ["E⟨∇f(Y), Y − x*⟩ = d"]),
    ("no strongly convex function on ℝᵈ is Lipschitz", []),
    ("a Gaussian attains it", [])])
def test_what_is_a_formula_is_set_and_words_stay_words(words, found):
    assert formulas(words) == found


def test_nothing_is_lost_on_the_way():
    words = "If ‖X₀ − x*‖ < r, then P(exit by n) is small: 2ηn = 1 at d = 2."
    assert re.sub(r"<[^>]*>", "", with_formulas(words, indexed)) == re.sub(r"<[^>]*>", "", indexed(words))


def test_most_records_have_formulas_that_are_set():
    assert errata_html().count("<lab-math") > 100
