"""The four panels: one source, one axis, labels without overlaps, theme and size changed in place; few, round ticks."""

import math
from array import array
from dataclasses import replace

import numpy as np
import pytest

from app.live.charts.axes_and_labels import choose_texts, decades, epochs, fractions, power, spread
from app.live.charts.stack import INKS, ChartStack, to_csv
from app.live.charts.view import FIRST_EPOCH, LABEL_GAP, MARKS_APART, NATURAL_HEIGHT
from app.live.snapshot import COLUMNS, Series
from app.live.timeline import Event
from app.number_words import scientific
from app.theme import tokens

FLAT = {"accuracy": 0.94, "ceiling_low": 0.93, "ceiling_high": 0.96, "predicted": 0.94, "tv": 0.06, "median": 0.03,
        "q95": 0.2, "farthest": 0.9, "memory": 0.14, "cost": 275.0}


def make_series(now=2507, events=(), recent=True, bound=True, **values):
    t = np.unique(np.geomspace(8, now, 230).astype(int)).astype(np.float32) if now else np.empty(0, np.float32)
    values = FLAT | {"t": t, "saga": 0.2 * t, "sgld": 0.02 * t**2, "full": 30 * t} | values
    values["bound"] = t**1.4 if bound else np.nan
    return Series(
        columns={name: array("f", np.broadcast_to(np.float32(values[name]), t.shape)) for name in COLUMNS},
        exits_t=[300, 301, 900] if now else [], exits_value=[1.2, 5.0, 1.1] if now else [],
        events=tuple(events), checkpoints=[2**k for k in range(3, 12)],
        recent=make_series(now, events, False) if recent else None)


@pytest.fixture
def stack():
    return ChartStack()


def update(stack, **kwargs):
    stack.view.update(make_series(**kwargs), kwargs.get("now", 2507), 64, True)
    stack.show()


def source(stack):
    return stack.sources["series"].data


def names_of(panel):
    """Return the end labels of a panel as columns; other texts have other offsets."""
    data = panel.texts.data
    chosen = [k for k, (dx, dy) in enumerate(zip(data["dx"], data["dy"], strict=True)) if (dx, dy) == (7, 0)]
    return {name: [column[k] for k in chosen] for name, column in data.items()}


def test_one_source_and_one_axis_and_an_update_makes_no_model(stack):
    update(stack)
    assert set(source(stack)) == set(COLUMNS)
    assert len({len(column) for column in source(stack).values()}) == 1
    assert all(figure.x_range is stack.models.x_range for figure in stack.figures)
    assert (stack.models.x_range.start, stack.models.x_range.end) == (FIRST_EPOCH, pytest.approx(1.02 * 2507))
    models = {model.id for figure in stack.figures for model in figure.references()}
    assert len(models) <= 125
    update(stack, now=5000, events=[Event(100, 200, "variance reduction off", "switch")])
    assert {model.id for figure in stack.figures for model in figure.references()} == models


def test_end_labels_never_overlap(stack):
    update(stack)
    for panel in stack.panels:
        heights = sorted(panel.place.pixel(y) for y in names_of(panel)["y"])
        assert len(heights) >= 2
        assert np.all(np.diff(heights) >= LABEL_GAP - 0.1)


def test_a_ghost_is_drawn_named_and_has_room_on_the_axes(stack):
    update(stack)
    lower = make_series(now=5000, accuracy=0.4)
    low = stack.panels[0].y_range.start
    stack.set_ghost(lower)
    assert low == 0.75 and stack.panels[0].y_range.start == pytest.approx(0.35)
    assert all(names_of(panel)["text"].count("ghost") == 1 for panel in stack.panels)
    stack.set_ghost(make_series(now=500))  # it ended before the current epoch: no label at the right edge
    assert all("ghost" not in names_of(panel)["text"] for panel in stack.panels)
    stack.set_ghost(None)
    assert len(stack.sources["ghost"].data["t"]) == 0 and stack.panels[0].y_range.start == low


def test_a_model_without_a_bound_has_no_label_for_it(stack):
    update(stack, bound=False)
    assert not any("bound" in text for text in names_of(stack.panels[2])["text"])
    assert np.all(np.isnan(source(stack)["bound"]))


def test_exits_are_thinned_and_clipped_to_the_frame(stack):
    update(stack)
    exits = stack.sources["exits"].data
    assert list(exits["t"]) == [301, 900]  # epochs 300 and 301 share a column of pixels
    assert max(exits["value"]) <= stack.panels[1].y_range.end


def test_checkpoints_that_are_close_share_a_diamond(stack):
    """Powers of two are drawn separately; of a hundred since epoch 1,000 each column of pixels has the first one."""
    series = make_series()
    stack.view.update(series, 2507, 64, True)
    stack.show()
    assert list(stack.sources["checkpoints"].data["t"]) == series.checkpoints
    stack.view.update(replace(series, checkpoints=[*series.checkpoints[:7], *range(1000, 2500, 15)]), 2507, 64, True)
    stack.show()
    shown, axis = np.array(stack.sources["checkpoints"].data["t"]), stack.models.x_range
    columns = (np.log(shown / axis.start) / np.log(axis.end / axis.start) * stack.view.width / MARKS_APART).astype(int)
    assert list(shown[:7]) == series.checkpoints[:7] and 1000 in shown and (np.diff(columns) == 1)[8:].all()


def test_far_clouds_open_the_distance_axis(stack):
    update(stack, q95=4.0)
    assert stack.panels[1].y_range.end >= 4


def test_a_window_fitted_to_an_event_keeps_its_epochs_until_the_run_has_passed_them(stack):
    stack.view.set_window("span", (300, 600))
    stack.show()
    update(stack)
    assert (stack.models.x_range.start, stack.models.x_range.end) == (300, pytest.approx(1.02 * 2507))
    stack.view.set_window("span", (2200, 4000))
    stack.show()
    assert (stack.models.x_range.start, stack.models.x_range.end) == (2200, 4000)
    stack.view.set_window("recent")
    stack.show()
    assert stack.models.x_range.start >= FIRST_EPOCH
    with pytest.raises(ValueError, match="'all', 'recent' or 'span'"):
        stack.view.set_window("some")
        stack.show()


def test_an_empty_series_shows_empty_panels(stack):
    update(stack)
    stack.view.update(make_series(now=0), 3, 64, True)
    stack.show()
    assert len(source(stack)["t"]) == 0
    assert all(len(names_of(panel)["text"]) == 0 for panel in stack.panels)


def test_theme_repaints_labels_axes_and_events(stack):
    update(stack, events=[Event(900, None, "η₀ 1 → 5", "knob")])
    stack.restyle(True)
    dark = tokens(True)
    assert all(figure.background_fill_color is None for figure in stack.figures)  # no white at first
    assert stack.figures[0].ygrid[0].grid_line_color == dark["grid"]
    assert "chain" in names_of(stack.panels[0])["color"]
    assert stack.models.ink["transform"].palette == [dark[token] for token in INKS]
    texts = dict(zip(stack.panels[0].texts.data["text"], stack.panels[0].texts.data["color"], strict=True))
    assert texts["η₀ 1 → 5"] == "hot"


def test_sizes(stack):
    assert sum(figure.height for figure in stack.figures) == NATURAL_HEIGHT
    stack.view.resize(578, 1000, compact=False)
    stack.show()
    assert sum(figure.height for figure in stack.figures) == pytest.approx(1000, abs=4)  # rounded per panel
    stack.view.resize(364, 0, compact=True)
    stack.show()
    assert all(figure.min_border_left == 40 and figure.xaxis[0].visible for figure in stack.figures)
    stack.view.resize(578, NATURAL_HEIGHT, compact=False)
    stack.show()
    assert [figure.xaxis[0].visible for figure in stack.figures] == [False, False, False, True]


def test_figures_built_later_have_earlier_settings():
    stacks = later, _ = ChartStack(later=True), ChartStack()
    for stack in stacks:
        stack.view.resize(500, 700, False)
        stack.show()
        stack.restyle(True)
        update(stack)
    texts = [stack.csv() for stack in stacks]
    assert texts[0] == texts[1] and not later.named
    assert len(list(later.draw())) == 4  # one figure per turn
    shown, wanted = ({(name, key): value for name, model in stack.named.items() for key, value in
                      model.properties_with_values(include_defaults=False).items() if isinstance(value, (int, float, str))}
                     for stack in stacks)
    assert shown == wanted
    for name in later.sources:
        np.testing.assert_equal(*(stack.sources[name].data for stack in stacks))
    for model, roles in later.paint.strokes:
        assert all(getattr(model, name) in (tokens(True)[token], {"value": tokens(True)[token]})
                   for name, token in roles.items())


def test_event_texts_name_the_newest_and_never_overlap():
    events = [Event(t, None, f"η₀ 1 → {t}", "knob") for t in (100, 101, 102, 1000)]
    chosen = choose_texts(events, 8, 2507, 396)
    assert chosen[0][1] == "η₀ 1 → 1000"
    assert [text for _, text, _ in chosen][1] == "η₀ 1 → 102"
    xs = sorted((x, len(text) * 3.1) for x, text, _ in chosen)
    assert all(b[0] - b[1] > a[0] + a[1] for a, b in zip(xs, xs[1:], strict=False))


@pytest.mark.parametrize("count, words", [
    (2, "variance reduction, reset off"), (3, "variance reduction, reset, random length off"),
    (4, "variance reduction, reset, random length, refresh off")])
@pytest.mark.parametrize("width", [230, 396])
@pytest.mark.parametrize("now", [110, 2000])
def test_switches_turned_off_together_are_named_together(count, words, width, now):
    names = ("variance reduction", "reset", "random length", "refresh")
    events = [Event(100 + k, None, f"{name} off", "switch") for k, name in enumerate(names[:count])]
    ((x, text, _),) = choose_texts(events, 8, now, width)
    assert text == (words if len(words) * 6.2 <= width + 10 else f"{count} switches off")
    assert len(text) * 3.1 <= x <= width + 10 - len(text) * 3.1 + 1


def test_switches_turned_off_apart_are_named_apart():
    apart = [Event(100, None, "reset off", "switch"), Event(1000, None, "refresh off", "switch")]
    assert [text for _, text, _ in choose_texts(apart, 8, 2000, 396)] == ["refresh off", "reset off"]


def test_csv_has_one_row_per_epoch():
    series = make_series()
    rows = to_csv(series.columns, "preconditioned").splitlines()
    assert rows[0].split(",") == [*COLUMNS, "algorithm", "made_with"] and ",preconditioned,Exit-Time Lab " in rows[1]
    assert len(rows) == len(series.t) + 1
    assert rows[1].startswith("8,0.94,")


def test_powers_and_scientific_numbers():
    assert [power(k) for k in (-2, -1, 0, 1, 2, 5)] == ["10⁻²", "0.1", "1", "10", "10²", "10⁵"]
    assert scientific(4.04e-4) == "4.0 × 10⁻⁴"
    assert scientific(9.99e-5) == "1.0 × 10⁻⁴"
    assert scientific(0.0714) == "0.0714"
    assert scientific(0) == "0" and scientific(math.nan) == "…"


@pytest.mark.parametrize(("low", "high"), [(0.02, 900), (50, 1e5), (1, 1e9), (0.5, 1.5)])
def test_decades(low, high):
    ticks = [10.0**k for k in decades(low, high)]
    assert 1 <= len(ticks) <= 5
    assert all(low <= tick <= high for tick in ticks)


@pytest.mark.parametrize(("low", "high"), [(8, 12), (8, 40), (8, 200), (8, 2507), (8, 66845), (2400, 2520), (1e4, 1.05e4)])
def test_epochs(low, high):
    ticks = epochs(low, high)
    assert 2 <= len(ticks) <= 6 and ticks == sorted(set(ticks)) and low <= ticks[0] and ticks[-1] <= high
    assert epochs(8, 2507) == [10, 100, 1000]


def test_fractions():
    assert fractions(0.7, 1.0) == [0.7, 0.8, 0.9, 1.0]
    assert fractions(0.0, 1.0) == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]


@pytest.mark.parametrize(("wanted", "placed"), [
    ([10, 40, 80], [10, 40, 80]),  # enough room: unchanged
    ([50, 54], [44.5, 59.5]),  # two that collide move apart by the same amount
    ([], []), ([500], [100]),
    ([5] * 12, np.linspace(0, 100, 12)),  # too many: evenly spaced
])
def test_labels_move_as_little_as_possible(wanted, placed):
    assert spread(wanted, 15, 0, 100) == pytest.approx(list(placed))


def test_any_labels_keep_their_order_and_their_distance():
    rng = np.random.default_rng(0)
    for _ in range(20):
        wanted = list(rng.uniform(-20, 170, size=rng.integers(1, 8)))
        ranked = np.array(spread(wanted, 15, 4, 148))[np.argsort(wanted, kind="stable")]
        assert np.all(np.diff(ranked) >= 15 - 1e-9)
        assert ranked[0] >= 4 - 1e-9 and ranked[-1] <= 148 + 1e-9
