"""SIGTERM or Ctrl-C to a server whose workers are busy with a sweep: it ends soon, nothing outlives it, nothing is lost."""

import signal
import sqlite3
import time

import psutil
import pytest

from tests.browser.connection.pages import came_back, leave_mark, workers

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SWEEP = "?page=tune&tT=1000&teta=0.1,10&timax=40,640&tb=4&tC=22&tchains=64&tref=laplace&tgo=1"
"""Cells of seconds each: the workers are in the middle of some whenever the signal comes."""
SOON = 60.0
"""Seconds within which a server on a slow machine has ended; its cells would take longer."""


@pytest.fixture
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as one:
        yield one


def kept(tmp_path):
    (path,) = (tmp_path / "cache" / "sweeps").glob("*.db")
    with sqlite3.connect(path) as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return file.execute("SELECT count(*) FROM trials WHERE state IN ('COMPLETE', 'PRUNED')").fetchone()[0]


@pytest.mark.parametrize("signals", [[signal.SIGTERM], [signal.SIGINT], [signal.SIGTERM] * 2, [signal.SIGINT] * 2],
                         ids=["SIGTERM", "SIGINT", "SIGTERM twice", "SIGINT twice"])
def test_it_ends_soon_with_its_workers_and_the_sweep_goes_on_where_it_was(serve, open_, until, tmp_path, signals):
    server = serve()
    page = open_(SWEEP)
    page.wait_for_function("+shown().cells >= 2")
    until(lambda: len(workers(server.pid)) >= 2, "no two workers are at the sweep")
    children = psutil.Process(server.pid).children(recursive=True)
    done = int(page.evaluate("shown().cells"))
    leave_mark(page)
    for number in signals:
        server.send_signal(number)
        time.sleep(0.1 if len(signals) > 1 else 0.0)  # two at the same moment are one
    code = server.wait(SOON)
    assert code == 0 or len(signals) > 1, code
    until(lambda: not psutil.wait_procs(children, 0)[1], "a worker outlived the server", SOON)
    assert kept(tmp_path) >= done
    serve()
    came_back(page)
    page.wait_for_function("n => +shown().cells > n", arg=done)  # it goes on by itself


def test_a_sweep_on_a_cluster_stops_there_with_its_server_and_goes_on_with_it(cluster, serve, open_, until, tmp_path):
    def at_work():
        return sum(len(worker.processing) for worker in cluster.scheduler.workers.values())

    options = ("--args", "--scheduler", cluster.scheduler_address)
    server = serve(options=options)
    page = open_(SWEEP)
    page.wait_for_function("+shown().cells >= 2")
    until(at_work, "the cluster has nothing to do")
    leave_mark(page)
    server.send_signal(signal.SIGTERM)
    assert server.wait(SOON) == 0
    until(lambda: not at_work(), "cells outlived their server", SOON)
    done = kept(tmp_path)
    assert done >= 2
    serve(options=options)
    came_back(page)
    page.wait_for_function("n => +shown().cells > n", arg=done)
    until(at_work, "the cluster has nothing to do again")
