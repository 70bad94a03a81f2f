"""A grid's potential and marginals by kernels are those of NumPy and SciPy."""

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

from sampler.kernels import plane_grid
from sampler.problems import LogisticRegression, PoissonRegression


@pytest.mark.parametrize("problem", [LogisticRegression(2), PoissonRegression(2)])
@pytest.mark.parametrize("t", [20, 3000])
def test_terms_are_summed_to_rounding(problem, t):
    rng = np.random.default_rng(2)
    rows, targets = rng.normal(size=(t, 2)), rng.integers(0, 4, t).astype(float)
    rows[0] *= 200.0  # far beyond what exponentials can be multiplied with
    x, y = np.linspace(-0.5, 0.2, 41), np.linspace(0.1, 0.6, 41)
    total = np.zeros((41, 41))
    plane_grid.add_potential(problem.kind_code, rows, targets, t, x, y, total)
    scores = rows[:, 0] * x[:, None, None] + rows[:, 1] * y[:, None]
    exact = problem.score_loss(scores, targets).sum(axis=2)
    # 1e-9 of a row at the Chebyshev nodes, by LEVELS' reach, and rounding of the largest term
    np.testing.assert_allclose(total, exact, rtol=1e-12, atol=1e-9 * t)


def test_marginals_are_hermites_interpolation():
    axis, rng = np.linspace(-1.0, 2.0, 61), np.random.default_rng(0)
    marginals = np.exp(-0.5 * (axis - [[0.4], [0.6]]) ** 2 / 0.16) * (1 + 0.2 * rng.random((2, 61)))
    samples, uniforms = rng.uniform(-1.5, 2.5, (200, 2)), np.empty((200, 2))
    samples[0] = axis[7]
    plane_grid.marginal_cdf(axis, axis, marginals, samples, uniforms)
    step = axis[1] - axis[0]
    for c, density in enumerate(marginals):
        slope = np.gradient(density, step)
        pieces = 0.5 * step * (density[1:] + density[:-1]) - step**2 / 12 * np.diff(slope)
        values = np.concatenate([[0.0], pieces.cumsum()])
        spline = CubicHermiteSpline(axis, values / values[-1], density / values[-1])
        np.testing.assert_allclose(uniforms[:, c], spline(np.clip(samples[:, c], -1.0, 2.0)), atol=1e-14)
