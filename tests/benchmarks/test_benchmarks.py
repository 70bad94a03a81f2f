"""The harness, the followers of the NUTS benchmark, and the sizes of documents."""

import threading

import numpy as np
import pytest

from sampler import LogisticRegression
from sampler.algorithms import IBIS
from sampler.kernels.refresh_calendar import ITEM
from sampler.kernels.simd_lanes import aligned_zeros, lanes_for, padded
from tests.benchmarks import nuts, timing
from tests.benchmarks.document import FIGURES, build
from tests.benchmarks.kernels import _gather


class Clock:
    """Manual clock; the cost of all contestants grows with the turns."""

    def __init__(self):
        self.now, self.order = 0.0, []

    def __call__(self):
        return self.now

    def contestant(self, name, cost):
        def run():
            self.order.append(name)
            self.now += cost * (1 + len(self.order) // 2)
        return run


def test_contestants_take_turns_and_their_ratio_is_constant():
    clock = Clock()
    seconds = timing.race({"a": (clock.contestant("a", 2.0), 10), "b": (clock.contestant("b", 6.0), 10)}, 50, clock)
    assert clock.order[:6] == ["a", "b", "a", "b", "b", "a"]  # one warm-up, then alternating order
    assert seconds["a"].shape == (50,) and seconds["a"][-1] > 10 * seconds["a"][0]
    assert np.median(seconds["b"] / seconds["a"]) == pytest.approx(3.0, rel=0.1)


@pytest.mark.parametrize(("limits", "ok", "word"), [
    ({"at_least": 2.0}, True, "pass"), ({"at_least": 2.1}, False, "MISS"), ({"at_most": 2.0}, True, "pass"),
    ({"at_most": 1.9}, False, "MISS"), ({}, None, "")])
def test_a_row_passes_by_its_median(limits, ok, word):
    row = timing.row("x", [1.0, 2.0, 9.0], **limits)
    assert (row.measured, row.low, row.high, row.ok) == (2.0, 1.0, 9.0, ok) and word in row.line()
    assert "skipped  needs z" in timing.skipped("y", "needs z").line()


@pytest.mark.parametrize("kind", nuts.FOLLOWERS.values())
def test_a_follower_of_the_stream_has_the_draws_of_all_rows_at_once(monkeypatch, kind):
    monkeypatch.setattr(nuts, "ROWS", 60)  # rows to generate
    features, labels = nuts.stream(60)
    each = nuts.PARTICLES if kind is IBIS else 1
    draws, seconds, words = nuts.follower(kind, features, labels)
    whole = kind(LogisticRegression(nuts.DIM), chains=each * nuts.DRAWS, seed=4).observe(features, labels)
    np.testing.assert_array_equal(draws, whole.samples[::each])
    assert seconds.shape == (30,) and (seconds >= 0).all() and ("renewed" in words) == (kind is IBIS)


@pytest.mark.parametrize("page", FIGURES)
def test_a_page_is_a_light_document_and_its_figures_follow(page):
    built = build(page)
    assert 20 < built.models <= 100 and built.kilobytes <= 100
    assert built.models + 10 * FIGURES[page] < built.all_models <= 1_000
    for thread in threading.enumerate():  # wait for the end of its run
        if thread.name == "exit-time-engine":
            thread.join(60)
            assert not thread.is_alive()


def test_the_bare_gather_reads_every_record_of_its_chain_alone():
    lanes, rows, items = lanes_for(3), aligned_zeros((50, padded(3))), aligned_zeros((2, 50), ITEM)
    rows[:, 0] = 2.0
    x, fresh = np.eye(padded(3))[0], np.zeros(8)
    _gather(lanes, rows, items, 1, x, fresh, np.zeros(8, np.uint64), 20)
    assert items["touched"][1].sum() == 20 * 8 and not items["touched"][0].any()
    assert items["value"][1].sum() == pytest.approx(2.0 * 20 * 8)
