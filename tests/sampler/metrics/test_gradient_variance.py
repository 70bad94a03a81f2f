import numpy as np
import pytest

from sampler.metrics.gradient_variance import gradient_variance, lemma_6_2_bound, measure_gradient_variance
from sampler.problems.gaussian_mean import GaussianMean
from sampler.problems.glm import LogisticRegression, PoissonRegression


def logistic(t, d=3, seed=0):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(t, d))
    posterior = LogisticRegression(d).posterior(rows, rng.integers(0, 2, t))
    theta = rng.normal(size=d)
    anchors = theta + 0.3 * rng.normal(size=(t, d))
    return posterior, theta, anchors


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
    posterior, theta, anchors = logistic(300)
    scores = np.einsum("kd,kd->k", posterior.rows, anchors)
    means = posterior.problem.mean_function(scores)
    cached = (means - posterior.targets)[:, None] * posterior.rows
    exact = gradient_variance(posterior.term_gradients(theta), cached, 9)
    by_score = measure_gradient_variance(posterior, theta, 9, anchor_scores=scores)
    by_cache = measure_gradient_variance(posterior, theta, 9, cached=cached)
    for estimate in (by_score, by_cache):
        assert estimate.saga == pytest.approx(exact.saga)
        assert estimate.sgld == pytest.approx(exact.sgld)
        assert estimate.saga_error == 0
    norms = np.linalg.norm(posterior.rows, axis=1)
    bound = lemma_6_2_bound(0.25, norms, posterior.rows @ theta, scores, 9)
    assert by_score.bound == pytest.approx(bound)
    assert (
        exact.saga
        < bound
        < 300**2 / 9 * np.mean((0.25 * norms**2 * np.linalg.norm(theta - anchors, axis=1)) ** 2)
    )


def test_in_a_metric_it_is_the_variance_of_the_whitened_gradient():
    posterior, theta, anchors = logistic(300)
    scores = np.einsum("kd,kd->k", posterior.rows, anchors)
    metric = posterior.hessian(theta)
    whitener = np.linalg.inv(np.linalg.cholesky(metric))
    fresh = posterior.term_gradients(theta)
    cached = (posterior.problem.mean_function(scores) - posterior.targets)[:, None] * posterior.rows
    exact = gradient_variance(fresh @ whitener.T, cached @ whitener.T, 9)
    for memory in ({"anchor_scores": scores}, {"cached": cached}):
        estimate = measure_gradient_variance(posterior, theta, 9, **memory, metric=metric)
        assert (estimate.saga, estimate.sgld) == pytest.approx((exact.saga, exact.sgld))
        assert estimate.bound is None or estimate.bound > estimate.saga
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
    assert measure_gradient_variance(gaussian, np.zeros(2), 4, cached=cached).saga == pytest.approx(
        0, abs=1e-20
    )


@pytest.mark.parametrize("far", [-1e308, 1e200, np.inf, np.nan])
def test_what_a_runaway_chain_remembers_has_an_infinite_variance(far):
    rows, labels = np.random.default_rng(0).normal(size=(20, 2)), np.zeros(20)
    posterior = LogisticRegression(2).posterior(rows, labels)
    scores, cached = np.zeros(20), np.zeros((20, 2))
    scores[0] = cached[0] = far
    estimate = measure_gradient_variance(posterior, np.zeros(2), 4, anchor_scores=scores)
    assert estimate.bound == np.inf and (np.isfinite(estimate.saga) or np.isnan(far))
    assert measure_gradient_variance(posterior, np.zeros(2), 4, cached=cached).saga == np.inf
