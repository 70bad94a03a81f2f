"""The same sweep on a Dask cluster: two worker processes, one of them killed, the scheduler lost."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from sampler import LogisticRegression, Sweep
from sampler.tuning import Grid, WorkersLost

distributed = pytest.importorskip("distributed")

GRID = Grid((0.03, 0.3, 1.0), (4, 30), (9,), (100.0,))


def sweep(**options):
    rng = np.random.default_rng(0)
    features = rng.normal(size=(256, 2))
    labels = (rng.random(256) < 1 / (1 + np.exp(-features @ [1.0, -1.0]))).astype(float)
    return Sweep(LogisticRegression(2), features, labels, GRID, chains=16, seed=5, reference="laplace",
                 **{"parallel": 4, **options})


def numbers(cells):
    return {(c.eta0, c.i_max): tuple(v for k, v in c.to_dict().items() if k != "seconds") for c in cells}


@pytest.fixture(scope="module")
def plain():
    return numbers(sweep(workers=0).run().cells)


@pytest.fixture
def cluster(tmp_path):
    """``(address, scheduler, workers)`` of real processes on this machine."""
    file = tmp_path / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    cli = [sys.executable, "-m", "distributed.cli"]
    scheduler = subprocess.Popen([*cli[:2], "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0",
                                  "--no-dashboard", "--scheduler-file", str(file)], **quiet)
    workers = [subprocess.Popen([*cli[:2], "distributed.cli.dask_worker", "--scheduler-file", str(file),
                                 "--nthreads", "1", "--no-dashboard", "--no-nanny"], **quiet) for _ in range(2)]
    try:
        with distributed.Client(scheduler_file=str(file), timeout=240, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=240)
            address = client.scheduler.address
        yield address, scheduler, workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def test_a_cluster_gives_the_same_numbers_as_this_process(cluster, plain):
    outcome = sweep(scheduler=cluster[0]).run()
    assert outcome.ended == "finished" and numbers(outcome.cells) == plain


def test_it_finishes_when_a_worker_is_killed_half_way(cluster, plain):
    address, _, workers = cluster
    told = []

    def kill_one(cell, finished):
        told.append(cell)
        if len(told) == 3:
            workers[0].send_signal(signal.SIGKILL)

    outcome = sweep(scheduler=address).run(on_cell=kill_one)
    assert workers[0].wait() == -signal.SIGKILL
    assert outcome.ended == "finished" and numbers(outcome.cells) == plain


def test_a_lost_scheduler_is_said_and_what_was_finished_is_kept(cluster, plain, tmp_path):
    address, scheduler, _ = cluster
    storage, told = str(tmp_path / "trials.db"), []

    def kill_it(cell, finished):
        told.extend([cell] * finished)
        if len(told) == 2:
            scheduler.send_signal(signal.SIGKILL)

    began = time.monotonic()
    with pytest.raises(WorkersLost, match="finished trials are kept in the study"):
        sweep(scheduler=address, storage=storage).run(on_cell=kill_it)
    assert time.monotonic() - began < 240
    again = []
    outcome = sweep(workers=0, storage=storage).run(on_cell=lambda cell, finished: again.append(cell))
    assert numbers(outcome.cells) == plain and os.path.exists(storage)
    assert [c.to_dict() for c in again[:2]] == [c.to_dict() for c in told[:2]]  # not run again: the seconds agree too
