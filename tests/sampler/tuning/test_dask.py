"""The same sweep on a Dask cluster, also of two worker processes, one of them killed, the scheduler lost."""

import os
import signal
from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from sampler.tuning import WorkersLost
from sampler.tuning.workers import DaskCluster
from tests.sampler.tuning.test_sweep import numbers, sweep

pytest.importorskip("distributed")


def test_a_cluster_gives_the_same_numbers(rows, client, monkeypatch):
    monkeypatch.setattr("sampler.tuning.workers.connect", lambda address: client)
    monkeypatch.setattr(type(client), "close", lambda self, *args, **more: None)
    outcome = sweep(rows, scheduler="tcp://127.0.0.1:9").run()
    assert outcome.ended == "finished" and numbers(outcome.cells) == numbers(sweep(rows).run().cells)


@pytest.mark.slow
def test_a_killed_worker_changes_no_number_and_a_lost_scheduler_keeps_what_was_finished(rows, processes, tmp_path):
    client, scheduler, workers = processes
    worker, storage, reported, again = next(iter(workers.values())), str(tmp_path / "trials.db"), [], []
    cluster, plain = {"workers": 2, "parallel": 4, "scheduler": client.scheduler.address}, numbers(sweep(rows).run().cells)

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
    assert [c.to_dict() for c in again[:2]] == [c.to_dict() for c in reported[:2]]  # not run again: the seconds agree too


def test_a_cell_that_was_sent_while_the_client_closed_is_not_waited_for(rows, monkeypatch):
    cluster = object.__new__(DaskCluster)
    cluster.__dict__.update(_address="tcp://127.0.0.1:1", workers=1, _client=SimpleNamespace(status="connecting"))
    cluster.check()
    cluster._client.status = "closed"
    for name, value in {"give": None, "submit": Future(), "close": None}.items():
        monkeypatch.setattr(cluster, name, lambda *_, value=value: value, raising=False)
    monkeypatch.setattr("sampler.tuning.sweep.open_workers", lambda *_, **__: cluster)
    with pytest.raises(WorkersLost, match=r"does not answer any more \(ConnectionError\)"):
        sweep(rows).run()
