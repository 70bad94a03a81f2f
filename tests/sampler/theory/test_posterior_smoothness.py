"""L of F_t from its rows: by hand, attained, and never below a Hessian."""

import numpy as np
import pytest

from sampler import GaussianMean, GradientOracle, LinearRegression, LogisticRegression, PoissonRegression
from sampler.theory import posterior_smoothness


def test_by_hand():
    assert posterior_smoothness(GaussianMean(3).posterior(np.zeros((7, 3)))) == 14.0
    rows = np.array([[2.0, 0.0], [0.0, 1.0], [2.0, 0.0]])
    assert posterior_smoothness(LogisticRegression(2, [1.0, 3.0]).posterior(rows, [0, 1, 0])) == pytest.approx(3.25)
    assert posterior_smoothness(LinearRegression(2, 0.5, noise_std=0.5).posterior(rows, [0, 1, 0])) == pytest.approx(32.5)


def test_it_is_attained_at_zero_and_never_passed():
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(40, 3)), rng.integers(0, 2, 40)
    posterior = LogisticRegression(3).posterior(rows, labels)
    found = posterior_smoothness(posterior)
    assert found == pytest.approx(np.linalg.eigvalsh(posterior.hessian(np.zeros(3)))[-1])
    for theta in rng.normal(size=(20, 3)):
        assert np.linalg.eigvalsh(posterior.hessian(theta))[-1] <= found
    assert found <= 1.0 + 40 * 0.25 * (rows**2).sum(axis=1).max()


def test_in_a_metric_it_is_that_of_the_whitened_coordinates():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(30, 3))
    posterior = LinearRegression(3, 0.5).posterior(rows, rng.normal(size=30))
    metrics = np.array([posterior.hessian(np.zeros(3)), np.eye(3), np.diag([1.0, 2.0, 9.0])])
    white = np.linalg.inv(np.linalg.cholesky(metrics))
    found = [np.linalg.eigvalsh(C @ posterior.hessian(np.zeros(3)) @ C.T)[-1] for C in white]
    assert found[0] == pytest.approx(1.0)
    for metric, value in zip(metrics, found, strict=True):
        assert posterior_smoothness(posterior, metric) == pytest.approx(value)
    assert posterior_smoothness(posterior, metrics) == pytest.approx(max(found))


def test_what_has_none_says_so():
    assert posterior_smoothness(PoissonRegression(1).posterior([[1.0]], [2])) == np.inf
    assert posterior_smoothness(GradientOracle(lambda indices, theta: np.zeros((len(indices), 1)), 1).posterior(3)) is None
