"""Many visits share one server: turns are fair, frames are given up before epochs, charts before the cloud."""

import sys
import threading

import pytest

from app.live.frame_pace import CHARTS_SHORTEST, LONGEST, SHORTEST, FramePace
from app.live.pacer import BACKLOG
from app.turns import HANDOVER, Share, Turns, hand_over_quickly


class Clock:
    """Stands still until it is told to go on."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Crowd:
    """Engines that always want a turn; a turn of each lasts as long as it is said to."""

    def __init__(self, costs):
        self.clock = Clock()
        self.turns, self.order, self.costs = Turns(1, self.clock, threading.TIMEOUT_MAX), [], costs
        self.shares = {name: Share() for name in costs}

    def play(self, turns):
        """Let all of them wait, then count who has how many of the next turns."""
        done = threading.Event()
        gate = self.turns.turn(Share())
        gate.__enter__()
        threads = [threading.Thread(target=self._want, args=(name, turns, done)) for name in self.costs]
        for thread in threads:
            thread.start()
        while self.turns.waiting < len(threads):
            pass
        gate.__exit__(None, None, None)
        for thread in threads:
            thread.join()
        return {name: self.order.count(name) for name in self.costs}

    def _want(self, name, turns, done):
        while not done.is_set():
            with self.turns.turn(self.shares[name]):
                if len(self.order) < turns:
                    self.order.append(name)
                    self.clock.now += self.costs[name]
                    while len(self.order) < turns and self.turns.waiting < len(self.costs) - 1:
                        pass  # the others want a turn again: nobody is served for want of others
                if len(self.order) >= turns:
                    done.set()


def test_who_has_used_least_goes_first():
    """Time is shared, not turns: a visit whose turns last three times as long has a third as many."""
    had = Crowd({"light": 1.0, "heavy": 3.0, "light too": 1.0}).play(70)
    assert had["light"] == pytest.approx(30, abs=2) and had["heavy"] == pytest.approx(10, abs=2)
    assert had["light too"] == pytest.approx(30, abs=2)


def test_nobody_saves_up_turns_by_resting():
    """A visit that has slept while another worked does not hold everybody up afterwards."""
    crowd = Crowd({"worked": 1.0, "slept": 1.0})
    for _ in range(100):
        with crowd.turns.turn(crowd.shares["worked"]):
            crowd.clock.now += 1.0
    had = crowd.play(20)
    assert had["worked"] == pytest.approx(10, abs=1)


def test_turns_grow_shorter_when_many_wait():
    turns, names = Turns(1, Clock()), range(20)
    alone, go = turns.seconds, threading.Event()
    threads = [threading.Thread(target=lambda: _hold(turns, go)) for _ in names]
    for thread in threads:
        thread.start()
    while turns.waiting < len(threads) - 1:
        pass
    assert turns.seconds < alone / 2
    go.set()
    for thread in threads:
        thread.join()
    assert turns.waiting == 0 and turns.seconds == alone


def _hold(turns, go):
    with turns.turn(Share()):
        go.wait()


def test_a_turn_that_fails_is_given_back():
    turns = Turns(1, Clock())
    with pytest.raises(ZeroDivisionError), turns.turn(Share()):
        1 / 0  # noqa: B018
    with turns.turn(Share()):
        assert turns.waiting == 0


def test_no_turns_at_all_are_refused():
    with pytest.raises(ValueError, match="at_once"):
        Turns(0)


def frames_of(visits, cost):
    """Return the pace of so many visits once each has had 200 frames of that cost."""
    clock = Clock()
    pace = FramePace(clock)
    for _ in range(200):
        for visit in range(visits):
            pace.note(visit, cost)
    return pace


def test_one_visit_has_every_frame():
    for cost in (0.004, 0.04):  # on a slow machine, too
        pace = frames_of(1, cost)
        assert pace.frame == SHORTEST and pace.charts == CHARTS_SHORTEST


def test_frames_are_given_up_before_epochs_and_charts_before_the_cloud():
    """Epochs fall due by the clock: as long as a frame comes before the pacer forgives what is owed, none is lost."""
    few, many = frames_of(4, 0.004), frames_of(20, 0.004)
    assert SHORTEST < few.frame < many.frame <= LONGEST < BACKLOG
    assert many.charts / CHARTS_SHORTEST > 3 and many.charts > 4 * many.frame
    assert 1 / LONGEST > 5  # frames a second that everybody keeps


def test_where_frames_come_late_charts_wait_for_as_many_of_them_but_not_of_one_alone():
    for visits, frames in ((20, 6), (1, None)):
        clock = Clock()
        pace = FramePace(clock)
        for _ in range(200):
            clock.now += 0.4  # a machine that cannot draw more
            for visit in range(visits):
                pace.note(visit, 0.004)
        assert pace.frame < 0.2 and pace.charts == (pytest.approx(frames * 0.4, rel=1e-3) if frames else CHARTS_SHORTEST)


def test_visits_that_have_left_leave_their_frames_to_others():
    pace = frames_of(20, 0.004)
    pace._clock.now += 10
    pace.note("one", 0.004)
    assert pace.visits == 1 and pace.frame == SHORTEST


def test_who_never_ends_a_turn_stops_nobody_and_its_late_end_gives_no_turn_away():
    turns, forever, order = Turns(1, patience=0.001), threading.Event(), []
    hangs = threading.Thread(target=_hold, args=(turns, forever))
    hangs.start()
    while not turns._begun:
        pass
    with turns.turn(Share()):  # taken back from the one that hangs
        turns._patience = threading.TIMEOUT_MAX
        forever.set()
        hangs.join()
        waits = threading.Thread(target=_note, args=(turns, order))
        waits.start()
        while not turns.waiting:
            pass
        assert not order and len(turns._begun) == 1
    waits.join()
    assert order == [1] and turns.waiting == 0 and not turns._begun


def _note(turns, order):
    with turns.turn(Share()):
        order.append(1)


def test_the_thread_that_serves_pages_soon_has_the_interpreter_back():
    """It lets go of it 40 times in a round of 20 visits, and waits so long each time: less than a beat of 100 ms in all."""
    before = sys.getswitchinterval()
    try:
        hand_over_quickly()
        assert sys.getswitchinterval() == pytest.approx(HANDOVER) and 40 * sys.getswitchinterval() < 0.1
    finally:
        sys.setswitchinterval(before)
