"""Known-answer tests of the metrics: enumeration, integrals, by hand, simulation."""

import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss
from scipy import stats
from scipy.linalg import sqrtm
from scipy.signal import lfilter
from scipy.special import ndtr
from scipy.stats import hypergeom

from sampler.metrics import accuracy_ceiling, equivalent_draws, exact_ceiling, sampled_ceiling
from sampler.metrics.accuracy import marginal_accuracy, negative_log_likelihood, uniform_accuracy
from sampler.metrics.bin_noise import histogram_ess, histogram_ess_from, mean_deviation, mean_difference, normal_bins
from sampler.metrics.ceiling import _distance_variance, _smoothed, bin_frame, halves_difference
from sampler.metrics.diagnostics import chain_diagnostics, correlation_band, nested_rhat, successive_correlation
from sampler.metrics.distances import gaussian_wasserstein, joint_total_variation
from sampler.metrics.gradient_variance import (
    gradient_variance,
    lemma_6_2_bound,
    measure_gradient_variance,
    uniform_variance_bound,
)
from sampler.problems import GaussianMean, LogisticRegression, PoissonRegression
from sampler.reference import SampleReference


def difference(p, n, m):
    """Return E|X/n - Y/m| of independent binomials by enumeration."""
    x, y = np.arange(n + 1), np.arange(m + 1)
    chance = np.outer(stats.binom.pmf(x, n, p), stats.binom.pmf(y, m, p))
    return (chance * np.abs(x[:, None] / n - y / m)).sum()


@pytest.mark.parametrize(("n", "m"), [(1, 1), (4, 9), (30, 7), (300, 40)])
def test_deviations_of_histograms_are_sums_over_all_counts(n, m):
    for p in (1e-12, 0.003, 0.1, 0.5, 0.8):
        x = np.arange(n + 1)
        assert mean_deviation(np.array([p]), n)[0] == pytest.approx(stats.binom.pmf(x, n, p) @ np.abs(x / n - p), rel=1e-9)
        # Tabulated at 72 probabilities: the documented relative error is below 1e-3, slightly more for few draws.
        assert mean_difference(np.array([p]), n, m)[0] == pytest.approx(difference(p, n, m), rel=5e-3)
    assert mean_deviation(np.array([0.0, 1.0]), n).tolist() == [0.0, 0.0]


def test_the_ceiling_is_half_the_sum_over_bins():
    edges = np.arange(-32, 33) / 4
    np.testing.assert_allclose(normal_bins(), np.diff(stats.norm.cdf(edges)), atol=1e-15)
    expected = 1 - 0.5 * sum(stats.binom.pmf(np.arange(51), 50, p) @ np.abs(np.arange(51) / 50 - p) for p in normal_bins())
    assert exact_ceiling(50).mean == pytest.approx(expected, rel=1e-9)
    against = 1 - 0.5 * sum(difference(p, 50, 20) for p in normal_bins() if p > 1e-9)
    assert exact_ceiling(50, 1, 20).mean == pytest.approx(against, abs=2e-4)


def test_the_spread_of_a_distance_is_that_of_jointly_normal_bins():
    # Two bins: half of |a| + |-a|, a ~ N(0, rate / 4), whose absolute value has variance (1 - 2/pi) rate / 4.
    assert _distance_variance(np.array([0.5, 0.5]), 0.01) == pytest.approx(0.0025 * (1 - 2 / np.pi))
    p, rate = np.array([0.6, 0.3, 0.1]), 1e-4
    rng = np.random.default_rng(0)
    a = rng.multivariate_normal(np.zeros(3), rate * (np.diag(p) - np.outer(p, p)), 400_000, method="eigh")
    # A variance of 400,000 draws has a relative standard error of about 0.3 %: four of them.
    assert _distance_variance(p, rate) == pytest.approx((0.5 * np.abs(a).sum(axis=1)).var(), rel=0.012)
    one = np.sqrt(_distance_variance(normal_bins(), 1 / 700))
    assert exact_ceiling(700).sd == pytest.approx(one) and exact_ceiling(700, 4).sd == pytest.approx(one / 2)
    pair = np.sqrt(_distance_variance(normal_bins(), 1 / 700 + 1 / 300))
    assert exact_ceiling(700, 9, 300).sd == pytest.approx(pair / 3)


def test_coordinates_of_unequal_size_count_by_their_noise():
    # Noise scales as 1/sqrt(size): the mean of 1/10 and 1/20 is 0.075, that of 177.8 draws; the mean size is 250.
    assert equivalent_draws([100.0, 400.0]) == pytest.approx(0.075**-2)
    assert equivalent_draws([50.0, 50.0, 50.0]) == pytest.approx(50.0)


def test_the_smoothed_law_is_a_kernel_estimate_of_the_same_variance():
    wide, narrow = (stats.norm.ppf((np.arange(count) + 0.5) / count) for count in (400, 200))
    scores = np.concatenate([wide, 2.5 + narrow / 3])
    scores = (scores - scores.mean()) / scores.std()
    law = _smoothed(scores / 0.25, 150)
    spread = min(1.0, np.subtract(*np.percentile(scores, [75, 25])) / 1.349)
    h = 0.9 * spread * 150**-0.2
    edges = np.arange(np.floor((scores.min() - 1) * 4), np.ceil((scores.max() + 1) * 4) + 1) / 4
    shrunk = np.sqrt(1 + h * h)
    direct = np.diff(stats.norm.cdf((edges[:, None] * shrunk - scores) / h).mean(axis=1))
    # Draws are first binned in cells of 1/32, which changes a share by at most 1/64 of its density.
    np.testing.assert_allclose(law, direct, atol=1.5e-3)
    assert law.sum() == pytest.approx(1.0, abs=1e-3)


def test_a_histograms_size_is_that_of_its_bins_covariances():
    """Autoregression of 1/2: P(both in a bin) at lag l by quadrature, covariances summed over 25 lags."""
    edges, (nodes, weights) = np.arange(-32, 33) / 4, leggauss(20)
    x = edges[:-1, None] + (nodes + 1) / 8
    share, long = np.diff(ndtr(edges)), None
    long = share * (1 - share)
    for lag in range(1, 26):
        rho = 0.5**lag
        scale = np.sqrt(1 - rho**2)
        inside = ndtr((edges[1:, None] - rho * x) / scale) - ndtr((edges[:-1, None] - rho * x) / scale)
        both = (stats.norm.pdf(x) * inside) @ weights / 8
        long = long + 2 * (both - share**2)
    slowness = (np.sqrt(np.maximum(long, 0)).sum() / np.sqrt(share * (1 - share)).sum()) ** 2
    # The ESS of the mean is 1/3 of the draws. 81 memories are tabulated; linear interpolation errs by 1e-3.
    assert 9000 / histogram_ess_from(3000.0, 9000) == pytest.approx(slowness, rel=2e-3)


def test_a_smaller_bulk_size_is_averaged_in_with_weight_two():
    draws = np.random.default_rng(1).normal(size=(4, 500, 1))
    sizes = [histogram_ess(draws, bulk=np.array([bulk]))[0] for bulk in (40.0, 80.0)]
    alike = [float(histogram_ess_from(bulk, 2000)) for bulk in (40.0, 80.0)]
    assert sizes[0] / sizes[1] == pytest.approx((alike[0] / alike[1]) ** (2 / 3))
    # The direct size of independent draws is their number, up to about 3/sqrt(2000); it enters as a cube root.
    assert sizes[0] == pytest.approx((2000 * alike[0] ** 2) ** (1 / 3), rel=0.05)
    assert histogram_ess(draws, bulk=np.array([2000.0]))[0] == 2000.0


def test_accuracy_is_one_minus_the_mean_over_coordinates_of_half_the_bins_differences():
    rng = np.random.default_rng(2)
    reference, samples = rng.gamma(2.0, size=(90, 3)) * [1, 5, 0.1], rng.gamma(2.5, size=(70, 3)) * [1, 5, 0.1]
    distances = []
    for a, b in zip(samples.T, reference.T, strict=True):
        edges = b.mean() + np.arange(-200, 201) * 0.25 * b.std()
        distances.append(0.5 * np.abs(np.histogram(a, edges)[0] / 70 - np.histogram(b, edges)[0] / 90).sum())
    assert marginal_accuracy(samples, reference) == pytest.approx(1 - np.mean(distances))
    checked, mean, width = bin_frame(reference)
    np.testing.assert_allclose(mean, reference.mean(axis=0))
    np.testing.assert_allclose(width, 0.25 * np.sqrt(((reference - mean) ** 2).mean(axis=0)))
    u = rng.beta(2.0, 1.0, size=(200, 2))
    edges = ndtr(np.arange(-32, 33) / 4)
    by_hand = [0.5 * np.abs(np.histogram(column, edges)[0] / 200 - np.diff(edges)).sum() for column in u.T]
    assert uniform_accuracy(u) == pytest.approx(1 - np.mean(by_hand))
    # Without reference mass far outside the error of a point is 1, minus the last bin's 6e-16.
    assert uniform_accuracy(np.array([[0.0], [1.0]])) == pytest.approx(0.0, abs=1e-12)


def test_correlations_are_numpys_and_their_band_students():
    rng = np.random.default_rng(3)
    before, after = rng.normal(size=(30, 3)) + 5, rng.normal(size=(30, 3))
    after[:, 1] -= 0.8 * before[:, 1]
    result = successive_correlation(before, after)
    expected = [np.corrcoef(before[:, i], after[:, i])[0, 1] for i in range(3)]
    np.testing.assert_allclose(result.correlation, expected)
    assert result.largest == pytest.approx(expected[1]) and expected[1] < 0
    for pairs, coordinates, sure in ((3, 1, 0.95), (30, 3, 0.95), (64, 21, 0.99)):
        r = correlation_band(pairs, coordinates, sure)
        t = r * np.sqrt((pairs - 2) / (1 - r * r))
        assert (1 - 2 * stats.t.sf(t, pairs - 2)) ** coordinates == pytest.approx(sure)
    assert result.band == correlation_band(30, 3)
    still = successive_correlation(np.zeros((5, 2)), np.arange(10.0).reshape(5, 2))
    assert np.isnan(still.correlation).all() and np.isnan(still.largest)


def test_joint_distance_of_few_draws_is_by_hand():
    """N((1, -3), diag(1, 4)): cells are half a sd wide and cover 3 sd on each side of the mean."""
    x, y = np.linspace(-7, 9, 641), np.linspace(-19, 13, 321)
    density = 7.0 * np.exp(-0.5 * (x[:, None] - 1) ** 2 - 0.125 * (y + 3) ** 2)
    side = np.diff(ndtr(np.linspace(-3, 3, 13)))
    shares = np.append(np.outer(side, side).ravel(), 1 - side.sum() ** 2)
    cell = side[7] * side[5]  # the cell of (1.7, -3.9): 0.7 and -0.45 sd from the mean
    distance = joint_total_variation(np.array([[1.7, -3.9]]), x, y, density)
    # Interpolated between grid points 1/40 and 1/20 of a sd apart: relative error of shares 1e-3.
    assert distance.value == pytest.approx(1 - cell, abs=1e-4)
    assert distance.floor == pytest.approx((shares * (1 - shares)).sum(), abs=1e-3)
    outside = joint_total_variation(np.array([[1.7, -3.9], [99.0, 0.0]]), x, y, density, bins=12)
    assert outside.value == pytest.approx(1 - cell - (1 - side.sum() ** 2), abs=1e-4)
    quarters = joint_total_variation(np.array([[1.7, -3.9]]), x, y, density, bins=2)
    assert quarters.value == pytest.approx(1 - (ndtr(3) - 0.5) ** 2, abs=1e-4)


def test_wasserstein_is_the_formula_with_matrix_roots():
    rng = np.random.default_rng(4)
    a, b = (m @ m.T for m in rng.normal(size=(2, 3, 3)))
    first, second = rng.normal(size=(2, 3))
    root = np.real(sqrtm(b))
    squared = ((first - second) ** 2).sum() + np.trace(a + b - 2 * np.real(sqrtm(root @ a @ root)))
    assert gaussian_wasserstein(first, a, second, b) == pytest.approx(np.sqrt(squared))


def test_bounds_on_a_gradients_variance_by_hand():
    # 4^2/2 * mean over rows of (h ||u|| |z - z'|)^2, h = 1/4: (1, 4, 0, 9) / 16 sum to 14/16.
    bound = lemma_6_2_bound(0.25, [1.0, 2.0, 3.0, 1.5], [0.0, 2.0, 1.0, 5.0], [1.0, 1.0, 1.0, 3.0], 2)
    assert bound == pytest.approx(16 / 2 * (14 / 16) / 4)
    assert uniform_variance_bound(5, 2.0, 3.0, 1.0, 4) == pytest.approx(9 * 5 * 4 * 16 / 4)


def test_a_subset_of_the_rows_has_its_reported_error():
    """400 of 4,000 rows, by scores and by gradients: the exact value is within the reported errors."""
    rng = np.random.default_rng(5)
    posterior = LogisticRegression(2).posterior(rng.normal(size=(4000, 2)), rng.random(4000) < 0.5)
    theta = np.array([0.5, -1.0])
    anchors = posterior.rows @ (theta + 0.3)
    exact = measure_gradient_variance(posterior, theta, 8, anchor_scores=anchors)
    cached = posterior.term_gradients(theta + 0.3)
    for memory in ({"anchor_scores": anchors}, {"cached": cached}):
        estimates = [measure_gradient_variance(posterior, theta, 8, seed=seed, max_rows=400, **memory) for seed in range(60)]
        for name in ("saga", "sgld"):
            values = np.array([getattr(each, name) for each in estimates])
            errors = np.array([getattr(each, name + "_error") for each in estimates])
            # 60 values determine their sd to 1/sqrt(120) = 9 % and their mean to 13 % of it; three and four of those.
            assert errors.mean() == pytest.approx(values.std(), rel=0.3)
            assert values.mean() == pytest.approx(getattr(exact, name), abs=0.55 * errors.mean())


def test_exact_variance_is_that_of_drawn_batches():
    rng = np.random.default_rng(1)
    t, b = 40, 5
    fresh, cached = rng.normal(size=(t, 2)) + 1.0, rng.normal(size=(t, 2))  # a mean that must be subtracted
    variance = gradient_variance(fresh, cached, b)
    batches = rng.integers(0, t, size=(100_000, b))
    for value, delta in ((variance.saga, fresh - cached), (variance.sgld, fresh)):
        estimates = t / b * delta[batches].sum(axis=1)
        measured = ((estimates - delta.sum(axis=0)) ** 2).sum(axis=1).mean()
        assert value == pytest.approx(measured, rel=0.02)  # relative error about sqrt(1/100,000) = 0.3 %


def test_measured_from_scores_equals_measured_from_gradients():
    """With a metric it is the variance of the whitened gradient."""
    rng = np.random.default_rng(0)
    posterior = LogisticRegression(3).posterior(rng.normal(size=(300, 3)), rng.integers(0, 2, 300))
    theta = rng.normal(size=3)
    anchors = theta + 0.3 * rng.normal(size=(300, 3))
    scores = np.einsum("kd,kd->k", posterior.rows, anchors)
    fresh, hessian = posterior.term_gradients(theta), posterior.hessian(theta)
    cached = (posterior.problem.mean_function(scores) - posterior.targets)[:, None] * posterior.rows
    for metric, whitener in ((None, np.eye(3)), (hessian, np.linalg.inv(np.linalg.cholesky(hessian)))):
        exact = gradient_variance(fresh @ whitener.T, cached @ whitener.T, 9)
        by_score, by_cache = (measure_gradient_variance(posterior, theta, 9, **memory, metric=metric)
                              for memory in ({"anchor_scores": scores}, {"cached": cached}))
        for estimate in (by_score, by_cache):
            assert (estimate.saga, estimate.sgld) == pytest.approx((exact.saga, exact.sgld)) and estimate.saga_error == 0
        assert by_score.bound > exact.saga
        if metric is None:
            norms = np.linalg.norm(posterior.rows, axis=1)
            assert by_score.bound == pytest.approx(lemma_6_2_bound(0.25, norms, posterior.rows @ theta, scores, 9))
            of_distances = 0.25 * norms**2 * np.linalg.norm(theta - anchors, axis=1)
            assert by_score.bound < 300**2 / 9 * np.mean(of_distances**2)
    with pytest.raises(ValueError, match="metric must be positive definite, its smallest eigenvalue is -1"):
        measure_gradient_variance(posterior, theta, 9, scores, metric=np.diag([1.0, 2.0, -1.0]))


def test_poisson_has_no_bound_and_other_problems_use_gradients():
    rows = np.random.default_rng(0).normal(size=(20, 2))
    poisson = PoissonRegression(2).posterior(rows, np.ones(20))
    assert measure_gradient_variance(poisson, np.zeros(2), 4, anchor_scores=np.zeros(20)).bound is None
    assert lemma_6_2_bound(np.inf, np.ones(3), np.ones(3), np.zeros(3), 4) is None
    gaussian = GaussianMean(2).posterior(rows)
    cached = gaussian.term_gradients(np.ones(2))
    # All anchors at one point: every difference is 2 (theta - 1), without spread over k.
    assert measure_gradient_variance(gaussian, np.zeros(2), 4, cached=cached).saga == pytest.approx(0, abs=1e-20)


@pytest.mark.parametrize("far", [-1e308, 1e200, np.inf, np.nan])
def test_the_cache_of_a_diverged_chain_has_an_infinite_variance(far):
    rows, labels = np.random.default_rng(0).normal(size=(20, 2)), np.zeros(20)
    posterior = LogisticRegression(2).posterior(rows, labels)
    scores, cached = np.zeros(20), np.zeros((20, 2))
    scores[0] = cached[0] = far
    estimate = measure_gradient_variance(posterior, np.zeros(2), 4, anchor_scores=scores)
    assert estimate.bound == np.inf and (np.isfinite(estimate.saga) or np.isnan(far))
    assert measure_gradient_variance(posterior, np.zeros(2), 4, cached=cached).saga == np.inf


def test_held_out_likelihood_is_the_mean_over_rows_without_the_prior():
    problem = LogisticRegression(2, prior_precision=[3.0, 5.0])
    rows, labels = np.array([[1.0, 2.0], [-1.0, 0.5], [0.0, 1.0]]), np.array([1, 0, 1])
    theta = np.array([[0.3, -0.2], [1.0, 1.0]])
    score = theta @ rows.T
    expected = np.log1p(np.exp(-np.where(labels == 1, score, -score))).mean(axis=1)
    np.testing.assert_allclose(negative_log_likelihood(problem, rows, labels, theta), expected)
    poisson = negative_log_likelihood(PoissonRegression(1), np.ones((2, 1)), [1.0, 3.0], np.array([[0.0], [0.5]]))
    np.testing.assert_allclose(poisson, [1.0, np.exp(0.5) - 2 * 0.5])  # up to a constant
    with pytest.raises(ValueError, match="problem must be a regression, got GaussianMean"):
        negative_log_likelihood(GaussianMean(1), np.ones((2, 1)), [1.0, 3.0], np.zeros(1))


def test_nested_rhat_detects_common_drift_and_rank_rhat_unmixed_chains():
    rng = np.random.default_rng(3)
    law = rng.normal(size=(64, 40, 2))
    # B of four means of 640 independent draws is 1/640, so R-hat is about 1 + 1/1280; ranks halve the draws again.
    assert np.all(nested_rhat(law) < 1.006)
    odd = np.concatenate([np.full((64, 3, 2), 50.0), law], axis=1)  # the first draws fill no segment and are dropped
    np.testing.assert_array_equal(nested_rhat(odd), nested_rhat(law))
    # Unmixed chains with the correct pooled law: W = 1 as before, B near 0; each chain is stuck.
    stuck = 0.9**0.5 * rng.normal(size=(64, 1, 2)) + 0.1**0.5 * law
    assert np.all(nested_rhat(stuck) < 1.006)
    assert np.all(chain_diagnostics(stuck).rhat > 1.5)
    # Common drift by 2 sd in total: means of segments are 0.513 apart, B = 0.4383. W = 1 within a chain, 1/5 between the
    # chains' means, 0.02 from the drift within a segment: sqrt(1 + B/W) = 1.166. The mean of a segment has sd 0.04, so the
    # error of B is 0.06 and of R-hat 0.02; ranks change it by about 0.01.
    drifting = law + np.linspace(0.0, 2.0, 40)[None, :, None]
    np.testing.assert_allclose(nested_rhat(drifting), 1.166, atol=0.05)


def test_a_short_and_a_correlated_reference():
    rng = np.random.default_rng(8)
    # 1,000 draws against 100: the accuracy of exact draws is 0.821; with shares as probabilities it would be 0.836.
    short = [accuracy_ceiling(rng.normal(size=(100, 8)), 1000) for _ in range(16)]
    # The sd is 0.009 per coordinate, 0.0008 for 128: four of that plus the bias of 0.002.
    assert np.mean(short) == pytest.approx(0.8208, abs=0.0052)
    # Autoregression with coefficient 0.9: 0.8999 by Mehler's formula (0.9005 +- 0.0008 simulated); treated as 1,000
    # independent draws it would be 0.9235.
    correlated = [accuracy_ceiling(lfilter([np.sqrt(1 - 0.9**2)], [1, -0.9], rng.normal(size=(1300, 8)), axis=0)[300:], 1000)
            for _ in range(16)]
    assert np.mean(correlated) == pytest.approx(0.8999, abs=0.0052)
    assert exact_ceiling(1000, reference_draws=414).mean == pytest.approx(0.8999, abs=0.002)


def test_equal_decay_of_all_functions_gives_equal_ess_of_mean_and_histogram():
    # A new draw with probability 0.3, else the previous one: all functions decorrelate at the same rate.
    rng = np.random.default_rng(10)
    fresh = rng.normal(size=(4, 5000, 3))
    kept = np.maximum.accumulate(np.where(rng.random((4, 5000, 1)) < 0.3, np.arange(5000)[None, :, None], 0), axis=1)
    draws = np.take_along_axis(fresh, np.broadcast_to(kept, fresh.shape), axis=1)
    # (1 + 0.7)/(1 - 0.7) = 5.67 draws per effective draw: 3,529; ArviZ estimates it to about 5 % per coordinate.
    np.testing.assert_allclose(histogram_ess(draws), 20_000 / 5.667, rtol=0.15)


def test_splitting_is_averaged_exactly():
    for m, y in ((10, 3), (11, 7), (40, 1), (40, 40), (7, 0)):
        k, a = m // 2, np.arange(y + 1)
        exact = hypergeom.pmf(a, m, y, k) @ np.abs(a / k - (y - a) / (m - k))
        assert halves_difference(np.array([float(y)]), m)[0] == pytest.approx(exact, abs=1e-12)
    # Linear between integer counts.
    low, high = halves_difference(np.array([3.0, 4.0]), 10)
    assert halves_difference(np.array([3.25]), 10)[0] == pytest.approx(0.75 * low + 0.25 * high)


def test_a_reference_has_its_own_effective_size():
    rng = np.random.default_rng(11)
    draws = rng.normal(size=(2000, 3))
    sure = SampleReference(draws, 10, np.full(3, 2000.0), np.ones(3))
    correlated = SampleReference(draws, 10, np.full(3, 105.0), np.ones(3))  # as an autoregression of 0.9
    measured = SampleReference(draws, 10, np.full(3, 105.0), np.ones(3), np.full(3, 500.0))
    assert sure.ceiling_draws == 2000 and measured.ceiling_draws == 500
    assert correlated.ceiling_draws == pytest.approx(2000 / 2.4165, rel=0.01)  # the sum over Hermite orders, converged
    for each, size in ((sure, 2000), (correlated, 828), (measured, 500)):
        sampled, exact = sampled_ceiling(each, 1000), exact_ceiling(1000, 3, size)
        assert sampled.mean == pytest.approx(exact.mean, abs=0.003) and sampled.sd == pytest.approx(exact.sd, rel=0.05)
    assert sure.moved(1.0, 0.5, 20).ceiling_draws == 2000 and measured.moved(1.0, 0.5, 20).ceiling_draws == 500
