import os
import resource
import signal
import tracemalloc

import numpy as np
import pytest

from sampler import GaussianMean, LogisticRegression, OnlineSagaLD, Settings
from sampler.algorithms.state_archive import load_extra

SETTINGS = Settings(eta0=0.3, batch_size=4, i_max=5)
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(400, 3)), (RNG.random(400) < 0.5).astype(float)


def sampler(n=0, **prepare):
    saga = OnlineSagaLD(LogisticRegression(3), SETTINGS, chains=3, seed=2)
    if "folder" in prepare:
        saga.keep_rows_in(prepare["folder"])
    if "reserve" in prepare:
        saga.reserve(prepare["reserve"])
    for first in range(0, n, 7):
        saga.observe(X[first:min(first + 7, n)], Y[first:min(first + 7, n)])
    return saga


@pytest.mark.parametrize("storage", [{"reserve": 400}, {"reserve": 100}, {"folder": True}, {"folder": True, "reserve": 300}])
def test_row_storage_does_not_change_results(storage, tmp_path):
    storage = {**storage, **({"folder": tmp_path} if "folder" in storage else {})}
    expected, stored = sampler(400), sampler(400, **storage)
    np.testing.assert_array_equal(stored.positions, expected.positions)
    np.testing.assert_array_equal(stored.posterior.rows, expected.posterior.rows)
    np.testing.assert_array_equal(stored.posterior.labels, expected.posterior.labels)


@pytest.mark.parametrize("in_a_file", [True, False])
def test_a_posterior_is_unchanged_by_new_rows_and_samples_are_a_copy(tmp_path, in_a_file):
    saga = sampler(50, **({"folder": tmp_path} if in_a_file else {}))
    view = saga.posterior
    before = view.rows.copy()
    saga.observe(X[50:], Y[50:]).samples[:] = 99.0
    np.testing.assert_array_equal(view.rows, before)
    assert view.t == 50 and saga.posterior.t == 400 and not (saga.positions == 99.0).any()
    assert os.listdir(tmp_path) == []  # the file is anonymous: a killed process leaves no file


def test_reserved_memory_is_not_moved():
    saga = sampler(10, reserve=400)
    address = saga.posterior.rows.ctypes.data
    saga.observe(X[10:], Y[10:])
    assert saga.posterior.rows.ctypes.data == address


def test_a_checkpoint_without_rows_is_smaller_and_needs_them(tmp_path):  # continuing with them: test_online_saga_ld
    kept = sampler(200)
    kept.save(tmp_path / "bare", rows=False, extra={"note": np.arange(3)})
    kept.save(tmp_path / "full")
    assert os.path.getsize(tmp_path / "full") - os.path.getsize(tmp_path / "bare") > 200 * 3 * 8
    np.testing.assert_array_equal(load_extra(tmp_path / "bare")["note"], np.arange(3))
    with pytest.raises(ValueError, match="was saved without its rows"):
        OnlineSagaLD.load(tmp_path / "bare")


def test_saving_copies_nothing(tmp_path):
    settings = SETTINGS.replace(eta0=0.01, i_max=1, batch_size=1, refresh=False)
    saga = OnlineSagaLD(GaussianMean(8), settings, chains=100, seed=2)
    saga.observe(RNG.normal(size=(3_600, 8)))  # 72 bytes per chain and datum: 25.9 MB of cache
    tracemalloc.start()
    saga.save(tmp_path / "state")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert os.path.getsize(tmp_path / "state") > 25e6
    assert peak < 20e6  # NumPy's buffer of 16 MB, for any size


@pytest.mark.parametrize(("call", "words"), [
    (lambda s, p: s.reserve(0), "n must be a whole number"),
    (lambda s, p: s.reserve(2**31), r"2147483647\], got 2147483648"),
    (lambda s, p: s.keep_rows_in(p), "before the first datum"),
    (lambda s, p: OnlineSagaLD(LogisticRegression(3)).keep_rows_in(p / "none"), "folder must exist"),
])
def test_wrong_calls_are_errors(call, words, tmp_path):
    with pytest.raises(ValueError, match=words):
        call(sampler(10), tmp_path)


def test_more_data_than_the_calendar_counts_are_rejected():
    saga = sampler(10)
    saga._rows.t = 2**31 - 2  # as if they had arrived
    with pytest.raises(ValueError, match="at most 2,147,483,647 data"):
        saga._rows.append(2, ())
    assert saga._rows.t == 2**31 - 2


def test_a_full_disk_is_an_error(tmp_path):
    """Simulated by the size limit of files."""
    saga, limits = sampler(folder=tmp_path), resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
        with pytest.raises(ValueError, match="has no room for 0.06 GB of rows"):
            saga.reserve(1_000_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
