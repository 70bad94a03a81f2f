"""New numbers in a shown figure: only columns, limits, ticks and labels change; taps."""

from __future__ import annotations

import numpy as np
import pytest
from bokeh.document import Document

from app import plots
from tests.app.plots.figures import cells, forecasts, paths, sums, tuning_map

X = np.arange(1.0, 6.0)


def simple(top: float = 1.0, label: str = "x", **options) -> plots.Lines:
    return plots.lines([plots.Line("a", X, top * X, key="a")], label, "y", **options)


def shown(figure):
    plot, document = plots.to_plot(figure), Document()
    document.add_root(plot.state)
    return plot, document


def test_refresh_changes_numbers_and_makes_no_model():
    plot, document = shown(simple(xlim=(0, 6), ylim=(0, 5)))
    before = set(document.models)
    plots.refresh(plot, simple(3.0, "step i: chain 7", xlim=(0, 9), ylim=(0, 15)))
    np.testing.assert_array_equal(plot.handles["multi_line_1_source"].data["ys"][0], 3 * X)
    assert (plot.state.x_range.end, plot.state.y_range.end) == (9, 15)
    assert plot.state.xaxis[0].axis_label == "step i: chain 7"
    assert set(document.models) == before


def test_refresh_follows_the_data_without_fixed_limits():
    plot, _ = shown(simple())
    plots.refresh(plot, simple(10.0))
    assert (plot.state.y_range.start, plot.state.y_range.end) == (10.0, 50.0)


@pytest.mark.parametrize("before", [{"xticks": [(1, "one"), (2, "two")]}, {}])
def test_refresh_changes_ticks_or_gives_a_figure_its_first(before):
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
    with pytest.raises(ValueError, match="figure must have the parts that are shown, Lines; got Cells"):
        plots.refresh(plot, plots.tuning_map(cells()))
    with pytest.raises(ValueError, match="logx must be False, as it is shown; got True: make another plot of it"):
        plots.refresh(plot, simple(logx=True))


def test_a_tap_hands_over_the_key_once_and_is_forgotten():
    heard = []
    plot, _ = shown(paths())
    plots.taps(plot, heard.append)
    for glyph in ("multi_line_1", "scatter_1"):
        source = plot.handles[f"{glyph}_source"]
        source.selected.indices = [3]
        assert source.selected.indices == [] and heard.pop() == source.data["key"][3]
    plots.refresh(plot, plots.lines([plots.Line("b", X, X, key=99)], "x", "y", xlim=(0, 1), ylim=(0, 1)))
    plot.handles["multi_line_1_source"].selected.indices = [0]
    assert heard == [99]
    without, _ = shown(sums())
    plots.taps(without, heard.append)
    without.handles["multi_line_1_source"].selected.indices = [0]
    assert heard == [99], "what has no key is not heard"
    plot, _ = shown(tuning_map())  # under contours too
    plots.taps(plot, heard.append)
    boxes = next(iter(plot.subplots.values())).handles["quad_1_source"]
    boxes.selected.indices = [4]
    assert heard[-1] == boxes.data["key"][4] and heard[-1] in forecasts()
