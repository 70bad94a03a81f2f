"""`Lines` and `Line`: glyphs have the values of the lines, when drawn and after an update.

An update changes only columns, limits, ticks and labels. Invalid input raises clear errors; a tap passes its key.
"""

from __future__ import annotations

import re

import holoviews as hv
import numpy as np
import pytest
from bokeh.document import Document

from app import plots
from app.js.bundles import FOLDER
from app.plots.looks import OPTIMIZER_LOOKS, SAMPLER_LOOKS
from tests.app.plots.figures import cells, forecasts, paths, sums, tuning_map

X = np.arange(5.0)


def columns(figure, glyph: str) -> dict:
    return plots.to_plot(figure).handles[f"{glyph}_source"].data


def test_values_of_a_line_equal_those_of_its_glyph():
    y = np.array([0.0, 1.0, np.nan, 3.0, 1e300])
    data = columns(plots.lines([plots.Line("one", X, y, "rival", "dash", "One", "1", True)], "x", "y"), "multi_line_1")
    np.testing.assert_array_equal(data["xs"][0], X)
    np.testing.assert_array_equal(data["ys"][0], y)
    assert {key: data[key] for key in ("name", "role", "label", "short", "bold", "dash")} == {
        "name": ["one"], "role": ["rival"], "label": ["One"], "short": ["1"], "bold": [True], "dash": ["6 4"]}


def test_tables_and_switches_can_draw_the_mark_of_every_look():
    script = (FOLDER / "common" / "dom.js").read_text(encoding="utf-8").partition("export function mark(")[2]
    shapes = re.findall(r"^    (\w+): `<", script.partition("}[kind]")[0], re.MULTILINE)
    assert {look.mark for look in (*SAMPLER_LOOKS.values(), *OPTIMIZER_LOOKS.values())} <= set(shapes)


def test_dots_bands_and_bars_have_separate_glyphs():
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


def test_limits_that_depend_on_lines_are_recomputed_when_lines_are_joined():
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
    (plots.Line("a", X, X, tooltip=["one"]), "tooltip of the line 'a' must have one text per point, 5; got 1"),
])
def test_invalid_lines_are_refused_with_a_message(line, words):
    with pytest.raises(ValueError, match=words):
        plots.lines([line], "x", "y")


def test_a_figure_has_a_label_for_screen_readers():
    figure = plots.lines([plots.Line(f"line {k}", X, X) for k in range(10)], "time", "height")
    html = plots.to_plot(figure).state.html_attributes
    assert html["role"] == "img" and html["aria-label"].startswith("Chart of height against time: line 0, line 1")
    assert html["aria-label"].endswith("and 2 more")


def simple(top: float = 1.0, label: str = "x", **options) -> plots.Lines:
    return plots.lines([plots.Line("a", X + 1, top * (X + 1), key="a")], label, "y", **options)


def shown(figure):
    plot, document = plots.to_plot(figure), Document()
    document.add_root(plot.state)
    return plot, document


def test_refresh_changes_numbers_and_makes_no_model():
    plot, document = shown(simple(xlim=(0, 6), ylim=(0, 5)))
    before = set(document.models)
    plots.refresh(plot, simple(3.0, "step i: chain 7", xlim=(0, 9), ylim=(0, 15)))
    np.testing.assert_array_equal(plot.handles["multi_line_1_source"].data["ys"][0], 3 * (X + 1))
    assert (plot.state.x_range.end, plot.state.y_range.end) == (9, 15)
    assert plot.state.xaxis[0].axis_label == "step i: chain 7"
    assert set(document.models) == before


def test_refresh_follows_the_data_without_fixed_limits():
    plot, _ = shown(simple())
    plots.refresh(plot, simple(10.0))
    assert (plot.state.y_range.start, plot.state.y_range.end) == (10.0, 50.0)


@pytest.mark.parametrize("before", [{"xticks": [(1, "one"), (2, "two")]}, {}])
def test_refresh_changes_or_adds_ticks(before):
    plot, _ = shown(simple(**before))
    plots.refresh(plot, simple(xticks=[(3, "three")]))
    assert list(plot.state.xaxis[0].ticker.ticks) == [3] and plot.state.xaxis[0].major_label_overrides == {3: "three"}


def test_refresh_sends_one_batch_and_leaves_a_hold_of_the_caller_alone():
    plot, document = shown(simple(xlim=(0, 6), ylim=(0, 5)))
    held = []
    document.on_change(lambda event: held.append(document.callbacks.hold_value))
    plots.refresh(plot, simple(2.0, xlim=(0, 7), ylim=(0, 9)))
    assert held and document.callbacks.hold_value is None
    held.clear()
    document.hold("combine")
    plots.refresh(plot, simple(4.0, xlim=(0, 8), ylim=(0, 19)))
    assert not held and document.callbacks.hold_value == "combine"


def test_refresh_refuses_another_kind_of_figure():
    plot, _ = shown(simple())
    with pytest.raises(ValueError, match="figure must have the elements of the plot, Lines, got Cells"):
        plots.refresh(plot, plots.tuning_map(cells()))
    with pytest.raises(ValueError, match="logx must be False as in the plot, got True; create a new plot with to_plot"):
        plots.refresh(plot, simple(logx=True))


def test_a_tap_passes_the_key_once_and_is_cleared():
    keys = []
    plot, _ = shown(paths())
    plots.taps(plot, keys.append)
    for glyph in ("multi_line_1", "scatter_1"):
        source = plot.handles[f"{glyph}_source"]
        source.selected.indices = [3]
        assert source.selected.indices == [] and keys.pop() == source.data["key"][3]
    plots.refresh(plot, plots.lines([plots.Line("b", X, X, key=99)], "x", "y", xlim=(0, 1), ylim=(0, 1)))
    plot.handles["multi_line_1_source"].selected.indices = [0]
    assert keys == [99]
    without, _ = shown(sums())
    plots.taps(without, keys.append)
    without.handles["multi_line_1_source"].selected.indices = [0]
    assert keys == [99], "a line without a key is not reported"
    plot, _ = shown(tuning_map())  # under contours too
    plots.taps(plot, keys.append)
    boxes = next(iter(plot.subplots.values())).handles["quad_1_source"]
    boxes.selected.indices = [4]
    assert keys[-1] == boxes.data["key"][4] and keys[-1] in forecasts()
