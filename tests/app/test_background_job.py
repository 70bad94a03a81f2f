"""A page's worker: progress, time left, cancelling, newer work, errors in words, closing."""

import threading

import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from app import background_job
from app.background_job import BackgroundJob, JobHandle, time_left, wait
from app.turns import Turns


@pytest.fixture
def background():
    made = BackgroundJob("test-worker")
    yield made
    made.close()
    assert not any(thread.name == "test-worker" and thread.is_alive() for thread in threading.enumerate())


def test_what_a_work_returns_is_its_last_value(background):
    number = background.start(lambda control: 42)
    update = wait(background)
    assert (update.number, update.value, update.fraction, update.done, update.cancelled) == (number, 42, 1.0, True, False)
    assert not background.running and background.take() is None


def test_cancelled_work_keeps_what_it_published(background):
    published = threading.Event()

    def work(control):
        control.publish("half", 0.5, "half way")
        published.set()
        while not control.stopped:
            threading.Event().wait(0.001)

    background.start(work)
    assert published.wait(60) and background.running
    background.cancel()
    update = wait(background)
    assert (update.value, update.fraction, update.done, update.cancelled) == ("half", 0.5, True, True)


def test_newer_work_drops_the_older_and_never_runs_beside_it(background):
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
    second = background.start(short)
    update = wait(background)
    assert (update.number, update.value, most) == (second, "new", 1)


def test_dropped_counts_requests_that_a_newer_one_overtook_begun_or_not(background):
    began, seen = threading.Event(), []

    def endless(handle):
        began.set()
        while not handle.stopped:
            threading.Event().wait(0.001)

    background.start(endless)
    assert began.wait(60)
    background.start(lambda handle: seen.append("never begins"))
    newest = background.start(lambda handle: seen.append("newest"))
    assert wait(background).number == newest and seen == ["newest"]
    assert background.dropped == 2
    background.start(lambda handle: None)
    wait(background)
    assert background.dropped == 2  # one that ended was not overtaken


@pytest.mark.parametrize("show", [False, True])
def test_what_an_overtaken_job_still_publishes_is_shown_only_where_wanted(show):
    background, began, overtaken, go = BackgroundJob("test-worker", show), *(threading.Event() for _ in range(3))

    def older(handle):
        began.set()
        assert overtaken.wait(60) and handle.stopped
        handle.publish("sketch")
        go.set()
        return "whole"

    held = threading.Event()
    first = background.start(older)
    assert began.wait(60)
    second = background.start(lambda handle: held.wait(60) and "new")
    overtaken.set()
    assert go.wait(60)
    update = background.take()
    assert (update is not None) == show
    if show:
        assert (update.number, update.value, update.done) == (first, "sketch", False)
    held.set()
    assert wait(background).number == second
    background.close()


@pytest.mark.parametrize("error, words", [(ValueError("n must be at least 1"), "n must be at least 1"),
                                          (KeyError("x"), "KeyError: 'x'")])
def test_an_error_becomes_words_and_the_last_value_stays(background, error, words):
    def work(control):
        control.publish("so far", 0.25)
        raise error

    background.start(work)
    update = wait(background)
    assert (update.value, update.error, update.done, update.cancelled) == ("so far", words, True, False)


def test_a_closed_worker_starts_nothing(background):
    background.close()
    background.start(lambda control: pytest.fail("ran after closing"))
    assert background.take() is None and not background.running


def test_time_left_follows_from_the_work_where_the_fraction_says_less(background, monkeypatch):
    from app import background_job as module

    now, seen = [100.0], []
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])

    def work(control):
        for done in range(1, 5):
            now[0] += 5.0
            control.publish(done, 0.5 + 0.1 * done, work=(3.0 * done, 3.0 * (10 - done)))
            seen.append(control._last.seconds_left)

    background.start(work)
    wait(background)
    assert seen[0] is None and seen[3] == pytest.approx(30.0)  # six of ten parts are left, whatever is shown


def test_time_left_follows_from_the_fraction(background, monkeypatch):
    from app import background_job as module

    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    seen, published, go, end = [], *(threading.Event() for _ in range(3))

    def work(control):
        for part in range(1, 5):
            now[0] += 5.0
            control.publish(part, part / 20)
            seen.append(control._last.seconds_left)
        control.publish(4, 0.2, "blind", None, foreseen=True)
        seen.append(control._last.seconds_left)
        now[0] += 5.0
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
    now[0] += 3.0
    later = background.take()  # nothing new but the time
    assert later.value == 5 and later.seconds_left == pytest.approx(75.0, rel=0.2) and background.take() is None
    now[0] += 400.0
    assert background.take().seconds_left is None and background.take() is None  # it stands still: nobody can tell
    go.set()
    assert end.wait(60)
    assert wait(background).value == 7
    assert seen[0] is None and seen[3] == pytest.approx(80.0) and seen[4:] == [None, None]


@pytest.mark.parametrize("seconds, words", [(None, ""), (1.0, "a second left"), (180, "about 3 min left")])
def test_time_left_in_words(seconds, words):
    assert time_left(seconds) == words


def test_the_last_update_is_set_under_the_lock_alone(background, monkeypatch):
    """Else `take`, which puts a newer time left there, could put an older update in place of the end."""
    unlocked = []

    def keep(handle, update):
        if not handle._owner._lock.locked():
            unlocked.append(update)
        handle.kept = update

    monkeypatch.setattr(JobHandle, "_last", property(lambda handle: handle.kept, keep), raising=False)
    background.start(lambda handle: handle.publish(1, 0.5))
    assert wait(background).done and not background.running and unlocked == []


class Visits:
    """Jobs of several visits that all want to work at once: which of them worked when, and how many at a time."""

    def __init__(self, monkeypatch):
        self.now, self.order, self.most, self._working = 0.0, [], 0, 0
        self.turns = Turns(1, lambda: self.now, threading.TIMEOUT_MAX)
        monkeypatch.setattr(background_job, "JOBS", self.turns)

    def work(self, name, others, slices, cost=1.0):
        """Return a job that works in slices of so many seconds, once so many others wait beside it."""

        def job(handle):
            while not handle.stopped and len(self.order) < slices:
                while self.turns.waiting < others and len(self.order) < slices:
                    pass
                self._working += 1
                self.most = max(self.most, self._working)
                if len(self.order) < slices:
                    self.order.append(name)
                self.now += cost
                self._working -= 1

        return job


@pytest.fixture
def visits(monkeypatch):
    return Visits(monkeypatch)


def together(jobs):
    """Begin the jobs, each of a BackgroundJob in a document, and wait for their ends."""
    made = []
    for document, job in jobs:
        with set_curdoc(document):
            made.append(BackgroundJob("test-worker"))
        made[-1].start(job)
    try:
        assert [wait(one).error for one in made] == [""] * len(made)
    finally:
        for one in made:
            one.close()


def test_jobs_of_several_visits_work_in_turns_and_a_visit_with_two_has_no_more(visits):
    """Who drags a heavy figure and starts a race beside it has as much as who waits for one picture."""
    busy, other = Document(), Document()
    whose = {"race": busy, "figure": busy, "picture": other}
    together([(document, visits.work(name, 2, 60)) for name, document in whose.items()])
    had = {name: visits.order.count(name) for name in whose}
    assert visits.most == 1 and had["picture"] == pytest.approx(30, abs=3), had
    assert min(had["race"], had["figure"]) >= 12, had


def test_a_job_that_waits_for_its_processes_keeps_no_other_waiting(visits):
    done, began = threading.Event(), threading.Event()

    def sweep(handle):
        with handle.waiting():
            began.set()
            assert done.wait(60)

    with set_curdoc(Document()):
        first = BackgroundJob("test-worker")
    first.start(sweep)
    assert began.wait(60)
    together([(Document(), lambda handle: done.set())])
    assert wait(first).error == ""
    first.close()


def test_who_asks_from_another_thread_takes_and_gives_no_turn(visits):
    """The page asks whether a job has stopped, too, and must never wait for a turn."""
    asked = threading.Event()

    def job(handle):
        visits.now += 1.0
        page = threading.Thread(target=lambda: (handle.stopped, handle.waiting().__enter__(), asked.set()))
        page.start()
        page.join(60)
        assert asked.is_set() and len(visits.turns._begun) == 1

    together([(Document(), job)])
