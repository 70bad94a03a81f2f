"""What the promise is made from, by kernels and by the library."""

import numpy as np
import pytest

from sampler.kernels import epoch_promise
from sampler.problems import LogisticRegression
from sampler.theory import coupling_distance, posterior_smoothness


def test_the_smoothness_is_the_librarys_with_a_metric_and_without():
    rng, problem, out = np.random.default_rng(2), LogisticRegression(3, [1.0, 2.0, 0.5]), np.empty(1)
    features, labels = rng.standard_normal((40, 3)), rng.integers(0, 2, 40)
    posterior, prior = problem.posterior(features, labels), np.diag(problem.prior_precision)
    metric = np.cov(rng.standard_normal((3, 9)))
    for one in (None, metric):
        assert epoch_promise.smoothness(0.25, posterior.rows, 40, prior, np.eye(3) if one is None else one, out)
        assert out[0] == pytest.approx(posterior_smoothness(posterior, one), rel=1e-12)  # rounding times the condition
    assert not epoch_promise.smoothness(0.25, posterior.rows, 40, prior, -metric, out)


def test_the_start_is_as_far_off_as_the_library_says_and_by_hand():
    rng, out = np.random.default_rng(3), np.empty(1)
    checkpoint, warm, reset = rng.standard_normal((5, 8)), rng.standard_normal((5, 8)), np.array([0, 1, 0, 1, 0], bool)
    mean, std, chains = np.array([0.5, -1.0]), np.array([1.5, 0.2]), np.array([0, 1, 4])
    laplace = np.array([[4.0, 0.3], [0.3, 0.09]])
    starts = np.where(reset[:, None], checkpoint, warm)[chains, :2]
    epoch_promise.start_distance(checkpoint, warm, reset, chains, np.eye(2)[None], mean, std, laplace, out)
    assert out[0] == pytest.approx(coupling_distance(starts, mean, np.diag(std**2)), rel=1e-14)
    metrics = np.array([[[2.0, 1.0], [1.0, 3.0]]] * 3) * np.arange(1, 4)[:, None, None]
    epoch_promise.start_distance(checkpoint, warm, reset, chains, metrics, mean, std, laplace, out)
    half = 0.3 / (2.0 * 0.3)  # the correlation, 1/2: the covariance is [[2.25, 0.15], [0.15, 0.04]]
    covariance = np.array([[2.25, 1.5 * 0.2 * half], [1.5 * 0.2 * half, 0.04]])
    squares = [(x - mean) @ m @ (x - mean) + np.trace(m @ covariance) for x, m in zip(starts, metrics, strict=True)]
    assert out[0] == pytest.approx(np.sqrt(np.mean(squares)), rel=1e-14)
