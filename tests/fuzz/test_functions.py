"""Nonsense in an argument of any public name raises a ValueError that names it; no NaN, warning or hang."""

import dataclasses
import importlib
import re
import signal
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import strategies as st

import sampler
from sampler.algorithms.saved_sampler import SavedSampler
from tests.fuzz.calls import CALLS, EXPENSIVE, LABELS, MAY_BE_NAN, OMITTED, RECORDS, ROWS
from tests.fuzz.nonsense import nonsense_for, search

TIMEOUT = 600
"""Time limit of one call in seconds; each takes milliseconds once its kernels are compiled."""


def test_every_public_name_is_called_or_left_out_with_a_reason():
    """Except constants, errors and functions on states of the WebAssembly module."""
    rooms = [importlib.import_module(f"sampler.{room}") for room in sampler._ROOMS if room != "wasm"]
    names = set(sampler.__all__).union(*(room.__all__ for room in rooms))
    public = {name: getattr(sampler, name) for name in names}
    errors = {name for name, made in public.items() if isinstance(made, type) and issubclass(made, Exception)}
    names = {name for name, made in public.items() if callable(made)} - errors
    listed = [name for group in (CALLS, EXPENSIVE, RECORDS, OMITTED) for name in group]
    assert names - set(listed) == set(), "add a valid call to tests/fuzz/calls.py"
    assert len(listed) == len(set(listed)) and set(listed) <= names


@contextmanager
def time_limit():
    def hung(*_):
        raise AssertionError(f"the call did not return within {TIMEOUT} s")

    signal.signal(signal.SIGALRM, hung)
    signal.setitimer(signal.ITIMER_REAL, TIMEOUT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def has_nan(result, depth=0):
    if isinstance(result, float):
        return result != result
    if isinstance(result, np.ndarray):
        return result.dtype.kind == "f" and bool(np.isnan(result).any())
    if isinstance(result, tuple | list | dict):
        return any(has_nan(entry, depth + 1) for entry in (result.values() if isinstance(result, dict) else result))
    if dataclasses.is_dataclass(result) and depth < 3:
        return any(has_nan(getattr(result, field.name), depth + 1) for field in dataclasses.fields(result))
    return False


def check_call(name, function, arguments, changed):
    try:
        with time_limit():
            result = function(**(arguments | changed))
    except ValueError as error:
        words = str(error)
        names_argument = any(re.search(rf"\b{each}\b", words) for each in (*arguments, *ALSO.get(name, ())))
        assert names_argument and len(words) < 20_000, f"{name}({changed}): {words}"
        range_error = re.search(r"^(\w+) must be a number in the range", words)
        assert range_error is None or range_error.group(1) in changed, f"{name}({changed}): {words}"
    else:
        assert name in MAY_BE_NAN or not has_nan(result), f"{name}({changed}) is not a number"


ALSO = {"online_algorithm": ["algorithm"], "stream_algorithm": ["algorithm"], "load_problem": ["problem"],
        "long_chain_reference": ["start"], "prepare_race": ["terms"], "generated_split": ["horizon"],
        "negative_log_likelihood": ["label"], "logistic_theorem": ["label"], "Forecast": ["label", "posterior"],
        "Sweep": ["label"], "BradleyTerry": ["labels"], "rehearse": ["label"], "epoch_costs": ["label"]}
"""Names in messages that differ from the argument."""


def changes(arguments, only_wrong):
    """Return one replaced argument, sometimes two."""
    one = {name: nonsense_for(value, only_wrong) for name, value in arguments.items()}
    single = st.one_of([st.fixed_dictionaries({name: strategy}) for name, strategy in one.items()])
    return single if only_wrong else st.one_of(single, single, st.tuples(single,
                                               single).map(lambda two: two[0] | two[1]))


QUICK = ("Settings", "LogisticRegression", "CvULD", "gradient_variance", "exit_bounds", "exit_limits", "svrg_promise",
         "concentration_constant", "GradientNoise", "best_cell", "around", "Gates", "Adam", "find_mode")


def test_some_nonsense_is_rejected_by_name():
    """A few names with most kinds of arguments; the slow tier has all names."""
    names = st.sampled_from(QUICK).flatmap(lambda name: st.tuples(st.just(name), changes(CALLS[name][1], False)))
    search(60, names, lambda drawn: check_call(drawn[0], *CALLS[drawn[0]], drawn[1]))


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.slow
def test_nonsense_is_rejected_by_name(name):
    function, arguments = CALLS[name]
    search(4_000, changes(arguments, False), lambda changed: check_call(name, function, arguments, changed))


@pytest.mark.parametrize("name", EXPENSIVE)
@pytest.mark.slow
def test_invalid_arguments_are_rejected_before_any_work(name):
    function, arguments = EXPENSIVE[name]
    search(1_000, changes(arguments, True), lambda changed: check_call(name, function, arguments, changed))


ONLINE = [name for name, (made, _) in CALLS.items() if isinstance(made, type) and issubclass(made, SavedSampler)]


def state_bits(online):
    """Return all state that a rejected datum might change."""
    kept = online.snapshot()
    return repr(kept.meta), {key: np.asarray(array).tobytes() for key, array in kept.arrays.items()}, online.settings


SOME = pytest.param("OnlineSagaLD", 10, id="some")
MANY = [pytest.param(name, 3_000 if name == "OnlineSagaLD" else 500, id=name,
                     marks=[pytest.mark.slow, pytest.mark.timeout(14_400)]) for name in ONLINE]


@pytest.mark.parametrize(("name", "examples"), [SOME, *MANY])
def test_a_rejected_datum_leaves_a_sampler_unchanged(name, examples):
    function, arguments = CALLS[name]
    online = function(**arguments)
    online.observe(ROWS[0], LABELS[0])
    row, label = nonsense_for(ROWS[0]), st.one_of(nonsense_for(1.0), nonsense_for(LABELS[:3]))

    def check(drawn):
        before = state_bits(online)
        try:
            with time_limit():
                online.observe(*drawn)
        except sampler.DivergenceError:  # also a ValueError; a huge row is valid, but the steps are too long for it
            online.restart_diverged()
        except ValueError as error:
            assert re.search("feature|label|row", str(error)), error
            assert state_bits(online) == before
        else:
            assert np.isfinite(online.positions).all()

    search(examples, st.tuples(row, label), check)
