"""The time left that pages say of real work, against the time that was really left, at each tenth of the work.

Work of this process is timed by its processor seconds, so that what else goes on in the machine does not count; each piece
is begun once before, briefly, so that nothing is compiled meanwhile. A sweep has processes of its own: the clock on the wall
times it.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from unittest import mock

import numpy as np

from app.compare.race_job import run_figure_one, run_race, run_tables
from app.coreset.paper_figure_job import FigureJobs
from app.coreset.paper_figure_plan import SCALES
from app.coreset.run_set import CoresetRuns
from app.exit_time.job import run_exits
from app.jobs.background_job import BackgroundJob
from app.offline.ladder_run import run_ladder
from app.offline.likelihood_race_job import run_likelihood
from app.offline.wasserstein_race_job import run_gaussian
from app.state.compare import CompareConfig
from app.state.coreset import CoresetConfig
from app.state.exit_time import ExitConfig
from app.state.offline import LadderConfig
from app.state.offline_races import GaussianConfig, LikelihoodConfig
from app.state.tune import TuneConfig
from app.tune.kept_files import FOLDER
from app.tune.rehearsal import rehearsal_job
from app.tune.sweep_job import SweepJobs
from app.tune.tuning_rows import load
from app.visit import Visit
from sampler import LogisticRegression, Settings, synthetic_stream
from sampler.time_left import TimeLeft
from sampler.tuning.sweep_reference import make_reference, rungs_of
from tests.benchmarks.timing import Row, skipped

Estimates = list[tuple[float, float | None]]
"""Seconds since the beginning, seconds left as estimated; the end is the last one."""
LOOK = 0.05
"""Seconds between two looks, as a page takes them."""
SHORTEST = 4.0
"""Seconds of work below which a time left helps nobody."""
CLOSE = 2.0
"""Seconds by which it may always be wrong: the words are "a second left" then."""
FACTOR = 2.0


def watched(job: Callable, clock: Callable[[], float] = time.process_time) -> Estimates:
    """``(seconds since the beginning, seconds left as estimated)`` of a page's job; the end is the last one."""
    background, began, estimates, left = BackgroundJob("benchmark"), clock(), [], None
    with mock.patch("app.jobs.background_job.TimeLeft", lambda: TimeLeft(clock)):
        background.start(job)
    while True:
        update = background.take()
        if update is not None:
            if update.error:
                raise RuntimeError(update.error)
            left = update.seconds_left
        estimates.append((clock() - began, left))
        if update is not None and update.done:
            background.close()
            return estimates
        time.sleep(LOOK)


def watched_reference(dim: int, rows: int) -> Estimates:
    """The same of "computing the reference", by the way a sweep says it."""
    clock = time.process_time
    stream, left, began = synthetic_stream("logistic", dim, "paper", rows, 0), TimeLeft(clock), clock()
    estimates: Estimates = []

    def report(share: float) -> None:
        left.tell(share)
        estimates.append((clock() - began, left.seconds))

    make_reference(LogisticRegression(dim), stream.features, stream.labels, list(rungs_of(rows)), progress=report)
    return [*estimates, (clock() - began, 0.0)]


def judged(name: str, estimates: Estimates) -> Row:
    """Row of the worst ratio after the first tenth, with the ratio at each tenth."""
    at, left = np.array([t for t, _ in estimates]), np.array([np.nan if s is None else s for _, s in estimates])
    total = at[-1]
    if total < SHORTEST:
        return skipped(name, f"took {total:.1f} s, too short for an estimate to help")
    true, late = total - at, at >= 0.1 * total
    estimated = late & np.isfinite(left) & (true > 0)
    close = np.abs(left - true) <= CLOSE
    ratio = np.where(close, 1.0, np.maximum(left, 0.1) / np.maximum(true, 0.1))
    off = np.maximum(ratio, 1.0 / ratio)[estimated]
    worst = float(off.max()) if off.size else 1.0
    tenths = [np.searchsorted(at, k * total / 10) for k in range(1, 10)]
    shown = " ".join("-" if not np.isfinite(left[i]) else f"{left[i] / max(true[i], 0.1):.2f}" for i in tenths)
    wrong = float(np.mean(off > FACTOR)) if off.size else 0.0
    return Row(name, f"<= {FACTOR:g}", worst, float(off.min()) if off.size else 1.0, worst, "x", worst <= FACTOR,
               f"{total:.0f} s, said {estimated.sum() / max(late.sum(), 1):.0%}, off {wrong:.0%}: {shown}")


def pieces(quick: bool) -> dict[str, Callable[[], Estimates]]:
    """What is watched: a piece of work of each kind that may say its time left."""
    def swept(**changes: object) -> Estimates:
        return watched(SweepJobs(Visit()).job(TuneConfig(going=True, **changes)), time.monotonic)

    def after(short: Callable, job: Callable) -> Callable[[], Estimates]:
        """The same of a job after a short one has compiled or loaded what it needs."""
        return lambda: (watched(short), watched(job))[1]

    def rehearsed() -> Estimates:
        stream = load(TuneConfig(data="paper21"), None)
        return watched(rehearsal_job(stream, Settings(eta0=1.0, i_max=200, batch_size=9), 1000, 256, 0))

    runs, race = CoresetRuns(), CompareConfig()
    poisson = CoresetConfig(model="poisson", iterations=100_000 if quick else 200_000)
    return {
        "Tune, a new sweep of the paper's example": partial(swept, data="logistic2", seed=5),
        "Tune, d = 21": partial(swept, data="paper21", eta0=(0.3, 3.0), i_max=(50, 300), chains=32),
        "Tune, both algorithms": partial(swept, data="logistic2", algorithm="both", seed=6),
        "Tune, rehearsal": rehearsed,
        "computing the reference, d = 60": partial(watched_reference, 60, 4000),
        "Compare, race": after(partial(run_race, race.replace(t=50, evaluations=1_000, chains=50), None),
                               partial(run_race, race, None)),
        "Compare, Figure 1": partial(watched, partial(run_figure_one, 100 if quick else 400)),
        "Compare, table": partial(watched, partial(run_tables, race.replace(view="tables"))),
        "Offline, W2": after(partial(run_gaussian, GaussianConfig(chains=100)),
                             partial(run_gaussian, GaussianConfig(n=2_000, passes=10.0))),
        "Offline, likelihood": after(partial(run_likelihood, LikelihoodConfig(), None),
                                     partial(run_likelihood, LikelihoodConfig(passes=100.0, chains=20), None)),
        "Offline, ladder": after(partial(run_ladder, LadderConfig()),
                                 partial(run_ladder, LadderConfig(terms=4096, i_max=400, chains=512))),
        "Coreset, runs": after(partial(runs.run, poisson.replace(iterations=100), None), partial(runs.run, poisson, None)),
        "Coreset, Figure 1": partial(watched, FigureJobs().job("1", SCALES["small"])),
        "Exit time": after(partial(run_exits, ExitConfig(), None),
                           partial(run_exits, ExitConfig(chains=20_000, steps=100_000, step_size=5e-6), None)),
    }


def measure(quick: bool) -> Iterator[Row]:
    """All rows of this group; files go to a folder that is gone at the end, not to the user's."""
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {FOLDER: folder}):
        for name, piece in pieces(quick).items():
            yield judged(name, piece())
