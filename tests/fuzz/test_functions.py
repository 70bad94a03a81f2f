"""Nonsense in an argument of any public name is a ValueError that names it; never a NaN, a warning, a hang."""

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
from tests.fuzz.calls import CALLS, DEAR, ELSEWHERE, LABELS, MAY_BE_NAN, RECORDS, ROWS
from tests.fuzz.nonsense import nonsense_for, search

PATIENCE = 600
"""Seconds of one call: every one of them takes milliseconds, once its kernels are compiled."""


def test_every_public_name_is_called_or_left_out_with_a_reason():
    """But for tables and numbers, errors, and what takes states of the WebAssembly module."""
    rooms = [importlib.import_module(f"sampler.{room}") for room in sampler._ROOMS if room != "wasm"]
    names = set(sampler.__all__).union(*(room.__all__ for room in rooms))
    public = {name: getattr(sampler, name) for name in names}
    errors = {name for name, made in public.items() if isinstance(made, type) and issubclass(made, Exception)}
    names = {name for name, made in public.items() if callable(made)} - errors
    listed = [name for group in (CALLS, DEAR, RECORDS, ELSEWHERE) for name in group]
    assert names - set(listed) == set(), "give each a valid call in tests/fuzz/calls.py"
    assert len(listed) == len(set(listed)) and set(listed) <= names


@contextmanager
def patience():
    def hung(*_):
        raise AssertionError("the call did not come back")

    signal.signal(signal.SIGALRM, hung)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
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


def put(name, function, arguments, changed):
    try:
        with patience():
            result = function(**(arguments | changed))
    except ValueError as error:
        words = str(error)
        names_argument = any(re.search(rf"\b{each}\b", words) for each in (*arguments, *ALSO.get(name, ())))
        assert names_argument and len(words) < 20_000, f"{name}({changed}): {words}"
        doubtful = re.search(r"^(\w+) must be a number in the range", words)
        assert doubtful is None or doubtful.group(1) in changed, f"{name}({changed}): {words}"
    else:
        assert name in MAY_BE_NAN or not has_nan(result), f"{name}({changed}) is not a number"


ALSO = {"online_algorithm": ["algorithm"], "stream_algorithm": ["algorithm"], "load_problem": ["problem"],
        "long_chain_reference": ["start"], "prepare_race": ["terms"], "generated_split": ["horizon"],
        "negative_log_likelihood": ["label"], "logistic_theorem": ["label"], "Forecast": ["label", "posterior"],
        "Sweep": ["label"], "BradleyTerry": ["labels"], "rehearse": ["label"], "epoch_costs": ["label"]}
"""What a message calls an argument, where it says another name."""


def changes(arguments, only_wrong):
    """Return arguments to put in others' places: one mostly, now and then two."""
    one = {name: nonsense_for(value, only_wrong) for name, value in arguments.items()}
    single = st.one_of([st.fixed_dictionaries({name: strategy}) for name, strategy in one.items()])
    return single if only_wrong else st.one_of(single, single, st.tuples(single,
                                               single).map(lambda two: two[0] | two[1]))


QUICK = ("Settings", "LogisticRegression", "CvULD", "gradient_variance", "exit_bounds", "exit_limits", "svrg_promise",
         "concentration_constant", "GradientNoise", "best_cell", "around", "Gates", "Adam", "find_mode")


def test_a_handful_of_nonsense_is_refused_by_name():
    """A few names, most kinds of arguments; the slow tier has them all."""
    names = st.sampled_from(QUICK).flatmap(lambda name: st.tuples(st.just(name), changes(CALLS[name][1], False)))
    search(60, names, lambda drawn: put(drawn[0], *CALLS[drawn[0]], drawn[1]))


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.slow
def test_nonsense_is_refused_by_name(name):
    function, arguments = CALLS[name]
    search(4_000, changes(arguments, False), lambda changed: put(name, function, arguments, changed))


@pytest.mark.parametrize("name", DEAR)
@pytest.mark.slow
def test_what_is_plainly_wrong_is_refused_before_any_work(name):
    function, arguments = DEAR[name]
    search(1_000, changes(arguments, True), lambda changed: put(name, function, arguments, changed))


ONLINE = [name for name, (made, _) in CALLS.items() if isinstance(made, type) and issubclass(made, SavedSampler)]


def bits(online):
    """Everything that a refused datum might have changed."""
    kept = online.snapshot()
    return repr(kept.meta), {key: np.asarray(array).tobytes() for key, array in kept.arrays.items()}, online.settings


SOME = pytest.param("OnlineSagaLD", 10, id="some")
MANY = [pytest.param(name, 3_000 if name == "OnlineSagaLD" else 500, id=name,
                     marks=[pytest.mark.slow, pytest.mark.timeout(14_400)]) for name in ONLINE]


@pytest.mark.parametrize(("name", "examples"), [SOME, *MANY])
def test_a_refused_datum_leaves_a_sampler_as_it_was(name, examples):
    function, arguments = CALLS[name]
    online = function(**arguments)
    online.observe(ROWS[0], LABELS[0])
    row, label = nonsense_for(ROWS[0]), st.one_of(nonsense_for(1.0), nonsense_for(LABELS[:3]))

    def check(drawn):
        before = bits(online)
        try:
            with patience():
                online.observe(*drawn)
        except sampler.DivergenceError:  # a ValueError too; a huge row is a row: the steps are too long for it
            online.restart_diverged()
        except ValueError as error:
            assert re.search("feature|label|row", str(error)), error
            assert bits(online) == before
        else:
            assert np.isfinite(online.positions).all()

    search(examples, st.tuples(row, label), check)
