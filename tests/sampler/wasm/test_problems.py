"""What the browser is told of a problem."""

import json

import numpy as np
import pytest

from sampler import GaussianMean, GradientOracle, LinearRegression, LogisticRegression, PoissonRegression
from sampler.algorithms import ONLINE_ALGORITHMS
from sampler.wasm import problem_record, to_browser

PROBLEMS = [LogisticRegression(2), LogisticRegression(21), LinearRegression(3, noise_std=0.7), PoissonRegression(2),
            GaussianMean(2)]


@pytest.mark.parametrize("problem", PROBLEMS, ids=repr)
@pytest.mark.parametrize("algorithm", ONLINE_ALGORITHMS)
def test_a_record_says_of_an_algorithm_what_its_saved_state_does(problem, algorithm):
    record = json.loads(json.dumps(problem_record(problem), allow_nan=False))
    kind = ONLINE_ALGORITHMS[algorithm]
    settings = kind.default_settings(problem.dim) if algorithm == "preconditioned" else None
    state, own = to_browser(kind(problem, settings, chains=2)), record["algorithms"][algorithm]
    assert (own["name"], own["family"], own["numbers"]) == (kind.__name__, state["family"], state["numbers"])
    assert own["memory"] == state["meta"]["memory"] and record["saved"] == state["meta"]["problem"]
    assert record["state"] == {name: state["meta"][name] for name in ("version", "release")}
    np.testing.assert_array_equal(record["prior_precision"], np.diag(problem.prior_precision).ravel())


def test_a_flat_prior_has_no_metric_to_begin_with():
    assert list(problem_record(LogisticRegression(2, prior_precision=0.0))["algorithms"]) == ["saga-ld"]


@pytest.mark.parametrize("problem", [LogisticRegression(40), GradientOracle(lambda k, x: x, 2)], ids=["wide", "oracle"])
def test_a_problem_without_kernels_is_refused(problem):
    with pytest.raises(ValueError, match="must have kernels in the module, got "):
        problem_record(problem)
