"""Worker processes of this machine that run the cells of a sweep."""

import os
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from typing import Any

import numpy as np

from sampler.algorithms.online_algorithms import PLAIN, online_algorithm
from sampler.problems.base import Problem
from sampler.problems.glm import GLM_KINDS
from sampler.settings import Settings
from sampler.tuning.job_transport import dumps, run_from_file
from sampler.tuning.sweep_cell import SweepJob

ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
GIVE_WAY = 5
"""Niceness that a page's sweep adds to its workers: a third of a core that another page of the server wants too. At 10, a
tenth of it, they stood still on a busy machine."""


class ProcessPool:
    """Worker processes of this machine. They compile while the reference is drawn; one that dies is replaced."""

    def __init__(self, workers: int, problem: Problem, algorithms: Sequence[str] = (PLAIN,), nice: int = 0) -> None:
        self.workers, self._nice = workers, nice
        self._file = tempfile.NamedTemporaryFile(prefix="sweep-", suffix=".job")  # noqa: SIM115
        self._start()
        if problem.kind in GLM_KINDS:
            for _ in range(workers):
                self._send(warm_up, problem.kind, problem.dim, tuple(algorithms))

    def _start(self) -> None:
        # Spawned, not forked: a page's threads and compiled code do not survive a fork.
        self._pool = ProcessPoolExecutor(self.workers, get_context("spawn"), _begin, (list(sys.path), self._nice))

    def _send(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        with single_threaded_children():
            try:
                return self._pool.submit(function, *arguments)
            except BrokenExecutor:
                self._start()
                return self._pool.submit(function, *arguments)

    def give(self, job: SweepJob) -> None:
        """Hand the job to whoever runs its cells."""
        self._file.write(dumps(job))
        self._file.flush()

    def submit(self, settings: Settings, rung: int) -> Future[Any]:
        """Start one cell."""
        return self._send(run_from_file, self._file.name, settings, rung)

    def is_loss(self, error: BaseException) -> bool:
        """Return whether the worker died rather than the cell failed."""
        return isinstance(error, BrokenExecutor)

    def close(self) -> None:
        """Stop at once; cells at work are dropped."""
        processes = list((self._pool._processes or {}).values())
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join(5)
        self._file.close()


@contextmanager
def single_threaded_children() -> Iterator[None]:
    """Processes started inside use one thread for linear algebra: one process a core is enough."""
    changed = [name for name in ONE_THREAD if name not in os.environ]
    os.environ.update(dict.fromkeys(changed, "1"))
    try:
        yield
    finally:
        for name in changed:
            os.environ.pop(name, None)


def warm_up(kind: str, dim: int, algorithms: Sequence[str] = (PLAIN,)) -> None:
    """Compile what a cell of these algorithms needs, or read it from the disk cache."""
    for algorithm in algorithms:
        saga = online_algorithm(algorithm)(GLM_KINDS[kind](dim), Settings(i_max=2, batch_size=2), chains=1)
        saga.observe(np.zeros((2, dim)), np.zeros(2))


def _begin(path: list[str], nice: int = 0) -> None:
    """Begin as a worker: modules are looked for where the parent does, so that a problem beside a notebook is found.

    Where asked to, it gives way to pages that are opened meanwhile. It ends with its parent, however that ends. Ctrl-C,
    which a terminal sends to all its processes, is left to the parent.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.filterwarnings("ignore", "the gradient of a term must not fall")  # every cell would say so: the rehearsal does
    if nice and hasattr(os, "nice"):
        os.nice(nice)
    threading.Thread(target=_end_with_parent, name="sweep-worker-parent", daemon=True).start()
    sys.path[:] = path + [folder for folder in sys.path if folder not in path]


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
