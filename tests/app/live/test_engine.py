import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from app.live.commands import Configure, Epoch, Follow, Hurry, Pause, Play, Recall, Restart, Revive, Rewind, Step
from app.live.moment import Moment
from app.state.live import default_config
from tests.app.live.conftest import FASTEST, PATIENCE, SMALL


def turned(snapshot_config, **settings):
    return Configure(snapshot_config.replace(settings=snapshot_config.settings.replace(**settings)))


def test_it_shows_the_start_and_waits(open_engine):
    watched = open_engine()
    start = watched.until(lambda s: True)
    assert (start.t, start.playing, start.run, start.verdict.kind) == (0, False, 1, "waiting")
    assert start.series is not None and len(start.series.t) == 0


def test_play_pause_epoch_and_step(open_engine):
    watched = open_engine()
    watched.post(Epoch(), Epoch())
    watched.until(lambda s: s.t == 2 and s.step == s.run_length)
    watched.post(Step())
    assert watched.until(lambda s: s.t == 3).step == 1
    watched.post(Step())
    watched.until(lambda s: s.step == 2 or s.t == 4)
    watched.post(Play())
    assert watched.until(lambda s: s.t > 30).playing
    watched.post(Pause())
    still = watched.until(lambda s: not s.playing)
    watched.post(Follow(3))
    assert watched.until(lambda s: s.config.follow == 3).t == still.t


def test_a_frame_is_made_only_when_the_last_was_taken(open_engine):
    watched = open_engine(playing=True)
    watched.until(lambda s: s.t > 5)
    watched.engine.take()
    made, t = watched.engine.published, watched.last.t
    end = time.monotonic() + PATIENCE
    while watched.engine._worker._run.state.t < t + 50 and time.monotonic() < end:
        time.sleep(0.001)
    assert watched.engine.published <= made + 1
    stale = watched.engine.take()
    assert watched.until(lambda s: s.t >= t + 50).frame > stale.frame


def test_what_a_command_changed_takes_the_place_of_a_frame_nobody_has_taken(open_engine):
    watched = open_engine(playing=True)
    config = watched.until(lambda s: s.t > 5).config
    end = time.monotonic() + PATIENCE
    while watched.engine._slot is None and time.monotonic() < end:
        time.sleep(0.001)
    watched.post(Configure(config.replace(escape_radius=9.0)))
    while watched.engine._slot.config.escape_radius != 9.0 and time.monotonic() < end:
        time.sleep(0.001)
    assert watched.engine.take().config.escape_radius == 9.0


def test_a_snapshot_in_the_place_of_another_tells_what_only_that_one_told(open_engine):
    watched = open_engine(playing=True)
    told = watched.until(lambda s: s.series is not None and s.t > 20)
    flash = np.array([[3.0, 0.5, 0.25]], dtype=np.float32)
    told = replace(told, cloud=replace(told.cloud, reset=np.eye(1, len(told.cloud.reset), 5, dtype=bool)[0], exits=flash))
    new = watched.until(lambda s: s.frame > told.frame and s.series is None)
    both = new.replacing(told)
    assert both.series is told.series and both.cloud.reset[5] and flash[0].tolist() in both.cloud.exits.tolist()
    assert (both.frame, both.t) == (new.frame, new.t) and new.replacing(None) is new
    assert new.replacing(replace(told, run=told.run - 1)) is new


def test_frames_are_numbered_and_series_come_less_often(open_engine):
    watched = open_engine(playing=True)
    watched.until(lambda s: s.t > 300)
    numbers = [s.frame for s in watched.frames]
    assert all(a < b for a, b in zip(numbers, numbers[1:], strict=False))
    assert sum(s.series is not None for s in watched.frames) < len(watched.frames)
    times = [s.t for s in watched.frames]
    assert times == sorted(times)


def test_a_knob_acts_at_once_and_is_marked(open_engine):
    watched = open_engine(playing=True)
    before = watched.until(lambda s: s.t > 20)
    watched.post(turned(before.config, eta0=0.05, i_max=30))
    after = watched.until(lambda s: s.config.settings.eta0 == 0.05 and s.series is not None)
    assert after.run == before.run
    later = watched.until(lambda s: s.series is not None and len(s.series.events) == 2)
    assert [event.text for event in later.series.events] == [f"η₀ {before.config.settings.eta0:g} → 0.05",
                                                             "iₘₐₓ 60 → 30"]


def test_a_new_seed_or_problem_restarts_with_its_defaults(open_engine):
    watched = open_engine(playing=True)
    first = watched.until(lambda s: s.t > 20)
    watched.post(Configure(first.config.replace(seed=77)))
    second = watched.until(lambda s: s.run > first.run)
    assert second.config.seed == 77 and second.t < first.t
    watched.post(Configure(default_config("linear2").replace(chains=8, speed=FASTEST)))
    third = watched.until(lambda s: s.run > second.run)
    assert third.config == default_config("linear2").replace(chains=8, speed=FASTEST)
    watched.post(Restart())
    watched.until(lambda s: s.run > third.run)


def test_rewind_and_play_on_give_the_same_samples(open_engine):
    watched = open_engine()
    for _ in range(3):
        watched.post(*[Epoch()] * 20)
    there = watched.until(lambda s: s.t == 60 and s.step == s.run_length)
    watched.post(turned(there.config, eta0=0.01))
    watched.post(*[Epoch()] * 10)
    end = watched.until(lambda s: s.t == 70 and s.step == s.run_length)
    watched.post(Rewind(37))
    back = watched.until(lambda s: s.t == 37 and s.notice is None)
    assert back.run > end.run and back.furthest == 70 and not back.playing
    assert back.config.settings == there.config.settings
    assert back.series.t[-1] == 37 and back.series.events == ()
    watched.post(Rewind(70))
    again = watched.until(lambda s: s.t == 70 and s.notice is None)
    assert np.array_equal(again.cloud.positions, end.cloud.positions)
    assert again.config.settings.eta0 == 0.01 and len(again.series.events) == 1
    watched.post(Rewind(37))
    watched.until(lambda s: s.t == 37 and s.notice is None)
    watched.post(*[Epoch()] * 23)
    other = watched.until(lambda s: s.t == 60 and s.step == s.run_length)
    assert np.array_equal(other.cloud.positions, there.cloud.positions) and other.furthest == 60


def test_a_newer_rewind_cancels_an_older_and_a_pause_stops_it(open_engine):
    watched = open_engine(playing=True)
    watched.until(lambda s: s.t > 400)
    watched.post(Rewind(390), Rewind(5))
    five = watched.until(lambda s: s.t == 5 and s.notice is None)
    assert five.furthest >= 400
    watched.post(Rewind(400), Pause())
    stopped = watched.until(lambda s: s.notice is None)
    assert 5 <= stopped.t < 400 and stopped.step == stopped.run_length
    watched.post(Rewind(10**9))
    assert watched.until(lambda s: s.notice is None and s.t == five.furthest)
    notices = [s for s in watched.frames if s.notice_kind == "replaying"]
    assert all(0 <= s.progress <= 1 for s in notices)


def test_play_posted_during_a_replay_waits_for_its_end(open_engine):
    watched = open_engine(playing=True)
    watched.until(lambda s: s.t > 300)
    watched.post(Rewind(250), Play())
    watched.until(lambda s: s.playing and s.notice is None and s.t > 250)
    assert watched.last.furthest == watched.last.t


def test_a_hot_step_is_stopped_explained_and_revived(open_engine):
    config = default_config("linear2").replace(chains=8, speed=FASTEST)
    watched = open_engine(config.replace(settings=config.settings.replace(eta0=30.0)), playing=True)
    stopped = watched.until(lambda s: s.notice_kind == "diverged")
    assert not stopped.playing and "epoch" in stopped.notice and "step" in stopped.notice
    assert stopped.verdict.kind == "diverged" and stopped.verdict.change["eta0"] < 30
    watched.post(Play())
    assert not watched.until(lambda s: True).playing
    watched.post(Revive(stopped.verdict.change))
    going = watched.until(lambda s: s.t > stopped.t + 30)
    assert going.notice is None and going.config.settings.eta0 == stopped.verdict.change["eta0"]


def test_the_run_ends_with_words(open_engine, monkeypatch):
    monkeypatch.setattr("app.live.run_data.HORIZON", 30)
    watched = open_engine(playing=True)
    ended = watched.until(lambda s: s.notice_kind == "ended")
    assert ended.t == 30 and not ended.playing and "Restart" in ended.notice
    watched.post(Rewind(10))
    watched.until(lambda s: s.t == 10 and s.notice is None)


def test_it_hurries_to_the_end_of_an_epoch_and_goes_on_at_its_pace(open_engine):
    watched = open_engine(speed=0)  # a step a second: it would take minutes
    watched.post(Hurry(40), Play())
    watched.until(lambda s: s.t >= 40)
    assert watched.last.t in (40, 41) and watched.last.playing  # the first step at its own pace may be seen with it
    watched.post(Hurry(7), Pause())  # past: nothing to hurry to
    assert watched.until(lambda s: not s.playing).t <= 41


def test_slow_steps_are_drawn_as_arrows(open_engine):
    watched = open_engine(speed=0, follow=2)
    watched.post(Step(), Step(), Step())
    shown = watched.until(lambda s: s.cloud.arrows is not None and (s.step == 3 or s.t > 1))
    arrows, cloud = shown.cloud.arrows, shown.cloud
    assert np.allclose(arrows.after_noise, cloud.positions[2], atol=1e-6)
    assert np.allclose(arrows.path[-1], arrows.before)
    for point in (arrows.before, arrows.after_guess, arrows.after_correction, arrows.after_noise):
        assert (np.abs(point - cloud.center) <= cloud.half_width).all()
    watched.post(Configure(shown.config.replace(speed=FASTEST)))
    assert watched.until(lambda s: s.config.speed == FASTEST).cloud.arrows is None


def test_view_knobs_change_the_picture_of_a_paused_run(open_engine):
    watched = open_engine()
    watched.post(*[Epoch()] * 9)
    plain = watched.until(lambda s: s.t == 9 and s.step == s.run_length)
    watched.post(Configure(plain.config.replace(rescaled=True)))
    rescaled = watched.until(lambda s: s.config.rescaled)
    assert rescaled.run > plain.run and np.allclose(rescaled.cloud.mode, 0)
    watched.post(Configure(rescaled.config.replace(axes=(1, 0), rescaled=False)))
    swapped = watched.until(lambda s: s.config.axes == (1, 0))
    assert np.allclose(swapped.cloud.positions, plain.cloud.positions[:, ::-1])


def test_two_engines_share_nothing(open_engine):
    one, other = open_engine(), open_engine(seed=9)
    one.post(*[Epoch()] * 30)
    other.post(*[Epoch()] * 12)
    first = one.until(lambda s: s.t == 30 and s.step == s.run_length)
    other.until(lambda s: s.t == 12 and s.step == s.run_length)
    alone = open_engine()
    alone.post(*[Epoch()] * 30)
    again = alone.until(lambda s: s.t == 30 and s.step == s.run_length)
    assert np.array_equal(first.cloud.positions, again.cloud.positions)
    assert not np.array_equal(first.cloud.positions, other.last.cloud.positions)


def test_close_ends_the_thread_while_playing_and_frees_the_run(open_engine):
    watched = open_engine(playing=True)
    watched.until(lambda s: s.t > 10)
    begun = time.monotonic()
    watched.engine.close()
    assert time.monotonic() - begun < 0.5  # holds nobody up, though a turn may be long
    end = time.monotonic() + PATIENCE
    while watched.engine.alive and time.monotonic() < end:
        time.sleep(0.001)
    assert not watched.engine.alive
    assert watched.engine.take() is None and watched.engine._worker._run is None
    watched.engine.post(Play())
    watched.engine.close()


def test_close_ends_the_reference_thread_too(open_engine):
    watched = open_engine(default_config("logistic21").replace(chains=2, speed=FASTEST), playing=True)
    watched.until(lambda s: s.reference is not None and "effective draws" in s.reference)
    watched.engine.close(wait=PATIENCE)
    assert not any(thread.name == "exit-time-reference" for thread in threading.enumerate())


def test_a_failure_inside_is_told_in_words(open_engine, monkeypatch):
    watched = open_engine()
    watched.until(lambda s: True)
    monkeypatch.setattr("app.live.run.LiveRun.go", lambda *args: 1 / 0)
    watched.post(Play())
    failed = watched.until(lambda s: s.notice_kind == "error")
    assert "ZeroDivisionError" in failed.notice and not failed.playing
    monkeypatch.undo()
    watched.post(Restart(), Play())
    watched.until(lambda s: s.t > 3 and s.notice is None)


def test_slow_compiling_is_announced(open_engine, monkeypatch):
    monkeypatch.setattr("app.compile_notice.PATIENCE", 0.02)
    holding, original = threading.Event(), __import__("app.live.run", fromlist=["LiveRun"]).LiveRun.go

    def slow(self, *args):
        holding.wait(PATIENCE)
        return original(self, *args)

    monkeypatch.setattr("app.live.run.LiveRun.go", slow)
    watched = open_engine(playing=True)
    told = watched.until(lambda s: s.notice_kind == "compiling")
    assert "Compiling" in told.notice and "s so far" in told.notice and told.progress is None  # nobody knows the share
    holding.set()
    watched.until(lambda s: s.t > 3 and s.notice is None)


def test_memory_is_flat_over_many_epochs(open_engine):
    resource = pytest.importorskip("resource")
    watched = open_engine(SMALL.replace(settings=SMALL.settings.replace(i_max=1)), playing=True)
    watched.until(lambda s: s.t > 1500)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    watched.until(lambda s: s.t > 4500)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    grown = grown / 1024 if sys.platform == "darwin" else grown
    # 3,000 epochs of 8 chains: 3,000 x 8 x 32 B of cached gradients, twice for doubling, and as much kept: 3 MB
    assert grown < 12_000


def test_a_resting_engine_has_no_thread_and_goes_on_where_it_was(open_engine):
    watched = open_engine(playing=True)
    watched.until(lambda s: s.t >= 5)
    engine = watched.engine
    engine.post(Pause())
    engine.rest()
    engine._thread.join(PATIENCE)
    assert not engine.alive
    t, run = engine._worker.snapshot().t, watched.last.run
    assert t >= 5
    engine.start()
    engine.post(Play())
    shown = watched.until(lambda s: s.t > t + 3)
    assert shown.run == run and engine.alive


def test_who_comes_back_before_the_thread_has_come_to_rest_goes_on_with_it(open_engine):
    watched = open_engine(playing=True)
    watched.until(lambda s: s.t >= 3)
    for _ in range(50):
        watched.engine.rest()
        watched.engine.start()
    t = watched.last.t
    watched.until(lambda s: s.t > t + 3)
    assert watched.engine._thread in threading.enumerate()


def test_a_run_at_rest_is_let_go_at_once(open_engine):
    watched = open_engine()
    watched.until(lambda s: True)
    watched.engine.rest()
    watched.engine._thread.join(PATIENCE)
    watched.engine.close()
    assert watched.engine._worker._run is None


def test_a_resting_engine_can_be_closed(open_engine):
    watched = open_engine()
    watched.until(lambda s: True)
    watched.engine.rest()
    watched.engine.close(wait=PATIENCE)
    assert not watched.engine.alive and watched.engine._worker._run is None


def test_the_moment_of_a_link_is_reached_picture_by_picture(open_engine):
    """The last epochs are shown as they pass, under one run number, so that every chain has a path behind it."""
    watched = open_engine()
    start = watched.until(lambda s: True)
    moment = Moment(60, None, (start.config.settings, start.config.escape_radius), ())
    watched.post(Recall(start.config, moment))
    seen = [watched.until(lambda s: s.notice_kind == "replaying")]
    while seen[-1].notice_kind != "arrived":
        seen.append(watched.until(lambda s: s.frame > seen[-1].frame))
    last = [s for s in seen if s.run == seen[-1].run]
    assert seen[-1].t == 60 and {s.t for s in last} >= set(range(50, 61))
    assert len(last) > 30 and len({s.cloud.positions.tobytes() for s in last}) > 30  # of 48


def test_nothing_of_an_old_run_is_shown_while_new_ones_are_prepared(open_engine):
    """Two switches of the target, the second while the first is still being begun: each takes the picture away at once."""
    watched = open_engine(playing=True)
    old = watched.until(lambda s: s.t > 20)
    for problem in ("linear2", "poisson2"):
        wanted = default_config(problem).replace(chains=8, speed=FASTEST)
        watched.post(Configure(wanted))
        shown = watched.engine.take()
        assert (shown.config.problem, shown.t, shown.verdict.kind, len(shown.cloud.positions)) == (problem, 0, "waiting", 0)
        assert len(shown.series.t) == 0 and shown.run > old.run
    watched.frames.clear()
    watched.until(lambda s: s.t > 20)
    assert {s.config.problem for s in watched.frames} == {"poisson2"}
