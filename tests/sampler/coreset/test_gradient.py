"""Eq. 4 as compiled, as written, and in the mean; subsamples without replacement."""

from itertools import combinations

import numpy as np
import pytest

from sampler.coreset import GaussianLocation
from sampler.coreset.loops import eq4
from sampler.kernels.coreset_gaussian import gaussian_gradient, weigh
from sampler.kernels.coreset_iteration import gradient, subsample
from sampler.kernels.lanes import aligned_zeros, lanes_for, padded
from sampler.kernels.rng import spawn_generators


@pytest.mark.parametrize("chains", [2, 3, 7])
def test_the_compiled_gradient_is_eq_4(chains):
    rng = np.random.default_rng(1)
    terms, drawn, w = rng.standard_normal((chains, 9)) - 700, rng.standard_normal((chains, 4)) - 700, rng.random(9)
    g = np.empty(9)
    norm = gradient(terms, drawn.sum(axis=1), w, 50 / 4, g)
    expected = eq4(terms, drawn, w, 50)
    np.testing.assert_allclose(g, expected, rtol=1e-9, atol=1e-9)
    assert norm == pytest.approx(expected @ expected, rel=1e-9)


@pytest.mark.parametrize("chains", [2, 3, 7])
def test_the_gaussian_shortcut_is_eq_4(chains):
    rng = np.random.default_rng(2)
    n, dim, size = 60, 5, 11
    model = GaussianLocation(rng.standard_normal((n, dim)))
    chosen, drawn = rng.choice(n, 8, replace=False), rng.choice(n, size, replace=False)
    points, theta = aligned_zeros((8, padded(dim))), aligned_zeros((chains, padded(dim)))
    points[:], theta[:, :dim] = model.rows[chosen], 2 + rng.standard_normal((chains, dim))
    w, g, everyone = rng.random(8) * 9, np.empty(8), np.arange(8)
    weighted, u = np.empty(padded(dim)), np.empty(padded(dim))
    total = weigh(lanes_for(dim), points, everyone, w, weighted)
    norm = gaussian_gradient(lanes_for(dim), points, everyone, theta, weighted, total, model.rows[drawn].sum(axis=0),
                             size, n / size, g, np.empty(chains), u)
    expected = eq4(np.array([model.log_likelihood(x, chosen) for x in theta[:, :dim]]),
                   np.array([model.log_likelihood(x, drawn) for x in theta[:, :dim]]), w, n)
    np.testing.assert_allclose(g, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    assert norm == pytest.approx(expected @ expected, rel=1e-9)


def test_the_mean_over_all_subsamples_is_the_gradient_of_all_data():
    rng = np.random.default_rng(4)
    n, chains = 7, 3
    values, chosen, w = rng.standard_normal((chains, n)), [0, 3, 4], rng.random(3)
    parts = [eq4(values[:, chosen], values[:, list(some)], w, n) for some in combinations(range(n), 3)]
    np.testing.assert_allclose(np.mean(parts, axis=0), eq4(values[:, chosen], values, w, n), rtol=1e-12)


@pytest.mark.parametrize("chains", [2, 4])
def test_eq_4_is_unbiased_for_the_covariance_of_eq_3(chains):
    rng = np.random.default_rng(5)
    x, chosen, w, s, draws = rng.standard_normal((12, 2)), [1, 5, 8], np.array([3.0, 1.0, 6.0]), 0.4, 10_000
    mu = np.array([0.3, -0.2])
    theta = mu + s * rng.standard_normal((draws, chains, 2))
    values = theta @ x.T - 0.5 * (theta**2).sum(axis=-1, keepdims=True)
    got = np.array([eq4(v[:, chosen], v, w, 12) for v in values])
    # Moments of theta ~ N(mu, s^2 I): Cov(a.theta, |theta|^2) = 2 s^2 a.mu, Var |theta|^2 = 2 d s^4 + 4 s^2 |mu|^2.
    a, c = w @ x[chosen] - x.sum(axis=0), w.sum() - 12
    exact = (s**2 * x[chosen] @ a - 0.5 * c * 2 * s**2 * x[chosen] @ mu - 0.5 * 2 * s**2 * a @ mu
             + 0.25 * c * (2 * 2 * s**4 + 4 * s**2 * mu @ mu))
    error = got.std(axis=0) / np.sqrt(draws)
    # 4.5 standard errors: three coordinates, two cases, one chance in 25,000. Dividing by K instead of K - 1 would
    # shrink the mean to a half or three quarters, tens of errors away.
    assert np.all(np.abs(got.mean(axis=0) - exact) < 4.5 * error)
    assert np.all(np.abs(exact) > 20 * error)


def test_subsamples_are_uniform_without_replacement():
    n, size, draws = 12, 5, 10_000
    rng, permutation, places = spawn_generators(0, 1, 1)[0, 0], np.arange(n), np.empty(size, np.int64)
    counts, pairs, last, common = np.zeros(n), np.zeros((n, n)), set(), []
    for _ in range(draws):
        subsample(rng, permutation, size, places)
        chosen = permutation[:size]
        assert len(set(chosen)) == size
        counts[chosen] += 1
        pairs[np.ix_(chosen, chosen)] += 1
        common.append(len(last & set(chosen)))
        last = set(chosen)
    assert sorted(permutation) == list(range(n))
    share = size / n
    # 5 standard deviations of a binomial count.
    assert np.all(np.abs(counts - draws * share) < 5 * np.sqrt(draws * share * (1 - share)))
    together = share * (size - 1) / (n - 1)
    off = pairs[~np.eye(n, dtype=bool)]
    assert np.all(np.abs(off - draws * together) < 5 * np.sqrt(draws * together * (1 - together)))
    # Draws in a row share a hypergeometric number of indices: they are independent.
    assert abs(np.mean(common[1:]) - size * share) < 5 * np.std(common[1:]) / np.sqrt(draws)
