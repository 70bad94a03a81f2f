"""Cache of compiled kernels, keyed by their sources: no test uses a stale kernel and no kernel is compiled twice.

numba's disk cache does not detect an edit in another file. Each state of `sampler/kernels`, which has all kernels and
imports nothing else of the project (`test_imports`), therefore has its own cache folder, shared by all runs, their workers
and child processes. One worker compiles a kernel; the others wait and read it.
"""

import asyncio
import fcntl
import gc
import hashlib
import os
import shutil
import sys
import threading
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[1]
KEPT = 3
"""Number of source states with cached kernels; 20 MB each."""


def _kernels() -> Path:
    """Return the cache folder of the current sources; delete the least recently used folders."""
    total = hashlib.sha256("".join(version(name) for name in ("numba", "llvmlite", "numpy")).encode())
    for path in sorted((ROOT / "sampler/kernels").rglob("*.py")):
        total.update(path.read_bytes())
    folder = ROOT / ".numba_cache" / total.hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    for old in sorted(folder.parent.iterdir(), key=os.path.getmtime, reverse=True)[KEPT:]:
        shutil.rmtree(old, ignore_errors=True)
    return folder


if "NUMBA_CACHE_DIR" not in os.environ:
    os.environ["NUMBA_CACHE_DIR"] = str(_kernels())

import pytest  # noqa: E402 - as numba
from numba.core.caching import IndexDataCacheFile  # noqa: E402 - numba reads the folder's name when it is imported
from numba.core.dispatcher import Dispatcher  # noqa: E402

_save, _compile, _local = IndexDataCacheFile.save, Dispatcher.compile, threading.local()


@contextmanager
def _lock(name: str):
    """Hold a lock between processes of this Python version; other versions have other kernels."""
    os.makedirs(os.environ["NUMBA_CACHE_DIR"], exist_ok=True)
    with open(os.path.join(os.environ["NUMBA_CACHE_DIR"], f"{sys.implementation.cache_tag}.{name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _save_locked(file: IndexDataCacheFile, key, data) -> None:
    """Save under a lock: numba numbers files by an index that another worker may be writing.

    Two workers that save one function for two signatures at the same moment would swap their compiled code.
    """
    with _lock("save"):
        _save(file, key, data)


def _compile_locked(dispatcher: Dispatcher, signature):
    """Compile a function under a lock; its callees are compiled without a lock of their own to avoid a deadlock."""
    if getattr(_local, "compiles", False):
        return _compile(dispatcher, signature)
    with _lock(f"{dispatcher.py_func.__module__}.{dispatcher.py_func.__qualname__}"):
        _local.compiles = True
        try:
            return _compile(dispatcher, signature)
        finally:
            _local.compiles = False


IndexDataCacheFile.save, Dispatcher.compile = _save_locked, _compile_locked


def pytest_collection_finish():
    """Exclude imported objects from garbage collection and collect rarely.

    Compilation allocates much that reference counting frees; the collector took a tenth of the compile time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(autouse=True)
def _own_event_loop(request):
    """Hide Playwright's running event loop from tests without a browser, so that they can run their own."""
    if "chromium" in request.fixturenames:
        yield
        return
    others = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(others)
