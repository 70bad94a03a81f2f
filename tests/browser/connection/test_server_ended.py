"""SIGTERM or Ctrl-C to a server during a sweep: it ends within a minute with its workers, and finished cells are stored."""

import signal
import sqlite3
import time

import psutil
import pytest

from tests.browser.connection.pages import mark, wait_until_restored, workers

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SWEEP = "?page=tune&tT=1000&teta=0.1,10&timax=40,640&tb=4&tC=22&tchains=64&tref=laplace&tgo=1"
"""Sweep with cells of several seconds: workers are busy whenever the signal arrives."""
SOON = 60.0
"""Time limit in seconds for the end of a server on a slow machine; its cells would take longer."""


@pytest.fixture
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as one:
        yield one


def stored_cells(tmp_path):
    (path,) = (tmp_path / "cache" / "sweeps").glob("*.db")
    with sqlite3.connect(path) as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return file.execute("SELECT count(*) FROM trials WHERE state IN ('COMPLETE', 'PRUNED')").fetchone()[0]


@pytest.mark.parametrize("signals", [[signal.SIGTERM], [signal.SIGINT], [signal.SIGTERM] * 2, [signal.SIGINT] * 2],
                         ids=["SIGTERM", "SIGINT", "SIGTERM twice", "SIGINT twice"])
def test_it_ends_soon_with_its_workers_and_the_sweep_continues(serve, open_, until, tmp_path, signals):
    server = serve()
    page = open_(SWEEP)
    page.wait_for_function("+shown().cells >= 2")
    until(lambda: len(workers(server.pid)) >= 2, "fewer than two workers run the sweep")
    children = psutil.Process(server.pid).children(recursive=True)
    done = int(page.evaluate("shown().cells"))
    mark(page)
    for number in signals:
        server.send_signal(number)
        time.sleep(0.1 if len(signals) > 1 else 0.0)  # two at the same moment count as one
    code = server.wait(SOON)
    assert code == 0 or len(signals) > 1, code
    until(lambda: not psutil.wait_procs(children, 0)[1], "a worker outlived the server", SOON)
    assert stored_cells(tmp_path) >= done
    serve()
    wait_until_restored(page)
    page.wait_for_function("n => +shown().cells > n", arg=done)  # it continues automatically


def test_a_sweep_on_a_cluster_stops_and_continues_with_its_server(cluster, serve, open_, until, tmp_path):
    def running_cells():
        return sum(len(worker.processing) for worker in cluster.scheduler.workers.values())

    options = ("--args", "--scheduler", cluster.scheduler_address)
    server = serve(options=options)
    page = open_(SWEEP)
    page.wait_for_function("+shown().cells >= 2")
    until(running_cells, "the cluster is idle")
    mark(page)
    server.send_signal(signal.SIGTERM)
    assert server.wait(SOON) == 0
    until(lambda: not running_cells(), "cells outlived their server", SOON)
    done = stored_cells(tmp_path)
    assert done >= 2
    serve(options=options)
    wait_until_restored(page)
    page.wait_for_function("n => +shown().cells > n", arg=done)
    until(running_cells, "the cluster is idle after the restart")
