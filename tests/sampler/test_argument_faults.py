"""What a function says of nonsense that its own checks did not see, and what it leaves as it is."""

import inspect
import pickle

import numpy as np
import pytest

from sampler import Settings, exit_bounds, find_mode, marginal_accuracy
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
