import numpy as np
import pytest

from sampler.metrics.gradient_variance import gradient_variance, lemma_6_2_bound, measure_gradient_variance
from sampler.problems.gaussian_mean import GaussianMean
from sampler.problems.glm import LogisticRegression, PoissonRegression


def test_exact_variance_is_that_of_drawn_batches():
    rng = np.random.default_rng(1)
    t, b = 40, 5
    fresh, cached = rng.normal(size=(t, 2)) + 1.0, rng.normal(size=(t, 2))  # a mean that must come off
    variance = gradient_variance(fresh, cached, b)
    batches = rng.integers(0, t, size=(100_000, b))
    for value, delta in ((variance.saga, fresh - cached), (variance.sgld, fresh)):
        estimates = t / b * delta[batches].sum(axis=1)
        measured = ((estimates - delta.sum(axis=0)) ** 2).sum(axis=1).mean()
        assert value == pytest.approx(measured, rel=0.02)  # relative error about sqrt(1/100,000) = 0.3 %


def test_measured_from_scores_equals_measured_from_gradients():
    """In a metric it is the variance of the whitened gradient."""
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
    # All anchors at one point: every difference is 2 (theta - 1), so its spread over k is nil.
    assert measure_gradient_variance(gaussian, np.zeros(2), 4, cached=cached).saga == pytest.approx(0, abs=1e-20)


@pytest.mark.parametrize("far", [-1e308, 1e200, np.inf, np.nan])
def test_what_a_runaway_chain_remembers_has_an_infinite_variance(far):
    rows, labels = np.random.default_rng(0).normal(size=(20, 2)), np.zeros(20)
    posterior = LogisticRegression(2).posterior(rows, labels)
    scores, cached = np.zeros(20), np.zeros((20, 2))
    scores[0] = cached[0] = far
    estimate = measure_gradient_variance(posterior, np.zeros(2), 4, anchor_scores=scores)
    assert estimate.bound == np.inf and (np.isfinite(estimate.saga) or np.isnan(far))
    assert measure_gradient_variance(posterior, np.zeros(2), 4, cached=cached).saga == np.inf
