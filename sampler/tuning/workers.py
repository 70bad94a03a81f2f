"""The choice of workers for a sweep: this process, processes of this machine, or a Dask cluster."""

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from sampler.algorithms.online_algorithms import PLAIN
from sampler.problems.base import Problem
from sampler.settings import Settings
from sampler.tuning.dask_cluster import DaskCluster
from sampler.tuning.process_pool import ProcessPool
from sampler.tuning.sweep_cell import SweepJob, run_cell


def open_workers(problem: Problem, workers: int, scheduler: str | None, algorithms: Sequence[str] = (PLAIN,),
                 nice: int = 0) -> Any:
    """A Dask cluster, a process pool that compiles these algorithms ahead, or this process alone for 0 workers."""
    if scheduler is not None:
        return DaskCluster(scheduler)
    return ProcessPool(workers, problem, algorithms, nice) if workers else InProcessWorkers()


class InProcessWorkers:
    """No worker processes: a cell is run in this process when it is submitted."""

    workers = 1

    def give(self, job: SweepJob) -> None:
        """Take the job."""
        self._job = job

    def submit(self, settings: Settings, rung: int) -> Future[Any]:
        """Run one cell now."""
        future: Future[Any] = Future()
        try:
            future.set_result(run_cell(self._job, settings, rung))
        except Exception as error:
            future.set_exception(error)
        return future

    def is_loss(self, error: BaseException) -> bool:
        """Return False: there is no worker to lose."""
        return False

    def close(self) -> None:
        """Nothing to stop."""
