"""What a function says of nonsense that its own checks did not see, and what it leaves as it is."""

import inspect
import pickle
from collections.abc import Sequence

import numpy as np
import pytest

from sampler import LinearRegression, Replay, Settings, check_gradient, exit_bounds, find_mode, marginal_accuracy
from sampler.argument_faults import names_faults
from sampler.theory import exit_limits, svrg_promise


@names_faults
def root(number: float, array: np.ndarray | None = None, problem=None, own: bool = False) -> float:
    """Fail, and answer, as functions do that check too little."""
    if own:
        raise KeyError("a fault of its own")
    if problem is not None:
        return problem.dim * number
    return float(np.sum(np.log(np.asarray([1.0] if array is None else array, float) ** 2)) / number**0.5)


@pytest.mark.parametrize(("given", "words"), [
    (dict(number="3"), "number must be a number .* got '3'"), (dict(number=10**400),
     "number must be .* whole number of 1,329 bits"),
    (dict(number=1.0, array={}), r"array must be an array .* got \{\}"),
    (dict(number=1.0, array=[1, "a"]), "array must be an array"), (dict(number=1.0, array=np.array([1j])),
     "array must be an array"),
    (dict(number=1.0, array=np.array([np.inf, 0.0])), "array must be an array of finite numbers .* got array"),
    (dict(number=float("nan")), "number must be"), (dict(number=2.0, problem=object()), "problem must be"),
    (dict(number=None), "number must be a number .* got None"),
])
def test_the_argument_the_value_and_what_is_wanted_are_named(given, words):
    with pytest.raises(ValueError, match=words):
        root(**given)


def test_what_no_argument_explains_passes_unchanged():
    with pytest.raises(KeyError, match="a fault of its own"):
        root(1.0, own=True)
    with pytest.raises(TypeError, match="unexpected keyword"):
        root(1.0, more=2)
    assert root(4.0, np.array([np.e])) == 1.0 and np.isinf(root(1.0, np.array([0.0])))


RAGGED = [(np.ones((4, 2)), np.ones(4))]
SPOILT = (RAGGED, np.array([np.nan]), np.empty((0, 2)))
"""Arguments that may be anything, and are right where nobody computes with them as one array."""


@names_faults
def work(anything, step):
    """Do one step with an argument of which nothing is said."""
    return step(anything)


def refuse(anything):
    raise ValueError("the folder must exist, with room for an array of this size")


def stop(error):
    def step(anything):
        raise error

    return step


def elsewhere(body):
    """A function of a package that is neither the library's nor one that it computes with."""
    names = {"__name__": "elsewhere.rows"}
    exec(f"def step(anything):\n    {body}", names)
    return names["step"]


@pytest.mark.parametrize("anything", SPOILT, ids=["ragged", "nan", "empty"])
def test_a_refusal_of_the_library_keeps_its_words(anything):
    with pytest.raises(ValueError, match=r"^the folder must exist"):
        work(anything, refuse)


def test_a_folder_that_is_not_there_is_not_the_fault_of_the_batches(tmp_path):
    with pytest.raises(ValueError, match=r"^folder must exist, got .*nowhere"):
        Replay(LinearRegression(2), Settings(), RAGGED, 8, 3, 1, rows_in=str(tmp_path / "nowhere"))


def test_a_ragged_list_is_named_where_it_was_computed_with():
    with pytest.raises(ValueError, match=r"^anything must be what its description says, of finite numbers"):
        work(RAGGED, lambda anything: np.asarray(anything, float))
    with pytest.raises(ValueError, match=r"^anything must be"):
        work(RAGGED, lambda anything: anything - 1.0)
    for anything in SPOILT:
        with pytest.raises(KeyError, match=r"^'spam'$"):
            work(anything, lambda _: {}["spam"])
    assert np.isnan(work(RAGGED, lambda _: float("nan")))
    with pytest.raises(ValueError, match=r"^anything must be"):
        work(np.array([np.nan]), lambda anything: float(anything.sum()))


@pytest.mark.parametrize("anything", SPOILT, ids=["ragged", "nan", "empty"])
@pytest.mark.parametrize("error", [
    FileNotFoundError(2, "no such file or array"), MemoryError("an array of this size"), KeyboardInterrupt(),
    TimeoutError("array"), type("ShuffleError", (ValueError,), {"__module__": "dask.array"})("array size"),
    type("TrialPruned", (TypeError,), {"__module__": "optuna.exceptions"})("array size"),
], ids=lambda error: type(error).__name__)
def test_disk_memory_keys_and_other_libraries_keep_their_errors(anything, error):
    with pytest.raises(type(error)) as raised:
        work(anything, stop(error))
    assert raised.value is error


@pytest.mark.parametrize("body", ["raise ValueError('array size')", "return [1][anything[5]]", "return len(3)"])
def test_an_error_in_a_users_function_keeps_its_words(body):
    with pytest.raises((ValueError, LookupError, TypeError)) as raised:
        work(RAGGED, elsewhere(body))
    assert "anything" not in str(raised.value)


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


def test_functions_and_classes_stay_what_they_were():
    assert pickle.loads(pickle.dumps(marginal_accuracy)) is marginal_accuracy
    assert list(inspect.signature(exit_limits).parameters) == ["exits", "chains", "level"]
    assert Settings(eta0=0.5) == Settings().replace(eta0=0.5) and pickle.loads(pickle.dumps(Settings())) == Settings()


@pytest.mark.parametrize(("call", "words"), [
    (lambda: exit_limits(-1, 10), "exits must lie in"), (lambda: exit_limits(3, 0), "chains must be"),
    (lambda: find_mode(None), "posterior must be"), (lambda: exit_bounds(2, 1j, 10, 1.0), "step_size must be"),
    (lambda: marginal_accuracy({}, np.eye(2)), "samples must be"),
    (lambda: svrg_promise(10, 1e-3, 2, 9, 1.0, float("inf"), 0.0, 1.0, 1, 3, 2, 1.0), "strong_convexity must be"),
])
def test_public_functions_name_their_argument(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_result_with_nan_is_not_blamed_on_a_dict_whose_keys_were_taken_as_names():
    @names_faults
    def curves(names: Sequence[str]) -> dict[str, float]:
        return dict.fromkeys(names, float("nan"))

    assert list(curves({"saga": "SAGA-LD"})) == ["saga"]
