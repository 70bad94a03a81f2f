from contextlib import nullcontext

import numpy as np
import pytest

from app.live import commands as do
from app.live.rewind import Rewind
from app.live.rewind_states import Keeper
from app.live.run import LiveRun
from app.live.waiting_commands import MOST, WaitingCommands
from app.live.worker import Worker
from app.state.live import default_config

ALL = 10**9
CHANGES = {  # (epoch, steps into it; None: after it) -> what is changed
    (0, None): {"b": 5},
    (20, 9): {"eta0": 2.0, "i_max": 25},
    (33, 4): {"i_max": 3},
    (33, 6): {"i_max": 80},
    (50, None): {"variance_reduction": False},
    (70, 3): {"variance_reduction": True, "refresh": False},
    (90, None): {"refresh": True, "reset": False, "R": 9.0},
}


def turn(run, changes):
    changes = dict(changes)
    radius = changes.pop("R", run.state.config.escape_radius)
    if "b" in changes:
        changes["batch_size"] = changes.pop("b")
    run.configure(run.state.config.replace(settings=run.state.config.settings.replace(**changes), escape_radius=radius))


def play(run, end, steps=7, seen=None):
    while run.state.t < end or not run.state.done:
        assert run.advance(steps)
        if run.state.done and seen is not None:
            seen[run.state.t] = run.state.saga.positions, run.state.saga.gradient_evaluations, run.state.pool.accuracy()


@pytest.fixture(scope="module")
def lived():
    run = LiveRun(default_config().replace(chains=8))
    seen = {}
    for (t, into), changes in CHANGES.items():
        play(run, t if into is None else t - 1, seen=seen)
        if into is not None:
            run.advance(into - (run.state.advanced if not run.state.done else 0))
        turn(run, changes)
    play(run, 120, seen=seen)
    yield run, seen
    run.close()


def rewind(run, target, steps=13):
    replay = Rewind(run, target)
    while not replay.run_for(1.0, steps):
        pass
    return replay


@pytest.mark.parametrize("target", [119, 7, 20, 33, 50, 51, 70, 0, 90, 91, 120, 16])
def test_any_epoch_comes_back_bit_for_bit(lived, target):
    run, seen = lived
    series = run.history.column("accuracy", 120).copy()
    rewind(run, target)
    assert run.state.t == target and run.state.done and run.behind == (target < 120)
    if target:
        positions, evaluations, accuracy = seen[target]
        assert np.array_equal(run.state.saga.positions, positions)
        assert run.state.saga.gradient_evaluations == evaluations
        assert run.state.pool.accuracy() == accuracy
    assert np.array_equal(run.history.column("accuracy", 120), series, equal_nan=True)


def test_knobs_come_back_with_the_epoch(lived):
    run, _ = lived
    rewind(run, 60)
    assert (run.state.config.settings.eta0, run.state.config.settings.variance_reduction) == (2.0, False)
    rewind(run, 10)
    assert (run.state.config.settings.eta0, run.state.config.settings.batch_size) == (1.0, 5)
    rewind(run, 120)
    assert run.state.config.escape_radius == 9.0 and not run.state.config.settings.reset


def test_a_rewind_may_be_stopped_where_it_is(lived):
    run, seen = lived
    replay = Rewind(run, 0)
    replay = Rewind(run, 110)
    for _ in range(5):
        replay.step(20)
    replay.stop_here()
    while not replay.run_for(1.0, 20):
        pass
    assert run.state.done and 0 < run.state.t < 110
    assert np.array_equal(run.state.saga.positions, seen[run.state.t][0])


def test_playing_on_from_the_past_is_the_same_until_something_is_changed():
    run, seen = LiveRun(default_config().replace(chains=8)), {}
    play(run, 40, seen=seen)
    turn(run, {"eta0": 3.0})
    play(run, 60, seen=seen)
    rewind(run, 25)
    assert run.history.t == 60 and len(run.timeline.changes) == 1
    run.advance(5)
    assert run.history.t == 25 and run.timeline.changes == () and run.timeline.events(1e9) == ()
    assert [kept.t for kept in run.keeper.states] == [16]
    play(run, 40)
    assert np.array_equal(run.state.saga.positions, seen[40][0])
    play(run, 41)
    assert not np.array_equal(run.state.saga.positions, seen[41][0])


def test_a_change_in_the_past_is_a_new_future():
    run = LiveRun(default_config().replace(chains=4))
    play(run, 40)
    rewind(run, 20)
    turn(run, {"eta0": 0.5})
    assert run.history.t == 20 and not run.behind
    play(run, 30)
    there = run.state.saga.positions
    rewind(run, 10)
    rewind(run, 30)
    assert np.array_equal(run.state.saga.positions, there)


def test_a_revival_is_rewinded_too():
    config = default_config("linear2").replace(chains=8)
    run = LiveRun(config.replace(settings=config.settings.replace(eta0=30.0)))
    while run.advance(ALL):
        pass
    turn(run, {"eta0": 0.1})
    run.revive()
    halted = run.state.t
    play(run, halted + 30)
    there = run.state.saga.positions
    rewind(run, max(0, halted - 1))
    rewind(run, halted + 30)
    assert np.array_equal(run.state.saga.positions, there)


def test_without_room_nothing_is_kept_and_the_rewind_is_longer():
    run, seen = LiveRun(default_config().replace(chains=8)), {}
    run.keeper = Keeper(budget=0)
    play(run, 40, seen=seen)
    assert run.keeper.states == []
    rewind(run, 33)
    assert np.array_equal(run.state.saga.positions, seen[33][0])


def test_kept_states_know_their_size(lived):
    run, _ = lived
    for kept in run.keeper.states:
        assert kept.nbytes >= 8 * kept.t * 16


def test_what_waits_for_the_end_of_a_replay_is_bounded_and_the_last_settings_hold():
    worker = Worker(default_config("gaussian2").replace(chains=8), False, nullcontext)
    worker.work()
    for _ in range(2):
        worker.obey(do.Epoch())
    worker.obey(do.Rewind(1))
    config = worker._run.state.config
    for k in range(1_000):
        worker.obey(do.Configure(config.replace(settings=config.settings.replace(eta0=0.1 + 1e-3 * k))))
        worker.obey(do.Play())
        worker.obey(do.Play())
        assert len(worker._later) <= MOST
    worker.obey(do.Pause())
    while worker._replay is not None:
        worker.work(10.0)
    assert worker._run.state.config.settings.eta0 == pytest.approx(1.099) and not worker.playing and len(worker._later) == 0
    worker.close()


def test_of_waiting_commands_each_step_counts_and_of_settings_the_last():
    waiting, config = WaitingCommands(), default_config("gaussian2")
    given = [do.Configure(config), do.Configure(config.replace(seed=7)), do.Step(), do.Step(), do.Play(), do.Play()]
    for command in given:
        waiting.add(command)
    assert waiting.take() == [given[1], do.Step(), do.Step(), do.Play()] and waiting.take() == []
