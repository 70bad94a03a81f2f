"""Covariance of SAGA-LD's gradient near the mode: anchor factors against sums, spread against the exact recursion."""

import numpy as np
import pytest

from sampler.theory.gaussian_recursions import _Dynamics, _saga_map
from sampler.theory.gradient_noise import GradientNoise


@pytest.mark.parametrize(("t", "b"), [(3, 1), (20, 4), (50, 60)])
def test_anchor_factors_are_means_over_ages(t, b):
    """Ages j, k of two cached gradients: P(j) = p (1 - p)^(j-1); x j steps ago has covariance rho^j with x."""
    eta, curvature = 0.05, np.array([0.7, 6.0])
    noise = GradientNoise(np.diag(curvature))
    spread, common = noise._anchor_factors(t, eta, b, True)
    p, age = 1 - (1 - 1 / t) ** b, np.arange(1, 4000)
    chance = p * (1 - p) ** (age - 1)
    assert chance.sum() == pytest.approx(1)
    for i, rho in enumerate(1 - eta * curvature):
        here = (chance * rho**age).sum()
        # sum over j, k of P(j) P(k) rho^|j - k|, by the distance of two ages: chance^2 sums to p / (2 - p)
        apart = sum((2 if gap else 1) * rho**gap * (chance[: age.size - gap] * chance[gap:]).sum() for gap in range(1500))
        assert spread[i] == pytest.approx(2 - 2 * here, rel=1e-9)  # E ||x - u_k||^2 / S
        assert common[i] == pytest.approx(1 - 2 * here + apart, rel=1e-9)  # E <x - u_k, x - u_l> / S
        assert 0 < common[i] < spread[i]
    assert noise._anchor_factors(t, eta, b, False)[0].tolist() == [1, 1]


@pytest.mark.parametrize(("n", "b", "eta"), [(40, 4, 0.1), (200, 9, 0.05), (200, 1, 0.02)])
def test_the_excess_spread_is_that_of_the_exact_recursion(n, b, eta):
    """Terms of one Hessian, lambda = 1: SAGA-LD's second moments close exactly, their fixed point is the truth."""
    dynamics = _Dynamics(np.array([1.0]), eta)
    step = _saga_map(dynamics, n, b)[0, 0]
    exact = np.linalg.solve(np.eye(5) - step[:5, :5], step[:5, 5])[0]
    # F = n times the mean term with curvature 1/n each: N in the words of the class is that of F's gradient.
    found = GradientNoise([[1.0]]).stationary(n, eta, b, True).variances[0]
    plain = 1 / (1 - eta / 2)
    # The class takes ages as independent and the noise of past gradients as none: a tenth of the excess.
    assert found - plain == pytest.approx(exact - plain, rel=0.1)
    assert exact - plain > 1e-3


@pytest.mark.parametrize("angle", [0.0, 0.3, np.pi / 4])
@pytest.mark.parametrize("reduced", [True, False])
def test_noise_of_few_uneven_rows_stays_in_their_direction(angle, reduced):
    """n of t rows tell a coefficient, no prior, and the metric is H itself, so that its eigenbasis is arbitrary.

    Along each coefficient s = 1/(1 - eta/2 - eta (spread t/n - common)/(2 b)), with SGLD's floor left out; turned features
    turn the covariance with them.
    """
    t, few, b, eta = 400, 8, 9, 0.05
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    rows = np.repeat(np.eye(2), [few, t - few], axis=0) @ turn
    hessian = rows.T @ rows
    noise = GradientNoise(hessian, rows, np.ones(t), np.zeros((t, 2)), metric=hessian)
    law = noise.stationary(t, eta, b, reduced)
    spread, common = (part[0] for part in noise._anchor_factors(t, eta, b, reduced))
    counts = np.array([few, t - few])
    s = 1 / (1 - eta / 2 - eta * (spread * t / counts - common) / (2 * b))
    expected = turn.T @ np.diag(s / counts) @ turn
    np.testing.assert_allclose(noise.vectors @ law.covariance @ noise.vectors.T, expected, rtol=2e-3,
                               atol=2e-3 * expected.max())
    assert s[0] > 1.15 > 1.1 > s[1]  # what an average over both would hide


def test_the_noise_of_sgld_is_the_terms_covariance():
    """Two gradients, 4 and 6, of terms without curvature: t^2 / b times their variance of 1, whatever their mean."""
    noise = GradientNoise([[1.0]], gradients=[[4.0], [6.0]], likelihood_hessian=[[0.0]])
    assert noise.stationary(2, 0.1, 2, False).noise == pytest.approx(np.array([[2.0]]))
