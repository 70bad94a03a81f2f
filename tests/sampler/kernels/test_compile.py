"""Kernels work where no disk cache can be written, and keep what is not finite."""

from types import SimpleNamespace

import numba
import numpy as np

from sampler.kernels import compile as compile_module
from sampler.kernels.compile import REORDER, kernel


def test_an_unwritable_cache_means_compiling_each_time(monkeypatch):
    njit, asked = numba.njit, []

    def unwritable(*args, cache=False, **options):
        asked.append(cache)
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return njit(*args, **options)

    monkeypatch.setattr(numba, "njit", unwritable)

    @kernel()
    def twice(x):
        return 2 * x

    assert asked == [True, False]
    monkeypatch.undo()  # numba compiles parts of its own through the same name
    assert twice(4) == 8


def test_reordered_sums_still_show_what_is_not_finite():
    @kernel(REORDER)
    def total(x):
        s = 0.0
        for v in x:
            s += v
        return s

    assert np.isnan(total(np.array([1.0, np.nan, 2.0]))) and np.isinf(total(np.array([1.0, np.inf])))


def test_a_full_disk_means_compiling_each_time_and_is_logged_once(monkeypatch, caplog):
    for cached in (compile_module._warn, compile_module._has_room):
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
    compile_module._has_room.cache_clear()
