"""What the worker computes and what the page says about it."""

import threading
import time

import numpy as np
import pytest

from app.exit_time.config import ExitConfig
from app.exit_time.job import Job
from app.exit_time.picture import ExitPicture
from app.exit_time.presets import PRESETS
from app.exit_time.runner import Runner, wait
from app.exit_time.saving import survival_csv
from app.exit_time.sums import choose, order
from app.exit_time.task import task_of
from app.exit_time.words import printed_fails, reading, splitting, spoken, timing, warnings
from sampler import exit_bounds


def compute(config: ExitConfig) -> ExitPicture:
    pictures = []
    Job(lambda say, stop: None).pictures(1, config, lambda: False, pictures.append)
    assert pictures[-1].done and all(not picture.done for picture in pictures[:-1])
    return pictures[-1]


@pytest.fixture(scope="module")
def printed() -> ExitPicture:
    return compute(PRESETS["printed"].config)


@pytest.fixture(scope="module")
def bowl() -> ExitPicture:
    return compute(PRESETS["quadratic"].config)


def test_the_printed_bound_fails(printed):
    # P(exit) by the grid of many runs is 0.081; 4,000 chains have a standard error of 0.0043: five of them.
    assert 1 - printed.crowd.stay[-1] == pytest.approx(0.081, abs=0.022)
    assert printed.promises.last("printed") == pytest.approx(2.28e-5, rel=0.01)
    assert printed_fails(printed)
    assert "The printed one lies above it" in reading(printed)
    assert "bounds nothing" in spoken(printed)
    assert printed.promises.last("corrected") == 1.0


def test_valid_bounds_lie_below_the_band(printed, bowl):
    for picture in (printed, bowl, compute(PRESETS["concentrates"].config)):
        high = np.interp(picture.promises.steps, picture.crowd.steps, picture.crowd.high)
        for name in ("corrected", "sharp", "local"):
            assert (picture.promises.stays(name) <= high + 1e-12).all()


def test_bounds_are_the_librarys(bowl):
    config = bowl.config
    bounds = exit_bounds(config.dim, config.step_size, config.steps, config.radius, smoothness=config.curvature,
                         strong_convexity=config.curvature)
    assert bowl.promises.last("local") == pytest.approx(bounds.local)
    assert bowl.promises.last("sharp") == pytest.approx(bounds.sharp)
    assert not printed_fails(bowl)
    times = bowl.promises.last("local") * bowl.crowd.chains / bowl.crowd.left
    assert f"{times:.1f} times the exits seen" in reading(bowl)


def test_the_three_sums_are_exact_and_hold_each_step(bowl):
    sums = bowl.sums
    assert sums.left and sums.error < 1e-14 and sums.never_outward
    np.testing.assert_allclose(sums.total, sums.pull + sums.drift + sums.martingale)
    assert sums.total[-1] >= 1.0 - sums.start  # it left
    every = np.diff(sums.steps) == 1  # this epoch is short enough for all steps to be kept
    assert every.all()
    np.testing.assert_allclose(np.diff(sums.pull), sums.step_pull[1:], atol=1e-12)
    assert "never points outward" in splitting(bowl)


def test_the_push_on_the_square_is_d_everywhere(bowl):
    pushes = bowl.crowd.pushes
    seen = pushes.count > 1000
    # 24 bins, each within 4.5 standard errors with probability 1 - 24 * 7e-6.
    assert (np.abs(pushes.square - 2.0) <= 4.5 * pushes.square_error)[seen].all()
    assert pushes.plain[np.flatnonzero(seen)[0]] > 2 * pushes.plain[np.flatnonzero(seen)[-1]]


def test_paths_are_cut_at_their_exit_and_belong_to_the_crowd(printed):
    crowd = printed.crowd
    for row, left in zip(crowd.paths, crowd.path_exits, strict=True):
        after = crowd.path_steps >= left if left else np.zeros(row.size, bool)
        assert np.isnan(row[after]).all() and np.isfinite(row[~after]).all() and (row[~after] < 1).all()


def test_another_chain_or_cut_off_reuses_the_crowd(printed):
    job, pictures = Job(lambda say, stop: None), []
    job.pictures(1, printed.config, lambda: False, pictures.append)
    count = len(pictures)
    job.pictures(2, printed.config.replace(chain=5), lambda: False, pictures.append)
    assert len(pictures) == count + 1 and pictures[-1].sums.chain == 5
    job.pictures(3, printed.config.replace(truncation=9.0), lambda: False, pictures.append)
    assert len(pictures) == count + 2
    assert pictures[-1].crowd.left == printed.crowd.left
    assert pictures[-1].promises.last("printed") > pictures[0].promises.last("printed")


@pytest.mark.parametrize(("config", "words"), [
    (ExitConfig(radius=2, step_size=5e-4, steps=500, curvature=1.0, noise=1000.0, chains=200),
     "because the noise S = 1000 is so large"),
    (ExitConfig(radius=2, step_size=0.5, steps=50, curvature=10.0, chains=200), "lower η to 0.2 or less"),
    (ExitConfig(radius=0.3, step_size=5e-5, steps=10_000, chains=200), "Raise r, or lower η or n"),
])
def test_when_every_valid_bound_is_1_the_page_says_so(config, words):
    picture = compute(config)
    assert min(picture.promises.last(name) for name in ("corrected", "sharp", "local")) >= 0.9999
    assert words in warnings(picture)[0]
    assert picture.crowd.stay.size  # and the chains are drawn all the same


def test_work_is_bounded_and_said():
    task = task_of(ExitConfig(dim=100, steps=100_000, chains=20_000), None)
    assert task.chains * 100 * 100_000 <= 3e9
    assert "would take long: 300 are run" in task.notes[0]
    assert task_of(ExitConfig(), None).notes == ()


def test_a_path_too_long_to_split_is_said_not_drawn():
    picture = compute(ExitConfig(radius=10.0, step_size=1e-6, dim=40, steps=100_000, chains=100))
    assert picture.sums is None and picture.too_long


def test_chains_to_look_at():
    exits = np.array([0, 9, 0, 4, 7])
    assert choose(exits, 5, None) == 4 and choose(exits, 1, None) == 4 and choose(np.zeros(3, int), 3, None) == 0
    assert choose(exits, 5, 2) == 2 and choose(exits, 5, 99) == 4
    assert order(exits, 5) == [3, 4, 1, 0, 2]


def test_csv_has_a_row_a_step(printed):
    lines = survival_csv(printed).splitlines()
    assert lines[0] == "step,inside,band_low,band_high,free_walk,printed,corrected,sharp,local"
    assert len(lines) == printed.crowd.steps.size + 1
    assert float(lines[-1].split(",")[1]) == pytest.approx(printed.crowd.stay[-1])
    assert survival_csv(None) == ""


def test_timing_names_the_run(printed):
    assert timing(printed).startswith("4,000 chains × 10,000 steps took ")


# the thread ---------------------------------------------------------------------------------------------------


def test_the_latest_request_wins_and_the_older_is_dropped_mid_way():
    runner = Runner()
    wait(runner, runner.post(ExitConfig(steps=10, chains=100)))
    slow = runner.post(ExitConfig(steps=100_000, chains=10_000, step_size=5e-6))
    deadline = time.monotonic() + 60
    while runner.take() is None:  # it has begun
        assert time.monotonic() < deadline
        time.sleep(0.002)
    newest = runner.post(ExitConfig(steps=20, chains=100))
    seen = []
    while not (seen and seen[-1].done):
        assert time.monotonic() < deadline
        picture = runner.take()
        seen += [picture] if picture is not None else []
        time.sleep(0.002)
    assert seen[-1].request == newest and seen[-1].config.steps == 20
    assert not any(picture.done and picture.request == slow for picture in seen)
    assert runner.dropped == 1
    runner.close()


def test_progress_has_words_and_time_left():
    runner = Runner()
    wait(runner, runner.post(ExitConfig(steps=10, chains=100)))
    request, words, deadline = runner.post(ExitConfig(steps=20_000, chains=8_000)), [], time.monotonic() + 90
    while True:
        assert time.monotonic() < deadline
        picture = runner.take()
        if picture is not None and picture.progress is not None:
            words.append((picture.progress, picture.words))
        if picture is not None and picture.done:
            break
        time.sleep(0.002)
    assert picture.request == request
    assert words and all(0 <= part <= 1 and "running 8,000 chains" in said and "left" in said for part, said in words)
    assert [part for part, _ in words] == sorted(part for part, _ in words)
    runner.close()


def test_an_error_is_told_and_the_thread_lives_on(monkeypatch):
    runner = Runner()
    with monkeypatch.context() as broken:
        broken.setattr("app.exit_time.job.task_of", lambda config, state: 1 / 0)
        picture = wait(runner, runner.post(ExitConfig(steps=10, chains=100)))
        assert picture.error.startswith("ZeroDivisionError")
    assert wait(runner, runner.post(ExitConfig(steps=10, chains=100))).error == ""
    runner.close()


def test_close_ends_the_thread():
    others = set(threading.enumerate())
    runner = Runner()
    runner.post(ExitConfig(steps=100_000, chains=20_000))
    thread = (set(threading.enumerate()) - others).pop()
    runner.close()
    thread.join(20)  # close itself waits for a second only, so as not to hold up the server
    assert not thread.is_alive() and runner.take() is None
    runner.post(ExitConfig())
    assert set(threading.enumerate()) <= others
