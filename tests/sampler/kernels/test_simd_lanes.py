"""Kernels without a writable disk cache; gathered products and sums against NumPy for each width and alignment."""

from types import SimpleNamespace

import numba
import numpy as np
import pytest

from sampler.kernels import compile as compile_module
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm_langevin import full_gradient, means_inplace
from sampler.kernels.simd_lanes import (
    aligned_empty,
    aligned_zeros,
    gathered_dots,
    gathered_sum,
    gathered_sums,
    lanes_for,
    padded,
)


@kernel()
def dots(lanes, rows, indices, x, out):
    gathered_dots(lanes, rows, indices, indices.size, x, out)


@kernel()
def weighted(lanes, rows, indices, weights, out, weights_2, out_2):
    gathered_sum(lanes, rows, indices, indices.size, weights, out)
    gathered_sums(lanes, rows, indices, indices.size, weights, out_2, weights_2, out)


@pytest.mark.parametrize("dim", [1, 8, 21, 72, 130])  # 72 is summed in two parts, 130 passes the registers
def test_against_numpy(dim):
    rng = np.random.default_rng(dim)
    rows, x = aligned_zeros((50, padded(dim))), aligned_zeros((padded(dim),))
    rows[:, :dim], x[:dim] = rng.standard_normal((50, dim)), rng.standard_normal(dim)
    indices, weights, weights_2 = rng.integers(0, 50, 33), rng.standard_normal(33), rng.standard_normal(33)
    scores, total, total_2 = np.zeros(33), np.ones(padded(dim)), np.ones(padded(dim))
    dots(lanes_for(dim), rows, indices, x, scores)
    np.testing.assert_allclose(scores, rows[indices] @ x, rtol=1e-12, atol=1e-12)
    weighted(lanes_for(dim), rows, indices, weights, total, weights_2, total_2)
    np.testing.assert_allclose(total_2, weights @ rows[indices], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(total, weights_2 @ rows[indices], rtol=1e-12, atol=1e-12)


def test_storage_is_padded_and_aligned():
    assert [padded(d) for d in (1, 8, 9, 21)] == [8, 8, 16, 24]
    for shape in ((3, 8), (1,), (0, 8)):
        assert aligned_zeros(shape).ctypes.data % 64 == 0 or 0 in shape
    for size in (1, 7, 8, 9, 64):
        assert aligned_empty(size).shape == (size,) and aligned_empty(size).ctypes.data % 64 == 0


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


def test_an_unwritable_cache_means_compiling_each_time(monkeypatch):
    njit, cache_options = numba.njit, []

    def unwritable(*args, cache=False, **options):
        cache_options.append(cache)
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return njit(*args, **options)

    monkeypatch.setattr(numba, "njit", unwritable)

    @kernel()
    def twice(x):
        return 2 * x

    assert cache_options == [True, False]
    monkeypatch.undo()  # numba uses the same name internally
    assert twice(4) == 8


def test_reordered_sums_propagate_non_finite_values():
    @kernel(REORDER)
    def total(x):
        s = 0.0
        for v in x:
            s += v
        return s

    assert np.isnan(total(np.array([1.0, np.nan, 2.0]))) and np.isinf(total(np.array([1.0, np.inf])))


def test_a_full_disk_means_compiling_each_time_and_is_logged_once(monkeypatch, caplog):
    for cached in (compile_module._warn, compile_module._has_free_space):
        cached.cache_clear()
    monkeypatch.setattr(compile_module.shutil, "disk_usage", lambda folder: SimpleNamespace(free=1000))

    @kernel()
    def thrice(x):
        return 3 * x

    @kernel()
    def plus_one(x):
        return x + 1

    assert (thrice(4), plus_one(4)) == (12, 5)
    assert [record.message.count("the disk is full") for record in caplog.records] == [1]
    assert "NUMBA_CACHE_DIR" in caplog.text
    compile_module._has_free_space.cache_clear()
