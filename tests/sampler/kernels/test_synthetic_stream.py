"""Rows that a page draws without NumPy are the library's."""

import numpy as np
import pytest

from sampler import synthetic_stream
from sampler.kernels.synthetic_stream import KINDS, STREAMS, fill_stream

ROWS = 4096


def drawn(kind, dim, stream, seed):
    theta, features, labels = np.empty(dim), np.empty((ROWS, dim)), np.empty(ROWS)
    fill_stream(KINDS.index(kind), STREAMS.index(stream), seed, theta, features, labels)
    return theta, features, labels


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("dim", "seed"), [(2, 0), (2, 999_999), (3, 2**40), (21, 4)])
def test_a_stream_is_that_of_the_library(kind, stream, dim, seed):
    theta, features, labels = drawn(kind, dim, stream, seed)
    library = synthetic_stream(kind, dim, stream, ROWS, seed)
    np.testing.assert_array_equal(theta, library.theta)
    if stream == "drifting":  # sine and cosine of an angle up to 7.2, whose rounding is 9e-16, of a truth up to 4 long
        np.testing.assert_allclose(features, library.features, rtol=0, atol=1e-14)
    else:
        np.testing.assert_array_equal(features, library.features)
    if kind == "linear":  # sums of 21 products of up to 20 in another order: 21 units in the last place of 100
        np.testing.assert_allclose(labels, library.labels, rtol=0, atol=21 * 2.0**-46)
    elif kind != "gaussian_mean":
        np.testing.assert_array_equal(labels, library.labels)
