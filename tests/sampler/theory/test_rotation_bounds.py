"""Altschuler and Talwar's function: closed forms, a direct backward recursion, comparison with the sharp bound."""

import numpy as np
import pytest
from scipy.special import gammaln, ive

from sampler.theory.exit_bounds import exit_bounds
from sampler.theory.rotation_bounds import log_rotation_mean, rotation_logs


def closed_form(dim, x):
    """Return the log of Gamma(d/2) (2/x)^nu I_nu(x), nu = d/2 - 1."""
    nu = dim / 2 - 1
    return gammaln(dim / 2) - nu * np.log(x / 2) + np.log(ive(nu, x)) + x


@pytest.mark.parametrize("dim", [1, 2, 3, 5, 21, 200])
def test_the_mean_over_directions_is_a_bessel_function(dim):
    x = np.array([0.3, 1.0, 5.0, 30.0, 400.0, 2000.0])
    np.testing.assert_allclose(log_rotation_mean(dim, x), closed_form(dim, x), rtol=1e-11, atol=1e-12)
    assert log_rotation_mean(dim, np.zeros(1))[0] == 0.0
    if dim == 1:
        np.testing.assert_allclose(log_rotation_mean(1, x[:4]), np.log(np.cosh(x[:4])), rtol=1e-12)
    if dim == 3:
        np.testing.assert_allclose(log_rotation_mean(3, x[:4]), np.log(np.sinh(x[:4]) / x[:4]), rtol=1e-12)
    grid = np.linspace(0.0, 60.0, 601)
    mean = log_rotation_mean(dim, grid)
    assert np.all(np.diff(mean, 2) > -1e-9)  # convex in x, concave in x^2
    assert np.all(np.diff(np.diff(mean) / np.diff(grid**2)) < 1e-9)


@pytest.mark.parametrize(("k", "S"), [(1.0, 0.0), (1.0, 9.0), (0.99, 0.0), (0.9, 40.0)])
@pytest.mark.parametrize("dim", [1, 2, 12])
def test_a_block_of_directions_against_a_plain_walk_back(dim, k, S):
    """Step-by-step process, its minimum over the exits of the block, best of a fine grid."""
    eta, r, rho, end, length = 0.004, 1.3 * np.sqrt(dim), 0.4, 60, 25
    weight, cost, levels = np.geomspace(0.1, 400.0, 3000) / r, np.zeros(3000), []
    for j in range(end):
        if j < length:
            levels.append(cost + closed_form(dim, weight * r))
        cost = cost + eta * weight**2 + eta**2 * weight**2 * S**2 / 2  # noise and batch of the preceding step
        weight = weight * np.sqrt(k)
    least = np.min(levels, axis=0)
    np.testing.assert_allclose(least, np.minimum(levels[0], levels[-1]), rtol=0, atol=1e-9)
    best = (cost + closed_form(dim, weight * rho) - least).min()
    made = rotation_logs(np.array([end]), np.array([length]), dim, eta, r, rho, k, S)[0]
    assert best <= made + 1e-9 and made <= best + 0.025 * max(1.0, -best)  # 2.4 % from l to l


@pytest.mark.parametrize(("d", "r", "rotation"), [
    (1, 3.2, 0.0120), (2, 2.4 * 2**0.5, 0.0262), (20, 1.6 * 20**0.5, 0.0016)])
def test_a_free_walk_has_a_sharper_bound(d, r, rotation):
    bounds = exit_bounds(d, 0.5 / 1000, 1000, r, smoothness=0.0)
    assert bounds.rotation == pytest.approx(rotation, rel=0.01) and bounds.rotation < bounds.sharp


def test_without_noise_and_curvature_it_is_never_above_the_sharp_bound():
    rng = np.random.default_rng(0)
    for _ in range(100):
        d, n = int(rng.integers(1, 60)), int(rng.integers(1, 3000))
        scale = np.sqrt(d)
        r, rho = scale * rng.uniform(0.8, 4.0), scale * rng.uniform(0.0, 0.7)
        bounds = exit_bounds(d, 0.5 / n, n, r, rho, smoothness=0.0)
        assert np.log(bounds.rotation + 1e-300) <= np.log(bounds.sharp + 1e-300) * 0.99 + 1e-3  # 1 % for the grid


def test_bounds_of_single_iterates_do_not_bound_an_epoch():
    """Example of the documentation: bounds of 400 iterates, each at its best l, sum to more than 1; stopped: 0.099."""
    d, eta, n, r, k = 2, 2.5e-3, 400, 2.8, (1 - 2.5e-3) ** 2
    x = np.geomspace(0.1, 100.0, 400)
    spread = (1 - k ** np.arange(1, n + 1)) / (1 - k)
    logs = (eta * spread[:, None] * (x / r) ** 2 - closed_form(d, x)).min(axis=1)
    assert np.exp(logs).sum() > 1.0
    bounds = exit_bounds(d, eta, n, r, smoothness=1.0, strong_convexity=1.0)
    assert (bounds.local, bounds.rotation) == (pytest.approx(0.133, abs=5e-4), pytest.approx(0.099, abs=5e-4))
