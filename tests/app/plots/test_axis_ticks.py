"""Ticks of logarithmic axes: powers of ten, and round numbers where the axis is shorter."""

import numpy as np
import pytest

from app.number_words import lasted
from app.plots.axis_ticks import plain_ticks


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


def test_an_axis_of_any_length_has_two_ticks_that_read_differently():
    """1.3 squared is the shortest axis a figure asks for: all settings cost the same."""
    rng = np.random.default_rng(5)
    for low, ratio in zip(10.0 ** rng.uniform(-6, 12, 2_000), 10.0 ** rng.uniform(np.log10(1.69), 3, 2_000), strict=True):
        for words in (None, lasted):
            ticks = plain_ticks(low, low * ratio, words=words)
            at, labels = zip(*ticks, strict=True)
            assert len(at) >= 2 and low * (1 - 1e-9) <= min(at) and max(at) <= low * ratio * (1 + 1e-9), (low, ratio)
            assert len(set(labels)) == len(labels) and list(at) == sorted(at), (low, ratio, labels)
