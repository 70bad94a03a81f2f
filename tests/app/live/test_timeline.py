"""Timeline of a run: log of changed settings, their marks on time axes, and the first epoch of each measure."""

import pytest

from app.live.epoch_measures import CountedSince, counted_since
from app.live.timeline import Change, Timeline
from sampler import Settings

START = Settings(eta0=1.0, acceptance_radius=22.0)
HOT, TIGHT, WIDE = START.replace(eta0=5.0), START.replace(acceptance_radius=4.0), START.replace(acceptance_radius=40.0)
OFF = START.replace(variance_reduction=False)


def turn(timeline, t, settings, before, advanced=None, clock=None, radius=16.0):
    timeline.add(Change(t, advanced, settings, radius))
    position = t + 1e-3 if advanced is None else t - 0.5
    timeline.mark(position, 10.0 * t if clock is None else clock, (before, 16.0), (settings, radius))


@pytest.fixture
def timeline():
    return Timeline()


def test_a_changed_setting_is_named_with_both_values(timeline):
    turn(timeline, 10, HOT, START, advanced=7)
    turn(timeline, 20, START, START, radius=9.0)
    (event, radius) = timeline.events(100)
    assert (event.text, event.kind, event.t, event.t_end) == ("η₀ 1 → 5", "knob", 9.5, None)
    assert radius.text == "R 16 → 9"


def test_a_drag_is_one_event_and_a_return_is_none(timeline):
    values = [1.0, 2.0, 3.0, 5.0]
    for i, (old, new) in enumerate(zip(values, values[1:], strict=False)):
        turn(timeline, 10 + i, START.replace(eta0=new), START.replace(eta0=old), clock=0.1 * i)
    assert [event.text for event in timeline.events(100)] == ["η₀ 1 → 5"]
    turn(timeline, 14, START, HOT, clock=0.5)
    assert timeline.events(100) == () and len(timeline.changes) == 4


def test_a_switch_off_and_on_again_is_a_band(timeline):
    turn(timeline, 10, OFF, START)
    assert timeline.events(100)[0].t_end is None
    turn(timeline, 20, START, OFF)
    (event,) = timeline.events(100)
    assert (event.text, event.kind) == ("variance reduction off", "switch")
    assert (event.t, event.t_end) == pytest.approx((10, 20), abs=0.01)
    assert timeline.events(15)[0].t_end is None


def test_truncation_removes_changes_after_the_end_of_an_epoch(timeline):
    turn(timeline, 10, START.replace(eta0=2.0), START, advanced=3)
    turn(timeline, 10, START.replace(eta0=3.0), START.replace(eta0=2.0), clock=200.0)
    turn(timeline, 12, START.replace(eta0=4.0), START.replace(eta0=3.0), advanced=1)
    timeline.truncate(10)
    assert [change.settings.eta0 for change in timeline.changes] == [2.0]
    assert [event.text for event in timeline.events(100)] == ["η₀ 1 → 2"]


def test_changes_at_one_instant_are_one_change_and_marks_are_bounded(timeline):
    for eta0 in (2.0, 3.0, 4.0):
        timeline.add(Change(5, 8, START.replace(eta0=eta0), 16.0))
    assert [change.settings.eta0 for change in timeline.changes] == [4.0]
    for t in range(6, 300):
        turn(timeline, t, HOT, START)
    assert len(timeline.events(1e9)) <= 200


@pytest.mark.parametrize(("t", "changes", "since"), [
    (700, [], (0, 0, 0)),
    (700, [(300, START, 16.0)], (0, 0, 0)),  # a setting restored to its value
    (200, [(300, HOT, 16.0)], (0, 0, 0)),  # a future change, after a rewind
    (700, [(300, HOT, 16.0)], (300, 512, 300)),  # resets: from the first checkpoint with the new settings
    (700, [(511, HOT, 16.0)], (511, 512, 511)),
    (700, [(512, HOT, 16.0)], (512, 1024, 512)),  # X^512 was taken with the old ones
    (700, [(300, WIDE, 16.0)], (300, 512, 300)),  # a wider ball around a checkpoint of the narrow one
    (700, [(0, HOT, 16.0)], (0, 1, 0)),
    (700, [(300, TIGHT, 16.0)], (300, 300, 300)),  # a smaller ball is judged at once
    (700, [(300, TIGHT.replace(eta0=5.0), 16.0)], (300, 512, 300)),
    (700, [(300, START, 8.0)], (0, 0, 300)),  # the escape radius moves no chain
])
def test_each_measure_counts_from_the_last_relevant_change(t, changes, since):
    log = tuple(Change(at, None, settings, radius) for at, settings, radius in changes)
    assert counted_since(log, (START, 16.0), t) == CountedSince(*since)


def test_measures_count_since_the_last_change_and_name_its_epoch():
    counted = CountedSince(600, 1024, 600)
    assert counted.words(700, True, "safe") == (" Measured since epoch 600, the last change. Resets count again from epoch "
                                                "1,024 on, the first checkpoint of these knobs.")
    assert "Resets" not in counted.words(700, False, "safe") + counted.words(1025, True, "safe")
    assert counted.words(700, True, "diverged") == CountedSince().words(700, True, "safe") == ""
