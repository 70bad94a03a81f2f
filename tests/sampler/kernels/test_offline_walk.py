"""The anchor's subset: without replacement, uniform, independent across chains, unchanged by what came before."""

import numpy as np

from sampler.kernels.offline_walk import Memory, choose_subset, new_walk


def subsets(n, size, draws, chains=1, seed=0):
    walk = new_walk(np.zeros((chains, 1)), seed)
    memory = Memory(np.zeros((0, n)), np.zeros((0, 0), np.int32), np.arange(n), np.empty(size, np.int64),
                    np.empty(size, np.int64))
    out = np.empty((draws, chains, size), int)
    for i in range(draws):
        for k in range(chains):
            choose_subset(walk, k, n, memory)
            out[i, k] = memory.chosen
    np.testing.assert_array_equal(memory.order, np.arange(n))
    return out


def test_every_set_is_equally_likely_and_holds_no_index_twice():
    draws = 20_000
    sets = np.sort(subsets(5, 2, draws)[:, 0], axis=1)
    assert (sets[:, 0] < sets[:, 1]).all()
    counts = np.bincount(5 * sets[:, 0] + sets[:, 1])
    counts = counts[counts > 0]
    # ten sets, chi-square with 9 degrees of freedom: 27.9 is passed once in a thousand seeds
    assert len(counts) == 10 and ((counts - draws / 10) ** 2 / (draws / 10)).sum() < 27.9


def test_chains_draw_their_own():
    sets = np.sort(subsets(40, 10, 200, chains=2), axis=2)
    shared = [len(np.intersect1d(a, b)) for a, b in sets]
    # hypergeometric: mean 2.5, variance 10 (1/4)(3/4)(30/39) = 1.44; 200 draws give 0.085
    assert abs(np.mean(shared) - 2.5) < 4 * 0.085


def test_all_of_them_need_no_draw():
    np.testing.assert_array_equal(subsets(7, 7, 2)[:, 0], [np.arange(7)] * 2)
