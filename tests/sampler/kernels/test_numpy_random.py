"""The kernels draw what `numpy.random.default_rng` draws."""

import numba
import numpy as np
import pytest

from sampler.kernels.numpy_random import next_double, poisson_count, seed_generator, seed_words, standard_normal

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


def both(seed):
    state = np.empty(4, np.uint64)
    seed_generator(np.array(seed), state)
    return state, np.random.default_rng(seed)


def halves(state):
    return {"state": (int(state[0]) << 64) + int(state[1]), "inc": (int(state[2]) << 64) + int(state[3])}


@pytest.mark.parametrize("seed", SEEDS, ids=str)
def test_a_seed_makes_the_words_and_the_generator_of_numpy(seed):
    words = np.empty(13, np.uint64)
    seed_words(np.array(seed), words)
    np.testing.assert_array_equal(words, np.random.SeedSequence(seed).generate_state(13))
    state, rng = both(seed)
    assert halves(state) == rng.bit_generator.state["state"]
    out = np.empty(1_000)
    doubles(state, out)
    np.testing.assert_array_equal(out, rng.random(1_000))
    assert halves(state) == rng.bit_generator.state["state"]


@pytest.mark.parametrize("seed", SEEDS, ids=str)
def test_normals_are_those_of_numpy_and_the_tail_but_for_the_last_bits(seed):
    state, rng = both(seed)
    out = np.empty(1_000_000)
    normals(state, out)
    theirs = rng.standard_normal(out.size)
    assert halves(state) == rng.bit_generator.state["state"]
    tail = np.abs(theirs) > 3.6541528853610088
    # P(|z| > 3.654) = 2.58e-4: 258 of a million, standard deviation 16
    assert 160 < tail.sum() < 360
    np.testing.assert_array_equal(out[~tail], theirs[~tail])
    # a logarithm of up to 5 by log instead of log1p: two units in the last place of a sum up to 8
    np.testing.assert_allclose(out[tail], theirs[tail], rtol=0, atol=2 * 2.0**-50)


def test_counts_are_those_of_numpy_below_a_mean_of_ten_and_above():
    state, rng = both([3])
    means = np.empty(200_000)
    doubles(state, means)
    np.testing.assert_array_equal(means, rng.random(means.size))
    means = 1e-3 + 60.0 * means**2
    out = np.empty(means.size)
    counts(state, means, out)
    assert (means < 10).any() and (means > 50).any()
    np.testing.assert_array_equal(out, rng.poisson(means))
