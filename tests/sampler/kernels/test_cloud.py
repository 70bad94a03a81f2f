"""Known answers of the cloud's kernels, and NumPy's."""

import numpy as np
import pytest

from sampler.kernels.cloud import LARGEST, measure_cloud, outline, shadow, widest_axes

SOUND = np.array([True, False, True, True])
SAMPLES = np.array([[3.0, 4.0], [np.nan, np.inf], [0.0, 1.0], [1e200, 0.0]])


def test_distances_are_of_sound_chains_in_balls():
    inside, result = np.full(4, -1.0), np.empty(3)
    measure_cloud(SAMPLES, SOUND, np.zeros(2), np.array([30.0, np.inf, 25.0, np.inf]), 25.0, inside, result)
    np.testing.assert_array_equal(inside, [1.0, 0.04, LARGEST, -1.0])
    np.testing.assert_array_equal(result, [3, LARGEST, 2])  # 25 stands on the ball: it has not left


def test_an_outline_is_mean_and_covariance_of_sound_chains():
    samples = np.random.default_rng(0).normal(3.0, 1.0, (40, 5))
    samples[7], sound = np.nan, np.arange(40) != 7
    mean, covariance = np.empty(5), np.empty((5, 5))
    assert outline(samples, sound, mean, covariance)
    # 39 sums of numbers below 10, each to eps: 39 * 10 * 2.2e-16 = 9e-14.
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
    # Eigenvalues are 1 apart, the largest d: vectors are off by some d eps d.
    np.testing.assert_allclose(axes, expected, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(covariance, kept)


def test_a_shadow_is_the_inverse_between_the_axes():
    metric, axes, out = np.diag([4.0, 1.0, 0.25]), np.array([[1.0, 0.0, 0.0], [0.0, 0.6, 0.8]]), np.empty((2, 2))
    assert shadow(metric, 0.0, axes, out)
    np.testing.assert_allclose(out, [[0.25, 0.0], [0.0, 0.36 + 4 * 0.64]], rtol=1e-15, atol=0)


@pytest.mark.parametrize("metric", [[[1.0, 2.0], [2.0, 1.0]], [[np.nan, 0.0], [0.0, 1.0]]])
def test_what_is_no_metric_has_no_shadow(metric):
    assert not shadow(np.array(metric), 1e-12, np.eye(2), np.empty((2, 2)))
