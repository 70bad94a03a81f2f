"""`Lines` and `Line`: what goes in is what glyphs hold; wrong input is refused in words."""

from __future__ import annotations

import holoviews as hv
import numpy as np
import pytest

from app import plots

X = np.arange(5.0)


def columns(figure, glyph: str) -> dict:
    return plots.to_plot(figure).handles[f"{glyph}_source"].data


def test_values_of_a_line_are_those_of_its_glyph():
    y = np.array([0.0, 1.0, np.nan, 3.0, 1e300])
    data = columns(plots.lines([plots.Line("one", X, y, "rival", "dash", "One", "1", True)], "x", "y"), "multi_line_1")
    np.testing.assert_array_equal(data["xs"][0], X)
    np.testing.assert_array_equal(data["ys"][0], y)
    assert {key: data[key] for key in ("name", "role", "label", "short", "bold", "dash")} == {
        "name": ["one"], "role": ["rival"], "label": ["One"], "short": ["1"], "bold": [True], "dash": ["6 4"]}


def test_dots_bands_and_bars_have_glyphs_of_their_own():
    band = plots.Line("band", X, X, low=X - 1, high=X + 1)
    bars = plots.Line("bars", X, X, "ours", "spots", low=X - 1, high=X + 2, bars=True, size=np.arange(5.0))
    figure = plots.lines([band, bars], "x", "y")
    assert columns(figure, "multi_line_1")["name"] == ["band"]
    assert columns(figure, "multi_line_2")["name"] == ["bars"] and columns(figure, "multi_line_2")["alpha"] == [0.0]
    np.testing.assert_array_equal(columns(figure, "scatter_1")["x"], X)
    np.testing.assert_array_equal(columns(figure, "scatter_1")["size"], np.arange(5.0))
    np.testing.assert_array_equal(columns(figure, "segment_1")["high"], X + 2)
    patch = columns(figure, "patches_1")
    assert patch["role"] == ["reference"] and patch["ys"][0].tolist() == [*(X - 1), *(X + 1)[::-1]]
    gap = columns(plots.lines([band._replace(low=np.where(X == 1, np.nan, X))], "x", "y"), "patches_1")
    assert np.isfinite(gap["ys"][0]).all() and gap["xs"][0].size == 8


def test_lines_over_lines_are_one_element_and_over_others_an_overlay():
    one, two = (plots.lines([plots.Line(name, X, X)], "x", "y") for name in "ab")
    assert type(one * two) is plots.Lines and [line.name for line in (one * two).data] == ["a", "b"]
    assert isinstance(one * hv.HLine(0.9), hv.Overlay) and isinstance(one + two, hv.Layout)
    assert plots.to_plot(one * hv.HLine(0.9)).state is not None and plots.to_plot(one + two).state is not None


def test_limits_that_follow_from_lines_are_asked_again_when_lines_are_joined():
    def limits(drawn):
        return {"ylim": (0.0, max(line.y.max() for line in drawn))}

    one, two = (plots.lines([plots.Line("a", X, top * X)], "x", "y", limits=limits) for top in (1, 7))
    assert plots.to_plot(one * two).state.y_range.end == 28.0


@pytest.mark.parametrize(("line", "words"), [
    (plots.Line("a", X, X[:3]), "x, y, low and high of the line 'a' must be arrays of one length"),
    (plots.Line("a", X, X, "mine"), "role of the line 'a' must be one of ours, rival"),
    (plots.Line("a", X, X, mark="wave"), "mark of the line 'a' must be one of line, dash"),
    (plots.Line("a", X, X, where="under"), "where of the line 'a' must be one of end, beside, on; got 'under'"),
    (plots.Line("a", X, X, low=X), "must have both low and high"),
    (plots.Line("a", X, X, tooltip=["one"]), "tooltip of the line 'a' must have one text a point, 5; got 1"),
])
def test_wrong_lines_are_refused_in_words(line, words):
    with pytest.raises(ValueError, match=words):
        plots.lines([line], "x", "y")


def test_a_figure_has_a_label_for_screen_readers():
    figure = plots.lines([plots.Line(f"line {k}", X, X) for k in range(10)], "time", "height")
    html = plots.to_plot(figure).state.html_attributes
    assert html["role"] == "img" and html["aria-label"].startswith("Chart of height against time: line 0, line 1")
    assert html["aria-label"].endswith("and 2 more")
