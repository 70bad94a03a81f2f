"""The one-step inequality of each exit bound, pointwise, against exact expectations.

Comparison with simulated exits alone may miss an optimistic constant. Worst cases are one-dimensional with noise of
few values, so that expectations are finite sums.
"""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import binom

from sampler.kernels.supermartingale import batch_noise_path, bounded_noise_path
from sampler.theory.moving_mode_bound import _shift

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(80)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def log_gaussian(mean, step_size, theta, dim):
    """Return log E exp(theta ||w + sqrt(2 eta) xi||^2), ||w|| = mean, by Gauss-Hermite quadrature per coordinate.

    The integrand is exp of a quadratic; for 4 eta theta <= 0.5 the error of 80 nodes is 1e-10.
    """
    along = logsumexp(theta * (mean + np.sqrt(2 * step_size) * NODES) ** 2, b=WEIGHTS)
    return along + (dim - 1) * logsumexp(theta * 2 * step_size * NODES**2, b=WEIGHTS)


def one_step(kernel, theta, *arguments):
    """Return (theta_-, c) of one step back."""
    exponent, cost = np.empty((2, 1, 1))
    kernel(np.array([theta]), np.array([1]), *arguments, exponent, cost)
    return exponent[0, 0], cost[0, 0]


@pytest.mark.parametrize("dim", [1, 3])
@pytest.mark.parametrize("m", [0.0, 2.0])
def test_without_noise_one_step_is_an_equality(dim, m):
    eta, theta, D = 0.05, 2.0, 1.3
    back, cost = one_step(bounded_noise_path, theta, dim, eta, (1 - eta * m) ** 2, 0.0)
    assert back * D**2 + cost == pytest.approx(log_gaussian((1 - eta * m) * D, eta, theta, dim), rel=1e-9)


@pytest.mark.parametrize("eta_theta", [0.01, 0.1])
@pytest.mark.parametrize("size", [0.02, 0.1, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("D", [0.1, 1.0, 5.0])
def test_bounded_noise_pays_for_a_fair_coin_along_the_line(eta_theta, size, D):
    """zeta = +S or -S along D with probability 1/2, the extremal case of Hoeffding's lemma."""
    eta, dim, m = 0.05, 2, 1.0
    theta = eta_theta / eta
    a = theta / (1 - 4 * eta * theta)
    S = size / (2 * a * eta * D)  # so that 2 a eta S D = size, the argument of the hyperbolic cosine
    back, cost = one_step(bounded_noise_path, theta, dim, eta, (1 - eta * m) ** 2, S)
    keep = (1 - eta * m) * D
    truth = np.logaddexp(log_gaussian(keep - eta * S, eta, theta, dim), log_gaussian(keep + eta * S, eta, theta, dim))
    truth -= np.log(2.0)
    still = log_gaussian(keep, eta, theta, dim)
    paid, owed = back * D**2 + cost - still, truth - still
    assert paid >= owed - 1e-9 * abs(truth)
    # log cosh x = x^2/2 - x^4/12 + ...: detects half and twice the constant.
    if size <= 0.1:
        assert paid <= 1.02 * owed + 1e-9 * abs(truth)


@pytest.mark.parametrize("batch", [1, 20, 400])
@pytest.mark.parametrize("odds", [0.5, 0.1])
@pytest.mark.parametrize("pull", [5.0, 50.0, 500.0])
@pytest.mark.parametrize("noise", [1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("holder", [1.01, 1.4])
def test_batch_noise_pays_for_batches_of_two_values(batch, odds, pull, noise, holder):
    """Each of b draws adds B/b times one of two values with mean 0; a D^2 = pull, a eta^2 v = noise, d = 1."""
    eta, D, keep = 0.05, 1.0, 0.9
    a = pull / (keep * D) ** 2
    theta = a / (1 + 4 * eta * a)
    two = np.array([1.0, -odds / (1 - odds)])  # with probabilities (odds, 1 - odds)
    variance = odds * two[0] ** 2 + (1 - odds) * two[1] ** 2
    B = np.sqrt(noise / (a * eta**2) * batch / variance)
    v = B**2 * variance / batch
    back, cost = one_step(
        batch_noise_path, theta, 1, eta, keep**2, holder, keep * D * B / batch, v, min(1.0, v / B**2), B)
    high = np.arange(batch + 1)
    zeta = B / batch * (high * two[0] + (batch - high) * two[1])
    chance = binom.logpmf(high, batch, odds)
    linear = -2 * a * eta * keep * D * zeta
    for sign in (1.0, -1.0):  # the chain on either side of the mode
        # The Gaussian integral is exact (first test): only the sum over zeta remains.
        owed = logsumexp(sign * linear + a * eta**2 * zeta**2 + chance)
        paid = back * D**2 + cost + 0.5 * np.log(1 - 4 * eta * theta) - a * (keep * D) ** 2
        assert paid >= owed - 1e-9
    if (batch, odds, pull, noise, holder) == (400, 0.5, 500.0, 1e-3, 1.01):
        # Many small terms and a strong pull: the linear term dominates, within its q and phi(M) of the truth.
        assert back * D**2 - a * (keep * D) ** 2 <= 1.06 * owed


def test_the_modes_move_is_paid_in_full():
    """A point at distance rho from the mode is at rho + delta after the worst move: W = t (rho + delta)^2."""
    grid = np.geomspace(1e-3, 10.0, 400)
    inside = grid < grid[-1] / 12  # beyond, the grid ends before (1 + g) t
    for rho, delta in [(0.0, 0.4), (0.05, 0.4), (0.3, 0.3), (1.0, 0.1)]:
        paid, owed = _shift(grid * rho**2, grid, delta), grid * (rho + delta) ** 2
        assert np.all(paid[inside] >= owed[inside] * (1 - 1e-12))
        # The best g is delta/rho; the grid of g ends at 10, and its steps cost some per cent.
        assert np.all(paid[inside] <= 1.11 * owed[inside])
