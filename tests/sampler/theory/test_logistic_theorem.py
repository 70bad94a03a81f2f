"""Theorem 8.2 with numbers put in: by hand, its least constant, and the paper's own experiment."""

import math

import numpy as np
import pytest

from sampler import synthetic_logistic
from sampler.theory.logistic_theorem import logistic_theorem


def test_by_hand_for_an_intercept():
    """u = 2, theta_0 = 0: M = 2, sigma = 1, and as many labels of either kind put the mode at 0."""
    found = logistic_theorem(np.full((100, 1), 2.0), np.arange(100) % 2, [0.0], prior_precision=3.0, epsilon=0.2)
    assert found.row_bound == 2.0 and found.information == pytest.approx(1.0)
    log = math.log(2 / 0.2)
    C = 4 * math.sqrt(log) + 2 * math.sqrt(math.log(2) + 1)
    low = 1 / (2 * math.e)
    assert found.constant == pytest.approx(C)
    assert found.begins == pytest.approx(max(16 * log / 8, (2 * C / low + 2 * C) ** 2))
    assert found.mode_distance == pytest.approx(0.0, abs=1e-9)
    assert found.mode_bound == pytest.approx(10 * C / (100 * low + 3))
    assert found.spread == pytest.approx(1 / math.sqrt(103)) and found.spread_bound == pytest.approx(C / 10)
    assert found.drift == pytest.approx(2 * C / low)
    assert found.needed == pytest.approx(10 / math.sqrt(103) / C)


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


@pytest.mark.parametrize(("change", "words"), [
    (dict(prior_precision=0.0), "prior_precision must"), (dict(epsilon=1.0), "epsilon must"),
    (dict(features=np.zeros((4, 1))), "features must see every direction")])
def test_bad_input_is_refused_by_name(change, words):
    with pytest.raises(ValueError, match=words):
        logistic_theorem(**(dict(features=np.ones((4, 1)), labels=[0, 1, 0, 1], truth=[0.5]) | change))
