"""Workers of a Dask cluster that run the cells of a sweep."""

from concurrent.futures import CancelledError, Future
from typing import Any

from sampler.settings import Settings
from sampler.tuning.job_transport import dumps, run_from_bytes
from sampler.tuning.scheduler_client import connect
from sampler.tuning.sweep_cell import SweepJob


class WorkersLost(ValueError):
    """No worker is left; finished trials are safe in the study."""


class DaskCluster:
    """Workers of a Dask cluster that is running already, e.g. ``tcp://127.0.0.1:8786``."""

    def __init__(self, address: str) -> None:
        self._client = connect(address)
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

    def submit(self, settings: Settings, rung: int) -> Future[Any]:
        """Start one cell."""
        try:
            return self._executor.submit(run_from_bytes, self._data, settings, rung)
        except Exception as error:
            raise WorkersLost(self._words(error)) from None

    def is_loss(self, error: BaseException) -> bool:
        """Return whether the worker died rather than the cell failed; raise WorkersLost if the scheduler is gone."""
        from distributed.scheduler import KilledWorker

        if self._client.status != "running":
            raise WorkersLost(self._words(error)) from None
        lost = isinstance(error, (KilledWorker, CancelledError))
        if lost:
            self._scatter()
        return lost

    def _words(self, error: Any) -> str:
        return (f"scheduler: {self._address!r} does not answer any more ({type(error).__name__}); finished trials are "
                "kept in the study: start it again and sweep again")

    def close(self) -> None:
        """Drop what is at work and leave; the cluster goes on."""
        try:
            if self._client.status == "running":  # a client that is closed has dropped it, and refuses to be told
                self._executor.shutdown(wait=False)
        finally:
            self._client.close(timeout=2)
