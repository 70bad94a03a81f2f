"""Accuracy predicted from the covariance of SAGA-LD's gradient near the mode: tables, sums, exact recursions."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from sampler.metrics.accuracy import uniform_accuracy
from sampler.metrics.ceiling import exact_ceiling
from sampler.problems.glm import LogisticRegression
from sampler.reference.mode_tracker import find_mode
from sampler.settings import Settings
from sampler.theory.accuracy_prediction import predict_accuracy
from sampler.theory.gaussian_recursions import _Dynamics, _saga_map
from sampler.theory.gradient_noise import GradientNoise

# Isotropic target, start drawn from it, K = eta lambda i_max, variance inflation eps: true accuracy /
# expected at n = m = 1000. Columns: random length with eps 0, 0.1, 0.2, then fixed length with the same.
UNIVERSAL = {
    1: ("727/717", "739/729", "750/738", "873/850", "882/855", "885/857"),
    3: ("877/855", "884/859", "887/861", "984/920", "972/917", "954/910"),
    10: ("962/913", "961/911", "948/906", "1000/922", "977/919", "956/911"),
    20: ("981/920", "973/917", "954/910"),
    100: ("997/922", "977/919", "956/911"),
}


@pytest.mark.parametrize("scale", UNIVERSAL)
def test_universal_table(scale):
    t, eta0 = 10_000, 0.01
    curvature = 0.1 * t
    starts = ndtri((np.arange(400) + 0.5) / 400)[:, None] / np.sqrt(curvature)
    for column, cell in enumerate(UNIVERSAL[scale]):
        inflation, random_length = 0.1 * (column % 3), column < 3
        settings = Settings(
            eta0=eta0, offset=0.0, i_max=round(scale / (eta0 / t * curvature)), random_length=random_length
        )
        noise = GradientNoise([[curvature]], covariance=[[2 * inflation / (eta0 / t)]])
        predicted = predict_accuracy(noise, settings, t, starts, draws=1000, reference_draws=1000, rerun=True)
        true, measured = (float(part) / 1000 for part in cell.split("/"))
        assert predicted.true_accuracy == pytest.approx(true, abs=0.002)
        assert predicted.accuracy == pytest.approx(measured, abs=0.002)


def test_start_and_memory():
    t = 1000
    noise = GradientNoise(np.diag([100.0, 400.0]), covariance=np.zeros((2, 2)))
    cold = Settings(eta0=0.01, offset=0.0, i_max=100)
    predicted = predict_accuracy(noise, cold, t)
    lengths = np.arange(1, 101)
    assert predicted.memory == pytest.approx(np.mean((1 - 1e-5 * 100.0) ** lengths), rel=1e-4)
    # Chains with full memory have the accuracy of their starts: all at the mode, within one bin per side.
    stuck = predict_accuracy(noise, cold.replace(i_max=1), t, np.zeros((64, 2)))
    assert stuck.accuracy < 0.25
    assert predict_accuracy(noise, cold.replace(i_max=10**6), t, np.zeros((64, 2))).true_accuracy > 0.98
    # A variance half as large again in one direction is outside the closed form of SAGA-LD, but not of SGLD.
    wide = GradientNoise(np.diag([100.0, 400.0]), covariance=np.diag([0.0, 2e5]))
    assert predicted.trusted and not predict_accuracy(wide, cold, t).trusted
    assert predict_accuracy(wide, cold.replace(variance_reduction=False), t).trusted
    # For 256 starts from the target, mean accuracies are within 0.02 of the table at K = 3 (4 standard errors).
    isotropic = GradientNoise([[1000.0]], covariance=[[0.0]])
    again = predict_accuracy(isotropic, Settings(eta0=0.01, offset=0.0, i_max=30_000), 100_000, rerun=True)
    assert again.true_accuracy == pytest.approx(0.877, abs=0.02)
    # In equilibrium, an exact sampler's ceiling.
    assert predict_accuracy(noise, cold, t, draws=1024).accuracy == pytest.approx(exact_ceiling(1024).mean, abs=2e-3)


def test_chains_that_remember_exact_draws_have_no_fresh_noise():
    rng = np.random.default_rng(4)
    noise = GradientNoise(np.eye(1) * 100.0, covariance=np.zeros((1, 1)))
    starts = rng.normal(size=(1024, 1)) / 10
    frozen = predict_accuracy(noise, Settings(eta0=1e-7, offset=0.0, i_max=10), 100, starts, draws=1024)
    # The accuracy of the starts themselves, without the noise of new draws (0.03 lower). Gathering changes it by 0.003.
    assert frozen.accuracy == pytest.approx(uniform_accuracy(ndtr(10 * starts)), abs=0.012)


# One step of 1.5 changes the sign of a deviation in the steep direction only.
@pytest.mark.parametrize(("eta0", "i_max", "random_length", "spread"), [
    (1.0, 30, True, [[4e4, 1e4], [1e4, 9e3]]), (5.0, 1, False, [[400, 100], [100, 90]]),
    (5.0, 1, False, [[4e4, 1.8e4], [1.8e4, 9e3]])])
def test_turned_coordinates_use_the_whole_covariance(eta0, i_max, random_length, spread):
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    rng = np.random.default_rng(5)
    starts = rng.normal(size=(500, 2)) * [0.05, 0.3] + [0.1, -0.3]
    settings, eta = Settings(eta0=eta0, offset=0.0, i_max=i_max, random_length=random_length), eta0 / 1000
    law = np.diag([300.0, 20.0])
    noise = GradientNoise(turn @ law @ turn.T, covariance=turn @ spread @ turn.T)
    predicted = predict_accuracy(noise, settings, 1000, starts @ turn.T)
    # Simulation of the linear recursion.
    x = np.repeat(starts @ turn.T, 200, axis=0)
    left = rng.integers(1, i_max + 1, len(x)) if random_length else np.full(len(x), i_max)
    root = np.linalg.cholesky(2 * eta * np.eye(2) + eta**2 * turn @ spread @ turn.T)
    for i in range(i_max):
        move = x - eta * x @ (turn @ law @ turn.T) + rng.normal(size=x.shape) @ root.T
        x = np.where((left > i)[:, None], move, x)
    sds = np.sqrt(np.diagonal(np.linalg.inv(turn @ law @ turn.T)))
    # The accuracy of 100,000 draws is within 0.005 of the truth.
    assert predicted.true_accuracy == pytest.approx(uniform_accuracy(ndtr(x / sds)), abs=0.008)
    assert predicted.gradient_noise == pytest.approx(eta * np.trace(spread) / 4)


def test_instability_is_reported_and_nothing_is_nan():
    hessian = np.diag([10.0, 500.0])
    limit = 2 * 100 / 500
    noise = GradientNoise(hessian, covariance=np.zeros((2, 2)))
    below = predict_accuracy(noise, Settings(eta0=0.99 * limit, offset=1.0), 99)
    above = predict_accuracy(noise, Settings(eta0=1.01 * limit, offset=1.0), 99, np.zeros((3, 2)))
    assert below.stable and not above.stable and not above.trusted
    assert above.accuracy == above.true_accuracy == 0
    assert above.largest_stable_eta0 == pytest.approx(limit)
    # SAGA's own noise can diverge first.
    rng = np.random.default_rng(6)
    rows = rng.normal(size=(1000, 20))
    posterior = LogisticRegression(20).posterior(rows, rng.integers(0, 2, 1000))
    noisy = GradientNoise.of_posterior(posterior, find_mode(posterior))
    hot = 0.9 * 2 * 1002 / np.linalg.eigvalsh(posterior.hessian(np.zeros(20)))[-1]
    assert not predict_accuracy(noisy, Settings(eta0=hot, batch_size=1), 1000).stable


def test_noise_falls_with_the_batch_and_reduction_pays():
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(6001, 3))
    posterior = LogisticRegression(3).posterior(rows, (rows[:, 0] + rng.normal(size=6001) > 0).astype(float))
    mode = find_mode(posterior)
    noise = GradientNoise.of_posterior(posterior, mode)  # every second row
    whole = GradientNoise.of_posterior(posterior, mode, max_rows=10**5)
    settings = Settings(eta0=0.5, batch_size=16)
    predicted = predict_accuracy(noise, settings, 6001)
    assert predicted.gradient_noise == pytest.approx(predict_accuracy(whole, settings, 6001).gradient_noise, rel=0.05)
    sgld = predict_accuracy(noise, settings.replace(variance_reduction=False), 6001)
    assert sgld.gradient_noise > 20 * predicted.gradient_noise
    assert sgld.accuracy < predicted.accuracy


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
    # F = n times the mean term, curvature 1/n each: N of the class is that of F's gradient.
    variance = GradientNoise([[1.0]]).stationary(n, eta, b, True).variances[0]
    plain = 1 / (1 - eta / 2)
    # The class assumes independent ages and no noise of past gradients: a tenth of the excess.
    assert variance - plain == pytest.approx(exact - plain, rel=0.1)
    assert exact - plain > 1e-3


@pytest.mark.parametrize("angle", [0.0, 0.3, np.pi / 4])
@pytest.mark.parametrize("reduced", [True, False])
def test_noise_of_few_uneven_rows_stays_in_their_direction(angle, reduced):
    """n of t rows inform a coefficient, no prior, and the metric is H itself, so that its eigenbasis is arbitrary.

    Along each coefficient s = 1/(1 - eta/2 - eta (spread t/n - common)/(2 b)), without SGLD's floor; rotated features
    rotate the covariance.
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
    assert s[0] > 1.15 > 1.1 > s[1]  # hidden by an average over both


def test_the_noise_of_sgld_is_the_terms_covariance():
    """Two gradients, 4 and 6, of terms without curvature: t^2 / b times their variance of 1, for any mean."""
    noise = GradientNoise([[1.0]], gradients=[[4.0], [6.0]], likelihood_hessian=[[0.0]])
    assert noise.stationary(2, 0.1, 2, False).noise == pytest.approx(np.array([[2.0]]))
