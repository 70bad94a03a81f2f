import numpy as np
import pytest
from scipy.stats import norm

from sampler.problems.gaussian_mean import GaussianMean
from sampler.problems.glm import LinearRegression, LogisticRegression
from sampler.reference.gaussian_reference import GaussianReference, gaussian_reference


def test_gaussian_mean_is_known_on_paper():
    y = np.random.default_rng(0).normal(size=(12, 2))
    reference = gaussian_reference(GaussianMean(2).posterior(y))
    np.testing.assert_allclose(reference.mean, y.mean(axis=0))
    np.testing.assert_allclose(reference.covariance, np.eye(2) / 24)
    at = np.array([[0.1, -np.inf], [0.3, 0.0]])
    np.testing.assert_allclose(reference.cdf(at), norm.cdf(at, y.mean(axis=0), np.sqrt(1 / 24)))
    assert reference.exact
    assert reference.t == 12


def test_linear_regression_is_ridge_regression():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(30, 3)), rng.normal(size=30)
    reference = gaussian_reference(LinearRegression(3, prior_precision=2.0, noise_std=0.5).posterior(x, y))
    hessian = 2.0 * np.eye(3) + x.T @ x / 0.25
    np.testing.assert_allclose(reference.mean, np.linalg.solve(hessian, x.T @ y / 0.25))
    np.testing.assert_allclose(reference.covariance, np.linalg.inv(hessian))
    np.testing.assert_allclose(reference.std**2, np.diagonal(reference.covariance))


def test_bad_input_is_refused_with_words():
    with pytest.raises(ValueError, match="posterior must"):
        gaussian_reference(LogisticRegression(2).posterior(np.ones((3, 2)), [0, 1, 1]))
    with pytest.raises(ValueError, match="posterior must"):
        gaussian_reference(GaussianMean(2).posterior(np.empty((0, 2))))
    with pytest.raises(ValueError, match="flat prior"):
        gaussian_reference(LinearRegression(2, prior_precision=0.0).posterior(np.ones((1, 2)), [1.0]))
    with pytest.raises(ValueError, match="mean must"):
        GaussianReference([np.nan], [[1.0]], 3)
    with pytest.raises(ValueError, match="covariance must"):
        GaussianReference([0.0], [[np.nan]], 3)
    reference = GaussianReference([0.0], [[1.0]], 3)
    with pytest.raises(ValueError, match="samples must"):
        reference.cdf(np.array([[np.nan]]))
    with pytest.raises(ValueError, match="samples must"):
        reference.cdf(np.zeros((3, 2)))
