"""LMV-a and ZXG in numbers: constants and terms by hand, exact recursions, prescriptions."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from sampler import synthetic_logistic
from sampler.theory.gaussian_recursions import gaussian_experiment
from sampler.theory.svrg_theorem import check_prescription, prescription_exponents, svrg_prescription, svrg_promise
from sampler.theory.theorem_constants import least_share, logistic_theorem, subset_distance, theorem_constants, theorem_rates

THEOREM = dict(horizon=1000, epsilon=0.1, dim=21, smoothness=1.5, concentration=1.0, drift=1.0)


def test_the_reference_constants():
    c = theorem_constants(**THEOREM)
    assert c.eps2 == pytest.approx(0.00303, abs=5e-6)
    assert c.escape_radius == pytest.approx(1201, abs=0.5)
    assert c.eta0 == pytest.approx(1.41e-12, abs=0.005e-12)
    assert c.i_max == pytest.approx(1.97e20, rel=0.003)
    assert c.acceptance_radius == pytest.approx(28.3, abs=0.05)
    # T enters through logarithms only: its exponent decreases with T.
    rates = [theorem_rates(**(THEOREM | dict(dim=2, horizon=horizon)))["horizon"] for horizon in (10**9, 1000)]
    assert 0 < rates[0] < rates[1] < 1


def test_a_tiny_epsilon_does_not_overflow():
    c = theorem_constants(10, 1e-100, 2, 1.0, 1.0, 0.0)
    assert type(c.i_max) is int and c.i_max > 10**400 and c.eta0 > 0.0


DRAWN = synthetic_logistic(300, 3, sparsity=1.5, seed=4)
OTHERS = np.ones((4000, 1)), np.arange(4000) < 1076, np.array([1.0])  # the share of the second class puts the mode at -1


@pytest.mark.parametrize(("data", "alpha", "binding"), [(DRAWN, 1.0, "spread"), (OTHERS, 20.0, "mode")])
def test_the_least_constant_makes_both_parts_true_and_no_smaller_one_does(data, alpha, binding):
    features, labels, truth = data
    theorem = logistic_theorem(features, labels, truth, alpha)
    t, low, B = len(features), theorem.information / (2 * math.e), np.linalg.norm(truth)

    def holds(K):
        mode = theorem.mode_distance <= (K * theorem.constant * math.sqrt(t) + alpha * B) / (low * t + alpha)
        return {"mode": mode, "spread": theorem.spread <= K * theorem.constant / math.sqrt(t)}

    assert all(holds(1.001 * theorem.needed).values())
    assert [part for part, true in holds(0.999 * theorem.needed).items() if not true] == [binding]


def test_the_papers_experiment_ends_before_the_theorem_begins():
    features, labels, truth = synthetic_logistic(1000, 20)
    theorem = logistic_theorem(features, labels, truth)
    assert theorem.t == 1000 and theorem.begins > 1e14
    assert theorem.spread == pytest.approx(0.88, abs=0.02) and theorem.spread_bound > 300
    assert theorem.needed == pytest.approx(0.0028, abs=2e-4)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_it_is_the_mean_distance_of_the_two_laws(share):
    """T = 200 draws, a random part of them without repetition: TV of N(a, 1/2T) and N(b, 1/2T)."""
    rng, T, m = np.random.default_rng(1), 200, int(200 * share)
    y = rng.standard_normal((20_000, T))  # the order is random
    gap = np.abs(y[:, :m].mean(axis=1) - y.mean(axis=1))
    distances = 2 * ndtr(gap * math.sqrt(2 * T) / 2) - 1
    assert distances.mean() == pytest.approx(subset_distance(share), abs=4 * distances.std() / math.sqrt(len(y)))


def test_nearly_all_gradients_are_needed():
    assert subset_distance(1.0) == 0.0
    assert least_share(1 / 20) == pytest.approx(0.9878, abs=1e-4)
    for eps in (0.01, 0.2, 0.6):
        assert subset_distance(least_share(eps)) == pytest.approx(eps)


def test_on_small_rows_the_information_fixes_where_the_theorem_begins():
    """All rows of length M and theta_0 = 0: sigma = M^2/4, and M^4 log(2 d/eps) / (8 sigma^2) = 2 log(2/eps)."""
    rows = 0.03 * np.resize([1.0, -1.0], 20)[:, None]
    theorem = logistic_theorem(rows, np.resize([0, 1, 1], 20), [0.0], epsilon=0.1)
    assert theorem.begins == pytest.approx(2 * math.log(20))


PROMISED = dict(steps=1000, step_size=1e-3, dim=4, n=500, smoothness=2.0, strong_convexity=0.5, hessian_lipschitz=0.0,
            variance=1.5, batch_size=1, anchor_batch=100, anchor_every=20, wasserstein=3.0)  # fmt: skip


def test_the_terms_of_theorem_3_5_by_hand():
    promise = svrg_promise(**PROMISED)
    assert promise.largest_step_size == pytest.approx(min((0.5 / (24 * 16 * 400)) ** (1 / 3), 1 / (120 * 2.015)))
    assert promise.start == pytest.approx(3.0 * (1 - 0.000125) ** 1000)
    assert promise.anchor == pytest.approx(3 * math.sqrt(1.5 * 4) / (0.5 * 10))
    assert promise.step == pytest.approx(2e-3 * 2**1.5 * 2 / 0.5)
    assert promise.batch == pytest.approx(min(8e-3 * math.sqrt(80), 3 * math.sqrt(6e-3)) / math.sqrt(0.5))
    assert promise.value == pytest.approx(promise.start + promise.anchor + promise.step + promise.batch)
    assert svrg_promise(**(PROMISED | dict(anchor_batch=500))).anchor == 0.0
    hot = svrg_promise(**(PROMISED | dict(step_size=0.01)))
    assert hot.value == hot.repaired == math.inf and "0.004" in hot.condition
    assert promise.condition == ""


def test_the_repaired_rate_is_that_of_its_recursion():
    """a_{k+1} = (1 - x) a_k + (x/2) a_anchor + Omega, m steps per epoch: start and level of the closed form."""
    m, eta, mu = 20, 1e-3, 0.5
    x, a = eta * mu, 9.0
    still = svrg_promise(**(PROMISED | dict(wasserstein=0.0, steps=0))).repaired ** 2
    omega = still * x / 2
    for epoch in range(1, 51):
        anchor = a
        for _ in range(m):
            a = (1 - x) * a + x / 2 * anchor + omega
        square = svrg_promise(**(PROMISED | dict(steps=epoch * m))).repaired ** 2
        assert a <= square * (1 + 1e-12)
        # F^j a_0 + level against F^j (a_0 - level) + level
        assert square - a == pytest.approx((0.5 * (1 + (1 - x) ** m)) ** epoch * still, rel=1e-6)


MANY = dict(epsilon=0.5, dim=2, n=10**6, smoothness=1.0, strong_convexity=0.5, sigma=1.0, wasserstein=2.0)


def test_corollary_3_6_by_hand():
    plan = svrg_prescription(**MANY)
    assert plan.corollary == "3.6" and plan.batch_size == 1
    assert plan.anchor_batch == 144 * 2 / (0.5 * 0.5) ** 2 == 4608
    assert plan.step_size == pytest.approx(0.5 * 0.25 / (144 * 2))
    assert plan.anchor_every == int(1 / (6 * plan.step_size * (1 / 4608 + 1))) == 383
    k = math.log(16.0) / -math.log1p(-plan.step_size / 8)
    assert plan.steps == 383 * math.ceil(k / 383)
    assert plan.gradients == math.ceil(k / 383) * (4608 + 2 * 383)
    assert plan.printed == pytest.approx(2 / (0.25 * 0.25))


def test_corollary_3_8_by_hand():
    plan = svrg_prescription(**(MANY | dict(n=1000, epsilon=0.05, hessian_lipschitz=0.1)))
    assert plan.corollary == "3.8" and plan.anchor_batch == 1000
    rough = 0.2 + math.sqrt(2)
    steps = (0.5 * 0.05 / (6 * rough), math.sqrt(0.5) * 0.05 / (12 * math.sqrt(2000)))
    assert plan.step_size == pytest.approx(min(steps)) == pytest.approx(steps[1])
    assert plan.anchor_every == 1000
    assert plan.printed == pytest.approx(1000 + rough / (0.25 * 0.05) + math.sqrt(2000) / (0.5**1.5 * 0.05))


CELLS = [(eps, kappa, dim, sigma, n) for eps in (0.01, 0.3, 3.0) for kappa in (1.0, 30.0) for dim in (1, 20)
         for sigma in (0.1, 3.0) for n in (50, 10**12)] + [(12.0, 1000.0, 1, 0.1, 10**12)]  # here the cube root binds


@pytest.mark.parametrize(("eps", "kappa", "dim", "sigma", "n"), CELLS)
def test_theorem_3_5_promises_eps_within_its_own_condition(eps, kappa, dim, sigma, n):
    plan = svrg_prescription(eps, dim, n, 2.0, 2.0 / kappa, sigma, 4.0, hessian_lipschitz=0.3)
    assert plan.step_size <= plan.promise.largest_step_size and plan.promise.value <= eps
    assert 1 <= plan.anchor_every <= plan.anchor_batch <= n and plan.steps % plan.anchor_every == 0
    # One more step per epoch would violate the condition or exceed B.
    m, b, B, M, mu = plan.anchor_every + 1, 1, plan.anchor_batch, 2.0, 2.0 / kappa
    largest = min((b * mu / (24 * M**4 * m**2)) ** (1 / 3), 1 / (6 * m * (sigma**2 / B + M)))
    assert m > B or plan.step_size > largest * (1 - 1e-9)


@pytest.mark.parametrize(("n", "epsilon", "corollary"), [(2000, 3.0, "3.6"), (2000, 0.5, "3.8"), (200, 1.0, "3.8")])
def test_the_exact_law_reaches_eps_long_before(n, epsilon, corollary):
    experiment = gaussian_experiment(n, 4)
    check = check_prescription(experiment, epsilon)
    assert check.prescription.corollary == corollary
    assert check.wasserstein <= check.prescription.promise.value <= epsilon
    sampler = check.prescription.sampler
    epoch = check.prescription.anchor_batch + 2 * check.prescription.anchor_every
    assert experiment.wasserstein(sampler, check.reached / n) <= epsilon
    assert check.reached == epoch or experiment.wasserstein(sampler, (check.reached - epoch) / n) > epsilon
    assert check.reached < check.prescription.gradients / 5


def test_theorem_3_5_has_one_more_kappa_than_printed_in_corollary_3_6():
    exponents = prescription_exponents(1e-3, 1e4, 10, 1.0)
    assert exponents["kappa"] == pytest.approx(3.0, abs=1e-3)  # printed: 2
    assert exponents["dim"] == pytest.approx(1.0, abs=1e-3) and exponents["sigma"] == pytest.approx(2.0, abs=1e-3)
    assert -2.2 < exponents["epsilon"] < -2.0  # with the logarithm hidden in O~


@pytest.mark.parametrize(("kappa", "power"), [(10.0, 1.5), (1e5, 2.0)])
def test_corollary_3_8_grows_as_printed(kappa, power):
    """With few data the batch's kappa^(3/2) sqrt(n) dominates while n > kappa, then the step's kappa^2."""
    exponents = prescription_exponents(1e-4, kappa, 10, 1.0, n=1000)
    assert exponents["kappa"] == pytest.approx(power, abs=0.01)
    assert exponents["n"] == pytest.approx(0.5 if power == 1.5 else 0.0, abs=0.01) and exponents["sigma"] == 0.0
