"""The time left that pages say of real work, against the time that was really left, at each tenth of the work.

Work of this process is timed by its processor seconds, so that what else goes on in the machine does not count; each piece
is begun once before, briefly, so that nothing is compiled meanwhile. A sweep has processes of its own: the clock on the wall
times it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from unittest import mock

import numpy as np

from app.background_job import BackgroundJob
from app.compare.paper_jobs import figure_one_job, tables_job
from app.compare.race_job import race_job
from app.coreset.paper_figure_job import FigureJobs
from app.coreset.paper_figure_plan import SCALES
from app.coreset.run_set import CoresetRuns
from app.exit_time.job import ExitJobs
from app.offline.ladder_run import run_ladder
from app.offline.likelihood_race_job import run_likelihood
from app.offline.wasserstein_race_job import run_gaussian, run_table
from app.state.compare import CompareConfig
from app.state.coreset import CoresetConfig
from app.state.exit_time import ExitConfig
from app.state.offline_ladder import LadderConfig
from app.state.offline_races import GaussianConfig, LikelihoodConfig
from app.state.tune import TuneConfig
from app.tune.rehearsal import rehearsal_job
from app.tune.sweep_job import SweepJobs
from app.tune.tuning_rows import load
from sampler import LogisticRegression, Settings, synthetic_stream
from sampler.time_left import TimeLeft
from sampler.tuning.cell_truth import make_judges, rungs_of
from tests.benchmarks.own_cache import own_cache
from tests.benchmarks.timing import Row, skipped

LOOK = 0.05
"""Seconds between two looks, as a page takes them."""
SHORTEST = 4.0
"""Seconds of work below which a time left helps nobody."""
CLOSE = 2.0
"""Seconds by which it may always be wrong: the words are "a second left" then."""
FACTOR = 2.0


def watched(job: Callable, clock: Callable[[], float] = time.process_time) -> list[tuple[float, float | None]]:
    """``(seconds since the beginning, seconds left as said)`` of a page's job; the end is the last one."""
    background, began, said, left = BackgroundJob("benchmark"), clock(), [], None
    with mock.patch("app.background_job.TimeLeft", lambda: TimeLeft(clock)):
        background.start(job)
    while True:
        update = background.take()
        if update is not None:
            if update.error:
                raise RuntimeError(update.error)
            left = update.seconds_left
        said.append((clock() - began, left))
        if update is not None and update.done:
            background.close()
            return said
        time.sleep(LOOK)


def watched_reference(dim: int, rows: int) -> list[tuple[float, float | None]]:
    """The same of "computing the reference", by the way a sweep says it."""
    clock = time.process_time
    stream, left, began = synthetic_stream("logistic", dim, "paper", rows, 0), TimeLeft(clock), clock()
    said: list[tuple[float, float | None]] = []

    def told(share: float) -> None:
        left.tell(share)
        said.append((clock() - began, left.seconds))

    make_judges(LogisticRegression(dim), stream.features, stream.labels, list(rungs_of(rows)), progress=told)
    return [*said, (clock() - began, 0.0)]


def judged(name: str, said: list[tuple[float, float | None]]) -> Row:
    """Row of the worst ratio after the first tenth, with the ratio at each tenth."""
    at, left = np.array([t for t, _ in said]), np.array([np.nan if s is None else s for _, s in said])
    total = at[-1]
    if total < SHORTEST:
        return skipped(name, f"took {total:.1f} s, too short for an estimate to help")
    true, late = total - at, at >= 0.1 * total
    known = late & np.isfinite(left) & (true > 0)
    close = np.abs(left - true) <= CLOSE
    ratio = np.where(close, 1.0, np.maximum(left, 0.1) / np.maximum(true, 0.1))
    off = np.maximum(ratio, 1.0 / ratio)[known]
    worst = float(off.max()) if off.size else 1.0
    tenths = [np.searchsorted(at, k * total / 10) for k in range(1, 10)]
    shown = " ".join("-" if not np.isfinite(left[i]) else f"{left[i] / max(true[i], 0.1):.2f}" for i in tenths)
    wrong = float(np.mean(off > FACTOR)) if off.size else 0.0
    return Row(name, f"<= {FACTOR:g}", worst, float(off.min()) if off.size else 1.0, worst, "x", worst <= FACTOR,
               f"{total:.0f} s, said {known.sum() / max(late.sum(), 1):.0%}, off {wrong:.0%}: {shown}")


def pieces(quick: bool) -> dict[str, Callable[[], list[tuple[float, float | None]]]]:
    """What is watched: every piece of work of a page that may say its time left."""
    def swept(config: TuneConfig) -> list[tuple[float, float | None]]:
        return watched(SweepJobs(lambda: None).job(config.replace(going=True)), time.monotonic)

    def after(short: Callable, job: Callable) -> list[tuple[float, float | None]]:
        """The same of a job after a short one has compiled or loaded what it needs."""
        watched(short)
        return watched(job)

    def rehearsed() -> list[tuple[float, float | None]]:
        stream = load(TuneConfig(data="paper21"), None)
        return watched(rehearsal_job(stream, Settings(eta0=1.0, i_max=200, batch_size=9), 1000, 256, 0))

    def race(config: CompareConfig) -> list[tuple[float, float | None]]:
        return after(race_job(config.replace(t=50, evaluations=1_000, chains=50)), race_job(config))

    def likelihood(config: LikelihoodConfig) -> list[tuple[float, float | None]]:
        return after(*(partial(run_likelihood, one, None) for one in (LikelihoodConfig(), config)))

    def gaussian(config: GaussianConfig) -> list[tuple[float, float | None]]:
        return after(*(partial(run_gaussian, one) for one in (GaussianConfig(chains=100), config)))

    def climbed(config: LadderConfig) -> list[tuple[float, float | None]]:
        return after(*(partial(run_ladder, one) for one in (LadderConfig(), config)))

    def exits(config: ExitConfig) -> list[tuple[float, float | None]]:
        jobs = ExitJobs(lambda say, stop: None)
        return after(jobs.job(ExitConfig()), jobs.job(config))

    long, runs = 100_000 if quick else 200_000, CoresetRuns()
    poisson = CoresetConfig(model="poisson", iterations=long)
    found = {
        "Tune, a new sweep of the paper's example": lambda: swept(TuneConfig(data="logistic2", seed=5)),
        "Tune, d = 21": lambda: swept(TuneConfig(data="paper21", eta0=(0.3, 3.0), i_max=(50, 300), chains=32)),
        "Tune, the rest of a sweep": lambda: swept(TuneConfig(data="paper21", eta0=(0.1, 3.0), i_max=(50, 500), chains=32)),
        "Tune, both algorithms": lambda: swept(TuneConfig(data="logistic2", algorithm="both", seed=6)),
        "Tune, rehearsal": rehearsed,
        "computing the reference, d = 2": lambda: watched_reference(2, 1000),
        "computing the reference, d = 21": lambda: watched_reference(21, 4000),
        "computing the reference, d = 60": lambda: watched_reference(60, 4000),
        "Compare, race": lambda: race(CompareConfig()),
        "Compare, race of few seconds": lambda: race(CompareConfig(budget="seconds")),
        "Compare, Figure 1": lambda: watched(figure_one_job(100 if quick else 400)),
        "Compare, table": lambda: watched(tables_job(CompareConfig(view="tables"))),
        "Offline, W2": lambda: gaussian(GaussianConfig(n=2_000, passes=10.0)),
        "Offline, table of best steps": lambda: watched(run_table),
        "Offline, likelihood": lambda: likelihood(LikelihoodConfig(passes=100.0, chains=20)),
        "Offline, ladder": lambda: climbed(LadderConfig(terms=4096, i_max=400, chains=512)),
        "Coreset, first runs": lambda: after(runs.job(poisson.replace(iterations=100), None), runs.job(poisson, None)),
        "Coreset, more iterations": lambda: after(runs.job(poisson.replace(iterations=long // 2), None),
                                                  runs.job(poisson, None)),
        "Coreset, Figure 1": lambda: watched(FigureJobs().job("1", SCALES["small"])),
        "Exit time": lambda: exits(ExitConfig(chains=20_000, steps=100_000, step_size=5e-6)),
        "Exit time, noisy": lambda: exits(ExitConfig(chains=20_000, steps=40_000, step_size=1e-5, noise=10.0)),
    }
    return found


def measure(quick: bool, only: str = "") -> Iterator[Row]:
    """All rows of this group; those with ``only`` in their names."""
    with own_cache():
        for name, piece in pieces(quick).items():
            if only in name:
                yield judged(name, piece())
