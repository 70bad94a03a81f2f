"""Known-answer tests of the theory: by hand, by brute force, by another library."""

import itertools
import math

import numpy as np
import pytest
from scipy import optimize, stats
from scipy.special import ndtr

from sampler import Settings
from sampler.theory.accuracy_prediction import (
    binned_mixture,
    each_start,
    expected_accuracy,
    mean_square_share,
    normal_share,
    run_lengths,
    target_share,
)
from sampler.theory.anytime_bound import exit_process
from sampler.theory.assumptions import tail_rate
from sampler.theory.azuma_bounds import azuma_bounds
from sampler.theory.block_bounds import block_counts, geometric_time, memory
from sampler.theory.conditional_variance_bound import batch_noise
from sampler.theory.exit_bounds import exit_bounds
from sampler.theory.exit_simulation import exit_limits, survival_curve
from sampler.theory.exit_targets import logistic_target, quadratic_target
from sampler.theory.good_events import escape_event, is_reset_point, reset_point_event
from sampler.theory.svrg_theorem import svrg_promise
from sampler.theory.theorem_constants import logistic_theorem, theorem_constants, theorem_rates
from tests.sampler.theory.test_exit_bounds import walk_back


@pytest.mark.parametrize("C", [4.0, 9.0, None])
def test_azumas_bounds_are_the_formulas_of_the_papers_and_of_the_module(C):
    d, eta, r, rho, S, L = 3, 2e-3, 3.0, 0.5, 7.0, 5.0
    for n in (1, 2, 4):
        room = r**2 - rho**2 - n * (2 * eta**2 * (S**2 + L**2 * r**2) + 2 * eta * d)
        cuts = [C] if C else np.sqrt(2 * d + np.linspace(0, 400, 1601))
        printed, corrected = 1.0, 1.0
        for cut in cuts:
            c = 2 * eta * S * r + 2 * math.sqrt(2 * eta) * cut * (r + eta * S + eta * L * r) + 2 * eta * cut**2
            tail = math.exp(-(cut**2 - d) / 8)
            printed = min(printed, n * (math.exp(-(room**2) / (2 * c**2)) + tail))
            corrected = min(corrected, n * (math.exp(-(room**2) / (2 * n * c**2)) + tail))
        bounds = azuma_bounds(d, eta, np.array([n]), r, rho, S, L, C)
        assert (bounds[0][0], bounds[1][0]) == pytest.approx((printed, corrected), rel=1e-9)
        assert bounds[0][0] < 1.0 and (n > 2 or bounds[1][0] < 1.0)
    # Negative room: the bound is 1, although its square is positive.
    assert azuma_bounds(d, 0.1, np.array([50]), 1.0, 0.0, S, L, None)[0][0] == 1.0


def test_times_of_blocks():
    assert geometric_time(np.array([0, 1, 2, 5]), 0.5).tolist() == pytest.approx([0, 1, 1.5, 1.9375])
    assert geometric_time(np.array([0, 7]), 1.0).tolist() == [0.0, 7.0]
    k = 0.999
    assert k ** memory(k) <= 1e-19 < k ** (memory(k) / 2) and k ** (memory(k) - 1) > math.exp(-46)
    assert block_counts(400, 1.0) == [1, 2, 4, 8, 16, 32, 64] and block_counts(5, 1.0) == [1, 2, 4, 5]
    # An eighth of the memory 1/-log k if that makes more than 64 blocks.
    assert block_counts(10_000, math.exp(-0.0100001)) == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 800]


@pytest.mark.parametrize(("d", "r", "rho", "S", "m", "L"), [(2, 1.6, 0.4, 2.0, 1.5, 6.0), (5, 2.5, 0.0, 0.0, 24.0, 24.0)])
def test_one_block_at_one_theta_is_walked_by_hand(d, r, rho, S, m, L):
    """The process of ``exit_process``: recursion, level (minimum at the first or last step) and start."""
    eta, n = 0.0075, 12
    process = exit_process(d, eta, n, r, rho, list(range(n + 1)), S, L, m)
    k = max((1 - eta * m) ** 2, (1 - eta * L) ** 2)
    t, C = walk_back(process.exponent[-1], n, d, eta, k, S).T
    np.testing.assert_allclose(process.exponent[::-1], t, rtol=1e-9)
    np.testing.assert_allclose(process.cost[::-1], C, rtol=1e-9, atol=1e-12)
    assert process.log_start == pytest.approx(t[-1] * rho**2 + C[-1])
    assert process.log_level == pytest.approx(min(a * r**2 + b for a, b in zip(t[:-1], C[:-1], strict=True)))
    near = [walk_back(theta, n, d, eta, k, S).T for theta in np.geomspace(0.98, 1.0, 41) * process.exponent[-1]]
    best = min(t[-1] * rho**2 + C[-1] - min(t[:-1] * r**2 + C[:-1]) for t, C in near)
    assert process.log_start - process.log_level <= best + 1e-3  # no smaller exponent is better
    # A single block is one of the partitions of the local bound, with the best of 160 exponents.
    assert exit_bounds(d, eta, n, r, rho, S, L, m).local <= process.bound * (1 + 1e-9) < 1.0
    share = process.exponent * 1.21 + process.cost - process.log_level
    np.testing.assert_allclose(process.log_share(np.full(n + 1, 1.21)), share)


@pytest.mark.parametrize(("eta", "n", "bound"), [(2.5e-3, 400, 0.133154), (2.5e-4, 4000, 0.132461)])
def test_the_process_has_the_best_of_many_exponents(eta, n, bound):
    """20,000 exponents, by the sums of the recursion for S = 0: t = k^j theta / w, C = -log w (d = 2)."""
    k, r2 = (1 - eta) ** 2, 2.8**2
    thetas = np.geomspace(1e-3 / r2, 0.25 / (eta * (1 - k**n) / (1 - k)), 20_000)[:-1]

    def at(j):
        w = 1 - 4 * eta * thetas * (1 - k**j) / (1 - k)
        return k**j * thetas / w, -np.log(w)

    t, C = at(n - 1)
    best = np.exp((at(n)[1] - np.minimum(thetas * r2, t * r2 + C)).min())
    process = exit_process(2, eta, n, 2.8, 0.0, [0, n], 0.0, 1.0, 1.0)
    assert process.bound == pytest.approx(best, rel=1e-6) and process.bound == pytest.approx(bound, rel=1e-5)


@pytest.mark.parametrize(("cached", "t", "dim"), [(False, 4, 2), (True, 4, 2), (True, 3, 5)])
def test_the_noise_of_a_state_is_that_of_all_its_batches(cached, t, dim):
    rng = np.random.default_rng(0)
    b = 3
    fresh, before = rng.normal(size=(2, t, dim))
    delta = fresh - before if cached else fresh
    batches = np.array([t / b * delta[list(pick)].sum(axis=0) for pick in itertools.product(range(t), repeat=b)])
    batches -= delta.sum(axis=0)
    covariance = batches.T @ batches / len(batches)
    noise = batch_noise(fresh, before if cached else None, b)
    assert noise.variance_trace == pytest.approx(np.trace(covariance))
    assert noise.variance_max == pytest.approx(np.linalg.eigvalsh(covariance)[-1])
    assert noise.increment_bound == pytest.approx(np.linalg.norm(batches, axis=1).max())


@pytest.mark.parametrize("variances", [[2.0, 2.0, 2.0], [9.0, 1.0, 0.25], [1.0, *[0.05] * 60]])
def test_the_tails_rate_is_the_least_slope_over_distances(variances):
    """Both bounds on the tail at 100 distances, Chernoff's by another optimizer."""
    v, A, t, c = np.array(variances), 4.0, 7, 3.0

    def chernoff(s):
        f = optimize.minimize_scalar(lambda f: f * -(s**2) - 0.5 * np.log(1 - 2 * f * v).sum(), method="bounded",
                                     bounds=(0, (1 - 1e-9) / (2 * v.max())))
        return -f.fun

    rates = []
    for s in np.geomspace(0.5, 30.0, 100) * math.sqrt(v.max()):
        ball = -stats.chi2.logsf(s**2 / v.max(), v.size)
        rates.append((math.log(A) + max(chernoff(s), ball)) / s)
    # 100 distances, 4 % apart, around a minimum: relative error below (2 %)^2.
    assert tail_rate(t, c, np.diag(v) / (t + c), A) == pytest.approx(min(rates), rel=1e-3)


def test_rates_of_the_theorem_are_those_of_its_formula():
    arguments = {"horizon": 300, "epsilon": 0.2, "dim": 50, "smoothness": 3.0, "concentration": 2.0, "drift": 0.7}

    def i_max(horizon, epsilon, dim, smoothness, concentration, drift):
        eps1, eps2 = epsilon / (3 * horizon), epsilon / (3 * math.ceil(math.log2(horizon) + 1))
        reach = math.log(2.0 / eps1) / concentration + drift
        R = 100 * max(math.sqrt(dim / smoothness * math.log(max(smoothness, dim / smoothness, reach, 1 / eps1))), reach)
        return 40 * (smoothness * R * reach) ** 2 / eps2**4

    rates = theorem_rates(**arguments, amplitude=2.0)
    assert set(rates) == set(arguments)
    for name, rate in rates.items():
        expected = math.log2(i_max(**(arguments | {name: 2 * arguments[name]})) / i_max(**arguments))
        assert rate == pytest.approx(expected, abs=1e-9), name
    constants = theorem_constants(**arguments, amplitude=2.0)
    assert constants.i_max == pytest.approx(i_max(**arguments)) and constants.batch_size == 9
    reach = constants.C1 + 0.7
    assert constants.acceptance_radius == pytest.approx(2.5 * reach) and constants.eps1 == pytest.approx(0.2 / 900)


def test_the_theorem_on_logistic_data_with_a_truth_that_is_not_zero():
    rows, labels = np.array([[2.0, 0.0], [0.0, 1.0], [1.0, 1.0], [-1.0, 2.0]]), np.array([1, 0, 1, 1])
    truth, alpha, eps = np.array([0.6, -0.8]), 2.0, 0.05
    theorem = logistic_theorem(rows, labels, truth, alpha, eps)
    z = rows @ truth
    weight = np.exp(-z) / (1 + np.exp(-z)) ** 2
    sigma = np.linalg.eigvalsh((rows.T * weight) @ rows / 4)[0]
    M, B, log, low = math.sqrt(5), 1.0, math.log(4 / eps), sigma / (2 * math.e)
    C = M**2 * math.sqrt(2 * log) + 2 * M * math.sqrt(math.log(M) + 1) / sigma
    assert (theorem.row_bound, theorem.information, theorem.constant) == pytest.approx((M, sigma, C))
    assert theorem.begins == pytest.approx(max(M**4 * log / (8 * sigma**2), (M * (C + alpha * B) / low + M * C) ** 2))
    assert theorem.mode_bound == pytest.approx((C * 2 + alpha * B) / (low * 4 + alpha))
    assert (theorem.spread_bound, theorem.drift) == pytest.approx((C / 2, 4 * math.e * C / sigma))


@pytest.mark.parametrize(("variance", "m", "L"), [(1.5, 20, 0.0), (1e4, 2, 0.7), (1e-3, 20, 0.7)])
def test_the_repaired_promise_term_by_term(variance, m, L):
    """Omega of (4.6), once with the batch noise as the smaller of two bounds, once with the walk."""
    d, n, M, mu, b, B, W, eta = 4, 500, 2.0, 0.5, 3, 100, 3.0, 1e-4
    promise = svrg_promise(7 * m + 1, eta, d, n, M, mu, L, variance, b, B, m, W)
    error = d * variance / B
    walk = 6 * (m * eta) ** 2 * (error + M * d) + 2 * m * d * eta
    batch = (4 * d * variance * eta**2 / b, M**2 * eta**2 / b * walk * math.exp(2 * m**2 * M**2 * eta**2))
    omega = (1 + eta * mu) * eta**3 * M**2 * d / 3 + min(batch)
    omega += 2 * (1 + 1 / (eta * mu)) * (eta**2 * error + eta**4 * (L**2 * d**2 + M**3 * d) / 2)
    F = (1 + (1 - eta * mu) ** m) / 2
    assert promise.repaired == pytest.approx(math.sqrt(F**7 * W**2 + 2 * omega / (eta * mu)), rel=1e-12)
    # All data in the anchor: Omega without the anchor error isolates the part of the batch.
    exact = svrg_promise(0, eta, d, n, M, mu, 0.0, variance, b, n, m, 0.0)
    walk = 6 * (m * eta) ** 2 * M * d + 2 * m * d * eta
    part = min(4 * d * variance * eta**2 / b, M**2 * eta**2 / b * walk * math.exp(2 * m**2 * M**2 * eta**2))
    rest = (1 + eta * mu) * eta**3 * M**2 * d / 3 + (1 + 1 / (eta * mu)) * eta**4 * M**3 * d
    assert (batch[0] < batch[1]) == (variance < 1.0)
    assert exact.repaired**2 * eta * mu / 2 == pytest.approx(part + rest, rel=1e-9, abs=0.0)
    assert promise.step == pytest.approx(2 * eta * (L * d + M**1.5 * 2) / mu)


def test_shares_of_a_mixture_are_integrals_of_normals():
    rng = np.random.default_rng(1)
    spreads, weights = np.array([[0.5, 1.2], [0.8, 1.0], [1.1, 0.6]]), np.array([0.2, 0.3, 0.5])
    centres = rng.normal(size=(3, 5, 2))
    edges = np.concatenate([[-np.inf], np.arange(-24, 25) / 4, [np.inf]])
    own = np.zeros((5, 2, 50))
    for length, chain, i in itertools.product(range(3), range(5), range(2)):
        law = stats.norm(centres[length, chain, i], spreads[length, i])
        own[chain, i] += weights[length] * np.diff(law.cdf(edges))
    np.testing.assert_allclose(each_start(centres, spreads, weights), own, atol=1e-12)
    np.testing.assert_allclose(mean_square_share(centres, spreads, weights), (own**2).mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(mean_square_share(centres, spreads, weights, 2), (own[::3] ** 2).mean(axis=0), atol=1e-12)
    # Centres are binned linearly on a grid of 1/16: adds a variance of at most 1/1024, less than 1e-3 of a share.
    np.testing.assert_allclose(binned_mixture(centres, spreads, weights), own.mean(axis=0), atol=4e-4)
    np.testing.assert_allclose(target_share(), np.diff(ndtr(edges)), atol=1e-15)
    np.testing.assert_allclose(normal_share(np.array([0.7, 2.0]))[1], np.diff(ndtr(edges / 2)), atol=1e-15)


def test_expected_accuracy_is_the_mean_over_draws_of_both_histograms():
    rng = np.random.default_rng(2)
    target, share = np.array([0.2, 0.5, 0.3]), np.array([[0.25, 0.45, 0.3]])
    measured, true = expected_accuracy(share, share**2, target, 400, 900)
    assert true == pytest.approx(0.95)
    a, b = rng.multinomial(400, share[0], 40_000) / 400, rng.multinomial(900, target, 40_000) / 900
    # Mean of 40,000 distances with sd 0.02: four standard errors are 4e-4; counts are normal to about 1e-3.
    assert measured == pytest.approx(1 - 0.5 * np.abs(a - b).sum(axis=1).mean(), abs=1e-3)
    exact, _ = expected_accuracy(share, share**2, target, 400, None)
    assert exact == pytest.approx(1 - 0.5 * np.abs(a - target).sum(axis=1).mean(), abs=1e-3)
    few, _ = expected_accuracy(np.full((1, 10), 0.1), np.full((1, 10), 0.01), np.full(10, 0.1), 1, None)
    assert few == pytest.approx(0.0)  # one draw: the error of a bin is at most its two shares
    fixed, _ = expected_accuracy(share, share, target, 400, None)  # chains that stay in their bins have no noise
    assert fixed == pytest.approx(0.95)


def test_run_lengths_integrate_as_a_sum_over_all_lengths_would():
    for i_max in (5, 4000):
        lengths, weights = run_lengths(Settings(i_max=i_max))
        every = np.arange(1, i_max + 1)
        for ratio in (0.9999, 0.9):
            assert weights @ ratio**lengths == pytest.approx((ratio**every).mean(), rel=0.04)
        assert weights.sum() == pytest.approx(1.0) and weights @ lengths == pytest.approx((i_max + 1) / 2)
    assert [part.tolist() for part in run_lengths(Settings(i_max=7, random_length=False))] == [[7.0], [1.0]]


def test_limits_and_survival_are_scipys_and_by_hand():
    low, high = exit_limits(np.array([0, 3, 40]), 40, 0.9)
    for k, a, b in zip((0, 3, 40), low, high, strict=True):
        exact = stats.binomtest(k, 40).proportion_ci(0.9, "exact")
        assert (a, b) == pytest.approx((exact.low, exact.high))
    curve = survival_curve(np.array([0, 3, 5, 5, 9]), np.array([0, 3, 4, 5, 100]), 0.9)
    assert curve.share.tolist() == pytest.approx([1.0, 0.8, 0.8, 0.4, 0.2])
    low, high = exit_limits(np.array([0, 1, 1, 3, 4]), 5, 0.9)
    np.testing.assert_allclose(curve.low, 1 - high)
    np.testing.assert_allclose(curve.high, 1 - low)


def test_a_logistic_target_is_the_derivative_of_its_potential_and_its_curvature_that_of_its_rows():
    rows, labels, prior = np.array([[1.0, 2.0], [-1.0, 0.5], [0.3, -0.4]]), np.array([1, 0, 1]), np.array([0.5, 2.0])
    target = logistic_target(rows, labels, prior)

    def potential(x):
        z = rows @ x
        return 0.5 * prior @ x**2 + np.log1p(np.exp(z)).sum() - labels @ z

    D = np.array([0.3, -0.7])
    numeric = optimize.approx_fprime(target.mode + D, potential, 1e-7)
    np.testing.assert_allclose(target.gradient(D), numeric, atol=1e-5)
    np.testing.assert_allclose(target.gradient(np.zeros(2)), 0.0, atol=1e-12)
    hessian = np.array([(target.gradient(e) - target.gradient(-e)) / 2e-5 for e in 1e-5 * np.eye(2)])
    np.testing.assert_allclose(target.hessian, hessian, atol=1e-8)
    assert target.smoothness == pytest.approx(np.linalg.eigvalsh(np.diag(prior) + rows.T @ rows / 4)[-1])
    # One row: in the ball its score changes by up to r||u||, so h is between h(|z| + r||u||) and h((|z| - r||u||)+).
    one = logistic_target(np.array([[3.0]]), np.array([1.0]), 0.01)
    z, slope = 3 * one.mode[0], lambda z: math.exp(-z) / (1 + math.exp(-z)) ** 2
    assert one.curvature(0.2) == pytest.approx((0.01 + 9 * slope(z + 0.6), 0.01 + 9 * slope(z - 0.6)))
    assert one.curvature(9.0)[1] == pytest.approx(0.01 + 9 / 4)
    assert quadratic_target([3.0, 1.0, 2.0]).curvature(5.0) == (1.0, 3.0)


def test_reset_points_are_zero_and_powers_of_two():
    assert np.flatnonzero(is_reset_point(np.arange(70))).tolist() == [0, 1, 2, 4, 8, 16, 32, 64]
    assert is_reset_point(2**40) and not is_reset_point(2**40 + 1)


def test_an_escape_is_never_forgotten():
    epochs = np.array([1, 2, 3])
    allowed = 10.0 / np.sqrt(epochs + 2.0)
    farthest = np.stack([allowed**2 * 0.9, allowed**2 * [0.9, 1.1, 0.9]], axis=1)
    event = escape_event(farthest, epochs, 10.0, 2.0)
    np.testing.assert_allclose(event.allowed, allowed)
    assert event.held.tolist() == [[True, True], [True, False], [True, True]]
    assert event.so_far.tolist() == [[True, True], [True, False], [True, False]]
    assert event.share.tolist() == [1.0, 0.5, 0.5]
    assert event.broken.tolist() == [0, 1, 0]
    assert escape_event([[4.0]], [2], 4.0, 2.0).held.all()  # closed ball
    assert not escape_event([[4.0 + 1e-9]], [2], 4.0, 2.0).held.any()
    assert not escape_event([[np.nan, np.inf]], [1], 1.0, 1.0).so_far.any()  # not finite counts as an escape


def test_only_reset_points_matter_for_h():
    epochs, distances = np.arange(1, 6), np.full((5, 1), 0.1)
    distances[[2, 4]] = 1e9  # epochs 3 and 5
    event, s = reset_point_event(distances, epochs, 1.0, 2.0), np.sqrt(epochs + 2.0)
    assert event.so_far.all()
    np.testing.assert_allclose(event.allowed, [1 / s[0], 1 / s[1], np.inf, 1 / s[3], np.inf])
    distances[3] = 1e9  # epoch 4
    event = reset_point_event(distances, epochs, 1.0, 2.0)
    assert event.so_far[:, 0].tolist() == [True, True, True, False, False]
