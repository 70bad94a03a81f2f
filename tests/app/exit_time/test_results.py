"""What the worker computes and what the page says about it."""

import threading
import time

import numpy as np
import pytest

from app.background_job import BackgroundJob, wait
from app.exit_time.job import ExitJobs
from app.exit_time.presets import PRESETS
from app.exit_time.result import ExitResult
from app.exit_time.result_words import printed_fails, reading, splitting, spoken, timing, warnings
from app.exit_time.running_sums import choose, order
from app.exit_time.setup import prepare_exits
from app.exit_time.survival_csv import survival_csv
from app.state.exit_time import ExitConfig
from sampler import exit_bounds


class Recorder:
    """A handle outside a worker: keeps all that is published."""

    stopped = False

    def __init__(self):
        self.published = []

    def publish(self, value=None, fraction=None, words=""):
        self.published.append(value)


def compute(config: ExitConfig) -> ExitResult:
    seen = Recorder()
    result = ExitJobs(lambda say, stop: None).run(config, seen)
    assert result.complete and seen.published and not any(early.complete for early in seen.published)
    return result


@pytest.fixture(scope="module")
def printed() -> ExitResult:
    return compute(PRESETS["printed"].config)


@pytest.fixture(scope="module")
def bowl() -> ExitResult:
    return compute(PRESETS["quadratic"].config)


def test_the_printed_bound_fails(printed):
    # P(exit) by the grid of many runs is 0.081; 4,000 chains have a standard error of 0.0043: five of them.
    assert 1 - printed.crowd.inside.share[-1] == pytest.approx(0.081, abs=0.022)
    assert printed.bounds.last("printed") == pytest.approx(2.28e-5, rel=0.01)
    assert printed_fails(printed)
    assert "The printed one lies above it" in reading(printed)
    assert "bounds nothing" in spoken(printed)
    assert printed.bounds.last("corrected") == 1.0


def test_valid_bounds_lie_below_the_band(printed, bowl):
    for result in (printed, bowl, compute(PRESETS["concentrates"].config)):
        high = np.interp(result.bounds.steps, result.crowd.inside.steps, result.crowd.inside.high)
        for name in ("corrected", "sharp", "local"):
            assert (result.bounds.stays(name) <= high + 1e-12).all()


def test_bounds_are_the_librarys(bowl):
    config = bowl.config
    bounds = exit_bounds(config.dim, config.step_size, config.steps, config.radius, smoothness=config.curvature,
                         strong_convexity=config.curvature)
    assert bowl.bounds.last("local") == pytest.approx(bounds.local)
    assert bowl.bounds.last("sharp") == pytest.approx(bounds.sharp)
    assert not printed_fails(bowl)
    times = bowl.bounds.last("local") * bowl.crowd.chains / bowl.crowd.left
    assert f"{times:.1f} times the exits seen" in reading(bowl)


def test_the_mixture_is_said_where_it_is_sharper():
    long = compute(PRESETS["quadratic"].config.replace(step_size=0.025, radius=3.5355, chains=2000))
    # eta m n = 10: 0.124 of the chains leave, blocks allow 0.42 and the mixture about half of that.
    assert 0.124 < long.bounds.mixed < 0.25 < long.bounds.last("local")
    assert f"One mixture over all θ in place of blocks: {long.bounds.mixed:.3f}." in reading(long)


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
    jobs, seen = ExitJobs(lambda say, stop: None), Recorder()
    first = jobs.run(printed.config, seen)
    seen.published.clear()
    another = jobs.run(printed.config.replace(chain=5), seen)
    cut = jobs.run(printed.config.replace(truncation=9.0), seen)
    assert seen.published == []  # nothing was run again
    assert another.sums.chain == 5 and another.crowd.left == cut.crowd.left == printed.crowd.left
    assert cut.bounds.last("printed") > first.bounds.last("printed")


@pytest.mark.parametrize(("config", "words"), [
    (ExitConfig(radius=2, step_size=5e-4, steps=500, curvature=1.0, noise=1000.0, chains=200),
     "because the noise S = 1000 is so large"),
    (ExitConfig(radius=2, step_size=0.5, steps=50, curvature=10.0, chains=200), "lower η to 0.2 or less"),
    (ExitConfig(radius=0.3, step_size=5e-5, steps=10_000, chains=200), "Raise r, or lower η or n"),
])
def test_when_every_valid_bound_is_1_the_page_says_so(config, words):
    result = compute(config)
    assert min(result.bounds.last(name) for name in ("corrected", "sharp", "local")) >= 0.9999
    assert words in warnings(result)[0]
    assert result.crowd.inside.share.size  # and the chains are drawn all the same


def test_work_is_bounded_and_said():
    setup = prepare_exits(ExitConfig(dim=100, steps=100_000, chains=20_000), None)
    assert setup.chains * 100 * 100_000 <= 3e9
    assert "would take long: 300 are run" in setup.notes[0]
    assert prepare_exits(ExitConfig(), None).notes == ()


def test_a_path_too_long_to_split_is_said_not_drawn():
    result = compute(ExitConfig(radius=10.0, step_size=1e-6, dim=40, steps=100_000, chains=100))
    assert result.sums is None and result.too_long


def test_chains_to_look_at():
    exits = np.array([0, 9, 0, 4, 7])
    assert choose(exits, 5, None) == 4 and choose(exits, 1, None) == 4 and choose(np.zeros(3, int), 3, None) == 0
    assert choose(exits, 5, 2) == 2 and choose(exits, 5, 99) == 4
    assert order(exits, 5) == [3, 4, 1, 0, 2]


def test_csv_has_a_row_a_step(printed):
    lines = survival_csv(printed).splitlines()
    assert lines[0] == "step,inside,band_low,band_high,free_walk,printed,corrected,sharp,local,made_with"
    assert len(lines) == printed.crowd.inside.steps.size + 1
    assert float(lines[-1].split(",")[1]) == pytest.approx(printed.crowd.inside.share[-1])
    assert survival_csv(None) == ""


def test_timing_names_the_run(printed):
    assert timing(printed).startswith("4,000 chains × 10,000 steps took ")


# the worker ---------------------------------------------------------------------------------------------------


@pytest.fixture
def worker():
    made = BackgroundJob("exit-time-worker", show_overtaken=True)
    yield made
    made.close()


@pytest.fixture
def jobs(worker):
    made = ExitJobs(lambda say, stop: None)
    worker.start(made.job(ExitConfig(steps=10, chains=100)))  # compiled from here on
    wait(worker)
    return made


def test_the_latest_request_wins_and_the_older_is_dropped_mid_way(worker, jobs):
    slow = worker.start(jobs.job(ExitConfig(steps=100_000, chains=10_000, step_size=5e-6)))
    deadline = time.monotonic() + 300
    while worker.take() is None:  # it has begun
        assert time.monotonic() < deadline
        time.sleep(0.002)
    newest = worker.start(jobs.job(ExitConfig(steps=20, chains=100)))
    seen = []
    while not (seen and seen[-1].done):
        assert time.monotonic() < deadline
        update = worker.take()
        seen += [update] if update is not None else []
        time.sleep(0.002)
    assert seen[-1].number == newest and seen[-1].value.config.steps == 20
    assert not any(update.done and update.number == slow for update in seen)
    assert worker.dropped == 1


def test_progress_has_words_and_time_left(worker, jobs):
    request, words, deadline = worker.start(jobs.job(ExitConfig(steps=20_000, chains=8_000))), [], time.monotonic() + 300
    while True:
        assert time.monotonic() < deadline
        update = worker.take()
        if update is not None and update.done:
            break
        if update is not None and update.fraction is not None:
            words.append((update.fraction, update.working, update.seconds_left))
        time.sleep(0.002)
    assert update.number == request
    assert words and all(0 <= part <= 1 and "running 8,000 chains" in said for part, said, _ in words)
    assert all(("left" in said) == bool(left) for _, said, left in words)
    assert [part for part, *_ in words] == sorted(part for part, *_ in words)


def test_an_error_is_told_and_the_next_request_is_answered(worker, jobs, monkeypatch):
    with monkeypatch.context() as broken:
        broken.setattr("app.exit_time.job.prepare_exits", lambda config, state: 1 / 0)
        worker.start(jobs.job(ExitConfig(steps=10, chains=100)))
        assert wait(worker).error.startswith("ZeroDivisionError")
    worker.start(jobs.job(ExitConfig(steps=10, chains=100)))
    assert wait(worker).error == ""


def test_close_ends_the_thread(worker):
    others = set(threading.enumerate())
    jobs = ExitJobs(lambda say, stop: None)
    worker.start(jobs.job(ExitConfig(steps=100_000, chains=20_000)))
    thread = next(t for t in set(threading.enumerate()) - others if t.name == "exit-time-worker")
    worker.close()
    thread.join(20)  # close itself waits for a second only, so as not to hold up the server
    assert not thread.is_alive() and worker.take() is None
    worker.start(jobs.job(ExitConfig()))
    assert not any(t.name == "exit-time-worker" for t in set(threading.enumerate()) - others)
