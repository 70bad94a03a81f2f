"""Record of a problem for the browser, and round trip of a sampler state."""

import json

import numpy as np
import pytest

from sampler import (
    GaussianMean,
    GradientOracle,
    LinearRegression,
    LogisticRegression,
    OnlineSagaLD,
    PoissonRegression,
    PreconditionedSagaLD,
    Settings,
)
from sampler.algorithms import ONLINE_ALGORITHMS
from sampler.wasm import from_browser, problem_record, to_browser
from tests.sampler.algorithms.streams import stream


@pytest.mark.parametrize("algorithm", [OnlineSagaLD, PreconditionedSagaLD])
@pytest.mark.parametrize("kind", ["logistic", "linear", "poisson", "gaussian"])
def test_a_sampler_continues_identically_after_a_round_trip(kind, algorithm):
    problem, data = stream(kind, 30, dim=2)
    settings = algorithm.default_settings(2) if algorithm is PreconditionedSagaLD else Settings()
    original = algorithm(problem, settings.replace(refresh=False), chains=5, seed=2)
    original.observe(*(part[0:20] for part in data))
    original.watch(np.array([0.5, -0.5]))
    original.arrive(*(part[20:21] for part in data))
    original.advance(2)
    saved = json.loads(json.dumps(to_browser(original, *(part[21:] for part in data))))
    assert saved["stored"] == 30 and saved["t"] == 21
    returned = from_browser(saved)
    for saga in (original, returned):
        saga.settings = saga.settings.replace(refresh=True)
        saga.advance(10_000)
        saga.observe(*(part[21:25] for part in data))
    ours, theirs = original.snapshot(), returned.snapshot()
    assert ours.meta == theirs.meta
    for name, array in ours.arrays.items():
        np.testing.assert_array_equal(array, theirs.arrays[name], err_msg=name)


def test_bad_data_are_rejected():
    with pytest.raises(ValueError, match="label must be in"):
        to_browser(OnlineSagaLD(LogisticRegression(2), chains=2), np.ones((3, 2)), np.full(3, 5.0))


PROBLEMS = [LogisticRegression(2), LogisticRegression(21), LinearRegression(3, noise_std=0.7), PoissonRegression(2),
            GaussianMean(2)]


@pytest.mark.parametrize("problem", PROBLEMS, ids=repr)
@pytest.mark.parametrize("algorithm", ONLINE_ALGORITHMS)
def test_a_record_of_an_algorithm_agrees_with_its_saved_state(problem, algorithm):
    record = json.loads(json.dumps(problem_record(problem), allow_nan=False))
    kind = ONLINE_ALGORITHMS[algorithm]
    settings = kind.default_settings(problem.dim) if algorithm == "preconditioned" else None
    state, own = to_browser(kind(problem, settings, chains=2)), record["algorithms"][algorithm]
    assert (own["name"], own["family"], own["numbers"]) == (kind.__name__, state["family"], state["numbers"])
    assert own["memory"] == state["meta"]["memory"] and record["saved"] == state["meta"]["problem"]
    assert record["state"] == {name: state["meta"][name] for name in ("version", "release")}
    np.testing.assert_array_equal(record["prior_precision"], np.diag(problem.prior_precision).ravel())


def test_a_flat_prior_has_no_initial_metric():
    assert list(problem_record(LogisticRegression(2, prior_precision=0.0))["algorithms"]) == ["saga-ld"]


@pytest.mark.parametrize("problem", [LogisticRegression(40), GradientOracle(lambda k, x: x, 2)], ids=["wide", "oracle"])
def test_a_problem_without_kernels_is_rejected(problem):
    for call in (problem_record, lambda problem: to_browser(OnlineSagaLD(problem, chains=2))):
        with pytest.raises(ValueError, match="must have kernels in the module, got "):
            call(problem)
