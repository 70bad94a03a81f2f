"""Ticks are round, inside the range, few enough, and say what they mean."""

import math

import pytest

from app.live.charts.axis_ticks import decades, epochs, fractions, power
from app.number_words import scientific


def test_powers_and_scientific_numbers():
    assert [power(k) for k in (-2, -1, 0, 1, 2, 5)] == ["10⁻²", "0.1", "1", "10", "10²", "10⁵"]
    assert scientific(4.04e-4) == "4.0 × 10⁻⁴"
    assert scientific(9.99e-5) == "1.0 × 10⁻⁴"
    assert scientific(0.0714) == "0.0714"
    assert scientific(0) == "0" and scientific(math.nan) == "…"


@pytest.mark.parametrize(("low", "high"), [(0.02, 900), (50, 1e5), (1, 1e9), (0.5, 1.5)])
def test_decades(low, high):
    ticks = decades(low, high)
    assert 1 <= len(ticks) <= 5
    assert all(low <= tick <= high for tick in ticks)


@pytest.mark.parametrize(
    ("low", "high"), [(8, 12), (8, 40), (8, 200), (8, 2507), (8, 66845), (2400, 2520), (1e4, 1.05e4)])
def test_epochs(low, high):
    ticks = epochs(low, high)
    assert 2 <= len(ticks) <= 6
    assert ticks == sorted(set(ticks)) and low <= ticks[0] and ticks[-1] <= high


def test_the_epoch_axis_of_a_long_run_is_powers_of_ten():
    assert epochs(8, 2507) == [10, 100, 1000]


def test_fractions():
    assert fractions(0.7, 1.0) == [0.7, 0.8, 0.9, 1.0]
    assert fractions(0.0, 1.0) == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
