"""Known answers of the small solvers, and LAPACK's."""

import numpy as np
import pytest
from scipy.linalg import eigh

from sampler.kernels.small_linear_algebra import cholesky, eigen, invert, jacobi, solve_lower, solve_upper


def positive(d, seed=0, condition=1e4):
    """A symmetric matrix with eigenvalues from 1 to ``condition``."""
    turn = np.linalg.qr(np.random.default_rng(seed).standard_normal((d, d)))[0]
    matrix = turn * np.geomspace(1.0, condition, d) @ turn.T
    return 0.5 * (matrix + matrix.T)


def test_a_factor_and_an_inverse_that_are_known():
    matrix, lower, out = np.array([[4.0, 2.0], [2.0, 10.0]]), np.full((2, 2), np.nan), np.empty((2, 2))
    assert cholesky(matrix, lower)
    np.testing.assert_array_equal(lower, [[2.0, 0.0], [1.0, 3.0]])
    invert(lower, out)
    np.testing.assert_allclose(out, [[10 / 36, -2 / 36], [-2 / 36, 4 / 36]], rtol=4e-16)


@pytest.mark.parametrize("matrix", [[[1.0, 2.0], [2.0, 1.0]], [[0.0, 0.0], [0.0, 1.0]], [[1.0, np.nan], [np.nan, 1.0]]])
def test_what_is_not_positive_definite_is_said_so(matrix):
    lower = np.empty((2, 2))
    assert not cholesky(np.array(matrix), lower)
    assert not eigen(np.eye(2), np.array(matrix), lower, np.empty(2), np.empty((2, 2)))


@pytest.mark.parametrize("d", [1, 2, 5, 21, 50])
def test_triangles_are_solved_as_lapack_solves_them(d):
    matrix, lower, b = positive(d), np.empty((d, d)), np.arange(1.0, d + 1)
    assert cholesky(matrix, lower)
    # Both are backward stable: apart by d eps times the condition, 1e4.
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
    known = eigh(hessian, metric)[0]
    np.testing.assert_allclose(values, known, rtol=0, atol=1e-14 * d * known[-1])  # rounding of the largest
    np.testing.assert_allclose(vectors.T @ metric @ vectors, np.eye(d), atol=1e-13 * d)
    np.testing.assert_allclose(hessian @ vectors, metric @ vectors * values, atol=1e-13 * d * known[-1])


def test_eigenvalues_alone_come_sorted_with_signs_and_repeats():
    turn = np.linalg.qr(np.random.default_rng(3).standard_normal((5, 5)))[0]
    known = np.array([-7.0, -7.0, 0.0, 2.0, 2.0])
    matrix = turn * known @ turn.T
    jacobi(matrix, np.empty((0, 5)))
    np.testing.assert_allclose(np.diagonal(matrix), known, atol=1e-13)
    zero = np.zeros((3, 3))
    jacobi(zero, np.empty((0, 3)))
    np.testing.assert_array_equal(zero, 0.0)
