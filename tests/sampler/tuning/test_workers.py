"""One sweep on processes and on a Dask cluster: a worker killed, every worker killed, the scheduler lost."""

import os
import signal
import sys
import warnings
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children
from types import SimpleNamespace

import pytest

from sampler.tuning import WorkersLost, workers
from tests.sampler.tuning.test_sweep import numbers, sweep


@pytest.fixture(scope="module")
def plain(rows):
    return numbers(sweep(rows).run().cells)


def test_a_cell_that_kills_every_worker_raises(rows, monkeypatch):
    killed = Future()
    killed.set_exception(BrokenProcessPool("killed"))
    monkeypatch.setattr(workers.InProcessWorkers, "submit", lambda self, settings, rung: killed)
    monkeypatch.setattr(workers.InProcessWorkers, "is_loss", lambda self, error: error is killed.exception())
    with pytest.raises(ValueError, match="killed its worker 4 times"):
        sweep(rows).run()


def test_a_process_pool_gives_the_same_numbers_and_survives_a_killed_worker(rows, plain, monkeypatch):
    pools, killed, make = [], [], workers.open_workers
    monkeypatch.setattr("sampler.tuning.sweep.open_workers", lambda *arguments: pools.append(make(*arguments)) or pools[0])

    def kill_one(cell, finished):
        if not killed:
            killed.append(pools[0]._pool)
            active_children()[0].kill()

    outcome = sweep(rows, workers=1).run(on_cell=kill_one)
    assert killed and killed[0] is not pools[0]._pool  # the pool was restarted
    assert numbers(outcome.cells) == plain


def test_a_worker_ignores_ctrl_c_and_sets_its_niceness_on_request(monkeypatch):
    niceness = []
    monkeypatch.setattr(os, "nice", niceness.append)
    monkeypatch.setattr(warnings, "filters", list(warnings.filters))
    monkeypatch.setattr(workers, "_end_with_parent", lambda lifeline: None)
    before = signal.getsignal(signal.SIGINT)
    try:
        workers.begin_worker(list(sys.path))
        assert niceness == []  # the command line's: no page to serve
        workers.begin_worker(list(sys.path), workers.GIVE_WAY)
        assert niceness == [5]
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_cluster_gives_the_same_numbers(rows, plain, client, monkeypatch):
    monkeypatch.setattr("sampler.tuning.workers.connect", lambda address: client)
    monkeypatch.setattr(type(client), "close", lambda self, *args, **more: None)
    outcome = sweep(rows, scheduler="tcp://127.0.0.1:9").run()
    assert outcome.ended == "finished" and numbers(outcome.cells) == plain


@pytest.mark.slow
def test_a_killed_worker_changes_no_number_and_a_lost_scheduler_keeps_what_was_finished(rows, plain, processes, tmp_path):
    client, scheduler, started = processes
    worker, storage, reported, again = next(iter(started.values())), str(tmp_path / "trials.db"), [], []
    cluster = {"workers": 2, "parallel": 4, "scheduler": client.scheduler.address}

    def kill_the_worker(cell, finished):
        reported.append(cell)
        if len(reported) == 3:
            worker.send_signal(signal.SIGKILL)

    def kill_the_scheduler(cell, finished):
        reported.extend([cell] * finished)
        if len(reported) == 2:
            scheduler.send_signal(signal.SIGKILL)

    outcome = sweep(rows, **cluster).run(on_cell=kill_the_worker)
    assert worker.wait() == -signal.SIGKILL and outcome.ended == "finished" and numbers(outcome.cells) == plain
    reported.clear()
    with pytest.raises(WorkersLost, match="finished trials are kept in the study"):
        sweep(rows, storage=storage, **cluster).run(on_cell=kill_the_scheduler)
    outcome = sweep(rows, storage=storage).run(on_cell=lambda cell, finished: again.append(cell))
    assert numbers(outcome.cells) == plain and os.path.exists(storage)
    assert [c.to_dict() for c in again[:2]] == [c.to_dict() for c in reported[:2]]  # not run again: equal seconds too


def test_a_cell_submitted_while_the_client_closes_raises(rows, monkeypatch):
    cluster = object.__new__(workers.DaskCluster)
    cluster.__dict__.update(_address="tcp://127.0.0.1:1", workers=1, _client=SimpleNamespace(status="connecting"))
    cluster.check()
    cluster._client.status = "closed"
    for name, value in {"give": None, "submit": Future(), "close": None}.items():
        monkeypatch.setattr(cluster, name, lambda *_, value=value: value, raising=False)
    monkeypatch.setattr("sampler.tuning.sweep.open_workers", lambda *_, **__: cluster)
    with pytest.raises(WorkersLost, match=r"no longer responds \(ConnectionError\)"):
        sweep(rows).run()
