"""A sampler that begins without NumPy begins as the library's does."""

import numpy as np
import pytest

from sampler import LinearRegression, LogisticRegression, PoissonRegression
from sampler.algorithms.chain_states import starting_points
from sampler.algorithms.vector_metric import dense_whitening
from sampler.kernels.beginning import STARTS, begin_chains, encode_rows
from sampler.kernels.chains import new_chains
from sampler.kernels.lanes import padded

DRAWS = np.random.default_rng(1)


def begun(rule, precision, chains, seed, first, metric=True):
    dim = len(precision)
    width = padded(dim)
    shape = (chains if metric else 0, dim, width)
    arrays = {"precision": np.zeros((2, width)), "mask": np.zeros(width), "position": np.zeros((chains, width)),
              "checkpoint": np.zeros((chains, width)), "warm_start": np.zeros((chains, width)),
              "rng": np.zeros((chains, 3, 8), np.uint64), "noise_at": np.zeros(chains, np.int64),
              **{name: np.zeros(shape) for name in ("precision_matrix", "whitener", "frozen")}}
    begin_chains(STARTS.index(rule), seed, np.diag(precision), first, 512, *arrays.values())
    return arrays


@pytest.mark.parametrize("seed", [0, 7, 999_999, 2**40])
@pytest.mark.parametrize("precision", [[1.0, 1.0], [0.3, 0.0], [2.0] * 21], ids=["round", "flat", "21"])
def test_chains_generators_and_metric_are_those_of_the_library(precision, seed):
    problem = LogisticRegression(len(precision), prior_precision=np.array(precision))
    ours = begun("prior", precision, 70, seed, np.zeros(problem.dim))
    theirs = new_chains(starting_points(problem, 70, seed), seed)
    for name in ("position", "checkpoint", "warm_start", "rng", "noise_at"):
        np.testing.assert_array_equal(ours[name], getattr(theirs, name), err_msg=name)
    metric = dense_whitening(70, problem.prior_precision)
    for name in ("whitener", "frozen"):
        np.testing.assert_array_equal(ours[name], getattr(metric, name), err_msg=name)
    np.testing.assert_array_equal(ours["precision_matrix"], metric.precision)
    np.testing.assert_array_equal(ours["mask"], np.arange(padded(problem.dim)) < problem.dim)
    np.testing.assert_array_equal(ours["precision"][0, :problem.dim], precision)


def test_an_increment_of_too_few_changes_is_turned():
    # P(Binomial(64, 1/2) < 24) = 0.016: of 210 increments 3 or 4 have too few
    rng = begun("prior", [1.0], 70, 3, np.zeros(1), metric=False)["rng"][..., 1]
    assert np.bitwise_count(rng ^ (rng >> np.uint64(1))).min() >= 24


def test_chains_start_about_the_first_row_or_near_zero():
    noise = np.random.default_rng([5, 3]).standard_normal((4, 2))
    first = np.array([3.0, -2.0])
    near = begun("near zero", [1.0, 1.0], 4, 5, first)["position"][:, :2]
    np.testing.assert_array_equal(near, 0.3 * noise)
    about = begun("first row", [0.0, 0.0], 4, 5, first)["position"][:, :2]
    np.testing.assert_allclose(about, first + np.sqrt(0.5) * noise, rtol=0, atol=2.0**-50)  # it may be fused: half a unit


@pytest.mark.parametrize("problem", [LogisticRegression(3), LinearRegression(3, noise_std=0.7), PoissonRegression(3)],
                         ids=lambda problem: problem.kind)
def test_rows_are_kept_as_a_problem_encodes_them(problem):
    features = DRAWS.normal(size=(9, 3))
    labels = {"logistic": DRAWS.choice([-1.0, 0.0, 1.0], 9), "linear": DRAWS.normal(size=9)}.get(
        problem.kind, DRAWS.poisson(2.0, 9).astype(float))
    kept = np.zeros((5, 3)), np.zeros(5), np.zeros(5)
    encode_rows(problem.kind_code, getattr(problem, "noise_std", 1.0), features, labels, 4, 5, *kept)
    for ours, theirs in zip(kept, problem.encode(features[4:], labels[4:]), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_observations_are_kept_as_they_are():
    features, kept = DRAWS.normal(size=(9, 2)), np.zeros((9, 2))
    encode_rows(-1, 1.0, features, np.zeros(9), 0, 9, kept, np.zeros(9), np.zeros(9))
    np.testing.assert_array_equal(kept, features)
