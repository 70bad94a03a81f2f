"""Jobs in worker processes: results, errors and crashes are returned, stopping is quick, kept state is reused."""

import os
import signal
import threading

import numpy as np
import pytest

from app.jobs import worker_processes
from app.jobs.background_job import BackgroundJob, JobUpdate
from app.jobs.worker_processes import LOST, WorkerPool, in_process
from app.visit import Server, Visit
from tests.app.jobs.waiting import wait
from tests.waiting import close, wait_for


@pytest.fixture(scope="module")
def pool():
    made = WorkerPool(2)
    worker_processes.CONTEXT.set_forkserver_preload(["sampler", __name__])
    made.warm()
    yield made
    for worker in made._idle:
        worker.end()


@pytest.fixture
def start(pool):
    """Return a function that starts a job of the page with a name."""
    server = Server()
    server.parts[WorkerPool] = pool
    pages = {}

    def start(function, *arguments, page="page"):
        if page not in pages:
            pages[page] = BackgroundJob("test-worker", visit=Visit(server=server))
        pages[page].start(in_process(function, *arguments))
        return pages[page]

    yield start
    for page in pages.values():
        close(page)


def squares(rows, handle):
    handle.publish(rows, 0.5, "half")
    return rows**2, os.getpid(), os.nice(0)


def refuse(handle):
    handle.publish("so far")
    raise ValueError("n must be at least 1; got 0")


def die(handle):
    os.kill(os.getpid(), signal.SIGKILL)


def until_stopped(handle):
    while not handle.stopped:
        handle.publish(words="going on")
    return "whole"


def ignore_cancelling(handle):
    handle.publish(os.getpid())
    threading.Event().wait(600)


def count(handle):
    handle.kept["count"] = handle.kept.get("count", 0) + 1
    return handle.kept["count"], os.getpid()


def large_ones(handle):
    for number in range(200):
        handle.publish(np.full(1_000_000, number), words=str(number))
    return "end"


def test_a_result_comes_from_a_process_of_lower_priority(start):
    update = wait(start(squares, np.arange(4)))
    values, pid, nice = update.value
    assert update.error == "" and list(values) == [0, 1, 4, 9] and pid != os.getpid() and nice > os.nice(0)


def test_closures_are_sent_to_a_process(start):
    power = 3
    update = wait(start(lambda base, handle: base**power, 2))
    assert update.value == 8


def test_a_job_that_cannot_be_pickled_computes_on_the_pages_thread(start):
    lock = threading.Lock()
    update = wait(start(lambda held, handle: (held is lock, os.getpid()), lock))
    assert update.value == (True, os.getpid())


def test_a_failed_job_or_dead_process_is_reported_and_the_next_job_works(start):
    failed = wait(start(refuse))
    assert (failed.value, failed.error) == ("so far", "n must be at least 1; got 0")
    assert wait(start(die)).error == LOST
    assert wait(start(squares, np.ones(1))).error == ""


def test_a_process_that_died_while_it_was_idle_is_replaced(start, pool):
    _, pid, _ = wait(start(squares, np.ones(1))).value
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not all(worker.alive for worker in pool._idle))
    update = wait(start(squares, np.ones(1)))
    assert update.error == "" and update.value[1] != pid


def test_a_cooperative_job_stops_at_once_and_any_other_is_killed(start, monkeypatch):
    monkeypatch.setattr(worker_processes, "PATIENCE", 600.0)
    page = start(until_stopped)
    wait_for(page.take)
    page.cancel()
    assert wait(page).cancelled
    monkeypatch.setattr(worker_processes, "PATIENCE", 0.1)
    page = start(ignore_cancelling)
    pid = wait_for(lambda: (update := page.take()) and update.value)
    page.cancel()
    assert wait(page).cancelled
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_page_reuses_its_kept_state_until_others_need_the_process(start):
    first, own = wait(start(count, page="one")).value
    assert (first, wait(start(count, page="one")).value) == (1, (2, own))
    others = {wait(start(count, page=name)).value for name in ("two", "three", "four")}
    assert {number for number, _ in others} == {1} and own in {pid for _, pid in others}  # there are only two processes
    assert wait(start(count, page="one")).value[0] == 1


def test_a_visit_uses_at_most_half_of_the_processes(start):
    busy = start(until_stopped, page="busy")
    wait_for(busy.take)
    second = BackgroundJob("test-worker", visit=busy.visit)
    second.start(in_process(squares, np.ones(1)))
    assert wait(start(squares, np.ones(1), page="other")).error == ""
    assert second.running
    busy.cancel()
    assert wait(second).value is not None
    close(second)


def test_large_values_are_sent_less_often_but_messages_and_the_end_always(start):
    page = start(large_ones)
    values, words = set(), set()
    while not (update := page.take() or JobUpdate(0)).done:
        words.add(update.words)
        values.add(None if update.value is None else int(update.value[0]))
    assert update.value == "end" and len(values) < 100
