"""The four panels: one source, one axis, labels apart, theme and size changed in place."""

import numpy as np
import pytest

from app.live.charts.columns import NAMES, columns, to_csv
from app.live.charts.event_marks import choose_texts
from app.live.charts.stack import FIRST_EPOCH, NATURAL_HEIGHT, ChartStack
from app.live.charts.time_panel import LABEL_GAP
from app.live.snapshot import Event, Series
from app.theme import tokens


def make_series(now=2507, events=(), recent=True, bound=True):
    t = np.unique(np.geomspace(8, now, 230).astype(int)).astype(float)
    v = t[::3]
    return Series(
        t=t, accuracy=np.full(len(t), 0.94), ceiling_low=np.full(len(t), 0.93), ceiling_high=np.full(len(t), 0.96),
        predicted=np.full(len(t), 0.94), tv=np.full(len(t), 0.06), median=np.full(len(t), 0.03),
        q95=np.full(len(t), 0.2), farthest=np.full(len(t), 0.9), exits_t=np.array([300.0, 301.0, 900.0]),
        exits_value=np.array([1.2, 5.0, 1.1]), memory=np.full(len(t), 0.14), variance_t=v, saga=0.2 * v,
        sgld=0.02 * v**2, bound=v**1.4 if bound else None, cost=np.full(len(t), 275.0), full=30 * t,
        events=tuple(events), checkpoints=2 ** np.arange(3, 12),
        recent=make_series(now, events, False) if recent else None)


@pytest.fixture
def stack():
    return ChartStack()


def update(stack, **kwargs):
    stack.update(make_series(**kwargs), kwargs.get("now", 2507), 64, True)


def test_one_source_and_one_axis(stack):
    update(stack)
    assert set(stack.source.data) == set(NAMES)
    assert len({len(column) for column in stack.source.data.values()}) == 1
    assert all(figure.x_range is stack.x_range for figure in stack.figures)
    assert (stack.x_range.start, stack.x_range.end) == (FIRST_EPOCH, pytest.approx(1.02 * 2507))


def test_update_replaces_data_and_makes_no_model(stack):
    update(stack)
    models = {model.id for figure in stack.figures for model in figure.references()}
    update(stack, now=5000, events=[Event(100, 200, "variance reduction off", "switch")])
    assert {model.id for figure in stack.figures for model in figure.references()} == models


def test_end_labels_never_overlap(stack):
    update(stack)
    for panel in stack.panels:
        heights = sorted(panel.pixel(y) for y in panel.labels.data["y"])
        assert len(heights) >= 2
        assert np.all(np.diff(heights) >= LABEL_GAP - 0.1)


def test_a_ghost_is_drawn_named_and_has_room_on_the_axes(stack):
    update(stack)
    lower = make_series(now=5000)
    lower.accuracy[:] = 0.4
    low = stack.accuracy.y_range.start
    stack.set_ghost(lower)
    assert low == 0.75 and stack.accuracy.y_range.start == pytest.approx(0.35)
    assert all(panel.labels.data["text"].count("ghost") == 1 for panel in stack.panels)
    stack.set_ghost(make_series(now=500))  # it ended before the present epoch: no name at the right edge
    assert all("ghost" not in panel.labels.data["text"] for panel in stack.panels)
    stack.set_ghost(None)
    assert len(stack.ghost.data["t"]) == 0 and stack.accuracy.y_range.start == low


def test_a_model_without_a_bound_has_no_label_for_it(stack):
    update(stack, bound=False)
    assert not any("bound" in text for text in stack.variance.labels.data["text"])
    assert np.all(np.isnan(stack.source.data["bound"]))


def test_exits_are_thinned_and_clipped_to_the_frame(stack):
    update(stack)
    assert len(stack.distance.exits.data["t"]) == 2  # epochs 300 and 301 share a column of pixels
    assert max(stack.distance.exits.data["value"]) <= stack.distance.top


def test_far_clouds_open_the_distance_axis(stack):
    series = make_series()
    object.__setattr__(series, "q95", series.q95 * 20)
    stack.update(series, 2507, 64, True)
    assert stack.distance.y_range.end >= 4


def test_window_shows_the_recent_series(stack):
    update(stack)
    stack.set_window("recent")
    assert stack.x_range.start >= FIRST_EPOCH
    with pytest.raises(ValueError, match="'all', 'recent' or 'span'"):
        stack.set_window("some")


def test_a_window_fitted_to_an_event_keeps_its_epochs_until_the_run_is_past_them(stack):
    stack.span = (300, 600)
    stack.set_window("span")
    update(stack)
    assert (stack.x_range.start, stack.x_range.end) == (300, pytest.approx(1.02 * 2507))
    stack.span = (2200, 4000)
    stack.set_window("span")
    assert (stack.x_range.start, stack.x_range.end) == (2200, 4000)


def test_an_empty_series_shows_empty_panels(stack):
    update(stack)
    t = np.empty(0)
    empty = Series(**{name: t for name in ("t", "accuracy", "ceiling_low", "ceiling_high", "predicted", "tv", "median",
                                           "q95", "farthest", "exits_t", "exits_value", "memory", "variance_t", "saga",
                                           "sgld", "bound", "cost", "full", "checkpoints")}, events=())
    stack.update(empty, 3, 64, True)
    assert len(stack.source.data["t"]) == 0
    assert all(len(panel.labels.data["text"]) == 0 for panel in stack.panels)


def test_theme_repaints_labels_axes_and_events(stack):
    update(stack, events=[Event(900, None, "η₀ 1 → 5", "knob")])
    stack.restyle(True)
    dark = tokens(True)
    assert all(figure.background_fill_color is None for figure in stack.figures)  # no white at first
    assert stack.figures[0].ygrid[0].grid_line_color == dark["grid"]
    assert dark["chain"] in stack.accuracy.labels.data["color"]
    assert stack.marks.texts.data["color"] == [dark["hot"]]


def test_sizes(stack):
    assert sum(figure.height for figure in stack.figures) == NATURAL_HEIGHT
    stack.resize(578, 1000, compact=False)
    assert sum(figure.height for figure in stack.figures) == pytest.approx(1000, abs=4)  # rounded a panel
    stack.resize(364, 0, compact=True)
    assert all(figure.min_border_left == 40 and figure.xaxis[0].visible for figure in stack.figures)
    stack.resize(578, NATURAL_HEIGHT, compact=False)
    assert [figure.xaxis[0].visible for figure in stack.figures] == [False, False, False, True]


def test_event_texts_name_the_newest_and_never_overlap():
    events = [Event(t, None, f"η₀ 1 → {t}", "knob") for t in (100, 101, 102, 1000)]
    chosen = choose_texts(events, 8, 2507, 396)
    assert chosen[0][1] == "η₀ 1 → 1000"
    assert [text for _, text, _ in chosen][1] == "η₀ 1 → 102"
    xs = sorted((x, len(text) * 3.1) for x, text, _ in chosen)
    assert all(b[0] - b[1] > a[0] + a[1] for a, b in zip(xs, xs[1:], strict=False))


def test_switches_turned_off_together_are_named_together():
    names = ("variance reduction", "reset", "random length", "refresh")
    for count, words in ((2, "variance reduction, reset off"), (3, "variance reduction, reset, random length off"),
                         (4, "variance reduction, reset, random length, refresh off")):
        events = [Event(100 + k, None, f"{name} off", "switch") for k, name in enumerate(names[:count])]
        for width in (230, 396):
            for now in (110, 200, 2000):
                (x, text, _), = choose_texts(events, 8, now, width)
                assert text == (words if len(words) * 6.2 <= width + 10 else f"{count} switches off")
                assert len(text) * 3.1 <= x <= width + 10 - len(text) * 3.1 + 1
    apart = [Event(100, None, "reset off", "switch"), Event(1000, None, "refresh off", "switch")]
    assert [text for _, text, _ in choose_texts(apart, 8, 2000, 396)] == ["refresh off", "reset off"]


def test_csv_has_a_row_an_epoch():
    series = make_series()
    rows = to_csv(columns(series), "preconditioned").splitlines()
    assert rows[0].split(",") == [*NAMES, "algorithm", "made_with"] and ",preconditioned,Exit-Time Lab " in rows[1]
    assert len(rows) == len(series.t) + 1
    assert rows[1].startswith("8,0.94,")
