"""Limits of a share and chi-square levels against SciPy's incomplete beta and gamma functions."""

import numpy as np
import pytest
from scipy import special

from sampler.kernels.initial_state import begin_walks
from sampler.kernels.tail_probabilities import binomial_limits, chi_square_levels
from sampler.theory import ExitSimulation, flat_target


@pytest.mark.parametrize("chains", [1, 40, 20_000])
def test_limits_are_scipys_quantiles_of_the_beta_law(chains):
    counts, tail = np.unique(np.linspace(0, chains, 101).round()), 0.0005
    low, high = np.empty((2, counts.size))
    binomial_limits(counts, chains, tail, low, high)
    inner = counts[(counts > 0)], counts[counts < chains]
    # logarithms of Gamma are right to 1e-15 of n log n, 2e5 at most
    np.testing.assert_allclose(low[counts > 0], special.betaincinv(inner[0], chains - inner[0] + 1, tail), rtol=1e-9)
    wanted = special.betaincinv(inner[1] + 1, chains - inner[1], 1 - tail)
    np.testing.assert_allclose(high[counts < chains], wanted, rtol=1e-9)
    assert low[0] == 0.0 and high[-1] == 1.0


@pytest.mark.parametrize("dim", [1, 2, 20, 100])
def test_chi_square_levels_are_scipys(dim):
    squares = np.concatenate([[0.0, 1e-9], np.linspace(0.01, 400.0, 500), [np.inf, np.nan]])
    levels = np.empty(squares.size)
    chi_square_levels(squares, dim, levels)
    # terms are added to rounding; the logarithm of Gamma(50) is 150, right to 1e-15 of x log x, 200
    np.testing.assert_allclose(levels[:-1], special.chdtr(dim, squares[:-1]), rtol=1e-12)
    assert levels[-1] == 1.0


def test_walks_begin_where_numpy_has_them_begin():
    native = ExitSimulation(flat_target(3), 1e-3, 10, 2.0, start=1.5, chains=1_000, seed=7)
    x, rng = np.zeros_like(native._x), np.zeros_like(native._rng)
    begin_walks(7, 1.5, 1_000, x, rng)
    np.testing.assert_array_equal(rng, native._rng)
    np.testing.assert_allclose(x, native._x, rtol=0, atol=1e-15)  # a square root and a product, right to an ulp each
