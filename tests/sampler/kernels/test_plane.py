"""Kernels of the plane plot (cloud, levels, loops, potential on a grid) against NumPy, SciPy and contourpy."""

import numpy as np
import pytest
from contourpy import contour_generator
from scipy.interpolate import CubicHermiteSpline

from sampler.kernels import plane_grid
from sampler.kernels.cloud import LARGEST, measure_cloud, outline, shadow, widest_axes
from sampler.kernels.plane_contours import MASSES, ellipses, grid_contours, level_holding, longest_loop, thin_loop
from sampler.problems import LinearRegression, LogisticRegression, PoissonRegression

VALID = np.array([True, False, True, True])
SAMPLES = np.array([[3.0, 4.0], [np.nan, np.inf], [0.0, 1.0], [1e200, 0.0]])


def test_distances_are_of_sound_chains_in_balls():
    inside, result = np.full(4, -1.0), np.empty(3)
    measure_cloud(SAMPLES, VALID, np.zeros(2), np.array([30.0, np.inf, 25.0, np.inf]), 25.0, inside, result)
    np.testing.assert_array_equal(inside, [1.0, 0.04, LARGEST, -1.0])
    np.testing.assert_array_equal(result, [3, LARGEST, 2])  # 25 is on the boundary and counts as inside


def test_an_outline_is_mean_and_covariance_of_sound_chains():
    samples = np.random.default_rng(0).normal(3.0, 1.0, (40, 5))
    samples[7], sound = np.nan, np.arange(40) != 7
    mean, covariance = np.empty(5), np.empty((5, 5))
    assert outline(samples, sound, mean, covariance)
    # 39 sums of numbers below 10, each with error eps: 39 * 10 * 2.2e-16 = 9e-14.
    np.testing.assert_allclose(mean, samples[sound].mean(axis=0), rtol=0, atol=1e-13)
    np.testing.assert_allclose(covariance, np.cov(samples[sound].T), rtol=0, atol=1e-13)


@pytest.mark.parametrize("sound", [[False] * 4, [False, False, True, False]])
def test_one_chain_has_no_outline(sound):
    assert not outline(SAMPLES, np.array(sound), np.empty(2), np.empty((2, 2)))


@pytest.mark.parametrize("d", [2, 5, 21])
def test_the_widest_axes_are_lapacks_with_their_largest_number_positive(d):
    turn = np.linalg.qr(np.random.default_rng(d).standard_normal((d, d)))[0]
    covariance, axes = turn * np.arange(1.0, d + 1) @ turn.T, np.empty((2, d))
    kept = covariance.copy()
    widest_axes(covariance, axes)
    expected = turn[:, [d - 1, d - 2]].T
    expected = expected * np.sign(expected[[0, 1], np.abs(expected).argmax(axis=1)])[:, None]
    # Eigenvalues are 1 apart, the largest is d: errors of vectors are of order d eps d.
    np.testing.assert_allclose(axes, expected, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(covariance, kept)


def test_a_shadow_is_the_inverse_between_the_axes():
    metric, axes, out = np.diag([4.0, 1.0, 0.25]), np.array([[1.0, 0.0, 0.0], [0.0, 0.6, 0.8]]), np.empty((2, 2))
    assert shadow(metric, 0.0, axes, out)
    np.testing.assert_allclose(out, [[0.25, 0.0], [0.0, 0.36 + 4 * 0.64]], rtol=1e-15, atol=0)


@pytest.mark.parametrize("metric", [[[1.0, 2.0], [2.0, 1.0]], [[np.nan, 0.0], [0.0, 1.0]]])
def test_an_invalid_metric_has_no_shadow(metric):
    assert not shadow(np.array(metric), 1e-12, np.eye(2), np.empty((2, 2)))


AXIS = np.linspace(-4.0, 4.0, 81)
CELL = AXIS[1] - AXIS[0]
BUMP = np.exp(-0.5 * (AXIS[:, None] ** 2 + (AXIS - 0.8 * AXIS[:, None]) ** 2 / 0.36))


@pytest.mark.parametrize("mass", [0.01, 0.5, 0.9, 0.99, 0.999999])
@pytest.mark.parametrize("values", [np.random.default_rng(0).random(999), np.round(np.random.default_rng(1).random(400), 1),
                                    BUMP.ravel(), np.ones(5)], ids=["uniform", "ties", "bump", "equal"])
def test_a_level_matches_that_by_sorting(values, mass):
    falling = np.sort(values)[::-1]
    held = falling.cumsum() / falling.sum()
    assert level_holding(values.copy(), mass) == falling[min(np.searchsorted(held, mass), falling.size - 1)]


def test_points_of_a_loop_are_contourpys():
    level, loop = 0.3, np.empty((2000, 2))
    n = longest_loop(AXIS, AXIS, BUMP, level, loop)
    line = contour_generator(AXIS, AXIS, BUMP.T).lines(level)[0][:-1]
    assert n == len(line)
    expected = line[np.lexsort(line.round(9).T)]
    np.testing.assert_allclose(loop[:n][np.lexsort(loop[:n].round(9).T)], expected, atol=1e-12)
    steps = np.linalg.norm(np.diff(loop[:n], axis=0), axis=1)
    assert steps.max() < 1.5 * CELL  # in order


def test_a_saddle_is_passed_as_contourpy_passes_it():
    x = np.linspace(-2.0, 2.0, 33)  # two peaks with the ridge between two nodes
    weights = sum(np.exp(-8 * ((x[:, None] - at) ** 2 + (x - at) ** 2)) for at in (-0.7, 0.7))
    saddle = 2 * np.exp(-16 * 0.7**2)
    for level in (0.9 * saddle, 1.1 * saddle, 0.5):
        loop = np.empty((2000, 2))
        lines = contour_generator(x, x, weights.T).lines(level)
        assert longest_loop(x, x, weights, level, loop) == max(map(len, lines)) - 1


def test_an_open_contour_is_no_loop():
    weights, loop = np.exp(-0.5 * AXIS[:, None] ** 2) * np.ones(81), np.empty((2000, 2))
    assert longest_loop(AXIS, AXIS, weights, 0.5, loop) == 0
    assert not grid_contours(AXIS, AXIS, weights, np.array(MASSES), np.eye(2), np.empty((3, 64, 2)))


def test_thinned_points_lie_evenly_along_a_square():
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    thinned = np.empty((8, 2))
    thin_loop(square, 4, np.array([[1.0, 0.0], [0.0, 2.0]]), thinned)
    assert thinned.tolist() == [[0, 0], [0.5, 0], [1, 0], [1, 1], [1, 2], [0.5, 2], [0, 2], [0, 1]]


def test_contours_of_a_gaussian_hold_their_mass():
    covariance, mean = np.array([[1.0, 0.4, 0.1], [0.4, 0.5, 0.0], [0.1, 0.0, 2.0]]), np.array([0.5, -1.0, 3.0])
    projection = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 2)))[0]
    loops = np.empty((3, 64, 2))
    ellipses(mean, covariance, np.array(MASSES), projection, loops)
    inverse = np.linalg.inv(projection.T @ covariance @ projection)
    away = loops - mean @ projection
    squares = np.einsum("kia,ab,kib->ki", away, inverse, away)
    np.testing.assert_allclose(squares, np.repeat(-2 * np.log1p(-np.array(MASSES))[:, None], 64, 1), rtol=1e-12)


@pytest.mark.parametrize("problem", [LogisticRegression(2), PoissonRegression(2), LinearRegression(2)])
@pytest.mark.parametrize("t", [20, 3000])
def test_terms_are_summed_to_rounding(problem, t):
    rng = np.random.default_rng(2)
    rows, targets = rng.normal(size=(t, 2)), rng.integers(0, 4, t).astype(float)
    rows[0] *= 200.0  # beyond the range of products of exponentials
    x, y = np.linspace(-0.5, 0.2, 41), np.linspace(0.1, 0.6, 41)
    total = np.zeros((41, 41))
    plane_grid.add_potential(problem.kind_code, rows, targets, t, x, y, total)
    scores = rows[:, 0] * x[:, None, None] + rows[:, 1] * y[:, None]
    exact = problem.score_loss(scores, targets).sum(axis=2)
    # 1e-9 per row from the Chebyshev nodes of LEVELS, and rounding of the largest term
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
