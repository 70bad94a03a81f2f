"""The engine's thread: commands, publication of frames, resting and closing."""

import threading
from dataclasses import replace

import numpy as np
import pytest

from app.live.moment_link import Moment
from app.live.run import LiveRun
from app.state.live import default_config
from tests.app.live.conftest import FASTEST, PATIENCE, SMALL
from tests.app.live.playing import replayed
from tests.waiting import close, wait_for


def test_play_pause_epoch_and_step(open_engine):
    watched = open_engine()
    start = watched.until(lambda s: True)
    assert (start.t, start.playing, start.run, start.verdict.kind) == (0, False, 1, "waiting")
    assert start.series is not None and len(start.series.t) == 0
    watched.post("epoch", "epoch")
    watched.until(lambda s: s.t == 2 and s.step == s.run_length and s.notice is None)
    watched.post("step")
    assert watched.until(lambda s: s.t == 3).step == 1
    watched.post("step")
    watched.until(lambda s: s.step == 2 or s.t == 4)
    watched.post("play")
    assert watched.until(lambda s: s.t > 300).playing
    watched.until(lambda s: s.series is None)  # series are read six times per second
    watched.post("pause")
    still = watched.until(lambda s: not s.playing)
    watched.post(("configure", still.config.replace(follow=3)))
    assert watched.until(lambda s: s.config.follow == 3).t == still.t
    numbers, epochs = ([getattr(s, name) for s in watched.frames] for name in ("frame", "t"))
    assert numbers == sorted(set(numbers)) and epochs == sorted(epochs)


def test_a_frame_is_made_only_when_the_last_was_taken_or_a_command_changed_it(open_engine):
    watched = open_engine(playing=True)
    config = watched.until(lambda s: s.t > 5).config
    watched.engine.take()
    made, t = watched.engine.published, watched.last.t
    wait_for(lambda: watched.engine._worker._run.state.t >= t + 50)
    assert watched.engine.published <= made + 1
    wait_for(lambda: watched.engine._slot is not None)
    watched.post(("configure", config.replace(escape_radius=9.0)))
    wait_for(lambda: watched.engine._slot.config.escape_radius == 9.0)
    assert watched.engine.take().config.escape_radius == 9.0


def test_a_snapshot_that_replaces_another_keeps_its_series_and_events(open_engine):
    watched = open_engine(playing=True)
    unseen = watched.until(lambda s: s.series is not None and s.t > 20)
    flash = np.array([[3.0, 0.5, 0.25]], dtype=np.float32)
    reset = np.eye(1, len(unseen.cloud.reset), 5, dtype=bool)[0]
    unseen = replace(unseen, cloud=replace(unseen.cloud, reset=reset, exits=flash))
    new = watched.until(lambda s: s.frame > unseen.frame and s.series is None)
    both = new.replacing(unseen)
    assert both.series is unseen.series and both.cloud.reset[5] and flash[0].tolist() in both.cloud.exits.tolist()
    assert (both.frame, both.t) == (new.frame, new.t) and new.replacing(None) is new
    assert new.replacing(replace(unseen, run=unseen.run - 1)) is new


def test_a_setting_acts_at_once_and_is_marked_and_a_new_seed_or_problem_restarts(open_engine):
    watched = open_engine(playing=True)
    first = watched.until(lambda s: s.t > 20)
    watched.post(("configure", first.config.replace(eta0=0.05, i_max=30)))
    turned = watched.until(lambda s: s.series is not None and len(s.series.events) == 2)
    assert turned.run == first.run and turned.config.eta0 == 0.05
    assert [event.text for event in turned.series.events] == [f"η₀ {first.config.eta0:g} → 0.05", "iₘₐₓ 60 → 30"]
    watched.post(("configure", turned.config.replace(seed=77)))
    second = watched.until(lambda s: s.run > first.run)
    assert second.config.seed == 77 and second.t < turned.t
    wanted = default_config("linear2").replace(chains=8, speed=FASTEST)
    watched.post(("configure", wanted))
    third = watched.until(lambda s: s.run > second.run)
    assert third.config == wanted
    watched.post("restart")
    watched.until(lambda s: s.run > third.run)


def test_a_newer_rewind_cancels_an_older_a_pause_stops_it_and_play_waits_for_its_end(make_worker):
    worker = make_worker(epochs=60)
    worker.execute("rewind", 55)
    worker.execute("rewind", 5)
    five = replayed(worker).snapshot()
    assert (five.t, five.furthest, five.notice) == (5, 60, None)
    worker.execute("rewind", 60)
    worker.execute("pause")
    stopped = replayed(worker).snapshot()
    assert 5 <= stopped.t < 60 and stopped.step == stopped.run_length and stopped.notice is None
    worker.execute("rewind", 10**9)
    while worker._replay is not None:
        picture = worker.snapshot()
        assert (picture.notice_kind, picture.playing) == ("replaying", False) and 0 <= picture.progress <= 1
        worker.work(0.015)
    assert worker.snapshot().t == 60
    worker.execute("rewind", 25)
    worker.execute("play")
    while not (last := replayed(worker).snapshot()).t > 25:
        worker.work(0.015)
    assert last.playing and last.furthest == last.t


def test_a_divergent_run_is_stopped_explained_and_revived(open_engine):
    watched = open_engine(default_config("linear2"), playing=True, chains=8, speed=FASTEST, eta0=30.0)
    stopped = watched.until(lambda s: s.notice_kind == "diverged")
    assert not stopped.playing and "epoch" in stopped.notice and "step" in stopped.notice
    watched.post("play")
    assert not watched.until(lambda s: True).playing
    watched.post(("configure", stopped.config.replace(**stopped.verdict.change)), "revive")
    going = watched.until(lambda s: s.t > stopped.t + 30)
    assert going.notice is None and going.config.eta0 == stopped.verdict.change["eta0"]


def test_it_hurries_to_the_end_of_an_epoch_and_continues_at_its_pace(open_engine):
    watched = open_engine(speed=0)  # one step per second would take minutes
    watched.post(("hurry", 40), "play")
    watched.until(lambda s: s.t >= 40)
    assert watched.last.t in (40, 41) and watched.last.playing  # the next step may already be included
    watched.post(("hurry", 7), "pause")  # in the past: no effect
    assert watched.until(lambda s: not s.playing).t <= 41


def test_slow_steps_are_drawn_as_arrows(open_engine):
    watched = open_engine(speed=0, follow=2)
    watched.post("step", "step", "step")
    shown = watched.until(lambda s: s.cloud.arrows is not None and (s.step == 3 or s.t > 1))
    arrows, cloud = shown.cloud.arrows, shown.cloud
    assert np.allclose(arrows.ends[3], cloud.positions[2], atol=1e-6)
    assert np.allclose(arrows.path[-1], arrows.ends[0])
    watched.post(("configure", shown.config.replace(speed=FASTEST)))
    assert watched.until(lambda s: s.config.speed == FASTEST).cloud.arrows is None


def test_close_ends_both_threads_while_playing_and_frees_the_run(open_engine, monkeypatch):
    watched = open_engine(default_config("logistic21"), playing=True, chains=2, speed=FASTEST)
    watched.until(lambda s: s.reference is not None and "effective draws" in s.reference)
    monkeypatch.setattr(watched.engine._thread, "join", lambda *args: pytest.fail("close waits for a slice"))
    watched.engine.close()
    wait_for(lambda: not watched.engine._thread.is_alive())
    wait_for(lambda: not any(thread.name == "exit-time-reference" for thread in threading.enumerate()))
    assert watched.engine.take() is None and watched.engine._worker._run is None
    monkeypatch.undo()
    watched.engine.post("play")
    watched.engine.close()


def test_slow_compiling_is_announced(open_engine, monkeypatch):
    monkeypatch.setattr("app.jobs.compute_slots.SILENT", 0.02)
    holding, original = threading.Event(), LiveRun.go

    def slow(self, *args):
        holding.wait(PATIENCE)
        return original(self, *args)

    monkeypatch.setattr(LiveRun, "go", slow)
    watched = open_engine(playing=True)
    notice = watched.until(lambda s: s.notice_kind == "compiling")
    assert "Compiling" in notice.notice and " s. Later" in notice.notice and notice.progress is None  # unknown fraction
    holding.set()
    watched.until(lambda s: s.t > 3 and s.notice is None)


def test_a_resting_engine_has_no_thread_and_continues_after_a_start(open_engine):
    watched = open_engine(playing=True)
    watched.until(lambda s: s.t >= 5)
    engine = watched.engine
    for _ in range(50):  # a start before the thread has ended keeps it
        engine.rest()
        engine.start()
    watched.until(lambda s, t=watched.last.t: s.t > t + 3)
    assert engine._thread in threading.enumerate()
    engine.post("pause")
    engine.rest()
    engine._thread.join(PATIENCE)
    assert not engine._thread.is_alive()
    t, run = engine._worker.snapshot().t, watched.last.run
    assert t >= 5
    engine.start()
    engine.post("play")
    assert watched.until(lambda s: s.t > t + 3).run == run and engine._thread.is_alive()


@pytest.mark.parametrize("rested", [True, False])
def test_closing_a_resting_engine_frees_its_run(open_engine, rested):
    watched = open_engine()
    watched.until(lambda s: True)
    watched.engine.rest()
    if rested:
        watched.engine._thread.join(PATIENCE)
    close(watched.engine)
    assert not watched.engine._thread.is_alive() and watched.engine._worker._run is None


def test_the_moment_of_a_link_is_reached_frame_by_frame(make_worker):
    """The last epochs are displayed under one run number, so that every chain has a trail."""
    worker = make_worker()
    worker.execute("recall", SMALL, Moment(60, None, (SMALL.settings, SMALL.escape_radius), ()))
    frames = [worker.snapshot()]
    while frames[-1].notice_kind == "replaying":
        worker.work(0.015)
        frames.append(worker.snapshot())
    last = [s for s in frames if s.run == frames[-1].run]
    assert (frames[-1].notice_kind, frames[-1].t) == ("arrived", 60) and {s.t for s in last} >= set(range(50, 61))
    assert len(last) > 30 and len({s.cloud.positions.tobytes() for s in last}) > 30  # of 48


def test_nothing_of_an_old_run_is_shown_while_new_ones_are_prepared(open_engine):
    """Two switches of the target, the second while the first is still being prepared: each clears the picture at once."""
    watched = open_engine(playing=True)
    old = watched.until(lambda s: s.t > 20)
    for problem in ("linear2", "poisson2"):
        wanted = default_config(problem).replace(chains=8, speed=FASTEST)
        watched.post(("configure", wanted))
        shown = watched.engine.take()
        assert (shown.config.problem, shown.t, shown.verdict.kind, len(shown.cloud.positions)) == (problem, 0, "waiting", 0)
        assert len(shown.series.t) == 0 and shown.run > old.run
    watched.frames.clear()
    watched.until(lambda s: s.t > 20)
    assert {s.config.problem for s in watched.frames} == {"poisson2"}


@pytest.mark.parametrize("still", [False, True])
def test_a_page_plays_once_a_browser_shows_it_unless_reduced_motion_is_preferred(make_worker, still):
    worker = make_worker(SMALL, playing=True)
    worker.hold()
    worker.execute("restart")  # as at the start of a lesson
    worker.execute("play")
    for _ in range(5):
        worker.work(0.015)
    first = worker.snapshot()
    assert (first.t, first.playing, worker.wait()) == (0, True, None)
    worker.execute("appear", still)
    for _ in range(5):
        worker.work(0.015)
        shown = worker.snapshot()
    assert (shown.t > 0, shown.playing) == (not still, not still)
    worker.execute("play")
    worker.snapshot()  # of the start: compilation begins after it
    worker.work(0.015)
    assert worker.snapshot().t > 0
