"""The help: purposes of the pages, table of signs, all records of the errata."""

import math
import re

import pytest

from app.chrome.errata_text import errata_html, example_words, indexed, number
from app.chrome.frame import PAGES
from app.chrome.header import help_html
from app.widgets.page_shell import PURPOSES, Notices, PageShell
from sampler.errata import ERRATA, PAPERS, Counterexample


@pytest.mark.parametrize("label", [entry.label for entry in PAGES.values()])
def test_the_purpose_of_a_page_is_one_sentence_on_the_page_and_in_the_help(label):
    purpose = PURPOSES[label]
    assert f"<dt>{label}</dt><dd>{purpose}</dd>" in help_html()
    assert re.fullmatch(r"[^.!?]*\.", purpose) and ":" in purpose  # one sentence: purpose and first action
    assert PageShell({}, Notices(print), label=label).purpose == purpose


def test_each_sign_has_a_knob_and_a_test():
    table = re.search("<table class='signs'>.*?</table>", help_html())[0]
    rows = re.findall("<tr>.*?</tr>", table)[1:]
    assert len(rows) >= 9 and all(len(re.findall(r"<t[hd][^>]*>(?!</t)", row)) == 3 for row in rows)
    assert "[[" not in table and "$" not in table


@pytest.mark.parametrize(("value", "words"), [
    (0.0, "0"), (-20.2142, "−20.21"), (-7677.65, "−7,678"), (8.755e-223, "8.8 × 10⁻²²³"), (1.97e20, "2.0 × 10²⁰"),
    (math.nan, "0/0"), (0.4795, "0.4795"),
])
def test_numbers_keep_the_compared_digits(value, words):
    assert number(value) == words


def test_an_example_is_one_sentence_with_both_numbers():
    example = Counterexample("d = 2", "chance of leaving", 1e-12, 0.245, "at most", mended=0.7358)
    assert example_words(example) == ("d = 2. Chance of leaving: at most 1.0 × 10⁻¹² as printed, at most 0.7358 as mended; "
                                      "in truth 0.245.")


def test_indices_become_sub_and_superscripts_and_signs_are_escaped():
    assert indexed("x_{(j+1)m} < η_t e^{−f} C_ξ²") == (
        "x<sub>(j+1)m</sub> &lt; η<sub>t</sub> e<sup>−f</sup> C<sub>ξ</sub>²")


def test_every_record_is_in_the_help_under_its_paper():
    text = help_html()
    assert errata_html() in text
    marks = [text.index(f'data-erratum="{record.key}"') for record in ERRATA]
    papers = [text.index(f"<h4>{short}:") for short in PAPERS]
    for record, mark in zip(ERRATA, marks, strict=True):
        assert max(p for p in papers if p < mark) == papers[list(PAPERS).index(record.paper)]
        assert number(record.example().true) in text
