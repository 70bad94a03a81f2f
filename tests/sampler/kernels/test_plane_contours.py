"""Levels, loops and ellipses of the plane by kernels: on paper, and as contourpy has them."""

import numpy as np
import pytest
from contourpy import contour_generator

from sampler.kernels.plane_contours import MASSES, ellipses, grid_contours, level_holding, longest_loop, thin_loop

AXIS = np.linspace(-4.0, 4.0, 81)
CELL = AXIS[1] - AXIS[0]
BUMP = np.exp(-0.5 * (AXIS[:, None] ** 2 + (AXIS - 0.8 * AXIS[:, None]) ** 2 / 0.36))


@pytest.mark.parametrize("mass", [0.01, 0.5, 0.9, 0.99, 0.999999])
@pytest.mark.parametrize("values", [np.random.default_rng(0).random(999), np.round(np.random.default_rng(1).random(400), 1),
                                    BUMP.ravel(), np.ones(5)], ids=["uniform", "ties", "bump", "equal"])
def test_a_level_is_the_one_that_sorting_finds(values, mass):
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
    assert steps.max() < 1.5 * CELL  # in their order


def test_a_saddle_is_passed_as_contourpy_passes_it():
    x = np.linspace(-2.0, 2.0, 33)  # two peaks whose ridge lies between two nodes
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
