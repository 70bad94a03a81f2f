"""Timing of steps, epochs and frames, of one visit and of many that share a server."""

import asyncio
import math
import time
from types import SimpleNamespace

import pytest
from bokeh.document import Document

from app.jobs.frame_rate import CHARTS_SHORTEST, LONGEST, SHORTEST, FrameRate
from app.live import frame_sender
from app.live.frame_sender import FrameSender
from app.live.playback import BACKLOG, Playback
from app.state.live import DEFAULT_SPEED, SPEEDS

LABELS = [label for label, _, _ in SPEEDS]


def test_the_pace_does_not_depend_on_the_rate_of_polling():
    for frames in (5, 60, 600):
        clock, position = Playback(DEFAULT_SPEED), 10.0
        for i in range(frames + 1):
            position = clock.target(100 + i / frames, position)
        assert position == pytest.approx(18.0)


def test_the_backlog_is_limited_after_a_stall_and_zero_after_a_pause():
    clock = Playback(LABELS.index("64 epochs a second"))
    clock.target(0.0, 5.0)
    assert clock.target(60.0, 5.0) == 5.0 + BACKLOG * 64
    clock.stop()
    assert clock.target(100.0, 5.0) == 5.0


def test_steps_fall_due_one_interval_apart():
    clock = Playback(LABELS.index("2 steps a second"))
    due = [clock.step_due(now) for now in (0.0, 0.1, 0.49, 0.51, 0.9, 1.01, 1.02)]
    assert due == [True, False, False, True, False, True, False]
    assert clock.slow and not Playback(LABELS.index("4 steps a second")).slow


def test_as_fast_as_it_goes_has_no_target_and_never_waits():
    clock = Playback(len(SPEEDS) - 1)
    assert math.isinf(clock.target(0.0, 1.0)) and clock.wait(SimpleNamespace(state=SimpleNamespace(position=1.0))) == 0.0


def frames_of(visits, cost, apart=0.0):
    """Return the clock and the rate after 200 frames of ``cost`` for each of ``visits`` visits, `apart` seconds apart."""
    clock = SimpleNamespace(now=0.0)
    rate = FrameRate(lambda: clock.now)
    for _ in range(200):
        clock.now += apart
        for visit in range(visits):
            rate.note(visit, cost)
    return clock, rate


@pytest.mark.parametrize(("cost", "apart"), [(0.004, 0.0), (0.04, 0.0), (0.004, 0.4)])
def test_one_visit_has_every_frame(cost, apart):
    _, rate = frames_of(1, cost, apart)  # also on a slow machine
    assert rate.frame == SHORTEST and rate.charts == CHARTS_SHORTEST and rate.answered == 1


def test_frames_are_dropped_before_epochs_and_charts_before_the_cloud():
    """Epochs are due by the clock: none is lost as long as frames are closer than the limit on the backlog."""
    (_, few), (_, many) = frames_of(4, 0.004), frames_of(20, 0.004)
    assert SHORTEST < few.frame < many.frame <= LONGEST < BACKLOG
    assert many.charts / CHARTS_SHORTEST > 3 and many.charts > 4 * many.frame
    _, late = frames_of(20, 0.004, apart=0.4)  # a slower machine
    assert late.frame < 0.2 and late.charts == pytest.approx(6 * 0.4, rel=1e-3) and late.answered == 3


@pytest.mark.parametrize(("late", "then"), [
    (0.0, 1.0), (0.4, 1.0),  # in time with the last: delays do not accumulate
    (3.0, 3.0),  # a stall is not compensated
    (-0.9, 0.1),  # an early frame, for a setting, is followed by a full rest
])
def test_frames_keep_the_beat(late, then):
    assert FrameRate().next_due(7.0, 7.0 + late * SHORTEST) == pytest.approx(7.0 + then * SHORTEST, abs=1e-9)


def test_a_background_page_uses_a_twentieth_of_the_thread_and_all_of_it_without_other_pages():
    clock, rate = frames_of(3, 0.004)
    assert 0.1 / (0.1 + rate.rest(0.1)) == pytest.approx(0.05)
    clock.now += 10
    assert rate.rest(0.1) == 0.0


def test_visits_that_have_left_leave_their_frames_to_others():
    clock, rate = frames_of(20, 0.004)
    clock.now += 10
    rate.note("one", 0.004)
    assert rate.visits == 1 and rate.frame == SHORTEST


def test_an_early_wake_is_answered_once_when_due():
    later, shown = [], []

    async def locked(tick):
        await tick(Document())

    sender = FrameSender(lambda: "frame", lambda: True, shown.append)
    sender._visit = SimpleNamespace(destroyed=False, with_locked_document=locked)
    sender._loop = SimpleNamespace(add_callback=lambda answer: later.append(0.0),
                                 call_later=lambda rest, answer: later.append(rest))
    sender._last = time.perf_counter() + 1000.0
    sender.wake()
    asyncio.run(sender._answer())
    sender.wake()
    assert len(later) == 2 and later[1] > 990.0 and not shown
    sender._last -= 1000.0 + frame_sender.SHORTEST
    asyncio.run(sender._answer())
    assert shown == ["frame"]
