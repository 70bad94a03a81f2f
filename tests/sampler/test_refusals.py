"""What public functions say of nonsense, and what passes through them unchanged."""

import inspect
import pickle

import numpy as np
import pytest

from sampler import (
    GradientOracle,
    LinearRegression,
    LogisticRegression,
    Replay,
    Settings,
    check_gradient,
    exit_bounds,
    find_mode,
    marginal_accuracy,
)
from sampler.racing import growth
from sampler.theory import exit_limits, svrg_promise

RAGGED = [(np.ones((4, 2)), np.ones(4))]


@pytest.mark.parametrize(("call", "words"), [
    (lambda: exit_limits(-1, 10), r"exits must lie in \[0, 10\].* got -1"), (lambda: exit_limits(3, 0), "chains must be"),
    (lambda: find_mode(None), "posterior must have .* got None"),
    (lambda: exit_bounds(2, 1j, 10, 1.0), "step_size must be a finite number above 0, got 1j; give eta"),
    (lambda: exit_bounds(2, 10**400, 10, 1.0), "step_size must be .* got a whole number of 1,329 bits"),
    (lambda: marginal_accuracy({}, np.eye(2)), r"samples must be numbers .* got \{\}"),
    (lambda: marginal_accuracy(np.array([[1j]]), np.array([[0.0], [1.0]])), "samples must be numbers"),
    (lambda: marginal_accuracy([[1.0, "a"]], np.eye(2)), "samples must be numbers"),
    (lambda: marginal_accuracy([[1.0, 1e300]], np.eye(2)), r"samples must be finite and at most 1e\+50 in size, row 0"),
    (lambda: svrg_promise(10, 1e-3, 2, 9, 1.0, float("inf"), 0.0, 1.0, 1, 3, 2, 1.0), "strong_convexity must be"),
    (lambda: svrg_promise(10, 1e-3, 2, 9, 1.0, 0.5, 0.0, -1.0, 1, 3, 2, 1.0), "variance must be .* of 0 or more, got -1.0"),
    (lambda: growth(str, [4], Settings()), r"make must return \(problem, data\), got '4'"),
    (lambda: growth(str, [8, 4], Settings()), r"sizes must rise, got \[8, 4\]"),
    (lambda: Settings(reset=1), "reset must be True or False, got 1; leave it out"),
])
def test_the_argument_the_range_the_value_and_what_to_do_are_said(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_folder_that_is_not_there_is_not_the_fault_of_the_batches(tmp_path):
    with pytest.raises(ValueError, match=r"^folder must exist, got .*nowhere"):
        Replay(LinearRegression(2), Settings(), RAGGED, 8, 3, 1, rows_in=str(tmp_path / "nowhere"))


@pytest.mark.parametrize("error", [FileNotFoundError(2, "no such file or array"), MemoryError("an array of this size"),
                                   KeyboardInterrupt(), KeyError("spam"), ValueError("array size")],
                         ids=lambda error: type(error).__name__)
def test_an_error_in_a_users_function_keeps_its_words(error):
    def gradients(indices, theta):
        raise error

    with pytest.raises(type(error)) as raised:
        find_mode(GradientOracle(gradients, 1).posterior(3))
    assert raised.value is error


class Overflowing:
    """A user's gradients that go beyond all numbers on their way."""

    dim = 1

    def gradients(self, indices, theta):
        np.exp(np.float64(1e4))
        return np.tile(theta, (len(indices), 1))

    def prior_gradient(self, theta):
        return theta


def test_what_the_user_has_set_for_overflows_holds_in_a_users_function():
    heard = []
    with np.errstate(over="call", call=lambda kind, flag: heard.append(kind)):
        assert check_gradient(Overflowing(), 1).ok
    assert "overflow" in heard
    with np.errstate(over="raise"):
        assert "FloatingPointError" in check_gradient(Overflowing(), 1).faults[0]
    assert check_gradient(Overflowing(), 1).ok  # and by default nothing is said, not even a warning


def test_functions_and_classes_stay_what_they_are():
    assert pickle.loads(pickle.dumps(marginal_accuracy)) is marginal_accuracy
    assert list(inspect.signature(exit_limits).parameters) == ["exits", "chains", "level"]
    assert Settings(eta0=0.5) == Settings().replace(eta0=0.5) and pickle.loads(pickle.dumps(Settings())) == Settings()


def test_a_long_value_is_cut_in_the_words():
    with pytest.raises(ValueError, match="prior_precision must be") as raised:
        LogisticRegression(2, "x" * 100_000)
    assert len(str(raised.value)) < 500
