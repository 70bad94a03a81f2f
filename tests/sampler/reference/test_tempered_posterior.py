"""Powers of a posterior: on a grid, by a formula where there is one, and from chains."""

import numpy as np
import pytest

from sampler import GridReference, LinearRegression, LogisticRegression, synthetic_stream
from sampler.reference import tempered_reference
from sampler.reference.tempered_posterior import TemperedGrid


def data(kind, dim, n, seed=0):
    stream = synthetic_stream(kind, dim, "paper", n, seed)
    return stream.features, stream.labels


def test_at_one_it_is_the_posterior():
    features, labels = data("logistic", 2, 60)
    grid = GridReference(LogisticRegression(2))
    for x, y in zip(features, labels, strict=True):
        grid.add(x, y)
    power = tempered_reference(LogisticRegression(2).posterior(features, labels), 1.0)
    points = np.random.default_rng(0).multivariate_normal(grid.mean, 2 * grid.covariance, 200)
    np.testing.assert_allclose(power.cdf(points), grid.cdf(points), atol=1e-5)  # a coarser grid than the other's
    assert power.t == 60 and power.exact


@pytest.mark.parametrize("beta", [0.5, 1 / 64])
def test_a_power_of_a_gaussian_is_wider_by_the_root_of_beta(beta):
    features, labels = data("linear", 2, 64)
    posterior = LinearRegression(2).posterior(features, labels)
    precision = posterior.hessian(np.zeros(2))
    grid = tempered_reference(posterior, beta)
    np.testing.assert_allclose(grid.covariance, np.linalg.inv(precision) / beta, rtol=1e-5)
    np.testing.assert_allclose(grid.mean, -np.linalg.solve(precision, posterior.gradient(np.zeros(2))), rtol=1e-5)


def test_far_below_one_the_grid_finds_a_target_much_wider_than_the_prior():
    features, labels = data("logistic", 2, 1024, seed=1)
    posterior = LogisticRegression(2).posterior(features, labels)
    grid = TemperedGrid(posterior, 1 / 1024)
    assert grid.exact and (grid.std > 5).all()
    density = np.exp(-(posterior.potential(np.stack(np.meshgrid(grid.x, grid.y, indexing="ij"), -1).reshape(-1, 2))
                       - posterior.potential(grid.mean)) / 1024).reshape(grid.density.shape)
    np.testing.assert_allclose(grid.density, density * grid.density.sum() / density.sum(), rtol=1e-6)


def test_many_dimensions_by_chains():
    features, labels = data("linear", 3, 40)
    posterior = LinearRegression(3).posterior(features, labels)
    reference = tempered_reference(posterior, 0.25, draws=2000, seed=1)
    truth = 2 * np.sqrt(np.diagonal(np.linalg.inv(posterior.hessian(np.zeros(3)))))
    # Five relative errors of a deviation, 1/sqrt(2 n), with n the draws' effective number.
    np.testing.assert_allclose(reference.std, truth, rtol=5 / np.sqrt(2 * reference.ess.min()))
    assert reference.rhat.max() < 1.05
    assert tempered_reference(posterior, 0.25, stop=lambda: True) is None


def test_what_it_refuses():
    features, labels = data("logistic", 2, 8)
    posterior = LogisticRegression(2).posterior(features, labels)
    for beta in (0.0, 1.5, "1", float("nan")):
        with pytest.raises(ValueError, match=r"beta must be a number in \(0, 1\]"):
            tempered_reference(posterior, beta)
    with pytest.raises(ValueError, match="make another grid"):
        tempered_reference(posterior, 0.5).add(features[0], labels[0])
