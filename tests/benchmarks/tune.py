"""Tuning in 124 dimensions: cost per epoch of both algorithms at equal accuracy.

The rows resemble a9a: 14 attributes with 2 to 41 classes as 123 columns of zeros and ones, some classes rare.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sampler import LogisticRegression, Settings
from sampler.algorithms import online_algorithm
from sampler.algorithms.sampler_copies import copies_of
from sampler.metrics.accuracy import uniform_accuracy
from sampler.metrics.ceiling import exact_ceiling
from sampler.metrics.diagnostics import successive_correlation
from sampler.reference import find_mode
from sampler.tuning import AlgorithmSettings, CellResult, Forecast, cost, forecast_of, verdict_of
from sampler.tuning.sweep_cell import SweepJob
from sampler.tuning.sweep_reference import make_reference
from tests.benchmarks.timing import Row, row

CLASSES = (5, 8, 5, 16, 7, 14, 6, 5, 2, 3, 3, 5, 41, 3)
FILE_ROWS, CHAINS = 5_000, 32
JUDGED, APART, BURN = 16, 3, 12
"""Epochs judged, their spacing, and epochs before the first, in which copies separate and redraw each datum."""
SHORT = 1_000
"""Maximum number of steps per epoch of the chain that fills the cache up to the last rows."""
MISSING = 0.004
"""Tolerated loss of accuracy: that of a variance 10 % too large with this many draws."""
ACCURATE = 0.98
"""Minimum true accuracy predicted by the formula for a setting to be tried."""
DEARER = 1.2
"""Minimum cost of the next setting to try, relative to one that was not good enough."""


def a9a_like(rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
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
    """Measure a setting near the last row with copies of one chain, judged every third epoch."""
    short = settings.replace(i_max=min(settings.i_max, SHORT))
    chain = online_algorithm(settings.algorithm)(job.problem, short, chains=1, seed=job.seed)
    t, resets, levels, scores, befores = job.rungs[-1], 0, [], [], []
    first = t - JUDGED * APART
    chain.observe(job.features[:first - BURN], job.labels[:first - BURN])
    copies = copies_of(chain, job.chains, job.seed + 1, i_max=settings.i_max)
    copies.observe(job.features[first - BURN:first], job.labels[first - BURN:first])
    last = job.references.epochs[t]
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
    ceiling = exact_ceiling(JUDGED * job.chains, job.problem.dim, job.references.ceiling_draws)
    widths, centres = np.concatenate(scores).std(axis=0), np.array([z.mean(axis=0) for z in scores])
    memory = successive_correlation(np.concatenate(befores), np.concatenate([z - z.mean(axis=0) for z in scores])).largest
    epochs = JUDGED * APART
    return CellResult(settings.eta0, settings.i_max, settings.batch_size, settings.acceptance_radius, 0, t,
                      uniform_accuracy(np.concatenate(levels)), ceiling.mean, ceiling.sd,
                      float(widths[np.abs(np.log(widths)).argmax()]),
                      float(np.sqrt(np.maximum((centres**2).mean(axis=0) - 1.0 / job.chains, 0.0)).max()), float(memory),
                      resets / (JUDGED * job.chains), None,
                      (copies.gradient_evaluations - spent) / (epochs * job.chains), 0.0, algorithm=settings.algorithm,
                      narrowest=float(widths.min()), widest=float(widths.max()))


def tuned(job: SweepJob, forecast: Forecast) -> tuple[CellResult, int]:
    """Return the cheapest setting measured as safe and as accurate as exact draws, and the number of measured settings.

    Settings that the formula predicts to be accurate and of low memory are tried in order of cost.
    """
    top = 1.6 * forecast.divisor(Settings()) / forecast.largest_curvature
    grid = [Settings(eta0=float(eta0), i_max=int(i_max), batch_size=b, acceptance_radius=1e4)
            for b in (1, 2, 4, 9, 16, 32, 64) for i_max in np.geomspace(20, 200_000, 29)
            for eta0 in np.geomspace(1e-3 * top, top, 25)]
    forecasts = zip(grid, forecast.many(grid), strict=True)
    good = sorted((s for s, f in forecasts if f.true_accuracy >= ACCURATE and f.memory <= 0.5 and f.trusted), key=cost)
    tried, least = 0, 0.0
    for settings in good:
        if cost(settings) < least:
            continue
        cell = measured(job, AlgorithmSettings(**settings.to_dict(), algorithm=forecast.algorithm))
        tried, least = tried + 1, DEARER * cost(settings)
        kind = verdict_of(cell, settings, job.chains, None, job.references.ess, dim=job.problem.dim).kind
        if kind == "safe" and cell.accuracy >= cell.ceiling - MISSING:
            return cell, tried
    raise ValueError(f"no setting of {forecast.algorithm} is good enough; widen the grid")


def evaluations(rows: int, at_most: float | None) -> Row:
    """Compare gradient evaluations per epoch of both tuned algorithms at equal accuracy, independent of the machine."""
    features, labels = (part[:rows] for part in a9a_like(FILE_ROWS))
    features = np.column_stack([features, np.ones(rows)])
    problem = LogisticRegression(features.shape[1])
    references = make_reference(problem, features, labels, [rows])
    job = SweepJob(problem, features, labels, CHAINS, 0, (rows,), references)
    forecast = Forecast(problem, features, labels)
    result = {name: tuned(job, forecast_of(name, forecast)) for name in ("saga-ld", "preconditioned")}
    words = [f"{name} {cell.cost:,.0f} (eta0 = {cell.eta0:.3g}, i_max = {cell.i_max}, b = {cell.batch_size}, accuracy "
             f"{cell.accuracy:.4f} of {cell.ceiling:.4f}, memory {cell.memory:.2f}, width {cell.width:.2f}; {tried} tried)"
             for name, (cell, tried) in result.items()]
    return row(f"a9a-like, d = 124, t = {rows:,}: evaluations an epoch, preconditioned over plain, both tuned",
               result["preconditioned"][0].cost / result["saga-ld"][0].cost, at_most=at_most, note="; ".join(words))


def measure(quick: bool) -> Iterator[Row]:
    yield evaluations(500, None)  # the prior still conditions the posterior
    if not quick:
        yield evaluations(FILE_ROWS, 0.1)
