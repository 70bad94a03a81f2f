"""Accuracy and memory against cost: settings on the front, keys of taps; ticks of logarithmic axes."""

from types import SimpleNamespace

import numpy as np
import pytest

from app.number_words import lasted
from app.plots import accuracy_against_cost, memory_against_cost, to_plot
from app.plots.axis_ticks import plain_ticks
from app.plots.tuning_curves import front
from sampler.tuning import CellKey


def cell(i_max, accuracy, memory=0.2, rung=2, diverged=None):
    return SimpleNamespace(eta0=1.0, i_max=i_max, batch_size=9, cost=4.5 * i_max, accuracy=accuracy, memory=memory,
                           rung=rung, diverged=diverged, ceiling=0.946, ceiling_sd=0.006, rows=256)


CELLS = [cell(20, 0.90), cell(50, 0.93), cell(100, 0.925), cell(300, 0.942, memory=0.7), cell(600, 0.94),
         cell(10, 0.9, rung=1), cell(900, 0.0, diverged=(1, 2, 3))]
KINDS = {CellKey(1.0, i_max, 9): kind for i_max, kind in (
    (20, "hot"), (50, "safe"), (100, "safe"), (300, "cold"), (600, "safe"))}


def test_the_front_rises_with_cost_and_omits_dominated_settings():
    assert [c.i_max for c in front(CELLS[:5])] == [20, 50, 300]
    assert front([]) == []


def test_only_safe_cells_run_to_the_end_make_the_line_and_every_cell_is_tapped():
    drawn = {line.name: line for line in accuracy_against_cost(CELLS, verdicts=KINDS, chosen=CellKey(1.0, 600, 9)).data}
    assert drawn["safe and not beaten"].x.tolist() == [225.0, 2700.0]  # 100 steps cost more than 50 and are less accurate
    spots = [line for line in accuracy_against_cost(CELLS, verdicts=KINDS).data if line.key is not None]
    assert {line.key for line in spots} == {*KINDS, CellKey(1.0, 10, 9)}  # without the diverged cell
    assert {line.name for line in spots} == {"hot", "safe", "cold", "not judged"}
    early = next(line for line in spots if line.key == CellKey(1.0, 10, 9))
    assert early.alpha < 1.0 and "given up after 256 rows" in early.tooltip[0]
    assert drawn["looked at"].x.tolist() == [2700.0]


def test_memory_has_its_limit_and_its_spots():
    lines = memory_against_cost(CELLS, verdicts=KINDS).data
    assert next(line for line in lines if line.name == "half").y.tolist() == [0.5, 0.5]
    assert [float(line.y[0]) for line in lines if line.key == CellKey(1.0, 300, 9)] == [0.7]
    assert not [line for line in memory_against_cost([], verdicts={}).data if line.key is not None]


@pytest.mark.parametrize("i_max", [600, 1500, 7])
def test_settings_that_all_cost_the_same_are_drawn(i_max):
    """2,700, 6,750 or 31.5 gradients: no power of ten is near, and none times two or five near 2,700."""
    for draw in (accuracy_against_cost, memory_against_cost):
        figure = to_plot(draw([cell(i_max, 0.93), cell(i_max, 0.94)], verdicts={})).state
        assert len(figure.xaxis[0].ticker.ticks) >= 2
        assert all(figure.x_range.start <= tick <= figure.x_range.end for tick in figure.xaxis[0].ticker.ticks)


@pytest.mark.parametrize("limits, words", [
    ((1.0, 1e6), ["1", "10", "100", "1,000", "10,000", "100,000", "1,000,000"][::2]),
    ((50.0, 20_000.0), ["100", "1,000", "10,000"]),
    ((120.0, 5_500.0), ["200", "500", "1,000", "2,000", "5,000"]),
    ((2_100.0, 3_500.0), ["2,500", "3,000", "3,500"]),
    ((2_100.0, 9_900.0), ["4,000", "6,000", "8,000"]),
    ((0.65, 0.78), ["0.65", "0.7", "0.75"]),
    ((2.1e7, 4.9e7), ["3.0 × 10⁷", "4.0 × 10⁷"]),
    ((7.0, 7.0), ["7"]),
])
def test_ticks_of_an_axis(limits, words):
    assert [label for _, label in plain_ticks(*limits)] == words


def test_an_axis_of_any_length_has_two_ticks_with_different_labels():
    """A ratio of 1.3 squared is the shortest axis of a figure, if all settings cost the same."""
    rng = np.random.default_rng(5)
    for low, ratio in zip(10.0 ** rng.uniform(-6, 12, 2_000), 10.0 ** rng.uniform(np.log10(1.69), 3, 2_000), strict=True):
        for words in (None, lasted):
            ticks = plain_ticks(low, low * ratio, words=words)
            at, labels = zip(*ticks, strict=True)
            assert len(at) >= 2 and low * (1 - 1e-9) <= min(at) and max(at) <= low * ratio * (1 + 1e-9), (low, ratio)
            assert len(set(labels)) == len(labels) and list(at) == sorted(at), (low, ratio, labels)
