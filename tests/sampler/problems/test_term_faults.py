"""Faults of a gradient detected during a run: reported with term and point, without additional evaluations."""

import numpy as np
import pytest
from numba import cfunc

from sampler import (
    SGLD,
    ULA,
    DivergenceError,
    GradientOracle,
    Laplace,
    OnlineSagaLD,
    PreconditionedSagaLD,
    Settings,
    find_mode,
)
from sampler.problems import gradient_signature

X = np.random.default_rng(0).normal(size=(100, 3))
Y = X @ [1.0, 2.0, 3.0]
SETTINGS = Settings(eta0=0.05, i_max=10, batch_size=8)


def correct(indices, theta):
    return (theta @ X[indices].T - Y[indices])[:, None] * X[indices]


def two_wells(indices, theta):
    return (theta - X[indices]) ** 3 - 2 * (theta - X[indices])


def heavy_tailed(indices, theta):  # Student's t: convex only near the datum
    rest = theta @ X[indices].T - Y[indices]
    return (4 * rest / (3 + rest**2))[:, None] * X[indices]


def oracle(gradients, prior=None, **options):
    return GradientOracle(gradients, 3, prior, curvature=lambda i, x: np.ones((len(i), 3)), **options)


def run(problem, sampler=OnlineSagaLD, epochs=20):
    s = sampler(problem, SETTINGS, chains=4)
    for _ in range(epochs):
        s.observe()
    return s


@pytest.mark.parametrize("sampler", [OnlineSagaLD, PreconditionedSagaLD, ULA, SGLD])
@pytest.mark.parametrize(("gradients", "words"), [
    (lambda i, x: -correct(i, x), "its sign is wrong"), (two_wells, "not convex"), (heavy_tailed, "not convex")])
def test_a_decreasing_gradient_gives_one_warning_in_the_first_epochs(sampler, gradients, words):
    with pytest.warns(RuntimeWarning, match=f"first for index 0 between theta = .*{words}") as warned:
        run(oracle(gradients), sampler)
    assert len(warned) == 1 and warned[0].filename == __file__
    run(oracle(gradients, watch=False), sampler)  # a warning would be an error here


@cfunc(gradient_signature)
def wrong_and_compiled(indices, n, theta, dim, data, out):
    for j in range(n):
        for q in range(dim):
            out[j * dim + q] = -theta[q] + indices[j]


def test_compiled_gradients_are_compared_at_the_start_of_epochs():
    with pytest.warns(RuntimeWarning, match="its sign is wrong"):
        run(GradientOracle(wrong_and_compiled, 3, data=np.zeros((1, 1))))


@pytest.mark.parametrize("sampler", [OnlineSagaLD, PreconditionedSagaLD, ULA, SGLD])
def test_watching_adds_no_evaluations_and_changes_no_path(sampler):
    requests, runs = [], []
    for watch in (True, False):
        calls = []
        runs.append(run(oracle(lambda i, x, calls=calls: calls.append((i.copy(), x.copy())) or correct(i, x), watch=watch),
                        sampler))
        requests.append(calls)
    for ours, theirs in zip(*requests, strict=True):
        np.testing.assert_array_equal(ours[0], theirs[0])
        np.testing.assert_array_equal(ours[1], theirs[1])
    np.testing.assert_array_equal(runs[0].positions, runs[1].positions)
    assert runs[0].gradient_evaluations == runs[1].gradient_evaluations == sum(len(i) for i, _ in requests[0])


def test_single_precision_and_kinks_give_no_warning():
    for gradients in (lambda i, x: correct(i, x).astype(np.float32), lambda i, x: np.sign(x - X[i]),
                      lambda i, x: 1e6 + correct(i, x).astype(np.float32)):
        run(oracle(gradients))  # a warning would be an error here


def nan_at_7(indices, theta):
    gradients = correct(indices, theta)
    gradients[indices == 7, 1] = np.nan
    return gradients


@pytest.mark.parametrize("sampler", [OnlineSagaLD, PreconditionedSagaLD, ULA, SGLD])
@pytest.mark.parametrize(("problem", "words"), [
    (oracle(nan_at_7), r"gradients must be finite, got nan for index 7 in coordinate 1 at theta = \[.*epoch 8, step 1"),
    (oracle(correct, lambda x: x / (np.abs(x).max() < 1)), r"prior_gradient must be finite, got -?inf in coordinate \d"),
    (oracle(lambda i, x: 1e9 * correct(i, x)), "eta0 must be small enough for the curvature, got 0.05: chain .*lower eta0")],
    ids=["nan", "prior", "too hot"])
def test_a_divergence_names_the_non_finite_gradient_and_its_place(sampler, problem, words):
    if sampler is PreconditionedSagaLD and "prior" in words:
        pytest.skip("opens with the prior's gradient in the metric")
    with np.errstate(all="ignore"), pytest.raises(DivergenceError, match=words):
        run(problem, sampler, 40)


@pytest.mark.parametrize(("problem", "words"), [
    (oracle(nan_at_7, lambda x: x), r"^gradients must be finite, got nan for index 7 in coordinate 1 at theta = \["),
    (oracle(correct, lambda x: x / 0.0), r"^prior_gradient must be finite, got nan in coordinate 0 at theta = \[0, 0, 0\]$"),
    (oracle(lambda i, x: -correct(i, x)), "^posterior must have a mode, .*wrong sign.*check_gradient"),
    (oracle(lambda i, x: correct(i, x) * [1.0, -1.0, 1.0]), "^posterior must have a mode, .*wrong sign.*check_gradient"),
], ids=["nan", "prior", "sign", "one coordinate"])
def test_a_failed_search_for_a_mode_names_the_gradient_or_advises_a_check(problem, words):
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=words):
        find_mode(problem.posterior(9))
    s = Laplace(problem, chains=2)
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=words):
        for _ in range(9):
            s.observe()


@pytest.mark.parametrize("sampler", [OnlineSagaLD, PreconditionedSagaLD, Laplace])
def test_gradients_are_counted_when_a_later_one_raises(sampler):
    """Every returned gradient counts, at the opening of an epoch and in its steps."""
    returned, left = [0], [0]

    def fragile(indices, theta):
        left[0] -= 1
        if left[0] == 0:
            raise KeyError("down")
        returned[0] += len(indices)
        return correct(indices, theta)

    s = sampler(oracle(fragile, lambda x: x), SETTINGS, chains=5)
    for fails_at in range(1, 26):
        left[0] = fails_at
        try:
            s.arrive()
            s.advance(10**6)
        except KeyError:
            left[0] = 0
            s.advance(10**6)
        assert s.gradient_evaluations == returned[0]
