"""Modes of a growing posterior from kernels against LAPACK."""

import numpy as np
import pytest

from sampler.kernels.posterior_mode import GAUSSIAN_MEAN, add_datum, due, normal_cdf, solve_mode
from sampler.problems import LinearRegression, LogisticRegression, PoissonRegression
from sampler.reference import find_mode


def solved(problem, rows, targets, start):
    d = problem.dim
    mode, hessian, covariance = np.array(start, float), np.empty((d, d)), np.empty((d, d))
    converged = solve_mode(problem.kind_code, problem.prior_precision, np.ascontiguousarray(rows), targets, len(rows), mode,
                           hessian, covariance)
    return converged, mode, hessian, covariance


@pytest.mark.parametrize("start", [0.0, 4.0])
@pytest.mark.parametrize("problem", [LogisticRegression(3), LinearRegression(3, noise_std=0.5), PoissonRegression(3),
                                     LogisticRegression(21)])
def test_newtons_steps_end_where_lapacks_do(problem, start):
    rng = np.random.default_rng(1)
    x = 0.7 * rng.normal(size=(400, problem.dim))
    posterior = problem.posterior(x, rng.poisson(np.exp(x[:, :3] @ [0.5, -0.3, 0.2])).clip(0, 1))
    padded = np.pad(posterior.rows, ((0, 0), (0, 3)), constant_values=7.0)
    converged, mode, hessian, covariance = solved(problem, padded, posterior.targets, np.full(problem.dim, start))
    exact = find_mode(posterior)
    # Newton's last step is at most 1e-5 posterior widths; the next would be its square.
    assert converged and np.abs(mode - exact).max() < 1e-9
    np.testing.assert_allclose(hessian, posterior.hessian(exact), rtol=1e-8)
    np.testing.assert_allclose(covariance @ hessian, np.eye(problem.dim), atol=1e-12)


@pytest.mark.parametrize("problem, rows", [(LogisticRegression(2, prior_precision=0.0), np.eye(2)),
                                           (LinearRegression(2, prior_precision=0.0), np.ones((3, 2)))])
def test_nothing_changes_without_a_mode(problem, rows):
    converged, mode, *_ = solved(problem, rows, np.zeros(len(rows)), [0.25, 0.5])
    assert not converged and mode.tolist() == [0.25, 0.5]


def test_a_gaussian_mean_is_its_data_s():
    y = np.random.default_rng(0).normal(size=(20, 2))
    mode, hessian, covariance = np.zeros(2), np.zeros((2, 2)), np.full((2, 2), np.inf)
    for t in range(1, 21):
        assert add_datum(GAUSSIAN_MEAN, y, np.empty(0), t, mode, hessian, covariance, -1)
    np.testing.assert_allclose(mode, y.mean(axis=0), rtol=1e-14)
    assert hessian.tolist() == [[40.0, 0.0], [0.0, 40.0]] and covariance.tolist() == [[0.025, 0.0], [0.0, 0.025]]
    none = np.empty(0)
    assert solve_mode(GAUSSIAN_MEAN, np.zeros(2), y[15:], none, 4, mode, hessian, covariance)  # mode of four remaining rows
    np.testing.assert_allclose(mode, y[15:19].mean(axis=0), rtol=1e-14)
    assert hessian.tolist() == [[8.0, 0.0], [0.0, 8.0]] and covariance.tolist() == [[0.125, 0.0], [0.0, 0.125]]
    assert not solve_mode(GAUSSIAN_MEAN, np.zeros(2), y, none, 0, mode, hessian, covariance)


def test_due_after_each_growth():
    assert due(1, -1) and due(5, 0) and not due(100, 100) and due(101, 100)
    assert not due(2099, 2000) and due(2100, 2000)  # 5 % from 2,000 on


def test_marginals_are_normal():
    uniforms = np.empty((2, 2))
    normal_cdf(np.array([1.0, 0.0]), np.array([2.0, 0.5]), np.array([[1.0, 0.5], [3.0, -0.5]]), uniforms)
    one = 0.8413447460685429  # P(Z <= 1)
    np.testing.assert_allclose(uniforms, [[0.5, one], [one, 1.0 - one]], atol=1e-15)
