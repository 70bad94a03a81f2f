import time

import numpy as np
import pytest

from sampler import GradientOracle, LogisticRegression
from sampler.problems import check_gradient
from tests.sampler.algorithms.streams import CountingOracle

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(200, 4)), (RNG.random(200) < 0.5).astype(float)
correct = CountingOracle(LogisticRegression(4), (X, Y)).gradients


def potential(index, theta):
    z = X[index] @ theta
    return np.logaddexp(0, z) - Y[index] * z


def changed(change):
    def gradients(indices, theta):
        return change(correct(indices, theta), indices, theta)
    return gradients


FAULTS = {
    "a wrong factor": (lambda g, i, x: g * [1.0, 1.0, 1.05, 1.0], 2, "most in coordinate 2"),
    "rows in another order": (lambda g, i, x: correct(np.sort(i), x), None, "row j must belong to indices"),
    "noise": (lambda g, i, x: g + RNG.normal(size=g.shape), None, "other values the second time"),
    "nan": (lambda g, i, x: g * [1.0, np.nan, 1.0, 1.0], 1, "coordinate 1"),
    "an error": (lambda g, i, x: {}["no such row"], None, "the gradient raises KeyError: 'no such row'"),
    "a wrong shape": (lambda g, i, x: g[:, :3], None, "must return shape"),
}


@pytest.mark.parametrize("against", [None, potential])
def test_a_correct_gradient_passes(against):
    check = check_gradient(GradientOracle(correct, 4, lambda theta: theta), 200, against)
    assert check.ok and check.error < 1e-6 and check.worst_coordinate is None
    assert check.smallest_curvature > -1e-6  # a term with one score is flat in all other directions
    assert check.against == ("symmetry" if against is None else "potential")
    assert any("microseconds per gradient" in note for note in check.notes)


@pytest.mark.parametrize(("change", "coordinate", "words"), FAULTS.values(), ids=FAULTS)
def test_a_wrong_gradient_is_detected_without_a_potential(change, coordinate, words):
    check = check_gradient(GradientOracle(changed(change), 4, lambda theta: theta), 200)
    assert not check.ok and any(words in fault for fault in check.faults)
    if coordinate is not None:
        assert check.worst_coordinate == coordinate


def test_a_potential_detects_faults_that_symmetry_cannot():
    for change in (lambda g, i, x: 2 * g, lambda g, i, x: g + [0, 0, 0, 0.5]):
        oracle = GradientOracle(changed(change), 4)
        assert check_gradient(oracle, 200).ok
        check = check_gradient(oracle, 200, potential)
        assert not check.ok and "differences of the potential give" in check.faults[0]
    assert check.worst_coordinate == 3
    assert any("cannot be detected" in note for note in check_gradient(oracle, 200).notes)


def test_a_slow_gradient_is_noted_not_rejected():
    def slow(indices, theta):
        time.sleep(0.004)  # at least 62 microseconds per gradient in a batch of 64
        return correct(indices, theta)

    check = check_gradient(GradientOracle(slow, 4), 1)
    assert check.ok and any(note.startswith("slow") for note in check.notes)


def test_a_fault_of_every_term_is_reported_once_with_its_places():
    check = check_gradient(GradientOracle(changed(lambda g, i, x: -g), 4, lambda theta: theta), 200)
    assert not check.ok and len(check.faults) == 1
    assert "is not convex: its Hessian has the eigenvalue -" in check.faults[0]
    assert check.faults[0].endswith(f"(the worst of {4 * 10} places)")  # 4 points; 8 random terms and the two ends


def test_a_prior_with_heavy_tails_is_noted_and_one_of_the_wrong_sign_is_a_fault():
    def student(theta, sign=1.0):
        return sign * 4 * theta / (3 + theta**2)

    check = check_gradient(GradientOracle(correct, 4, student), 200)
    assert check.ok and any("data may outweigh it" in note for note in check.notes)
    check = check_gradient(GradientOracle(correct, 4, lambda theta: student(theta, -1.0)), 200)
    assert not check.ok and not any("data may outweigh it" in note for note in check.notes)


# a curvature or a factor with the gradient ------------------------------------------------------------------------


def check_linear(**derivative):
    return check_gradient(GradientOracle(lambda i, x: (X[i] @ x)[:, None] * X[i], 4, lambda x: x, **derivative), 200)


def test_a_correct_curvature_is_noted_with_its_error():
    for derivative in ({"factor": lambda i, x: X[i]}, {"curvature": lambda i, x: X[i][:, :, None] * X[i][:, None, :]}):
        check = check_linear(**derivative)
        assert check.ok and f"{next(iter(derivative))}: 1 times the gradient's own derivatives in trace" in check.notes[0]
    assert "curvature: 1 times" in check_linear(curvature=lambda i, x: X[i] ** 2).notes[0]
    assert not any("curvature" in note for note in check_linear().notes)


@pytest.mark.parametrize(("derivative", "words"), [
    ({"factor": lambda i, x: 5.0 * X[i]}, "the factor is 25 times the derivatives of the gradient in trace; check"),
    ({"curvature": lambda i, x: 0.01 * X[i] ** 2}, "the curvature is 0.01 times"),
    ({"curvature": lambda i, x: -(X[i] ** 2)}, "curvature must be >= 0 in every direction"),
    ({"factor": lambda i, x: X[:3]}, r"factor must return shape"),
    ({"factor": lambda i, x: 1 / 0}, "the factor raises ZeroDivisionError"),
    ({"factor": lambda i, x: np.random.default_rng().random((len(i), 4))}, "returns other values the second time"),
])
def test_a_wrong_curvature_is_a_fault(derivative, words):
    check = check_linear(**derivative)
    assert not check.ok and any(words in fault for fault in check.faults)
