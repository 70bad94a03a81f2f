"""Any epoch comes back bit for bit, with its knobs; playing on from the past is a new future once something changes."""


import numpy as np
import pytest

from app.live.epoch_records import Keeper
from app.live.rewind import Rewind
from app.live.run import LiveRun
from app.state.live import default_config
from tests.app.live.conftest import SMALL
from tests.app.live.playing import replayed, turn

CHANGES = {  # (epoch, steps into it; None: after it) -> what is changed
    (0, None): {"batch_size": 5},
    (20, 9): {"eta0": 2.0, "i_max": 25},
    (33, 4): {"i_max": 3},
    (33, 6): {"i_max": 80},
    (50, None): {"variance_reduction": False},
    (70, 3): {"variance_reduction": True, "refresh": False},
    (90, None): {"refresh": True, "reset": False, "escape_radius": 9.0},
}


def play(run, end, steps=7, seen=None):
    while run.state.t < end or not run.state.done:
        assert run.advance(steps)
        if run.state.done and seen is not None:
            seen[run.state.t] = run.state.saga.positions, run.state.saga.gradient_evaluations, run.state.pool.accuracy()


def lived(algorithm, seen):
    """Play 120 epochs with all the changes."""
    run = LiveRun(default_config(algorithm=algorithm).replace(chains=8, i_max=60, batch_size=9))
    for (t, into), changes in CHANGES.items():
        play(run, t if into is None else t - 1, seen=seen)
        if into is not None:
            run.advance(into - (run.state.advanced if not run.state.done else 0))
        turn(run, **changes)
    play(run, 120, seen=seen)
    return run


def rewind(run, target, steps=13):
    replay = Rewind(run, target)
    while not replay.run_for(1.0, steps):
        pass


@pytest.mark.parametrize("algorithm", ["saga-ld", "preconditioned"])
def test_any_epoch_comes_back_bit_for_bit(algorithm):
    seen = {}
    run = lived(algorithm, seen)
    series = run.history.column("accuracy", 120)
    for target in (119, 7, 20, 33, 50, 51, 70, 0, 90, 91, 120, 16):
        rewind(run, target)
        assert run.state.t == target and run.state.done and run.behind == (target < 120)
        if target:
            positions, evaluations, accuracy = seen[target]
            assert np.array_equal(run.state.saga.positions, positions), target
            assert run.state.saga.gradient_evaluations == evaluations
            assert run.state.pool.accuracy() == accuracy
        assert np.array_equal(run.history.column("accuracy", 120), series, equal_nan=True)
        now = run.state.config
        assert (now.batch_size, now.eta0 == 2.0, now.variance_reduction, now.escape_radius == 9.0) == (
            5 if target else 9, target >= 20, not 50 < target < 70, target > 90), target
    Rewind(run, 0)
    replay = Rewind(run, 110)  # one that is stopped where it is
    for _ in range(5):
        replay.step(20)
    replay.stop_here()
    while not replay.run_for(1.0, 20):
        pass
    assert run.state.done and 0 < run.state.t < 110
    assert np.array_equal(run.state.saga.positions, seen[run.state.t][0])
    assert all(kept.nbytes >= 8 * kept.t * 16 for kept in run.keeper.states)
    run.close()


def test_playing_on_from_the_past_is_the_same_until_something_is_changed(make):
    run, seen = make(), {}
    play(run, 40, seen=seen)
    turn(run, eta0=3.0)
    play(run, 60, seen=seen)
    rewind(run, 25)
    assert run.history.t == 60 and len(run.timeline.changes) == 1
    run.advance(5)
    assert run.history.t == 25 and run.timeline.changes == () and run.timeline.events(1e9) == ()
    assert [kept.t for kept in run.keeper.states] == [0, 16]
    play(run, 40)
    assert np.array_equal(run.state.saga.positions, seen[40][0])
    rewind(run, 20)
    turn(run, eta0=0.5)
    assert run.history.t == 20 and not run.behind
    play(run, 30)
    there = run.state.saga.positions
    rewind(run, 10)
    rewind(run, 30)
    assert np.array_equal(run.state.saga.positions, there) and not np.array_equal(there, seen[30][0])


def test_without_room_nothing_is_kept_and_the_replay_is_longer(make):
    run, seen = make(), {}
    run.keeper = Keeper(run.state, budget=0)
    play(run, 40, seen=seen)
    assert [kept.t for kept in run.keeper.states] == [0]
    rewind(run, 33)
    assert np.array_equal(run.state.saga.positions, seen[33][0])


def test_what_waits_for_the_end_of_a_replay_is_done_in_order_and_a_pause_takes_play_back(make_worker):
    worker = make_worker()
    for _ in range(2):
        worker.obey("epoch")
    worker.obey("rewind", 1)
    for eta0 in (0.3, 0.2):
        worker.configure(SMALL.replace(eta0=eta0))
        worker.obey("play")
    worker.obey("pause")
    assert replayed(worker)._run.state.config.eta0 == 0.2 and not worker.playing and not worker._later


def test_a_page_without_motion_comes_to_the_moment_of_its_link_and_stands_there(make_worker):
    run = make_worker(SMALL)
    for _ in range(4):
        run.obey("epoch")
    there, moment = run.snapshot(), run.snapshot().moment
    again = make_worker(SMALL, playing=True)
    again.hold()
    again.obey("recall", SMALL, moment)
    again.obey("appear", True)
    again.obey("play")  # asked for by the browser's user: it waits for the end of the replay
    while again._replay is not None:
        again.work(0.015)
    assert (again.snapshot().t, again.playing) == (there.t, True)
    assert np.array_equal(again._run.state.saga.positions, run._run.state.saga.positions)
