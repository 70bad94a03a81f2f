"""A link's moment: written short, read back the same, replayed bit for bit; nonsense is answered in words."""

import numpy as np
import pytest

from app.live.moment_link import LONGEST, Moment, moment_in
from app.live.rewind import Recall
from app.live.run import LiveRun
from app.live.timeline import HORIZON
from app.state.live import LiveState, default_config
from tests.app.live.playing import ALL, turn

START = default_config().replace(chains=8)


def play(run, t, into=None):
    """Go to the end of epoch t, or that many steps into it."""
    while run.state.t < t - (into is not None) or not run.state.done:
        run.advance(7)
    if into is not None:
        run.advance(into)


@pytest.fixture(scope="module")
def lived():
    """20 changes: after an epoch, inside one, dragged, switched, and two at one instant."""
    clock = iter(np.arange(0, 1e6, 10.0))
    run = LiveRun(START, clock=lambda: next(clock))
    turn(run, batch_size=5)
    play(run, 20, 9)
    turn(run, eta0=2.0)
    turn(run, i_max=25)
    for k in range(13):
        play(run, 30 + k, 4)
        turn(run, eta0=2.0 + 0.7079457843841379 * (k + 1))
    play(run, 50)
    turn(run, variance_reduction=False)
    play(run, 52, 3)
    turn(run, variance_reduction=True, escape_radius=9.0)
    play(run, 60)
    turn(run, reset=False)
    play(run, 61, 5)
    turn(run, acceptance_radius=3.5)
    play(run, 70, 11)
    yield run
    run.close()


def link_of(run):
    return LiveState.to_query(run.state.config) | run.moment.query(run.state.config)


def recall(link, steps=13):
    config, words = LiveState.from_query(link)
    moment, more = moment_in(link, config)
    run = LiveRun(config.replace(moment.first[0], escape_radius=moment.first[1]))
    replay = Recall(run, moment)
    while not replay.run_for(1.0, steps):
        pass
    return run, words + more


def test_a_link_is_short_and_brings_back_the_very_picture(lived):
    link = link_of(lived)
    assert link["t"] == "70.11"
    assert link["log"].startswith("19~eta0.1_b.9_imax.60_C.22_R.16_reset.1~0_b.5~20.9_eta0.2_imax.25~30.4_")
    assert len("&".join(f"{key}={value}" for key, value in link.items())) < 1_500
    run, words = recall(link)
    assert words == [] and run.moment == lived.moment and run.state.config == lived.state.config
    assert np.array_equal(run.state.saga.positions, lived.state.saga.positions)
    assert run.timeline.events(1e9) == lived.timeline.events(1e9)
    for name in ("accuracy", "saga", "farthest", "cost", "memory", "predicted"):
        np.testing.assert_array_equal(run.history.column(name, 70), lived.history.column(name, 70))
    run.close()


def test_a_revival_and_a_drag_are_in_the_link(make):
    run = make(default_config("linear2"), chains=4, eta0=30.0)
    run.clock = iter(np.arange(0, 100, 0.1)).__next__
    while run.advance(ALL):
        pass
    turn(run, eta0=0.1)
    run.revive()
    for k in range(4):
        play(run, run.state.t + 2)
        turn(run, i_max=20 + k)
    assert "revive" in link_of(run)["log"]
    again, words = recall(link_of(run))
    assert words == [] and np.array_equal(again.state.saga.positions, run.state.saga.positions)
    assert again.timeline.events(1e9) == run.timeline.events(1e9)
    assert [event.text for event in again.timeline.events(1e9)][2:] == ["iₘₐₓ 60 → 23"]


def test_a_rewound_run_shares_the_moment_it_shows(lived):
    moment = Moment(40, None, lived.moment.first, lived.moment.changes)
    at = LiveState.to_query(lived.state.config) | moment.query(lived.state.config)
    read, words = moment_in(at, LiveState.from_query(at)[0])
    assert words == [] and read.t == 40 and read.changes == moment.way and len(read.way) < len(lived.moment.way)


def test_a_history_too_long_for_a_link_is_not_written(lived):
    many = tuple(lived.moment.changes) * (LONGEST // 100)
    assert Moment(70, None, lived.moment.first, many).query(START) == {}


@pytest.mark.parametrize(("change", "note", "t", "changes"), [
    ({"t": "seventy"}, "is not an epoch", None, None),
    ({"t": "1e3"}, "is not an epoch", None, None),
    ({"t": "99999999"}, "beyond the last epoch", HORIZON, 19),
    ({"log": ""}, "", 70, 0),
    ({"log": "19"}, "cut off or has no sense; the run has these knobs from the start", 70, 0),
    ({"log": "19~b.9~0_b.5~20.9_eta0.2_im"}, "cut off", 70, 0),
    ({"log": "1~b.9~30_R~end"}, "R = '' is not a number", 70, 1),
    ({"log": "2~b.9~20_b.5~10_b.6~end"}, "has no sense", 70, 0),
    ({"log": "1~~20_warp.9~end"}, "'warp' at epoch 20, which is no knob of this version", 70, 1),
    ({"log": "1~~20_b.nine~end"}, "at epoch 20: b = 'nine' is not a number; took", 70, 1),
    ({"log": "1~~20_b.-4~end"}, "at epoch 20: b = '-4' must be a whole number from", 70, 1),
    ({"log": "<script>"}, "cut off", 70, 0),
])
def test_a_broken_history_is_answered_in_words(lived, change, note, t, changes):
    link = link_of(lived) | change
    moment, words = moment_in(link, LiveState.from_query(link)[0])
    assert note in " ".join(words) and (bool(words) == bool(note))
    assert (moment is None) == (t in (None, 0))
    if moment is not None:
        assert moment.t == t and len(moment.changes) == changes


def test_many_unknown_names_in_a_history_give_few_notes():
    log = "1~" + "_".join(f"unicorn{k}.1" for k in range(500)) + "~5_eta0.2~end"
    moment, words = moment_in({"t": "9", "log": log}, default_config())
    assert (len(words), words[-1][:8]) == (5, "496 more")
    assert moment.changes[0].settings.eta0 == 2.0
