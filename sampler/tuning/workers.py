"""Where cells are run: processes of this machine, or a Dask cluster, behind one interface."""

import os
import pickle
import sys
import tempfile
from concurrent.futures import BrokenExecutor, CancelledError, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import get_context

import numpy as np

from sampler.algorithms.online_saga_ld import OnlineSagaLD
from sampler.problems.glm import GLM_KINDS
from sampler.problems.problem_by_name import load_problem
from sampler.settings import Settings
from sampler.tuning.sweep_cell import CellResult, SweepJob, run_cell

ANSWER_WITHIN = 10.0  # seconds a scheduler may take
LOSSES_ALLOWED = 3  # of the same cell: one that kills its worker must not go round for ever
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class WorkersLost(ValueError):
    """No worker is left; finished trials are safe in the study."""


class Here:
    """No workers: cells are run one by one by whoever asks for them."""

    workers = 1

    def give(self, job: SweepJob) -> None:
        """Take the job."""
        self._job = job

    def submit(self, settings: Settings, rung: int) -> Future:
        """Run one cell now."""
        future: Future = Future()
        try:
            future.set_result(run_cell(self._job, settings, rung))
        except Exception as error:
            future.set_exception(error)
        return future

    def is_loss(self, error: BaseException) -> bool:
        """There is no worker to lose."""
        return False

    def close(self) -> None:
        """Nothing to stop."""


def open_workers(problem, workers: int, scheduler: str | None):
    """A Dask cluster, a process pool, or this process alone for 0 workers."""
    if scheduler is not None:
        return DaskCluster(scheduler)
    return ProcessPool(workers, problem) if workers else Here()


class ProcessPool:
    """Worker processes of this machine. They compile while the reference is drawn; one that dies is replaced."""

    def __init__(self, workers: int, problem) -> None:
        self.workers = workers
        self._file = tempfile.NamedTemporaryFile(prefix="sweep-", suffix=".job")  # noqa: SIM115
        self._start()
        if problem.kind in GLM_KINDS:
            for _ in range(workers):
                self._send(warm_up, problem.kind, problem.dim)

    def _start(self) -> None:
        # Spawned, not forked: a page's threads and compiled code do not survive a fork.
        self._pool = ProcessPoolExecutor(self.workers, get_context("spawn"), _look_in, (list(sys.path),))

    def _send(self, function, *arguments) -> Future:
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

    def submit(self, settings: Settings, rung: int) -> Future:
        """Start one cell."""
        return self._send(_run_from_file, self._file.name, settings, rung)

    def is_loss(self, error: BaseException) -> bool:
        """Did the worker die, rather than the cell fail?"""
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


class DaskCluster:
    """Workers of a Dask cluster that is running already, e.g. ``tcp://127.0.0.1:8786``."""

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise ValueError("scheduler needs the package distributed; pip install 'exit-time-lab[cluster]'") from None
        try:
            self._client = Client(address, timeout=ANSWER_WITHIN, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise ValueError(f"scheduler: none answers at {address!r} within {ANSWER_WITHIN:g} s ({type(error).__name__}); "
                             "start one with `dask scheduler` and workers with `dask worker`") from None
        self._address = address
        self._executor = self._client.get_executor(pure=False)
        self.workers = max(1, sum(self._client.nthreads().values()))

    def give(self, job: SweepJob) -> None:
        """Hand the job to every worker."""
        self._payload = dumps(job)
        self._scatter()

    def _scatter(self) -> None:
        try:
            self._data = self._client.scatter(self._payload, broadcast=True, hash=False)
        except Exception as error:
            raise WorkersLost(self._words(error)) from None

    def submit(self, settings: Settings, rung: int) -> Future:
        """Start one cell."""
        try:
            return self._executor.submit(_run_from_bytes, self._data, settings, rung)
        except Exception as error:
            raise WorkersLost(self._words(error)) from None

    def is_loss(self, error: BaseException) -> bool:
        """Did the worker die, rather than the cell fail? A scheduler that is gone raises WorkersLost."""
        from distributed.scheduler import KilledWorker

        if self._client.status != "running":
            raise WorkersLost(self._words(error)) from None
        lost = isinstance(error, (KilledWorker, CancelledError))
        if lost:
            self._scatter()
        return lost

    def _words(self, error) -> str:
        return (f"scheduler: {self._address!r} does not answer any more ({type(error).__name__}); finished trials are "
                "kept in the study: start it again and sweep again")

    def close(self) -> None:
        """Drop what is at work and leave; the cluster goes on."""
        try:
            self._executor.shutdown(wait=False)
        finally:
            self._client.close(timeout=2)


def dumps(job: SweepJob) -> bytes:
    """The job as bytes: a problem with a name is found again by it, functions of a notebook travel whole."""
    if hasattr(job.problem, "named"):
        job = replace(job, problem=Named(*job.problem.named))
    try:
        return pickle.dumps(job)
    except (pickle.PicklingError, AttributeError, TypeError):
        from numba import cloudpickle  # numba brings its own

        return cloudpickle.dumps(job)


@dataclass(frozen=True)
class Named:
    """A problem known to another process by its module and name: compiled functions cannot travel."""

    name: str
    folder: str


def loads(payload: bytes) -> SweepJob:
    """What ``dumps`` packed."""
    job = pickle.loads(payload)
    if isinstance(job.problem, Named):
        job = replace(job, problem=load_problem(job.problem.name, job.problem.folder))
    return job


@contextmanager
def single_threaded_children():
    """Processes started inside use one thread for linear algebra: one process a core is enough."""
    changed = [name for name in ONE_THREAD if name not in os.environ]
    os.environ.update(dict.fromkeys(changed, "1"))
    try:
        yield
    finally:
        for name in changed:
            os.environ.pop(name, None)


def warm_up(kind: str, dim: int) -> None:
    """Compile what a cell needs, or read it from the disk cache."""
    saga = OnlineSagaLD(GLM_KINDS[kind](dim), Settings(i_max=2, batch_size=2), chains=1)
    saga.observe(np.zeros((2, dim)), np.zeros(2))


_jobs: dict = {}


def _look_in(path: list[str]) -> None:
    """Modules are looked for where the parent does, so that a problem beside a notebook is found."""
    sys.path[:] = path + [folder for folder in sys.path if folder not in path]


def _run_from_file(path: str, settings: Settings, rung: int) -> CellResult:
    if path not in _jobs:
        _jobs.clear()
        with open(path, "rb") as file:
            _jobs[path] = loads(file.read())
    return run_cell(_jobs[path], settings, rung)


def _run_from_bytes(payload: bytes, settings: Settings, rung: int) -> CellResult:
    key = hash(payload)
    if key not in _jobs:
        _jobs.clear()
        _jobs[key] = loads(payload)
    return run_cell(_jobs[key], settings, rung)
