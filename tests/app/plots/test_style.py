"""Roles, both themes, and files."""

from __future__ import annotations

import holoviews as hv
import pytest
from bokeh.document import Document
from bokeh.models import CategoricalColorMapper, HoverTool

from app import plots
from app.plots.style import FRAME, ROLES, colours, ramp
from app.theme import tokens
from tests.app.colour_vision import contrast
from tests.app.plots.figures import exits, tuning_map


@pytest.mark.parametrize("dark", [False, True])
def test_text_on_its_card_and_digits_on_the_ramp_have_contrast(dark):
    for role in set(ROLES) - {"card", "middle", "over", "faint"}:
        assert contrast(colours(dark, words=True)[role], tokens(dark)["card"]) >= 4.5, role  # WCAG AA for normal text
    steps = ramp(dark)
    assert len(steps) == 64 and steps[0] == tokens(dark)["card"] or not dark
    for shade, role in ((1.0, "over"), (0.88, "over"), (0.86, "middle"), (0.67, "middle"), (0.65, "truth"), (0.0, "truth")):
        assert contrast(steps[round(shade * 63)], colours(dark, words=True)[role]) >= 3.0, (shade, role)


@pytest.mark.parametrize("make", [exits, tuning_map])
def test_a_figure_is_created_in_a_theme_and_changes_to_the_other(make):
    plot = plots.to_plot(make(), dark=True)
    document, other = Document(), plots.to_plot(make(), dark=False)
    document.add_root(plot.state)
    assert palettes(plot.state) <= {tuple(colours(True).values()), tuple(colours(True, words=True).values())}
    assert plot.state.styles["background-color"] == tokens(True)["card"]
    plots.repaint(document, False)
    assert palettes(plot.state) == palettes(other.state)
    assert plot.state.xaxis[0].axis_line_color == other.state.xaxis[0].axis_line_color == tokens(False)["axis"]
    assert tooltips(plot.state) == tooltips(other.state)
    plots.repaint(plot, True)
    assert all(tokens(True)["card"] in words for words in tooltips(plot.state))


def tooltips(figure) -> set:
    return {tool.tooltips for tool in figure.select({"type": HoverTool})}


def palettes(figure) -> set:
    return {tuple(mapper.palette) for mapper in figure.select({"type": CategoricalColorMapper})}


def test_notebooks_show_the_theme_of_the_process():
    plots.use_theme(True)
    try:
        assert hv.render(exits()).styles["background-color"] == tokens(True)["card"]
        plots.use_theme(True, height=390)
        taller = hv.render(exits())
        assert (taller.min_height, taller.toolbar_location) == (390, None)
    finally:
        plots.use_theme(False, height=FRAME["min_height"])
    again = hv.render(exits())
    assert (again.styles["background-color"], again.min_height) == (tokens(False)["card"], FRAME["min_height"])


def test_a_figure_can_be_shown_twice_and_in_a_layout():
    made = exits()
    shown = [hv.render(made), hv.render(made), hv.render(made + exits())]
    for figure in shown:  # Bokeh refuses a model that another document has
        Document().add_root(figure)
    assert len({figure.document for figure in shown}) == 3


def test_a_saved_page_needs_no_other_host(tmp_path):
    path = tmp_path / "figure.html"
    plots.save_page(exits(), path, dark=True, width=640, height=300)
    text = path.read_text(encoding="utf-8")
    assert tokens(True)["chain"] in text and "chains 0.923" in text
    assert not [tag for tag in ("<script src", "@import", 'rel="stylesheet"') if tag in text]
