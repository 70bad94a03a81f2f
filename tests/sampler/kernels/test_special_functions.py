"""The special functions of the kernels are SciPy's."""

import numpy as np
import pytest
from scipy import special

from sampler.kernels.special_functions import erf, erfc, gammaln, ndtr, ndtri


def values(function, points):
    return np.array([function(x) for x in points])


def test_the_normal_law_is_scipys_in_both_tails():
    x = np.concatenate([np.linspace(-9, 9, 3001), [-37.0, -20.0, 2**0.5, -(2**0.5), 8 * 2**0.5, -8 * 2**0.5, 0.0, 50.0]])
    np.testing.assert_allclose(values(ndtr, x), special.ndtr(x), rtol=0, atol=1e-15)
    low = x[x < 0]  # exp(-x^2/2) keeps 1e-16 x^2/2 of its own size, 7e-14 at -37
    np.testing.assert_allclose(values(ndtr, low), special.ndtr(low), rtol=2e-13)
    assert (ndtr(-np.inf), ndtr(np.inf)) == (0.0, 1.0) and np.isnan(ndtr(np.nan))


def test_the_quantile_is_scipys():
    p = np.concatenate([np.linspace(0, 1, 2001), np.logspace(-295, -1, 900), 1 - np.logspace(-16, -1, 300)])
    expected = special.ndtri(p)
    np.testing.assert_allclose(values(ndtri, p), expected, rtol=1e-13, atol=1e-13)


def test_the_error_function_is_scipys():
    x = np.concatenate([np.linspace(-9, 9, 3001), [1.0, -1.0, 8.0, 26.0, 50.0]])
    np.testing.assert_allclose(values(erf, x), special.erf(x), rtol=1e-15)
    positive = x[x >= 0]  # exp(-x^2) keeps 1e-16 x^2 of its own size
    np.testing.assert_allclose(values(erfc, positive), special.erfc(positive), rtol=2e-13)
    assert (erf(-np.inf), erf(np.inf), erfc(np.inf)) == (-1.0, 1.0, 0.0) and np.isnan(erf(np.nan))


@pytest.mark.parametrize("x", [1.0, 2.0, 0.5, 1e-3, 3.7, 9.999, 10.0, 1025.0, 65537.0, 1e6 + 0.5])
def test_the_logarithm_of_gamma_is_scipys(x):
    # a few roundings of its largest part, x log x
    assert gammaln(x) == pytest.approx(special.gammaln(x), abs=4e-16 * (x * abs(np.log(x)) + 10))
