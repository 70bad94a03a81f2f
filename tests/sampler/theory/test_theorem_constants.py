"""LMV-a in numbers: Theorem 6.7's constants, Theorem 8.2 on logistic data, and section 11's lower bound."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from sampler import synthetic_logistic
from sampler.theory.theorem_constants import least_share, logistic_theorem, subset_distance, theorem_constants, theorem_rates

GOOD = dict(horizon=1000, epsilon=0.1, dim=21, smoothness=1.5, concentration=1.0, drift=1.0)


def test_the_reference_constants():
    c = theorem_constants(**GOOD)
    assert c.eps1 == pytest.approx(0.1 / 3000)
    assert c.eps2 == pytest.approx(0.00303, abs=5e-6)
    assert c.escape_radius == pytest.approx(1201, abs=0.5)
    assert c.eta0 == pytest.approx(1.41e-12, abs=0.005e-12)
    assert c.i_max == pytest.approx(1.97e20, rel=0.003)
    assert c.acceptance_radius == pytest.approx(28.3, abs=0.05)
    assert c.C1 == pytest.approx(math.log(30_000))
    assert c.batch_size == 9
    # T enters through logarithms alone: its exponent falls as T grows.
    rates = [theorem_rates(**(GOOD | dict(dim=2, horizon=horizon)))["horizon"] for horizon in (10**9, 1000)]
    assert 0 < rates[0] < rates[1] < 1


def test_an_amplitude_lengthens_the_distance_at_which_the_tail_is_eps1():
    c = theorem_constants(**GOOD, amplitude=math.e)
    assert c.C1 == pytest.approx(math.log(30_000) + 1) and math.e * math.exp(-c.C1) == pytest.approx(c.eps1)
    assert theorem_constants(**GOOD, amplitude=1.0) == theorem_constants(**GOOD)


def test_a_tiny_epsilon_does_not_overflow():
    c = theorem_constants(10, 1e-100, 2, 1.0, 1.0, 0.0)
    assert type(c.i_max) is int and c.i_max > 10**400 and c.eta0 > 0.0


DRAWN = synthetic_logistic(300, 3, sparsity=1.5, seed=4)
OTHERS = np.ones((4000, 1)), np.arange(4000) < 1076, np.array([1.0])  # the share of the other class: the mode is at -1


@pytest.mark.parametrize(("data", "alpha", "binding"), [(DRAWN, 1.0, "spread"), (OTHERS, 20.0, "mode")])
def test_the_least_constant_makes_both_parts_true_and_no_smaller_one_does(data, alpha, binding):
    features, labels, truth = data
    found = logistic_theorem(features, labels, truth, alpha)
    t, low, B = len(features), found.information / (2 * math.e), np.linalg.norm(truth)
    weight = 1 / (4 * np.cosh(features @ truth / 2) ** 2)
    assert found.information == pytest.approx(np.linalg.eigvalsh((features * weight[:, None]).T @ features / t)[0])

    def holds(K):
        mode = found.mode_distance <= (K * found.constant * math.sqrt(t) + alpha * B) / (low * t + alpha)
        return {"mode": mode, "spread": found.spread <= K * found.constant / math.sqrt(t)}

    assert all(holds(1.001 * found.needed).values())
    assert [part for part, true in holds(0.999 * found.needed).items() if not true] == [binding]


def test_the_papers_experiment_ends_before_the_theorem_begins():
    features, labels, truth = synthetic_logistic(1000, 20)
    found = logistic_theorem(features, labels, truth)
    assert found.t == 1000 and found.begins > 1e14
    assert found.spread == pytest.approx(0.88, abs=0.02) and found.spread_bound > 300
    assert found.needed == pytest.approx(0.0028, abs=2e-4)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_it_is_the_mean_distance_of_the_two_laws(share):
    """T = 200 draws, a random part of them without repetition: TV of N(a, 1/2T) and N(b, 1/2T)."""
    rng, T, m = np.random.default_rng(1), 200, int(200 * share)
    y = rng.standard_normal((20_000, T))  # in order is at random
    gap = np.abs(y[:, :m].mean(axis=1) - y.mean(axis=1))
    found = 2 * ndtr(gap * math.sqrt(2 * T) / 2) - 1
    assert found.mean() == pytest.approx(subset_distance(share), abs=4 * found.std() / math.sqrt(len(y)))


def test_nearly_all_gradients_are_needed():
    assert subset_distance(1.0) == 0.0
    assert least_share(1 / 20) == pytest.approx(0.9878, abs=1e-4)
    for eps in (0.01, 0.2, 0.6):
        assert subset_distance(least_share(eps)) == pytest.approx(eps)


def test_on_small_rows_the_information_says_when_the_theorem_begins():
    """All rows of length M and theta_0 = 0: sigma = M^2/4, and M^4 log(2 d/eps) / (8 sigma^2) = 2 log(2/eps)."""
    rows = 0.03 * np.resize([1.0, -1.0], 20)[:, None]
    found = logistic_theorem(rows, np.resize([0, 1, 1], 20), [0.0], epsilon=0.1)
    assert found.begins == pytest.approx(2 * math.log(20))
