"""Section 11 in closed form, against the laws themselves."""

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from sampler.theory.hardness import least_share, subset_distance


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_it_is_the_mean_distance_of_the_two_laws(share):
    """T = 200 draws, a random part of them without repetition: TV of N(a, 1/2T) and N(b, 1/2T)."""
    rng, T, m = np.random.default_rng(1), 200, int(200 * share)
    y = rng.standard_normal((20_000, T))  # in order is at random
    gap = np.abs(y[:, :m].mean(axis=1) - y.mean(axis=1))
    found = 2 * ndtr(gap * math.sqrt(2 * T) / 2) - 1
    assert found.mean() == pytest.approx(subset_distance(share), abs=4 * found.std() / math.sqrt(len(y)))


def test_two_halves_drawn_with_repetition_are_as_far_apart_as_the_module_says():
    """P(TV >= x) of 2 Phi(sqrt(2) |Z|) - 1, to four standard errors and the 1/T that a finite T is off by."""
    rng, T, repetitions = np.random.default_rng(2), 200, 10_000
    y = rng.standard_normal((repetitions, T))
    first, second = (np.take_along_axis(y, rng.integers(0, T, (repetitions, T // 2)), axis=1).mean(axis=1) for _ in "12")
    found = 2 * ndtr(np.abs(first - second) * math.sqrt(2 * T) / 2) - 1
    for x in (0.1, 0.5, 0.9):
        said = 2 * ndtr(-ndtri((1 + x) / 2) / math.sqrt(2))
        assert (found >= x).mean() == pytest.approx(said, abs=4 * math.sqrt(said * (1 - said) / repetitions) + 1 / T)
    assert 2 * ndtr(-ndtri(0.55) / math.sqrt(2)) == pytest.approx(0.93, abs=0.005)


def test_nearly_all_gradients_are_needed():
    assert subset_distance(1.0) == 0.0
    assert least_share(1 / 20) == pytest.approx(0.9878, abs=1e-4)
    for eps in (0.01, 0.2, 0.6):
        assert subset_distance(least_share(eps)) == pytest.approx(eps)


@pytest.mark.parametrize(("function", "name", "value"), [
    (subset_distance, "share", 0.0), (subset_distance, "share", 1.1), (least_share, "epsilon", 0.0),
    (least_share, "epsilon", 1.0)])
def test_bad_input_is_refused_by_name(function, name, value):
    with pytest.raises(ValueError, match=f"{name} must"):
        function(value)
