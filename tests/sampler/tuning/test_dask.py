"""The same sweep on a Dask cluster: two worker processes, one of them killed, the scheduler lost."""

import os
import signal
import time

import pytest

from sampler.tuning import WorkersLost
from tests.sampler.tuning.test_sweep import numbers, sweep

pytest.importorskip("distributed")

@pytest.fixture(scope="module")
def plain(rows):
    return numbers(sweep(rows).run().cells)


def test_a_cluster_gives_the_same_numbers_as_this_process(rows, processes, plain):
    outcome = sweep(rows, workers=2, parallel=4, scheduler=processes[0].scheduler.address).run()
    assert outcome.ended == "finished" and numbers(outcome.cells) == plain


def test_it_finishes_when_a_worker_is_killed_half_way(rows, processes, plain):
    client, _, workers = processes
    worker, told = next(iter(workers.values())), []

    def kill_one(cell, finished):
        told.append(cell)
        if len(told) == 3:
            worker.send_signal(signal.SIGKILL)

    outcome = sweep(rows, workers=2, parallel=4, scheduler=client.scheduler.address).run(on_cell=kill_one)
    assert worker.wait() == -signal.SIGKILL
    assert outcome.ended == "finished" and numbers(outcome.cells) == plain


def test_a_lost_scheduler_is_said_and_what_was_finished_is_kept(rows, processes, plain, tmp_path):
    client, scheduler, _ = processes
    storage, told = str(tmp_path / "trials.db"), []

    def kill_it(cell, finished):
        told.extend([cell] * finished)
        if len(told) == 2:
            scheduler.send_signal(signal.SIGKILL)

    began = time.monotonic()
    with pytest.raises(WorkersLost, match="finished trials are kept in the study"):
        sweep(rows, workers=2, parallel=4, scheduler=client.scheduler.address, storage=storage).run(on_cell=kill_it)
    assert time.monotonic() - began < 240
    again = []
    outcome = sweep(rows, storage=storage).run(on_cell=lambda cell, finished: again.append(cell))
    assert numbers(outcome.cells) == plain and os.path.exists(storage)
    assert [c.to_dict() for c in again[:2]] == [c.to_dict() for c in told[:2]]  # not run again: the seconds agree too
