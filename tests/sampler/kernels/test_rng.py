"""Counter-based generator: elementary functions against NumPy, laws of draws, independence of streams, subsets."""

import numpy as np
import pytest
from scipy import stats

from sampler.kernels.offline_chains import Memory, choose_subset, new_walk
from sampler.kernels.rng import fast_exp, fast_log, fast_sin_cos, fill_index, fill_normal, indices_at, spawn_generators

GOLDEN = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio, a common choice of increment


def normals(seed: int, n: int) -> np.ndarray:
    rng, out = spawn_generators(seed, 1, 1)[0, 0], np.empty(n)
    fill_normal(rng, out)
    return out


def test_normals_have_the_normal_law():
    """Also in the tails; successive and paired draws are uncorrelated."""
    far, half = 0, 500_000
    for seed in range(3):
        x = normals(seed, 2 * half)
        # Kolmogorov-Smirnov at level 1e-6 on fixed seeds: fails if the law is off by about 0.0035 anywhere.
        assert stats.kstest(x[:half], "norm").pvalue > 1e-6
        for a, b in ((x[:-1], x[1:]), (x[:half], x[half:]), (x[:half] ** 2, x[half:] ** 2)):
            assert abs(np.corrcoef(a, b)[0, 1]) < 5 / np.sqrt(a.size)
        far += (np.abs(x) > 4).sum()
    # P(|x| > 4) = 6.33e-5: 190 of 3e6 draws expected, sd 13.8; five sd.
    assert abs(far - 190) < 5 * 13.8


def test_chains_have_independent_streams():
    counters = spawn_generators(0, 64, 3)
    assert len(np.unique(counters[..., 0])) == 64 * 3
    drawn = np.empty((64, 4096))
    for k in range(64):
        fill_normal(counters[k, 1], drawn[k])
    correlations = np.corrcoef(drawn)[np.triu_indices(64, 1)]
    # 2,016 correlations of sd 1/64; their maximum is below 5.5 sd with probability 0.9999.
    assert np.abs(correlations).max() < 5.5 / 64


def test_a_million_chains_have_different_orbits():
    generators = spawn_generators(0, 1_000_000, 1).reshape(-1, 8)
    counters, increments = generators[:, 0], generators[:, 1]
    assert (increments & np.uint64(1)).all()  # odd: the orbit covers all 2^64 counters
    assert np.bitwise_count(increments ^ (increments >> np.uint64(1))).min() >= 24
    # 1e6 draws among 2^63 odd numbers: two are equal with probability 5e-8.
    assert len(np.unique(increments)) == len(increments)
    # On a common orbit two of them would start fewer than ten million draws apart.
    inverse = np.uint64(pow(GOLDEN, -1, 2**64))
    places = np.sort(counters * inverse)
    assert np.diff(places).min() < 10_000_000


def test_generators_of_nearby_increments_are_uncorrelated():
    # Increments g, g + 2, 3g and -g from one counter: correlated under a weak mixing function.
    drawn = np.empty((4, 400_000))
    for row, increment in zip(drawn, (g % 2**64 for g in (GOLDEN, GOLDEN + 2, 3 * GOLDEN, -GOLDEN)), strict=True):
        fill_normal(np.array([12345, increment], np.uint64), row)
    for a in range(4):
        assert stats.kstest(drawn[a], "norm").pvalue > 1e-6
        for b in range(a):
            for shift in (0, 1, 2):
                together = np.corrcoef(drawn[a, shift:], drawn[b, :drawn.shape[1] - shift])[0, 1]
                assert abs(together) < 5 / np.sqrt(drawn.shape[1])  # five sd of a correlation of independent draws


@pytest.mark.parametrize("n", [1, 2, 7, 1000])
def test_indices_are_uniform(n):
    rng, out = spawn_generators(3, 1, 1)[0, 0], np.empty(200_000, np.int64)
    fill_index(rng, n, out)
    assert out.min() == 0 and out.max() == n - 1
    assert stats.chisquare(np.bincount(out, minlength=n)).pvalue > 1e-6 if n > 1 else True


def test_indices_at_draws_ahead():
    rng = spawn_generators(3, 1, 1)[0, 0]
    peek, out = np.empty(16, np.int64), np.empty(16, np.int64)
    indices_at(rng[0], rng[1], 100, peek)
    fill_index(rng, 100, out)
    np.testing.assert_array_equal(peek, out)


def test_elementary_functions_are_right_to_rounding():
    x = np.linspace(-699, 699, 20_001)
    np.testing.assert_allclose([fast_exp(v) for v in x], np.exp(x), rtol=2e-15)
    u = np.concatenate([np.linspace(1e-3, 1, 10_001), 10.0 ** -np.arange(1, 16)])
    np.testing.assert_allclose([fast_log(v) for v in u], np.log(u), rtol=1e-13, atol=1e-15)
    w = np.linspace(-np.pi / 2, np.pi / 2, 1001)
    np.testing.assert_allclose([fast_sin_cos(v) for v in w], np.c_[np.sin(w), np.cos(w)], atol=4e-16)
    assert np.isnan(fast_exp(np.nan)) and np.isfinite(fast_exp(1e9)) and fast_exp(-1e9) < 1e-300


def subsets(n, size, draws, chains=1):
    walk = new_walk(np.zeros((chains, 1)), 0)
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
    # ten sets, chi-square with 9 degrees of freedom: exceeds 27.9 with probability 1 in 1,000
    assert len(counts) == 10 and ((counts - draws / 10) ** 2 / (draws / 10)).sum() < 27.9


def test_chains_draw_independent_subsets():
    sets = np.sort(subsets(40, 10, 200, chains=2), axis=2)
    shared = [len(np.intersect1d(a, b)) for a, b in sets]
    # hypergeometric: mean 2.5, variance 10 (1/4)(3/4)(30/39) = 1.44; 200 draws give 0.085
    assert abs(np.mean(shared) - 2.5) < 4 * 0.085


def test_the_full_set_needs_no_draw():
    np.testing.assert_array_equal(subsets(7, 7, 2)[:, 0], [np.arange(7)] * 2)
