"""Two weighted sums of the same rows in one pass, against NumPy, at every width."""

import numpy as np
import pytest

from sampler.kernels.compile import kernel
from sampler.kernels.lanes import LANES, aligned_empty, aligned_zeros, gathered_sums, lanes_for, padded


@kernel()
def both(lanes, rows, indices, first, out, second, out_2):
    gathered_sums(lanes, rows, indices, indices.size, first, out, second, out_2)


@pytest.mark.parametrize("dim", [1, 8, 21, 64, 72, 130, 200])  # 72 is the first width done in two parts
def test_two_sums_at_once(dim):
    rng = np.random.default_rng(dim)
    rows = aligned_zeros((50, padded(dim)))
    rows[:, :dim] = rng.standard_normal((50, dim))
    indices, first, second = rng.integers(0, 50, 33), rng.standard_normal(33), rng.standard_normal(33)
    out, out_2 = np.ones(padded(dim)), np.ones(padded(dim))
    both(lanes_for(dim), rows, indices, first, out, second, out_2)
    np.testing.assert_allclose(out, first @ rows[indices], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(out_2, second @ rows[indices], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("size", [1, 7, 8, 9, 64])
def test_scratch_starts_on_a_cache_line(size):
    array = aligned_empty(size)
    assert array.shape == (size,) and array.dtype == np.float64
    assert array.ctypes.data % (8 * LANES) == 0
