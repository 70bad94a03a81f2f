import pytest

from app.live.timeline import MOST_CHANGES, Change, Timeline
from sampler import Settings

BASE = Settings(eta0=1.0)


def turn(timeline, t, settings, before, advanced=None, clock=None, radius=16.0):
    timeline.add(Change(t, advanced, settings, radius))
    position = t + 1e-3 if advanced is None else t - 0.5
    timeline.mark(position, 10.0 * t if clock is None else clock, (before, 16.0), (settings, radius))


def test_a_turned_knob_is_named_with_both_values():
    timeline = Timeline()
    turn(timeline, 10, BASE.replace(eta0=5.0), BASE, advanced=7)
    (event,) = timeline.events(100)
    assert (event.text, event.kind, event.t, event.t_end) == ("η₀ 1 → 5", "knob", 9.5, None)


def test_a_drag_is_one_event_and_a_return_is_none():
    timeline = Timeline()
    values = [1.0, 2.0, 3.0, 5.0]
    for i, (old, new) in enumerate(zip(values, values[1:], strict=False)):
        turn(timeline, 10 + i, BASE.replace(eta0=new), BASE.replace(eta0=old), clock=0.1 * i)
    assert [event.text for event in timeline.events(100)] == ["η₀ 1 → 5"]
    turn(timeline, 14, BASE, BASE.replace(eta0=5.0), clock=0.5)
    assert timeline.events(100) == () and len(timeline.changes) == 4


def test_a_switch_that_goes_back_is_a_band():
    timeline = Timeline()
    off = BASE.replace(variance_reduction=False)
    turn(timeline, 10, off, BASE)
    assert timeline.events(100)[0].t_end is None
    turn(timeline, 20, BASE, off)
    (event,) = timeline.events(100)
    assert (event.text, event.kind) == ("variance reduction off", "switch")
    assert event.t == pytest.approx(10, abs=0.01) and event.t_end == pytest.approx(20, abs=0.01)
    assert timeline.events(15)[0].t_end is None


def test_the_escape_radius_is_marked_too():
    timeline = Timeline()
    turn(timeline, 10, BASE, BASE, radius=9.0)
    assert timeline.events(100)[0].text == "R 16 → 9"


def test_truncation_forgets_what_came_after_the_end_of_an_epoch():
    timeline = Timeline()
    turn(timeline, 10, BASE.replace(eta0=2.0), BASE, advanced=3)
    turn(timeline, 10, BASE.replace(eta0=3.0), BASE.replace(eta0=2.0), clock=200.0)
    turn(timeline, 12, BASE.replace(eta0=4.0), BASE.replace(eta0=3.0), advanced=1)
    timeline.truncate(10)
    assert [change.settings.eta0 for change in timeline.changes] == [2.0]
    assert [event.text for event in timeline.events(100)] == ["η₀ 1 → 2"]


def test_changes_at_one_instant_are_one_change():
    timeline = Timeline()
    for eta0 in (2.0, 3.0, 4.0):
        timeline.add(Change(5, 8, BASE.replace(eta0=eta0), 16.0))
    assert [change.settings.eta0 for change in timeline.changes] == [4.0]


def test_the_log_is_bounded_and_says_how_far_back_it_goes():
    timeline = Timeline()
    for t in range(1, MOST_CHANGES + 10):
        turn(timeline, t, BASE.replace(eta0=t), BASE.replace(eta0=t + 1))
    assert len(timeline.changes) <= MOST_CHANGES and len(timeline.events(1e9)) <= 200
    assert timeline.floor > 0 and timeline.changes[0].t >= timeline.floor
