"""The palette of both themes: complete, of sufficient contrast, and the same in CSS and Python."""

import re

import pytest
from jinja2 import Template

from app.chrome.frame import PAGE_TEMPLATE
from app.theme import TOKENS, css_variables
from tests.app.colour_vision import contrast


def test_both_themes_have_the_same_tokens():
    assert set(TOKENS["light"]) == set(TOKENS["dark"])
    for theme in TOKENS.values():
        for name, colour in theme.items():
            assert name == "shadow" or re.fullmatch("#[0-9a-f]{6}", colour)


@pytest.mark.parametrize("palette", TOKENS.values(), ids=TOKENS)
@pytest.mark.parametrize(("front", "behind", "least"), [  # WCAG AA: 4.5 for text; 1.4.11: 3 for graphics
    ("on", "primary", 4.5), ("ok", "okbg", 3), ("hot", "hotbg", 3), ("cold", "coldbg", 3)])
def test_text_on_a_button_and_icons_on_a_badge_have_contrast(palette, front, behind, least):
    assert contrast(palette[front], palette[behind]) >= least


def test_the_document_has_the_browsers_theme_before_it_connects_to_the_server():
    head = PAGE_TEMPLATE.render(base=Template("{% block preamble %}{% endblock %}"))
    assert css_variables() in head and head.index(css_variables()) < head.index("prefers-color-scheme")
    assert all(f"--lab-{name}:{colour};" in head for colours in TOKENS.values() for name, colour in colours.items())
