"""References on a grid, by formula, and of tempered posteriors."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.stats import norm

from sampler.problems.gaussian_mean import GaussianMean
from sampler.problems.glm import LinearRegression, LogisticRegression, PoissonRegression
from sampler.reference import tempered_reference
from sampler.reference.base import gaussian_reference
from sampler.reference.grid_reference import GridReference, TemperedGrid
from tests.sampler.algorithms.streams import grid_of, stream


@pytest.mark.parametrize("t", [0, 1, 40, 700])
def test_linear_regression_agrees_with_its_exact_posterior(t):
    rng = np.random.default_rng(t)
    problem = LinearRegression(2, prior_precision=[1.0, 3.0], noise_std=0.7)
    x, y = rng.normal(size=(t, 2)), rng.normal(size=t)
    grid, exact = grid_of(problem, x, y), gaussian_reference(problem.posterior(x, y))
    assert grid.t == t
    np.testing.assert_allclose(grid.mean, exact.mean, atol=1e-5 * exact.std.max())
    np.testing.assert_allclose(grid.covariance, exact.covariance, atol=1e-5 * exact.std.max() ** 2)
    at = exact.mean + exact.std * np.linspace(-4, 4, 81)[:, None]
    np.testing.assert_allclose(grid.cdf(at), exact.cdf(at), atol=5e-6)


@pytest.mark.parametrize("t", [5, 60, 900])
def test_logistic_marginals_agree_with_quadrature(t):
    problem, data = stream("logistic", t, dim=2)
    grid, posterior = grid_of(problem, *data), problem.posterior(*data)
    axes = [m + s * np.linspace(-9, 9, 181) for m, s in zip(grid.mean, grid.std, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    potential = np.concatenate([posterior.potential(part) for part in np.array_split(points, 40)])
    density = np.exp(potential.min() - potential).reshape(181, 181)
    for i in range(2):
        integral = CubicSpline(axes[i], density.sum(axis=1 - i)).antiderivative()(axes[i])
        at = np.stack([axes[i], axes[i]], axis=1)
        np.testing.assert_allclose(grid.cdf(at)[:, i], integral / integral[-1], atol=2e-5)
    assert grid.exact


def test_the_window_follows_the_posterior():
    # 2,000 data shrink the posterior 30 times, five octaves of windows; the truth jumps, so windows must also move.
    problem, (x, y) = stream("logistic", 2000, dim=2)
    y[1000:] = 1 - y[1000:]
    grid, posterior = grid_of(problem, x, y), problem.posterior(x, y)
    assert grid.refits > 5
    points = np.stack(np.meshgrid(grid.x[::16], grid.y[::16], indexing="ij"), axis=-1).reshape(-1, 2)
    potential = posterior.potential(points)
    seen = grid.density[::16, ::16].ravel()
    near = potential < potential.min() + 20
    shift = np.log(seen[near]) + potential[near]
    assert np.ptp(shift) < 1e-8


def test_outliers_and_one_dimension():
    grid = GridReference(LogisticRegression(2))
    grid.add([400.0, 0.0], 1)  # scores beyond what exponentials can multiply
    assert np.isfinite(grid.mean).all() and grid.mean[0] > 0
    line = grid_of(PoissonRegression(1), np.ones((50, 1)), np.full(50, 3.0))
    # Poisson rate with prior N(0, 1) on its logarithm: mode solves 150 = theta + 50 e^theta, theta = 1.0913.
    assert line.x[np.argmax(line.density[:, 0])] == pytest.approx(1.0913, abs=0.012)
    assert line.cdf(np.array([[-np.inf], [np.inf]])).ravel() == pytest.approx([0, 1])


def test_levels_hold_their_mass():
    grid = grid_of(LinearRegression(2), np.eye(2), [0.3, -0.2])
    masses = np.array([0.5, 0.9, 0.99])
    area = np.prod([axis[1] - axis[0] for axis in (grid.x, grid.y)])
    held = [grid.density[grid.density >= level].sum() * area for level in grid.density_levels(masses)]
    np.testing.assert_allclose(held, masses, atol=2e-3)
    # A two-dimensional Gaussian's density at mass p is (1 - p) times its peak.
    np.testing.assert_allclose(grid.density_levels(masses) / grid.density.max(), 1 - masses, rtol=0.02)


def test_bad_data_change_nothing():
    grid = GridReference(LogisticRegression(2))
    for features, label in (([np.nan, 0], 1), ([1.0], 1), ([1.0, 2.0], 7), (np.ones((2, 2)), [1, 1])):
        with pytest.raises(ValueError, match="must"):
            grid.add(features, label)
    assert grid.t == 0
    with pytest.raises(ValueError, match="masses must"):
        grid.density_levels((0.5, 1.5))


def test_a_gaussian_mean_has_its_analytic_posterior():
    y = np.random.default_rng(0).normal(size=(12, 2))
    reference = gaussian_reference(GaussianMean(2).posterior(y))
    np.testing.assert_allclose(reference.mean, y.mean(axis=0))
    np.testing.assert_allclose(reference.covariance, np.eye(2) / 24)
    at = np.array([[0.1, -np.inf], [0.3, 0.0]])
    np.testing.assert_allclose(reference.cdf(at), norm.cdf(at, y.mean(axis=0), np.sqrt(1 / 24)))
    assert reference.exact and reference.t == 12


def test_linear_regression_is_ridge_regression():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(30, 3)), rng.normal(size=30)
    reference = gaussian_reference(LinearRegression(3, prior_precision=2.0, noise_std=0.5).posterior(x, y))
    hessian = 2.0 * np.eye(3) + x.T @ x / 0.25
    np.testing.assert_allclose(reference.mean, np.linalg.solve(hessian, x.T @ y / 0.25))
    np.testing.assert_allclose(reference.covariance, np.linalg.inv(hessian))
    np.testing.assert_allclose(reference.std**2, np.diagonal(reference.covariance))


@pytest.mark.parametrize("beta", [1.0, 0.5, 1 / 64])
def test_a_tempered_gaussian_is_wider_by_the_root_of_beta(beta):
    problem, data = stream("linear", 64, dim=2)
    posterior = problem.posterior(*data)
    precision = posterior.hessian(np.zeros(2))
    grid = tempered_reference(posterior, beta)
    np.testing.assert_allclose(grid.covariance, np.linalg.inv(precision) / beta, rtol=1e-5)
    np.testing.assert_allclose(grid.mean, -np.linalg.solve(precision, posterior.gradient(np.zeros(2))), rtol=1e-5)


def test_the_grid_covers_a_strongly_tempered_target():
    problem, data = stream("logistic", 1024, dim=2, seed=1)
    posterior = problem.posterior(*data)
    grid = TemperedGrid(posterior, 1 / 1024)
    assert grid.exact and (grid.std > 5).all()
    density = np.exp(-(posterior.potential(np.stack(np.meshgrid(grid.x, grid.y, indexing="ij"), -1).reshape(-1, 2))
                       - posterior.potential(grid.mean)) / 1024).reshape(grid.density.shape)
    np.testing.assert_allclose(grid.density, density * grid.density.sum() / density.sum(), rtol=1e-6)


def test_many_dimensions_by_chains():
    problem, data = stream("linear", 40)
    posterior = problem.posterior(*data)
    reference = tempered_reference(posterior, 0.25, draws=2000, seed=1)
    truth = 2 * np.sqrt(np.diagonal(np.linalg.inv(posterior.hessian(np.zeros(3)))))
    # Five relative standard errors of an sd, 1/sqrt(2 ESS).
    np.testing.assert_allclose(reference.std, truth, rtol=5 / np.sqrt(2 * reference.ess.min()))
    assert reference.rhat.max() < 1.05
    assert tempered_reference(posterior, 0.25, stop=lambda: True) is None
