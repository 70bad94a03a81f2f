"""What a pool scores by kernels is what `sampler.metrics` says."""

import numpy as np
import pytest

from sampler.kernels import histogram_accuracy
from sampler.metrics import exact_ceiling, successive_correlation, uniform_accuracy


@pytest.mark.parametrize("n, d", [(1, 1), (30, 2), (1024, 21)])
def test_accuracy_is_the_library_s(n, d):
    uniforms, result = np.random.default_rng(n).random((n, d)) ** 1.3, np.zeros(3)
    uniforms[0, 0] = 1.0
    histogram_accuracy.accuracy(uniforms, result)
    assert result[0] == pytest.approx(uniform_accuracy(uniforms), abs=1e-13)


@pytest.mark.parametrize("n, d", [(1, 1), (2, 2), (64, 2), (1024, 2), (1024, 21), (16384, 3)])
def test_the_ceiling_is_the_library_s(n, d):
    result, exact = np.zeros(3), exact_ceiling(n, d)
    histogram_accuracy.ceiling(n, d, result)
    # log Gamma(n) is 1e5 at most here, and keeps its rounding as an error of the chance
    assert result[0] == pytest.approx(exact.mean, abs=1e-10) and result[1] == pytest.approx(exact.sd, rel=1e-9)


def test_shape_and_memory_are_the_library_s():
    rng, result = np.random.default_rng(0), np.zeros(3)
    previous = rng.normal(size=(80, 3)) * [1.3, 0.6, 1.0] + [0.1, -0.4, 0.0]
    current = 0.5 * previous + rng.normal(size=(80, 3))
    histogram_accuracy.shape(previous, result)
    widths = previous.std(axis=0)
    expected = [widths.max() - 1.0, np.abs(previous.mean(axis=0)).max(), 1.0 - widths.min()]
    np.testing.assert_allclose(result, expected, atol=1e-14)
    histogram_accuracy.memory(previous, current, result)
    assert result[0] == pytest.approx(successive_correlation(previous, current).highest, abs=1e-13)


def test_a_coordinate_that_stands_still_has_no_memory():
    rng, result = np.random.default_rng(0), np.zeros(3)
    previous, current = np.zeros((9, 2)), rng.normal(size=(9, 2))
    histogram_accuracy.memory(previous, current, result)
    assert np.isnan(result[0])
    previous[:, 1] = -current[:, 1]
    histogram_accuracy.memory(previous, current, result)
    assert result[0] == pytest.approx(-1.0)
