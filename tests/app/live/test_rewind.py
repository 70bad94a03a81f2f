"""Any epoch is restored bit for bit, with its settings, by a rewind and from a link, which is short.

Playing from the past continues the old future until a setting changes; invalid links are reported.
"""

import numpy as np
import pytest

from app.live.epoch_records import SavedStates
from app.live.moment_link import MAX_LOG_LENGTH, Moment, moment_in
from app.live.rewind import Recall, Rewind
from app.live.run import LiveRun
from app.live.timeline import HORIZON
from app.state.live import LiveState, default_config
from tests.app.live.conftest import SMALL
from tests.app.live.playing import ALL, reach, replayed, turn

CHANGES = {  # (epoch, steps into it; None: after it) -> changed settings
    (0, None): {"batch_size": 5},
    (20, 9): {"eta0": 2.0, "i_max": 25},
    (33, 4): {"i_max": 80},
    (33, 6): {"i_max": 3},  # ends this epoch
    (50, None): {"variance_reduction": False, "i_max": 80},
    (70, 3): {"variance_reduction": True, "refresh": False},
    (90, None): {"refresh": True, "reset": False, "escape_radius": 9.0},
}


def play(run, t, into=None, record=None):
    """Play to the end of epoch t, or ``into`` steps into it, seven steps per call; record the ends of epochs."""
    before = t if into is None else t - 1
    while run.state.t < before or (run.state.t == before and not run.state.done):
        assert run.advance(7)
        if run.state.done and record is not None:
            record[run.state.t] = run.state.saga.positions, run.state.saga.gradient_evaluations, run.state.pool.accuracy()
    if into is not None:
        run.advance(into - (0 if run.state.done else run.state.advanced))


@pytest.mark.parametrize("algorithm", ["saga-ld", "preconditioned"])
def test_any_epoch_is_restored_bit_for_bit(make, algorithm):
    run, record = make(default_config(algorithm=algorithm), chains=8, i_max=60, batch_size=9), {}
    for (t, into), changes in CHANGES.items():
        play(run, t, into, record)
        turn(run, **changes)
    play(run, 120, record=record)
    series = run.history.column("accuracy", 120)
    for target in (119, 7, 20, 33, 50, 51, 70, 0, 90, 91, 120, 16):
        reach(Rewind(run, target))
        assert run.state.t == target and run.state.done and run.behind == (target < 120)
        if target:
            positions, evaluations, accuracy = record[target]
            assert np.array_equal(run.state.saga.positions, positions), target
            assert run.state.saga.gradient_evaluations == evaluations
            assert run.state.pool.accuracy() == accuracy
        assert np.array_equal(run.history.column("accuracy", 120), series, equal_nan=True)
        now = run.state.config
        assert (now.batch_size, now.eta0 == 2.0, now.variance_reduction, now.escape_radius == 9.0) == (
            5 if target else 9, target >= 20, not 50 < target < 70, target > 90), target
    Rewind(run, 0)
    replay = Rewind(run, 110)  # stopped early
    for _ in range(5):
        replay.step(20)
    replay.stop_here()
    reach(replay)
    assert run.state.done and 0 < run.state.t < 110
    assert np.array_equal(run.state.saga.positions, record[run.state.t][0])
    assert all(kept.nbytes >= 8 * kept.t * 16 for kept in run.saved_states.states)


def test_playing_from_the_past_is_identical_until_a_setting_changes(make):
    run, record = make(), {}
    play(run, 40, record=record)
    turn(run, eta0=3.0)
    play(run, 60, record=record)
    reach(Rewind(run, 25))
    assert run.history.t == 60 and len(run.timeline.changes) == 1
    run.advance(5)
    assert run.history.t == 25 and run.timeline.changes == () and run.timeline.events(1e9) == ()
    assert [kept.t for kept in run.saved_states.states] == [0, 16]
    play(run, 40)
    assert np.array_equal(run.state.saga.positions, record[40][0])
    reach(Rewind(run, 20))
    turn(run, eta0=0.5)
    assert run.history.t == 20 and not run.behind
    play(run, 30)
    expected = run.state.saga.positions
    reach(Rewind(run, 10))
    reach(Rewind(run, 30))
    assert np.array_equal(run.state.saga.positions, expected) and not np.array_equal(expected, record[30][0])


def test_without_a_budget_no_state_is_saved_and_the_replay_is_longer(make):
    run, record = make(), {}
    run.saved_states = SavedStates(run.state, budget=0)
    play(run, 40, record=record)
    assert [kept.t for kept in run.saved_states.states] == [0]
    reach(Rewind(run, 33))
    assert np.array_equal(run.state.saga.positions, record[33][0])


def test_commands_deferred_by_a_replay_are_executed_in_order_and_a_pause_cancels_play(make_worker):
    worker = make_worker(epochs=2)
    worker.execute("rewind", 1)
    for eta0 in (0.3, 0.2):
        worker.configure(SMALL.replace(eta0=eta0))
        worker.execute("play")
    worker.execute("pause")
    assert replayed(worker)._run.state.config.eta0 == 0.2 and not worker.playing and not worker._deferred


def test_with_reduced_motion_a_page_replays_its_link_and_pauses_there(make_worker):
    run = make_worker(epochs=4)
    expected, moment = run.snapshot(), run.snapshot().moment
    again = make_worker(SMALL, playing=True)
    again.hold()
    again.execute("recall", SMALL, moment)
    again.execute("appear", True)
    again.execute("play")  # requested by the user: deferred to the end of the replay
    replayed(again)
    assert (again.snapshot().t, again.playing) == (expected.t, True)
    assert np.array_equal(again._run.state.saga.positions, run._run.state.saga.positions)


START = default_config().replace(chains=8)


@pytest.fixture(scope="module")
def long_run():
    """Run with 20 changes: after an epoch, inside one, dragged, switched, and two at one instant."""
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


def recall(link):
    config, words = LiveState.from_query(link)
    moment, more = moment_in(link, config)
    run = LiveRun(config.replace(moment.first[0], escape_radius=moment.first[1]))
    reach(Recall(run, moment))
    return run, words + more


def test_a_link_is_short_and_restores_the_exact_state(long_run):
    link = link_of(long_run)
    assert link["t"] == "70.11"
    assert link["log"].startswith("19~eta0.1_b.9_imax.60_C.22_R.16_reset.1~0_b.5~20.9_eta0.2_imax.25~30.4_")
    assert len("&".join(f"{key}={value}" for key, value in link.items())) < 1_500
    run, words = recall(link)
    assert words == [] and run.moment == long_run.moment and run.state.config == long_run.state.config
    assert np.array_equal(run.state.saga.positions, long_run.state.saga.positions)
    assert run.timeline.events(1e9) == long_run.timeline.events(1e9)
    for name in ("accuracy", "saga", "farthest", "cost", "memory", "predicted"):
        np.testing.assert_array_equal(run.history.column(name, 70), long_run.history.column(name, 70))
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


def test_a_rewound_run_shares_its_current_moment(long_run):
    moment = Moment(40, None, long_run.moment.first, long_run.moment.changes)
    at = LiveState.to_query(long_run.state.config) | moment.query(long_run.state.config)
    read, words = moment_in(at, LiveState.from_query(at)[0])
    assert words == [] and read.t == 40 and read.changes == moment.way and len(read.way) < len(long_run.moment.way)


def test_a_log_too_long_for_a_link_is_omitted(long_run):
    many = tuple(long_run.moment.changes) * (MAX_LOG_LENGTH // 100)
    assert Moment(70, None, long_run.moment.first, many).query(START) == {}


@pytest.mark.parametrize(("change", "note", "t", "changes"), [
    ({"t": "seventy"}, "is not an epoch", None, None),
    ({"t": "1e3"}, "is not an epoch", None, None),
    ({"t": "99999999"}, "beyond the last epoch", HORIZON, 19),
    ({"log": ""}, "", 70, 0),
    ({"log": "19"}, "truncated or invalid; the run has these knobs from the start", 70, 0),
    ({"log": "19~b.9~0_b.5~20.9_eta0.2_im"}, "truncated", 70, 0),
    ({"log": "1~b.9~30_R~end"}, "R = '' is not a number", 70, 1),
    ({"log": "2~b.9~20_b.5~10_b.6~end"}, "or invalid", 70, 0),
    ({"log": "1~~20_warp.9~end"}, "'warp' at epoch 20, which is no knob of this version", 70, 1),
    ({"log": "1~~20_b.nine~end"}, "at epoch 20: b = 'nine' is not a number; took", 70, 1),
    ({"log": "1~~20_b.-4~end"}, "at epoch 20: b = '-4' must be a whole number from", 70, 1),
    ({"log": "<script>"}, "truncated", 70, 0),
])
def test_an_invalid_log_is_reported(long_run, change, note, t, changes):
    link = link_of(long_run) | change
    moment, words = moment_in(link, LiveState.from_query(link)[0])
    assert note in " ".join(words) and (bool(words) == bool(note))
    assert (moment is None) == (t in (None, 0))
    if moment is not None:
        assert moment.t == t and len(moment.changes) == changes


def test_many_unknown_names_in_a_log_give_few_notes():
    log = "1~" + "_".join(f"unicorn{k}.1" for k in range(500)) + "~5_eta0.2~end"
    moment, words = moment_in({"t": "9", "log": log}, default_config())
    assert len(words) == 5 and "496 more errors" in words[-1]
    assert moment.changes[0].settings.eta0 == 2.0
