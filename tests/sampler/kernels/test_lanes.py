"""Gathered products and sums against NumPy, at every width and alignment."""

import numpy as np
import pytest

from sampler.kernels.compile import kernel
from sampler.kernels.glm_gradient import full_gradient, means_inplace
from sampler.kernels.lanes import (
    aligned_zeros,
    gathered_dots,
    gathered_sum,
    lanes_for,
    padded,
    prefetch,
    prefetch_record,
)


@kernel()
def dots(lanes, rows, indices, x, out):
    gathered_dots(lanes, rows, indices, indices.size, x, out)


@kernel()
def weighted(lanes, rows, indices, weights, out):
    gathered_sum(lanes, rows, indices, indices.size, weights, out)


@pytest.mark.parametrize("dim", [1, 8, 21, 64, 130, 200])  # 130 and 200 pass the width that is held in registers
def test_against_numpy(dim):
    rng = np.random.default_rng(dim)
    rows, x = aligned_zeros((50, padded(dim))), aligned_zeros((padded(dim),))
    rows[:, :dim], x[:dim] = rng.standard_normal((50, dim)), rng.standard_normal(dim)
    indices, weights = rng.integers(0, 50, 33), rng.standard_normal(33)
    scores, total = np.zeros(33), np.zeros(padded(dim))
    dots(lanes_for(dim), rows, indices, x, scores)
    weighted(lanes_for(dim), rows, indices, weights, total)
    np.testing.assert_allclose(scores, rows[indices] @ x, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(total, weights @ rows[indices], rtol=1e-12, atol=1e-12)


def test_storage_is_padded_and_aligned():
    assert [padded(d) for d in (1, 8, 9, 21)] == [8, 8, 16, 24]
    for shape in ((3, 8), (1,), (0, 8)):
        assert aligned_zeros(shape).ctypes.data % 64 == 0 or 0 in shape


def test_asking_ahead_changes_nothing():
    rows, records = np.arange(64.0).reshape(8, 8), np.ones(4, np.dtype([("value", "f8")]))

    @kernel()
    def ask(rows, records):
        prefetch(rows, 3, 0)
        prefetch_record(records, 2)

    ask(rows, records)
    assert (rows == np.arange(64.0).reshape(8, 8)).all() and (records["value"] == 1).all()


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_means(kind):
    scores = np.linspace(-30, 30, 61)
    expected = [1 / (1 + np.exp(-scores)), scores, np.exp(scores)][kind]
    means = scores.copy()
    means_inplace(kind, means)
    np.testing.assert_allclose(means, expected, rtol=1e-14)


def test_the_full_gradient_sums_whole_and_part_blocks():
    rng = np.random.default_rng(0)
    rows, targets, x = aligned_zeros((150, 8)), rng.standard_normal(150), aligned_zeros((8,))
    rows[:, :3], x[:3] = rng.standard_normal((150, 3)), rng.standard_normal(3)
    out = np.zeros(8)
    full_gradient(lanes_for(3), 1, np.full(8, 0.5), rows, targets, 150, x, out, np.empty(64, np.int64))
    np.testing.assert_allclose(out, 0.5 * x + rows.T @ (rows @ x - targets), atol=1e-11)
