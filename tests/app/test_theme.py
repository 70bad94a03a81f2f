"""One palette, two themes: complete, readable, and the same wherever it is used."""

import re

import pytest
from bokeh.plotting import figure

from app.chrome.page_template import PAGE_TEMPLATE
from app.theme import TOKENS, Paint, css_variables, theme_config, tokens
from tests.app.colour_vision import contrast


def test_both_themes_have_the_same_tokens():
    assert set(TOKENS["light"]) == set(TOKENS["dark"])
    for theme in TOKENS.values():
        for name, colour in theme.items():
            assert name == "shadow" or re.fullmatch("#[0-9a-f]{6}", colour)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["ink", "ink2", "chain", "mode", "esctx", "acctx", "bound", "sgldtx", "ok", "hot"])
def test_text_is_readable_on_a_card(theme, name):
    # WCAG AA for normal text is 4.5 : 1.
    assert contrast(TOKENS[theme][name], TOKENS[theme]["card"]) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("icon", "behind"), [("ok", "okbg"), ("hot", "hotbg"), ("cold", "coldbg")])
def test_icons_stand_out_from_their_badge(theme, icon, behind):
    # WCAG 1.4.11 for graphics: 3 : 1.
    assert contrast(TOKENS[theme][icon], TOKENS[theme][behind]) >= 3


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_on_a_button_are_readable(theme):
    assert contrast(TOKENS[theme]["on"], TOKENS[theme]["primary"]) >= 4.5


def test_variables_and_material_theme_come_from_the_tokens():
    css = css_variables()
    for theme, colours in TOKENS.items():
        assert all(f"--lab-{name}:{colour};" in css for name, colour in colours.items())
        assert theme_config()[theme]["palette"]["primary"]["main"] == colours["primary"]
        assert theme_config()[theme]["chart_style"] == "classic"


def test_paint_repaints_a_figure():
    plot, paint = figure(), Paint()
    paint(plot, background_fill_color="card")
    assert plot.background_fill_color == TOKENS["light"]["card"]
    paint.apply(True)
    assert plot.background_fill_color == tokens(True)["card"]
    paint.apply(False)
    assert plot.background_fill_color == tokens(False)["card"]


def test_the_document_and_its_bar_wear_the_browsers_theme_before_the_server_has_heard_of_it():
    head = PAGE_TEMPLATE.partition("super()")[0]  # before anything that is fetched
    assert "wear(opensDark())" in head and css_variables() in head
    for theme in TOKENS:
        bar = theme_config()[theme]["components"]["MuiAppBar"]["styleOverrides"]["root"]
        assert not re.search("#[0-9a-f]{6}", str(bar))
