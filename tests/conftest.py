"""No stale kernel can pass a test, and none is compiled twice: compiled kernels are kept by what they are made of.

numba's disk cache does not see an edit in another file, so each state of `sampler/kernels`, where all kernels are and which
imports nothing else of the project (`test_imports`), has a cache folder of its own, which all runs, their workers and their
children share. What one worker compiles the others wait for, and read.
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
"""States of the kernels' sources whose compiled kernels are kept: 20 MB each."""


def _kernels() -> Path:
    """The folder of this state's kernels, last in order of use; the older ones go."""
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

_save, _compile, _here = IndexDataCacheFile.save, Dispatcher.compile, threading.local()


@contextmanager
def _turn(name: str):
    """Hold what one process of this Python at a time may hold: another version's kernels are others."""
    os.makedirs(os.environ["NUMBA_CACHE_DIR"], exist_ok=True)
    with open(os.path.join(os.environ["NUMBA_CACHE_DIR"], f"{sys.implementation.cache_tag}.{name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _save_in_turn(file: IndexDataCacheFile, key, data) -> None:
    """Save while no other worker does: numba numbers a file by an index that another may be writing.

    Two workers that save one function for two signatures at the same moment would swap their compiled codes.
    """
    with _turn("save"):
        _save(file, key, data)


def _compile_in_turn(dispatcher: Dispatcher, signature):
    """Compile a function while no other worker does. What it calls is compiled on the way, without a turn: no deadlock."""
    if getattr(_here, "compiles", False):
        return _compile(dispatcher, signature)
    with _turn(f"{dispatcher.py_func.__module__}.{dispatcher.py_func.__qualname__}"):
        _here.compiles = True
        try:
            return _compile(dispatcher, signature)
        finally:
            _here.compiles = False


IndexDataCacheFile.save, Dispatcher.compile = _save_in_turn, _compile_in_turn


def pytest_collection_finish():
    """Look for garbage among what tests make, and rarely: to compile makes much, and nearly all of it goes by itself.

    What has been imported by now stays. Of the time to compile a kernel it was a tenth.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(autouse=True)
def _no_loop_but_its_own(request):
    """Let a test without a browser run an event loop, though Playwright's stands as running since a test with one."""
    if "chromium" in request.fixturenames:
        yield
        return
    others = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(others)
