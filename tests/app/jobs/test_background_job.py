"""`BackgroundJob`: progress, time left, cancelling, newer jobs, error messages, closing."""

import errno
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.error_words import NO_MEMORY, error_words
from app.jobs.background_job import BackgroundJob, JobHandle
from tests.app.jobs.waiting import wait

ROOT = Path(__file__).parents[3]


@pytest.fixture
def background():
    made = BackgroundJob("test-worker")
    yield made
    made.close()
    assert not any(thread.name == "test-worker" and thread.is_alive() for thread in threading.enumerate())


def test_pandas_is_imported_before_a_thread_starts():
    """Two threads that import it would block all imports of the process. In a notebook any cell may import it."""
    begun = ("import sys; from app.jobs.background_job import BackgroundJob; BackgroundJob()\n"
             "print({'arviz_stats.base', 'pandas'} <= sys.modules.keys())")
    answer = subprocess.run([sys.executable, "-c", begun], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert answer.stdout.strip() == "True", answer.stderr


def test_the_return_value_of_a_job_is_its_last_value(background):
    number = background.start(lambda control: 42)
    update = wait(background)
    assert (update.number, update.value, update.fraction, update.done, update.cancelled) == (number, 42, 1.0, True, False)
    assert not background.running and background.take() is None


def test_a_newer_job_cancels_the_older_and_never_runs_concurrently(background):
    alive, most, began = 0, 0, threading.Event()

    def endless(control):
        nonlocal alive, most
        alive += 1
        most = max(most, alive)
        began.set()
        while not control.stopped:
            control.publish("old")
        alive -= 1

    def short(control):
        nonlocal most
        most = max(most, alive + 1)
        return "new"

    background.start(endless)
    assert began.wait(60)
    background.start(lambda control: pytest.fail("overtaken before it began"))
    newest = background.start(short)
    update = wait(background)
    assert (update.number, update.value, most) == (newest, "new", 1)


@pytest.mark.parametrize("show", [False, True])
def test_updates_of_an_overtaken_job_are_shown_only_on_request(show):
    background = BackgroundJob("test-worker", show_overtaken=show)
    began, overtaken, go = (threading.Event() for _ in range(3))

    def older(handle):
        began.set()
        assert overtaken.wait(60) and handle.stopped
        handle.publish("sketch")
        go.set()
        return "whole"

    release = threading.Event()
    first = background.start(older)
    assert began.wait(60)
    second = background.start(lambda handle: release.wait(60) and "new")
    overtaken.set()
    assert go.wait(60)
    update = background.take()
    assert (update is not None) == show
    if show:
        assert (update.number, update.value, update.done) == (first, "sketch", False)
    release.set()
    assert wait(background).number == second
    background.close()


def test_a_closed_worker_starts_nothing(background):
    background.close()
    background.start(lambda control: pytest.fail("ran after closing"))
    assert background.take() is None and not background.running


@pytest.fixture
def clock(clock, monkeypatch):
    """The clock of jobs."""
    monkeypatch.setattr("app.jobs.background_job.time.monotonic", clock)
    return clock


def test_time_left_follows_from_the_work_if_the_fraction_is_less_precise(background, clock):
    seen = []

    def work(control):
        for done in range(1, 5):
            clock.now += 5.0
            control.publish(done, 0.5 + 0.1 * done, work=(3.0 * done, 3.0 * (10 - done)))
            seen.append(control._last.seconds_left)

    background.start(work)
    wait(background)
    assert seen[0] is None and seen[3] == pytest.approx(30.0)  # six of ten parts are left, whatever the fraction


def test_time_left_follows_from_the_fraction(background, clock):
    seen, published, go, end = [], *(threading.Event() for _ in range(3))

    def work(control):
        for part in range(1, 5):
            clock.now += 5.0
            control.publish(part, part / 20)
            seen.append(control._last.seconds_left)
        control.publish(4, 0.2, "blind", None, foreseen=True)
        seen.append(control._last.seconds_left)
        clock.now += 5.0
        control.publish(5, 0.25)
        published.set()
        assert go.wait(60)
        control.publish(6, None)
        seen.append(control._last.seconds_left)
        end.set()
        return 7

    background.start(work)
    assert published.wait(60)
    first = background.take()
    assert first.seconds_left == pytest.approx(75.0) and background.take() is None
    clock.now += 3.0
    later = background.take()  # nothing new but the time
    assert later.value == 5 and later.seconds_left == pytest.approx(75.0, rel=0.2) and background.take() is None
    clock.now += 400.0
    assert background.take().seconds_left is None and background.take() is None  # no progress: no estimate
    go.set()
    assert end.wait(60)
    assert wait(background).value == 7
    assert seen[0] is None and seen[3] == pytest.approx(80.0) and seen[4:] == [None, None]


def test_the_last_update_is_set_only_under_the_lock(background, monkeypatch):
    """Otherwise `take`, which updates the time left, could replace the final update with an older one."""
    unlocked = []

    def keep(handle, update):
        if not handle._owner._lock.locked():
            unlocked.append(update)
        handle.last_update = update

    monkeypatch.setattr(JobHandle, "_last", property(lambda handle: handle.last_update, keep), raising=False)
    background.start(lambda handle: handle.publish(1, 0.5))
    assert wait(background).done and not background.running and unlocked == []


@pytest.mark.parametrize("error, words", [
    (MemoryError(), NO_MEMORY), (SystemExit(3), "SystemExit: 3"),
    (OSError(errno.ENOSPC, "No space", "/data/a.db"), "/data/a.db could not be used: the disk is full: make room"),
    (ValueError("n must be 1 or more, got 0"), "n must be 1 or more, got 0"), (KeyError("x"), "KeyError: 'x'")])
def test_every_error_ends_a_job_with_a_message_and_the_next_one_runs(background, error, words):
    def fail(handle):
        handle.publish("so far", 0.5)
        raise error

    background.start(fail)
    update = wait(background)
    assert (update.error, update.value, update.done, update.cancelled) == (words, "so far", True, False)
    background.start(lambda handle: "done")
    assert wait(background).value == "done"


def test_a_bug_is_logged_with_its_traceback_and_a_users_mistake_is_not(caplog):
    try:
        raise KeyError("inside")
    except KeyError as error:
        assert error_words(error) == "KeyError: 'inside'"
    assert "test_background_job" in caplog.text
    caplog.clear()
    error_words(ValueError("x must be a number"))
    assert caplog.text == ""
