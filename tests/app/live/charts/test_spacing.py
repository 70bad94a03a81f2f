"""Ticks are round, inside the range and few; labels never overlap, keep their order and move as little as they can."""

import math

import numpy as np
import pytest

from app.live.charts.axes_and_labels import decades, epochs, fractions, power, spread
from app.number_words import scientific


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
    ([10, 40, 80], [10, 40, 80]),  # room for all: they stay
    ([50, 54], [44.5, 59.5]),  # two that collide move apart by the same amount
    ([], []), ([500], [100]),
    ([5] * 12, np.linspace(0, 100, 12)),  # more than fit share the room
])
def test_labels_move_as_little_as_they_can(wanted, placed):
    assert spread(wanted, 15, 0, 100) == pytest.approx(list(placed))


def test_any_labels_keep_their_order_and_their_distance():
    rng = np.random.default_rng(0)
    for _ in range(20):
        wanted = list(rng.uniform(-20, 170, size=rng.integers(1, 8)))
        ranked = np.array(spread(wanted, 15, 4, 148))[np.argsort(wanted, kind="stable")]
        assert np.all(np.diff(ranked) >= 15 - 1e-9)
        assert ranked[0] >= 4 - 1e-9 and ranked[-1] <= 148 + 1e-9
