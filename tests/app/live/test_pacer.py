import math

import pytest

from app.live.pacer import BACKLOG, Pacer
from app.state.live import DEFAULT_SPEED, SPEEDS

LABELS = [label for label, _, _ in SPEEDS]


def test_the_default_is_eight_epochs_a_second():
    assert SPEEDS[DEFAULT_SPEED] == ("8 epochs a second", "epochs", 8.0)


def test_speeds_rise():
    steps = [rate for _, kind, rate in SPEEDS if kind == "steps"]
    epochs = [rate for _, kind, rate in SPEEDS if kind == "epochs"]
    assert steps == sorted(steps) and epochs == sorted(epochs) and math.isinf(epochs[-1])


def test_the_pace_does_not_depend_on_how_often_it_is_asked():
    ends = []
    for frames in (5, 60, 600):
        pacer, position = Pacer(DEFAULT_SPEED), 10.0
        for i in range(frames + 1):
            position = pacer.target(100 + i / frames, position)
        ends.append(position)
    assert ends == pytest.approx([18.0] * 3)


def test_after_a_stall_it_does_not_race():
    pacer = Pacer(LABELS.index("64 epochs a second"))
    pacer.target(0.0, 5.0)
    assert pacer.target(60.0, 5.0) == 5.0 + BACKLOG * 64


def test_a_pause_owes_nothing():
    pacer = Pacer(DEFAULT_SPEED)
    pacer.target(0.0, 5.0)
    pacer.stop()
    assert pacer.target(100.0, 5.0) == 5.0


def test_steps_fall_due_one_interval_apart():
    pacer = Pacer(LABELS.index("2 steps a second"))
    due = [pacer.step_due(now) for now in (0.0, 0.1, 0.49, 0.51, 0.9, 1.01, 1.02)]
    assert due == [True, False, False, True, False, True, False]
    assert pacer.slow and not Pacer(LABELS.index("4 steps a second")).slow


def test_as_fast_as_it_goes_has_no_target_and_never_waits():
    pacer = Pacer(len(SPEEDS) - 1)
    assert math.isinf(pacer.target(0.0, 1.0)) and pacer.wait(0.0, 60) == 0.0
