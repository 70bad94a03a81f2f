"""Small solvers, special functions, binomial limits and chi-square levels against LAPACK and SciPy."""

import numpy as np
import pytest
from scipy import special
from scipy.linalg import eigh

from sampler.kernels.initial_state import begin_walks
from sampler.kernels.small_linear_algebra import cholesky, eigen, invert, jacobi, solve_lower, solve_upper
from sampler.kernels.special_functions import erf, erfc, gammaln, ndtr, ndtri
from sampler.kernels.tail_probabilities import binomial_limits, chi_square_levels
from sampler.theory import ExitSimulation, flat_target


def positive(d, seed=0, condition=1e4):
    """Return a symmetric matrix with eigenvalues from 1 to ``condition``."""
    turn = np.linalg.qr(np.random.default_rng(seed).standard_normal((d, d)))[0]
    matrix = turn * np.geomspace(1.0, condition, d) @ turn.T
    return 0.5 * (matrix + matrix.T)


@pytest.mark.parametrize("matrix", [[[1.0, 2.0], [2.0, 1.0]], [[0.0, 0.0], [0.0, 1.0]], [[1.0, np.nan], [np.nan, 1.0]]])
def test_a_matrix_that_is_not_positive_definite_is_reported(matrix):
    lower = np.empty((2, 2))
    assert not cholesky(np.array(matrix), lower)
    assert not eigen(np.eye(2), np.array(matrix), lower, np.empty(2), np.empty((2, 2)))


@pytest.mark.parametrize("d", [1, 2, 5, 21, 50])
def test_triangles_are_solved_as_lapack_solves_them(d):
    matrix, lower, b = positive(d), np.full((d, d), np.nan), np.arange(1.0, d + 1)
    assert cholesky(matrix, lower)
    # Both are backward stable: differences of d eps times the condition number, 1e4.
    np.testing.assert_allclose(lower, np.linalg.cholesky(matrix), atol=1e-12 * d * 100)
    x = b.copy()
    solve_lower(lower, x)
    solve_upper(lower, x)
    np.testing.assert_allclose(matrix @ x, b, atol=1e-11 * d)
    out = np.empty((d, d))
    invert(lower, out)
    np.testing.assert_allclose(out @ matrix, np.eye(d), atol=1e-11 * d)


@pytest.mark.parametrize("d", [1, 2, 5, 21, 50])
def test_eigenvalues_in_a_metric_are_lapacks(d):
    hessian, metric = positive(d, 1), positive(d, 2, 10.0)
    values, vectors, matrix = np.empty(d), np.empty((d, d)), hessian.copy()
    assert eigen(matrix, metric, np.empty((d, d)), values, vectors)
    expected = eigh(hessian, metric)[0]
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-14 * d * expected[-1])  # rounding of the largest
    np.testing.assert_allclose(vectors.T @ metric @ vectors, np.eye(d), atol=1e-13 * d)
    np.testing.assert_allclose(hessian @ vectors, metric @ vectors * values, atol=1e-13 * d * expected[-1])


def test_eigenvalues_alone_come_sorted_with_signs_and_repeats():
    turn = np.linalg.qr(np.random.default_rng(3).standard_normal((5, 5)))[0]
    eigenvalues = np.array([-7.0, -7.0, 0.0, 2.0, 2.0])
    matrix = turn * eigenvalues @ turn.T
    jacobi(matrix, np.empty((0, 5)))
    np.testing.assert_allclose(np.diagonal(matrix), eigenvalues, atol=1e-13)
    zero = np.zeros((3, 3))
    jacobi(zero, np.empty((0, 3)))
    np.testing.assert_array_equal(zero, 0.0)


def values(function, points):
    return np.array([function(x) for x in points])


def test_the_normal_law_is_scipys_in_both_tails():
    x = np.concatenate([np.linspace(-9, 9, 3001), [-37.0, -20.0, 2**0.5, -(2**0.5), 8 * 2**0.5, -8 * 2**0.5, 0.0, 50.0]])
    np.testing.assert_allclose(values(ndtr, x), special.ndtr(x), rtol=0, atol=1e-15)
    low = x[x < 0]  # exp(-x^2/2) has relative error 1e-16 x^2/2, 7e-14 at -37
    np.testing.assert_allclose(values(ndtr, low), special.ndtr(low), rtol=2e-13)
    assert (ndtr(-np.inf), ndtr(np.inf)) == (0.0, 1.0) and np.isnan(ndtr(np.nan))


def test_the_quantile_is_scipys():
    p = np.concatenate([np.linspace(0, 1, 2001), np.logspace(-295, -1, 900), 1 - np.logspace(-16, -1, 300)])
    expected = special.ndtri(p)
    np.testing.assert_allclose(values(ndtri, p), expected, rtol=1e-13, atol=1e-13)


def test_the_error_function_is_scipys():
    x = np.concatenate([np.linspace(-9, 9, 3001), [1.0, -1.0, 8.0, 26.0, 50.0]])
    np.testing.assert_allclose(values(erf, x), special.erf(x), rtol=1e-15)
    positive = x[x >= 0]  # exp(-x^2) has relative error 1e-16 x^2
    np.testing.assert_allclose(values(erfc, positive), special.erfc(positive), rtol=2e-13)
    assert (erf(-np.inf), erf(np.inf), erfc(np.inf)) == (-1.0, 1.0, 0.0) and np.isnan(erf(np.nan))


@pytest.mark.parametrize("x", [1.0, 2.0, 0.5, 1e-3, 3.7, 9.999, 10.0, 1025.0, 65537.0, 1e6 + 0.5])
def test_the_logarithm_of_gamma_is_scipys(x):
    # a few roundings of the largest term, x log x
    assert gammaln(x) == pytest.approx(special.gammaln(x), abs=4e-16 * (x * abs(np.log(x)) + 10))


@pytest.mark.parametrize("chains", [1, 40, 20_000])
def test_limits_are_scipys_quantiles_of_the_beta_law(chains):
    counts, tail = np.unique(np.linspace(0, chains, 101).round()), 0.0005
    low, high = np.empty((2, counts.size))
    binomial_limits(counts, chains, tail, low, high)
    inner = counts[(counts > 0)], counts[counts < chains]
    # log Gamma has error 1e-15 n log n, n log n at most 2e5
    np.testing.assert_allclose(low[counts > 0], special.betaincinv(inner[0], chains - inner[0] + 1, tail), rtol=1e-9)
    upper = special.betaincinv(inner[1] + 1, chains - inner[1], 1 - tail)
    np.testing.assert_allclose(high[counts < chains], upper, rtol=1e-9)
    assert low[0] == 0.0 and high[-1] == 1.0


@pytest.mark.parametrize("dim", [1, 2, 20, 100])
def test_chi_square_levels_are_scipys(dim):
    squares = np.concatenate([[0.0, 1e-9], np.linspace(0.01, 400.0, 500), [np.inf, np.nan]])
    levels = np.empty(squares.size)
    chi_square_levels(squares, dim, levels)
    # terms are summed to rounding; log Gamma(50) = 150 has error 1e-15 x log x, x log x = 200
    np.testing.assert_allclose(levels[:-1], special.chdtr(dim, squares[:-1]), rtol=1e-12)
    assert levels[-1] == 1.0


def test_walks_start_as_in_numpy():
    native = ExitSimulation(flat_target(3), 1e-3, 10, 2.0, start=1.5, chains=1_000, seed=7)
    x, rng = np.zeros_like(native._x), np.zeros_like(native._rng)
    begin_walks(7, 1.5, 1_000, x, rng)
    np.testing.assert_array_equal(rng, native._rng)
    np.testing.assert_allclose(x, native._x, rtol=0, atol=1e-15)  # a square root and a product, an ulp each
