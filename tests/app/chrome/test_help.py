"""The help says what each page is for, and has the table of signs."""

import re

import pytest

from app.chrome.header import help_html
from app.chrome.page_list import PAGES
from app.widgets.page_shell import PURPOSES, PageShell


@pytest.mark.parametrize("label", [entry.label for entry in PAGES])
def test_the_purpose_of_a_page_is_one_sentence_on_the_page_and_in_the_help(label):
    purpose = PURPOSES[label]
    assert f"<dt>{label}</dt><dd>{purpose}</dd>" in help_html()
    assert re.fullmatch(r"[^.!?]*\.", purpose) and ":" in purpose  # one sentence: what for, and what to do first
    assert PageShell({}, label=label).purpose == purpose


def test_each_sign_has_a_knob_and_a_test():
    table = re.search("<table class='signs'>.*?</table>", help_html())[0]
    rows = re.findall("<tr>.*?</tr>", table)[1:]
    assert len(rows) >= 9 and all(len(re.findall(r"<t[hd][^>]*>(?!</t)", row)) == 3 for row in rows)
    assert "[[" not in table and "$" not in table
