"""Tuning in 124 dimensions: what an epoch of either algorithm costs at equal accuracy, and the wait on the Tune page.

The rows are like those of a9a: fourteen attributes of 2 to 41 classes as 123 columns of zeros and ones, some classes rare.
"""

from __future__ import annotations

import os
import resource
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path

import numpy as np

from sampler import LogisticRegression, Settings
from sampler.algorithms import online_algorithm
from sampler.algorithms.epoch_copies import copies_of
from sampler.metrics.accuracy import uniform_accuracy
from sampler.metrics.ceiling import exact_ceiling
from sampler.metrics.independence import successive_correlation
from sampler.reference import find_mode
from sampler.tuning import AlgorithmSettings, CellResult, Forecast, cost, forecast_of, verdict_of
from sampler.tuning.cell_truth import make_judges
from sampler.tuning.sweep_cell import SweepJob
from tests.benchmarks.timing import Row, row

CLASSES = (5, 8, 5, 16, 7, 14, 6, 5, 2, 3, 3, 5, 41, 3)
FILE_ROWS, CHAINS = 5_000, 32
JUDGED, APART, BURN = 16, 3, 12
"""Epochs judged, how far apart, and epochs before the first: copies of a chain part, and draw each datum anew some times."""
SHORT = 1_000
"""Steps of an epoch, at most, of the chain that brings its cache to the last rows."""
MISSING = 0.004
"""Accuracy that may be missing: what a tenth too much variance costs of so many draws."""
ACCURATE = 0.98
"""True accuracy that the formula must promise of a setting before it is tried."""
DEARER = 1.2
"""Cost of the next setting tried over that of one that was not good enough."""
LONGEST = 240.0
"""Seconds after which a sweep is cut short."""


def a9a_like(rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Features (rows, 123) of zeros and ones, and answers (rows,), a quarter of them ones."""
    rng = np.random.default_rng(seed)
    parts = []
    for classes in CLASSES:
        share = np.maximum(np.sort(rng.dirichlet(3.0 * np.geomspace(1.0, 0.02, classes) + 0.05)), 0.003)
        parts.append(np.eye(classes)[rng.choice(classes, rows, p=share / share.sum())])
    features = np.concatenate(parts, axis=1)
    scores = features @ rng.normal(scale=0.8, size=features.shape[1])
    scores -= np.quantile(scores, 0.76)
    return features, (rng.random(rows) < 1 / (1 + np.exp(-scores))).astype(float)


def measured(job: SweepJob, settings: Settings) -> CellResult:
    """What a setting does near the last row: copies of one chain that has come there, judged every third epoch."""
    short = settings.replace(i_max=min(settings.i_max, SHORT))
    chain = online_algorithm(settings.algorithm)(job.problem, short, chains=1, seed=job.seed)
    t, resets, levels, scores, befores = job.rungs[-1], 0, [], [], []
    first = t - JUDGED * APART
    chain.observe(job.features[:first - BURN], job.labels[:first - BURN])
    copies = copies_of(chain, job.chains, job.seed + 1, i_max=settings.i_max)
    copies.observe(job.features[first - BURN:first], job.labels[first - BURN:first])
    last = job.judges.epochs[t]
    spent, mode = copies.gradient_evaluations, last.mode
    for at in range(first + APART, t + 1, APART):
        copies.observe(job.features[at - APART:at - 1], job.labels[at - APART:at - 1])
        mode = find_mode(job.problem.posterior(job.features[:at], job.labels[:at]), mode)
        judge = replace(last, mean=last.mean + mode - last.mode, quantiles=last.quantiles + mode - last.mode)
        before = (copies.positions - judge.mean) / judge.sd
        resets += copies.observe(job.features[at - 1], job.labels[at - 1]).resets
        levels.append(judge.levels(copies.positions))
        scores.append((copies.positions - judge.mean) / judge.sd)
        befores.append(before - before.mean(axis=0))
    ceiling = exact_ceiling(JUDGED * job.chains, job.problem.dim, job.judges.ceiling_draws)
    widths, centres = np.concatenate(scores).std(axis=0), np.array([z.mean(axis=0) for z in scores])
    memory = successive_correlation(np.concatenate(befores), np.concatenate([z - z.mean(axis=0) for z in scores])).largest
    epochs = JUDGED * APART
    return CellResult(settings.eta0, settings.i_max, settings.batch_size, settings.acceptance_radius, 0, t,
                      uniform_accuracy(np.concatenate(levels)), ceiling.mean, ceiling.sd,
                      float(widths[np.abs(np.log(widths)).argmax()]),
                      float(np.sqrt(np.maximum((centres**2).mean(axis=0) - 1.0 / job.chains, 0.0)).max()), float(memory),
                      resets / (JUDGED * job.chains), None,
                      (copies.gradient_evaluations - spent) / (epochs * job.chains), 0.0, algorithm=settings.algorithm)


def tuned(job: SweepJob, forecast: Forecast) -> tuple[CellResult, int]:
    """The cheapest setting of an algorithm that is measured safe and as good as exact draws; how many were measured.

    Settings are tried from the cheapest that the formula finds accurate and forgetful upwards.
    """
    top = 1.6 * forecast.divisor(Settings()) / forecast.largest_curvature
    grid = [Settings(eta0=float(eta0), i_max=int(i_max), batch_size=b, acceptance_radius=1e4)
            for b in (1, 2, 4, 9, 16, 32, 64) for i_max in np.geomspace(20, 200_000, 29)
            for eta0 in np.geomspace(1e-3 * top, top, 25)]
    said = zip(grid, forecast.many(grid), strict=True)
    good = sorted((s for s, f in said if f.true_accuracy >= ACCURATE and f.memory <= 0.5 and f.trusted), key=cost)
    tried, least = 0, 0.0
    for settings in good:
        if cost(settings) < least:
            continue
        cell = measured(job, AlgorithmSettings(**settings.to_dict(), algorithm=forecast.algorithm))
        tried, least = tried + 1, DEARER * cost(settings)
        kind = verdict_of(cell, settings, job.chains, None, job.judges.ess, dim=job.problem.dim).kind
        if kind == "safe" and cell.accuracy >= cell.ceiling - MISSING:
            return cell, tried
    raise ValueError(f"no setting of {forecast.algorithm} is good enough; widen the grid")


def evaluations(rows: int, at_most: float | None) -> Row:
    """Gradient evaluations an epoch at equal accuracy, both algorithms tuned: these do not depend on the machine."""
    features, labels = (part[:rows] for part in a9a_like(FILE_ROWS))
    features = np.column_stack([features, np.ones(rows)])
    problem = LogisticRegression(features.shape[1])
    judges = make_judges(problem, features, labels, [rows])
    job = SweepJob(problem, features, labels, CHAINS, 0, (rows,), judges)
    forecast = Forecast(problem, features, labels)
    found = {name: tuned(job, forecast_of(name, forecast)) for name in ("saga-ld", "preconditioned")}
    words = [f"{name} {cell.cost:,.0f} (eta0 = {cell.eta0:.3g}, i_max = {cell.i_max}, b = {cell.batch_size}, accuracy "
             f"{cell.accuracy:.4f} of {cell.ceiling:.4f}, memory {cell.memory:.2f}, width {cell.width:.2f}; {tried} tried)"
             for name, (cell, tried) in found.items()]
    return row(f"a9a-like, d = 124, t = {rows:,}: evaluations an epoch, preconditioned over plain, both tuned",
               found["preconditioned"][0].cost / found["saga-ld"][0].cost, at_most=at_most, note="; ".join(words))


def click(folder: Path) -> Iterator[Row]:
    """Seconds from the click on Sweep, of a file of 5,000 rows, to the cell that is best in the end, by the clock."""
    from app.background_job import BackgroundJob
    from app.state.tune import TuneConfig
    from app.tune.kept_files import keep_upload
    from app.tune.sweep_job import SweepJobs

    features, labels = a9a_like(FILE_ROWS)
    path = folder / "a9a_like.csv"
    np.savetxt(path, np.column_stack([features, labels]), fmt="%d", delimiter=",", comments="",
               header=",".join([*(f"x{i + 1}" for i in range(features.shape[1])), "y"]))
    background, jobs = BackgroundJob("benchmark"), SweepJobs(lambda: None)
    config = TuneConfig(data=f"file-{keep_upload(path)}", algorithm="preconditioned", going=True)
    load, began, before = os.getloadavg()[0], time.perf_counter(), _processor_seconds()
    background.start(jobs.job(config))
    best, at, spent, first, estimates, result = None, np.nan, np.nan, np.nan, [], None
    while True:
        update, now = background.take(), time.perf_counter() - began
        if update is None:
            time.sleep(0.01)
            if now > LONGEST:
                background.cancel()
            continue
        result = update.value or result
        if update.seconds_left is not None and not update.done:
            estimates.append((now, update.seconds_left))
        if result is not None and result.finished and np.isnan(first):
            first = now
        if result is not None and result.best_key != best:
            best, at, spent = result.best_key, now, _processor_seconds() - before
        if update.done:
            break
    background.close()
    if update.error:
        raise ValueError(update.error)
    whole = _processor_seconds() - before
    cell, cut = result.best, f", cut short at {len(result.finished)} of {result.total} cells" if update.cancelled else ""
    done = f"first cell {first:.0f} s, all {result.total} cells {now:.0f} s{cut}, {whole:.0f} s of processors"
    words = (f"eta0 = {cell.eta0:g}, i_max = {cell.i_max}, b = {cell.batch_size}: {cell.cost:,.0f} evaluations an epoch, "
             f"accuracy {cell.accuracy:.3f} of {cell.ceiling:.3f}, {spent:.0f} s of processors; {done}; load {load:.1f} "
             f"before, {os.getloadavg()[0]:.1f} after")
    yield row("click to best cell, 123 features x 5,000 rows, preconditioned", at, at_most=60.0, unit="s", note=words)
    if not update.cancelled:  # whatever is said in the last two seconds
        late = [(left, now - told) for told, left in estimates if 0.1 * now <= told < now - 2.0]
        ratios = [max(left, 0.5) / true for left, true in late]
        wrong = np.maximum(ratios, 1.0 / np.array(ratios))
        yield Row("the same, worst estimate of the time left after the first tenth", "<= 2", float(wrong.max()),
                  float(wrong.min()), float(wrong.max()), "x", bool(wrong.max() <= 2.0), f"median {np.median(wrong):.2f}x")


def _processor_seconds() -> float:
    """Of this process, of those that have ended and, on Linux, of those at work."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    total = sum(one.ru_utime + one.ru_stime for one in used)
    for worker in active_children():
        stat = Path(f"/proc/{worker.pid}/stat")
        if stat.exists():
            total += sum(map(int, stat.read_text().rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")
    return total


def measure(quick: bool) -> Iterator[Row]:
    """All rows of this group; the wait alone if ``quick``."""
    from app.tune.kept_files import FOLDER

    with tempfile.TemporaryDirectory() as folder:
        kept, os.environ[FOLDER] = os.environ.get(FOLDER), folder
        try:
            yield from click(Path(folder))
        finally:
            os.environ.pop(FOLDER)
            if kept is not None:
                os.environ[FOLDER] = kept
    if not quick:
        yield evaluations(500, None)  # the prior still rounds the posterior
        yield evaluations(FILE_ROWS, 0.1)
