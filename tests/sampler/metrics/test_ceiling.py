"""The ceiling against what exact draws do score, for many laws, sizes and kinds of reference."""

import numpy as np
import pytest
from scipy import stats
from scipy.signal import lfilter
from scipy.stats import hypergeom

from sampler.metrics import accuracy_ceiling, exact_ceiling, marginal_accuracy, sampled_ceiling
from sampler.metrics.ceiling import halves_apart
from sampler.metrics.histogram_ess import histogram_ess, histogram_ess_from
from sampler.reference import SampleReference

LAWS = {
    "normal": lambda rng, m, d: rng.normal(size=(m, d)),
    "exponential": lambda rng, m, d: rng.exponential(size=(m, d)),
    "two peaks": lambda rng, m, d: rng.normal(size=(m, d)) + 4.0 * (rng.random((m, d)) < 0.4),
}


def autoregression(rng, m: int, d: int, memory: float) -> np.ndarray:
    white = rng.normal(size=(m + 300, d))
    return lfilter([np.sqrt(1 - memory**2)], [1, -memory], white, axis=0)[300:]


@pytest.mark.parametrize(("n", "m", "law"), [(1000, 100, "normal"), (64, 100, "normal"), (1000, 300, "exponential"),
                                             (1000, 1000, "normal"), (1000, 1000, "two peaks")])
def test_exact_draws_score_the_ceiling_on_average(n, m, law):
    rng, draw = np.random.default_rng(7), LAWS[law]
    pairs = []
    for _ in range(40):
        reference = draw(rng, m, 12)
        pairs.append((accuracy_ceiling(reference, n), marginal_accuracy(draw(rng, n, 12), reference)))
    said, scored = np.mean(pairs, axis=0)
    # One coordinate's score has sd 0.03 at m = 100 (0.048 with n = 64) and 0.018 at 300 and more: over 480 of them
    # four standard errors are 0.0055 (0.0088) and 0.0033; the estimate itself is unbiased to 0.002.
    noise = 4 * np.std(pairs, axis=0)[1] / np.sqrt(40)
    assert noise < 0.0092
    assert said == pytest.approx(scored, abs=0.002 + noise)


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


def test_a_histogram_of_a_chain_is_worth_more_than_its_mean():
    # Simulated: the mean squared distance of bin shares from the truth is that of this many independent draws.
    for memory in (0.5, 0.9):
        rng = np.random.default_rng(9)
        mean_size = 4000 * (1 - memory) / (1 + memory)
        size = float(histogram_ess_from(mean_size, 4000))
        edges = np.arange(-16, 17) * 0.25
        chains = autoregression(rng, 4000, 200, memory)
        shares = np.array([np.histogram(chain, edges)[0] for chain in chains.T]) / 4000
        white = rng.normal(size=(4000, 200))
        plain = np.array([np.histogram(chain, edges)[0] for chain in white.T]) / 4000
        slowness = (shares.std(axis=0).sum() / plain.std(axis=0).sum()) ** 2
        # Standard deviations of 200 histograms are known to 1/sqrt(400) a bin, their sum to about 0.015; twice squared.
        assert 4000 / size == pytest.approx(slowness, rel=0.12)
        found = histogram_ess(chains[:, :20].T.reshape(20, 1, 4000).transpose(1, 2, 0))
        assert np.mean(found) == pytest.approx(size, rel=0.08)
    assert histogram_ess_from(4000.0, 4000) == pytest.approx(4000)


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
    said = [sampled_ceiling(each, 1000).mean for each in (sure, tied, measured)]
    for value, size in zip(said, (2000, 828, 500), strict=True):
        assert value == pytest.approx(exact_ceiling(1000, 1, size).mean, abs=0.003)
    assert sure.moved(1.0, 0.5, 20).ceiling_draws == 2000 and measured.moved(1.0, 0.5, 20).ceiling_draws == 500


def test_the_spread_is_that_of_scores():
    rng = np.random.default_rng(12)
    scores = [marginal_accuracy(rng.normal(size=(500, 3)), rng.normal(size=(800, 3))) for _ in range(300)]
    # 300 scores know a standard deviation to 1/sqrt(600) = 4 %: three of that, and 3 % by near-normality of counts.
    assert sampled_ceiling(rng.normal(size=(800, 3)), 500).sd == pytest.approx(np.std(scores), rel=0.15)


def score_of(reference, below, n):
    """Mean `marginal_accuracy` of n exact draws against these very draws: E|X/n - c| of a binomial, bin by bin."""
    distances = []
    for column in reference.T:
        width = 0.25 * column.std()
        cells = np.floor((column - column.mean()) / width)
        at = np.arange(cells.min() - 1, cells.max() + 2)
        c = (cells == at[:, None]).mean(axis=1)
        p = np.diff(np.append(below(column.mean() + width * at), 1.0), prepend=0.0)[1:]
        p = np.append(below(column.mean() + width * at[1]), p[1:])
        least = np.floor(c * n)
        over = p * stats.binom.sf(least - 1, n - 1, p) - c * stats.binom.sf(least, n, p)
        distances.append(0.5 * (2 * over - p + c).sum())
    return 1 - np.mean(distances)


def peaks(apart, share):
    return (lambda rng, size: rng.normal(size=size) + apart * (rng.random(size) < share),
            lambda x: (1 - share) * stats.norm.cdf(x) + share * stats.norm.cdf(x - apart))


@pytest.mark.parametrize(("law", "most"), [
    ((lambda rng, size: rng.normal(size=size), stats.norm.cdf), 0.001),
    ((lambda rng, size: rng.exponential(size=size), stats.expon.cdf), 0.001),
    (peaks(6.0, 0.5), 0.004), (peaks(30.0, 0.3), 0.004),
    ((lambda rng, size: rng.standard_t(5, size=size), stats.t(5).cdf), 0.004)])
def test_the_bias_is_what_is_documented(law, most):
    """300 draws against the exact mean score against those very draws, so that a few hundred coordinates know it."""
    rng, (draw, below) = np.random.default_rng(13), law
    found = []
    for _ in range(20):
        reference = SampleReference(draw(rng, (300, 12)), 10, np.full(12, 300.0), np.ones(12), np.full(12, 300.0))
        found.append(accuracy_ceiling(reference, 1000) - score_of(reference.samples, below, 1000))
    noise = np.std(found) / np.sqrt(len(found))
    assert noise < 0.0013  # a coordinate's difference has sd 0.014 or so
    assert abs(np.mean(found)) < most + 3 * noise
