"""The ceiling of short, correlated and sized references, and how it is averaged."""

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.stats import hypergeom

from sampler.metrics import accuracy_ceiling, exact_ceiling, sampled_ceiling
from sampler.metrics.bin_noise import histogram_ess
from sampler.metrics.ceiling import halves_apart
from sampler.reference import SampleReference


def autoregression(rng, m: int, d: int, memory: float) -> np.ndarray:
    white = rng.normal(size=(m + 300, d))
    return lfilter([np.sqrt(1 - memory**2)], [1, -memory], white, axis=0)[300:]


def test_the_reported_case_of_a_short_reference_and_of_a_correlated_one():
    rng = np.random.default_rng(8)
    # 1,000 draws against 100: exact draws score 0.821; shares put for probabilities would say 0.836.
    short = [accuracy_ceiling(rng.normal(size=(100, 8)), 1000) for _ in range(40)]
    # A coordinate's estimate scatters by 0.009, 320 of them by 0.0005: four of that and the bias of 0.002.
    assert np.mean(short) == pytest.approx(0.8208, abs=0.004)
    # An autoregression with coefficient 0.9: 0.8999 by Mehler's formula (0.9005 +- 0.0008 simulated); taken as 1,000
    # independent draws it would say 0.9235.
    tied = [accuracy_ceiling(autoregression(rng, 1000, 8, 0.9), 1000) for _ in range(40)]
    assert np.mean(tied) == pytest.approx(0.8999, abs=0.004)
    assert exact_ceiling(1000, reference_draws=414).mean == pytest.approx(0.8999, abs=0.002)


def test_a_chain_that_forgets_all_at_once_has_no_better_histogram_than_mean():
    # With probability 0.3 a fresh draw, else the same again: every function forgets at the same rate.
    rng = np.random.default_rng(10)
    fresh = rng.normal(size=(4, 5000, 3))
    kept = np.maximum.accumulate(np.where(rng.random((4, 5000, 1)) < 0.3, np.arange(5000)[None, :, None], 0), axis=1)
    draws = np.take_along_axis(fresh, np.broadcast_to(kept, fresh.shape), axis=1)
    # (1 + 0.7)/(1 - 0.7) = 5.67 draws for one: 3,529; ArviZ knows it to some 5 % a coordinate.
    np.testing.assert_allclose(histogram_ess(draws), 20_000 / 5.667, rtol=0.15)


def test_splitting_is_averaged_exactly():
    for m, y in ((10, 3), (11, 7), (40, 1), (40, 40), (7, 0)):
        k, a = m // 2, np.arange(y + 1)
        exact = hypergeom.pmf(a, m, y, k) @ np.abs(a / k - (y - a) / (m - k))
        assert halves_apart(np.array([float(y)]), m)[0] == pytest.approx(exact, abs=1e-12)
    # Between whole counts, the straight line.
    low, high = halves_apart(np.array([3.0, 4.0]), 10)
    assert halves_apart(np.array([3.25]), 10)[0] == pytest.approx(0.75 * low + 0.25 * high)


def test_a_reference_brings_its_own_effective_size():
    rng = np.random.default_rng(11)
    draws = rng.normal(size=(2000, 3))
    sure = SampleReference(draws, 10, np.full(3, 2000.0), np.ones(3))
    tied = SampleReference(draws, 10, np.full(3, 105.0), np.ones(3))  # as an autoregression of 0.9
    measured = SampleReference(draws, 10, np.full(3, 105.0), np.ones(3), np.full(3, 500.0))
    assert sure.ceiling_draws == 2000 and measured.ceiling_draws == 500
    assert tied.ceiling_draws == pytest.approx(2000 / 2.4165, rel=0.01)  # the sum over Hermite orders, converged
    for each, size in ((sure, 2000), (tied, 828), (measured, 500)):
        found, exact = sampled_ceiling(each, 1000), exact_ceiling(1000, 3, size)
        assert found.mean == pytest.approx(exact.mean, abs=0.003) and found.sd == pytest.approx(exact.sd, rel=0.05)
    assert sure.moved(1.0, 0.5, 20).ceiling_draws == 2000 and measured.moved(1.0, 0.5, 20).ceiling_draws == 500
