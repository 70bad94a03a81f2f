"""Workers of a sweep: this process, local processes or a Dask cluster; `connect`: its client, over TLS unless local."""

import ipaddress
import os
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from sampler.algorithms.algorithm_names import PLAIN, online_algorithm
from sampler.problems.base import Problem
from sampler.problems.glm import GLM_KINDS
from sampler.settings import Settings
from sampler.tuning.sweep_cell import SweepJob, dumps, run_cell, run_packed

CONNECT_TIMEOUT = 10.0  # seconds
UNENCRYPTED = ("tcp", "ws", "ucx", "ucxx")
PLAIN_TCP = "distributed.comm.require-encryption"
"""Key of Dask's configuration; explicitly set to false, `connect` accepts a remote scheduler without TLS."""


def connect(address: str) -> Any:
    """Return a ``distributed.Client`` of the scheduler at ``address``, e.g. ``tcp://127.0.0.1:8786``.

    Certificates for ``tls://`` are taken from Dask's configuration (``distributed.comm.tls``).

    Raises
    ------
    ValueError
        If ``distributed`` is not installed, if the scheduler or one of its current workers is on another host without TLS,
        or if no scheduler responds.
    """
    distributed = import_distributed()
    _refuse_unencrypted(address)
    _refuse_without_certificates(address)
    try:
        client = distributed.Client(address, timeout=CONNECT_TIMEOUT, set_as_default=False)
    except (OSError, TimeoutError, ValueError, TypeError, RuntimeError) as error:
        why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise ValueError(f"scheduler: no response from {address!r} within {CONNECT_TIMEOUT:g} s ({' '.join(why.split())}); "
                         "start one with `dask scheduler` and workers with `dask worker`") from None
    try:
        for worker in client.nthreads():
            _refuse_unencrypted(worker, "worker")
    except ValueError:
        client.close()
        raise
    return client


def import_distributed() -> Any:
    """Import ``distributed`` lazily, since it is slow; raise a ValueError with install instructions if it is missing."""
    try:
        import distributed
    except ImportError:
        raise ValueError("scheduler needs the package distributed; pip install 'exit-time-lab[cluster]'") from None
    return distributed


def _refuse_unencrypted(address: str, role: str = "scheduler") -> None:
    import dask

    if not isinstance(address, str) or not address:
        raise ValueError(f"scheduler must be an address such as tcp://127.0.0.1:8786, got {address!r}")
    scheme, separator, _ = address.partition("://")
    if (scheme if separator else "tcp") not in UNENCRYPTED or _on_this_machine(address):
        return
    if dask.config.get(PLAIN_TCP, None) is not False:
        raise ValueError(f"{role}: {address!r} is on another host and not encrypted: anyone on the network can read the "
                         "rows and run programs on the workers. Use tls:// with --tls-ca, --tls-cert and --tls-key (or "
                         f"Dask's configuration); on a private network, pass --plain-tcp (or set {PLAIN_TCP} to false in "
                         "Dask's configuration)")


def _refuse_without_certificates(address: str) -> None:
    from distributed.security import Security

    if not address.startswith("tls://"):
        return
    try:
        secured = Security().get_connection_args("client").get("ssl_context") is not None
    except (OSError, ValueError) as error:
        raise ValueError(f"scheduler: the certificates for {address!r} cannot be used ({error}); check --tls-ca, --tls-cert "
                         "and --tls-key, or Dask's configuration") from None
    if not secured:
        raise ValueError(f"scheduler: {address!r} needs certificates; pass --tls-ca, --tls-cert and --tls-key, or set "
                         "distributed.comm.tls in Dask's configuration")


def _on_this_machine(address: str) -> bool:
    try:
        host = urlsplit(address if "://" in address else f"tcp://{address}").hostname or ""
        return host == "localhost" or ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:  # a name
        return False


class WorkersLost(ValueError):
    """Raised if no worker is left; finished trials are stored in the study."""


class DaskCluster:
    """Workers of a running Dask cluster, e.g. ``tcp://127.0.0.1:8786``."""

    def __init__(self, address: str) -> None:
        self._client = connect(address)
        self._address = address
        self._executor = self._client.get_executor(pure=False)
        self.workers = max(1, sum(self._client.nthreads().values()))

    def give(self, job: SweepJob) -> None:
        """Send the job to every worker."""
        self._payload = dumps(job)
        self._scatter()

    def _scatter(self) -> None:
        try:
            self._data = self._client.scatter(self._payload, broadcast=True, hash=False)
        except Exception as error:
            raise WorkersLost(self._loss_message(error)) from None

    def submit(self, settings: Settings, rung: int) -> Future[Any]:
        """Start one cell."""
        try:
            return self._executor.submit(run_packed, self._data, settings, rung)
        except Exception as error:
            raise WorkersLost(self._loss_message(error)) from None

    def is_loss(self, error: BaseException) -> bool:
        """Return whether an error is the loss of a worker, not a failed cell; raise WorkersLost if the scheduler is lost."""
        from distributed.scheduler import KilledWorker

        if self._client.status != "running":
            raise WorkersLost(self._loss_message(error)) from None
        lost = isinstance(error, (KilledWorker, CancelledError))
        if lost:
            self._scatter()
        return lost

    def check(self) -> None:
        """Raise WorkersLost if the client is closed: cells submitted while it closed would never finish."""
        if self._client.status == "closed":
            raise WorkersLost(self._loss_message(ConnectionError()))

    def _loss_message(self, error: Any) -> str:
        return (f"scheduler: {self._address!r} no longer responds ({type(error).__name__}); finished trials are kept in the "
                "study: restart the scheduler and the sweep")

    def close(self) -> None:
        """Cancel running cells and disconnect; the cluster keeps running."""
        try:
            if self._client.status == "running":  # a closed client has cancelled them and raises here
                self._executor.shutdown(wait=False)
        finally:
            self._client.close(timeout=2)


ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
SAFE_PATH = "PYTHONSAFEPATH"
"""Variable that keeps a child from importing from the working folder, which may contain a user's `app`."""
GIVE_WAY = 5
"""Niceness of the workers of a page's sweep: a third of a core that pages of the server also use. At 10, a tenth, sweeps
stalled on a busy machine."""


class ProcessPool:
    """Worker processes of this machine. They compile while the reference is drawn; a process that dies is replaced."""

    def __init__(self, workers: int, problem: Problem, algorithms: Sequence[str] = (PLAIN,), nice: int = 0) -> None:
        self.workers, self._nice = workers, nice
        self._file = tempfile.NamedTemporaryFile(prefix="sweep-", suffix=".job")  # noqa: SIM115
        self._start()
        if problem.kind in GLM_KINDS:
            for _ in range(workers):
                self._send(warm_up, problem.kind, problem.dim, tuple(algorithms))

    def _start(self) -> None:
        # Spawn, not fork: threads and compiled code of a page do not survive a fork.
        context = get_context("spawn")
        open_end, self._lifeline = context.Pipe(duplex=False)  # workers exit once `_lifeline` is closed
        self._pool = ProcessPoolExecutor(self.workers, context, begin_worker, (list(sys.path), self._nice, open_end))

    def _send(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        with single_threaded_children():
            try:
                return self._pool.submit(function, *arguments)
            except BrokenExecutor:
                self._start()
                return self._pool.submit(function, *arguments)

    def give(self, job: SweepJob) -> None:
        """Write the job to the file that the workers read."""
        self._file.write(dumps(job))
        self._file.flush()

    def submit(self, settings: Settings, rung: int) -> Future[Any]:
        """Start one cell."""
        return self._send(run_packed, self._file.name, settings, rung)

    def is_loss(self, error: BaseException) -> bool:
        """Return whether an error is the loss of a worker, not a failed cell."""
        return isinstance(error, BrokenExecutor)

    def check(self) -> None:
        """Do nothing: the loss of a process fails its cell."""

    def close(self) -> None:
        """Stop immediately; running cells are cancelled."""
        self._lifeline.close()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._file.close()


@contextmanager
def single_threaded_children() -> Iterator[None]:
    """Set variables for child processes started in the context: one linear algebra thread, and safe import paths."""
    changed = [name for name in (*ONE_THREAD, SAFE_PATH) if name not in os.environ]
    os.environ.update(dict.fromkeys(changed, "1"))
    try:
        yield
    finally:
        for name in changed:
            os.environ.pop(name, None)


def warm_up(kind: str, dim: int, algorithms: Sequence[str] = (PLAIN,)) -> None:
    """Compile the kernels of these algorithms, or load them from the disk cache."""
    for algorithm in algorithms:
        saga = online_algorithm(algorithm)(GLM_KINDS[kind](dim), Settings(i_max=2, batch_size=2), chains=1)
        saga.observe(np.zeros((2, dim)), np.zeros(2))


def begin_worker(path: list[str], nice: int = 0, lifeline: Connection | None = None) -> None:
    """Prepare a worker process: module path of the parent, niceness, Ctrl-C ignored.

    The process exits with its parent, or once the other end of the lifeline is closed. Ctrl-C, which a terminal sends to
    all its processes, is handled by the parent.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.filterwarnings("ignore", "the gradient of a term must not fall")  # once, by the rehearsal, not in every cell
    if nice and hasattr(os, "nice"):
        os.nice(nice)
    threading.Thread(target=_end_with_parent, args=[lifeline], name="sweep-worker-parent", daemon=True).start()
    sys.path[:] = path + [folder for folder in sys.path if folder not in path]


def _end_with_parent(lifeline: Connection | None) -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel] if lifeline is None else [parent.sentinel, lifeline])
        os.kill(os.getpid(), signal.SIGTERM)  # immediately, also while other threads compute


def open_workers(problem: Problem, workers: int, scheduler: str | None, algorithms: Sequence[str] = (PLAIN,),
                 nice: int = 0) -> Any:
    """Return a Dask cluster, a process pool that compiles these algorithms in advance, or, for 0 workers, this process."""
    if scheduler is not None:
        return DaskCluster(scheduler)
    return ProcessPool(workers, problem, algorithms, nice) if workers else InProcessWorkers()


class InProcessWorkers:
    """Runs each cell in this process on submission."""

    workers = 1

    def give(self, job: SweepJob) -> None:
        """Store the job."""
        self._job = job

    def submit(self, settings: Settings, rung: int) -> Future[Any]:
        """Run one cell and return its finished future."""
        future: Future[Any] = Future()
        try:
            future.set_result(run_cell(self._job, settings, rung))
        except Exception as error:
            future.set_exception(error)
        return future

    def is_loss(self, error: BaseException) -> bool:
        """Return False: there is no worker process."""
        return False

    def check(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""
