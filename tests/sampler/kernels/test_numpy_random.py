"""Generators and initial chains of the browser kernels against NumPy and the library.

Streams: tests/browser/test_wasm_streams.py.
"""

import numba
import numpy as np
import pytest

from sampler import LinearRegression, LogisticRegression, PoissonRegression
from sampler.algorithms.chain_states import starting_points
from sampler.algorithms.vector_metric import dense_whitening
from sampler.kernels.chains import new_chains
from sampler.kernels.initial_state import STARTS, begin_chains, encode_rows
from sampler.kernels.numpy_random import next_double, poisson_count, seed_generator, seed_words, standard_normal
from sampler.kernels.simd_lanes import padded

SEEDS = ([0], [1], [999_999], [5, 1, 2], [4, 2, 21], [2**40 + 3, 7], [1, 2, 3, 4, 5, 6], [2**62, 2**33, 0, 0, 5])


@numba.njit
def normals(state, out):
    for i in range(out.size):
        out[i] = standard_normal(state)


@numba.njit
def doubles(state, out):
    for i in range(out.size):
        out[i] = next_double(state)


@numba.njit
def counts(state, means, out):
    for i in range(out.size):
        out[i] = poisson_count(state, means[i])


def generators(seed):
    state = np.empty(4, np.uint64)
    seed_generator(np.array(seed), state)
    return state, np.random.default_rng(seed)


def halves(state):
    return {"state": (int(state[0]) << 64) + int(state[1]), "inc": (int(state[2]) << 64) + int(state[3])}


@pytest.mark.parametrize("seed", SEEDS, ids=str)
def test_generators_are_numpys_up_to_the_last_bits_of_tail_normals(seed):
    words = np.empty(13, np.uint64)
    seed_words(np.array(seed), words)
    np.testing.assert_array_equal(words, np.random.SeedSequence(seed).generate_state(13))
    state, rng = generators(seed)
    assert halves(state) == rng.bit_generator.state["state"]
    out = np.empty(1_000)
    doubles(state, out)
    np.testing.assert_array_equal(out, rng.random(1_000))
    out = np.empty(1_000_000)
    normals(state, out)
    theirs = rng.standard_normal(out.size)
    assert halves(state) == rng.bit_generator.state["state"]
    tail = np.abs(theirs) > 3.6541528853610088
    # P(|z| > 3.654) = 2.58e-4: 258 of a million, sd 16
    assert 160 < tail.sum() < 360
    np.testing.assert_array_equal(out[~tail], theirs[~tail])
    # log instead of log1p of a value up to 5: two ulps of a sum up to 8
    np.testing.assert_allclose(out[tail], theirs[tail], rtol=0, atol=2 * 2.0**-50)


def test_poisson_counts_are_numpys_for_small_and_large_means():
    state, rng = generators([3])
    means = np.empty(200_000)
    doubles(state, means)
    np.testing.assert_array_equal(means, rng.random(means.size))
    means = 1e-3 + 60.0 * means**2
    out = np.empty(means.size)
    counts(state, means, out)
    assert (means < 10).any() and (means > 50).any()
    np.testing.assert_array_equal(out, rng.poisson(means))


DRAWS = np.random.default_rng(1)


def initial_arrays(rule, precision, chains, seed, first):
    dim = len(precision)
    width = padded(dim)
    arrays = {"precision": np.zeros((2, width)), "mask": np.zeros(width), "position": np.zeros((chains, width)),
              "checkpoint": np.zeros((chains, width)), "warm_start": np.zeros((chains, width)),
              "rng": np.zeros((chains, 3, 8), np.uint64), "noise_at": np.zeros(chains, np.int64),
              **{name: np.zeros((chains, dim, width)) for name in ("precision_matrix", "whitener", "frozen")}}
    begin_chains(STARTS.index(rule), seed, np.diag(precision), first, 512, *arrays.values())
    return arrays


@pytest.mark.parametrize("seed", [0, 7, 999_999, 2**40])
@pytest.mark.parametrize("precision", [[1.0, 1.0], [0.3, 0.0], [2.0] * 21], ids=["round", "flat", "21"])
def test_chains_generators_and_metric_are_those_of_the_library(precision, seed):
    problem = LogisticRegression(len(precision), prior_precision=np.array(precision))
    ours = initial_arrays("prior", precision, 70, seed, np.zeros(problem.dim))
    theirs = new_chains(starting_points(problem, 70, seed), seed)
    for name in ("position", "checkpoint", "warm_start", "rng", "noise_at"):
        np.testing.assert_array_equal(ours[name], getattr(theirs, name), err_msg=name)
    metric = dense_whitening(70, problem.prior_precision)
    for name in ("whitener", "frozen"):
        np.testing.assert_array_equal(ours[name], getattr(metric, name), err_msg=name)
    np.testing.assert_array_equal(ours["precision_matrix"], metric.precision)
    np.testing.assert_array_equal(ours["mask"], np.arange(padded(problem.dim)) < problem.dim)
    np.testing.assert_array_equal(ours["precision"][0, :problem.dim], precision)


def test_increments_with_too_few_bit_changes_are_modified():
    # P(Binomial(64, 1/2) < 24) = 0.016: 3 or 4 of 210 increments
    rng = initial_arrays("prior", [1.0], 70, 3, np.zeros(1))["rng"][..., 1]
    assert np.bitwise_count(rng ^ (rng >> np.uint64(1))).min() >= 24


def test_chains_start_about_the_first_row_or_near_zero():
    noise = np.random.default_rng([5, 3]).standard_normal((4, 2))
    first = np.array([3.0, -2.0])
    near = initial_arrays("near zero", [1.0, 1.0], 4, 5, first)["position"][:, :2]
    np.testing.assert_array_equal(near, 0.3 * noise)
    about = initial_arrays("first row", [0.0, 0.0], 4, 5, first)["position"][:, :2]
    np.testing.assert_allclose(about, first + np.sqrt(0.5) * noise, rtol=0, atol=2.0**-50)  # half an ulp if fused


@pytest.mark.parametrize("problem", [LogisticRegression(3), LinearRegression(3, noise_std=0.7), PoissonRegression(3)],
                         ids=lambda problem: problem.kind)
def test_rows_are_stored_as_the_problem_encodes_them(problem):
    features = DRAWS.normal(size=(9, 3))
    labels = {"logistic": DRAWS.choice([-1.0, 0.0, 1.0], 9), "linear": DRAWS.normal(size=9)}.get(
        problem.kind, DRAWS.poisson(2.0, 9).astype(float))
    kept = np.zeros((5, 3)), np.zeros(5), np.zeros(5)
    encode_rows(problem.kind_code, getattr(problem, "noise_std", 1.0), features, labels, 4, 5, *kept)
    for ours, theirs in zip(kept, problem.encode(features[4:], labels[4:]), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_observations_are_stored_unchanged():
    features, kept = DRAWS.normal(size=(9, 2)), np.zeros((9, 2))
    encode_rows(-1, 1.0, features, np.zeros(9), 0, 9, kept, np.zeros(9), np.zeros(9))
    np.testing.assert_array_equal(kept, features)
