"""Promises of the library: constant evaluations per epoch, memory, user gradients, rows learnt by river, start-up."""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from sampler import GradientOracle, OnlineSagaLD
from tests.benchmarks.chains import BATCH, DIM, SETTINGS, open_saga_at, paper_rows, saga_at
from tests.benchmarks.timing import Row, missing_packages, row, versus

ROOT = Path(__file__).parents[2]
WARM, PARTS = 500, 5
"""Untimed rows; number of parts of the timed rows, of whose 99th percentiles the median is reported."""


def evaluations(epochs: int) -> list[Row]:
    """Compare gradient evaluations per epoch, with the newest datum's and refreshes, at 1e6 and 1e3 data."""
    spent, refreshed, chains = {}, {}, 4
    for t in (1_000, 1_000_000):
        saga = saga_at(t, chains=chains, settings=SETTINGS.replace(i_max=20))
        before = saga.gradient_evaluations
        epoch = saga.observe(*paper_rows(epochs, seed=1))
        spent[t] = (saga.gradient_evaluations - before) / (epochs * chains)
        refreshed[t] = epoch.refreshed / (epochs * chains)
    few, many = spent.values()
    ratio = many / few
    return [Row("gradient evaluations an epoch, t = 1e6 over 1e3, up to 20 steps", "1 ± 2%", ratio, ratio, ratio, "x",
                abs(ratio - 1) <= 0.02,
                f"{few:.4g} and {many:.4g} an epoch, of them refreshed {refreshed[1_000]:.3g} and"
                f" {refreshed[1_000_000]:.3g}")]


def memory() -> list[Row]:
    """Measure bytes per chain and datum from sizes of snapshots."""
    sizes = {}
    for chains in (1, 65):
        saga = saga_at(1_000, chains=chains)
        sizes[chains, 1_000] = saga.snapshot().nbytes
        saga.observe(*paper_rows(1_000, seed=1))
        sizes[chains, 2_000] = saga.snapshot().nbytes
    more = [sizes[chains, 2_000] - sizes[chains, 1_000] for chains in (1, 65)]
    return [row("memory a chain and datum, logistic d = 21", (more[1] - more[0]) / (64 * 1_000), at_most=16.0,
                unit="bytes", note=f"and for all chains together the row itself, {more[0] / 1000 - 16:.0f} bytes")]


def many_at_once(turns: int) -> list[Row]:
    """Compare the time per step of ``observe`` with (n, d) rows, whole epochs, with that within one epoch."""
    steps, n = 50, 100
    whole = saga_at(2_000, settings=SETTINGS.replace(i_max=steps, random_length=False))
    within = open_saga_at(2_000)
    features, labels = paper_rows(n, seed=2)
    return [versus("observe(100 rows), 50 steps each, against the steps alone",
                   (lambda: within.advance(n * steps), n * steps), (lambda: whole.observe(features, labels), n * steps),
                   turns, at_most=1.2, note=": checks, rows stored, epochs opened, refreshes")]


def own_gradient(turns: int) -> list[Row]:
    """Compare a step with a user's NumPy gradients with the bare calls of the user's functions."""
    t, n = 1_000, 200
    features, labels = paper_rows(t + 1)
    indices = np.random.default_rng(3).integers(0, t, (n, BATCH))
    theta = np.random.default_rng(4).standard_normal(DIM) * 0.1

    def plain(chosen, theta):
        rows = features[chosen]
        means = 1 / (1 + np.exp(-(rows @ theta)))
        return (means - labels[chosen])[:, None] * rows

    def guarded(chosen, theta):  # no overflow for any score
        rows = features[chosen]
        scores = rows @ theta
        small = np.exp(-np.abs(scores))
        means = np.where(scores >= 0, 1 / (1 + small), small / (1 + small))
        return (means - labels[chosen])[:, None] * rows

    def prior(theta):
        return theta

    rows = []
    for name, gradients in (("a guarded logistic", guarded), ("a plain logistic", plain)):
        saga = OnlineSagaLD(GradientOracle(gradients, DIM, prior), SETTINGS, chains=1, seed=0)
        for _ in range(t):
            saga.observe()
        saga.settings = SETTINGS.replace(i_max=10**9, random_length=False)
        saga.arrive()

        def bare(gradients=gradients):
            for chosen in indices:
                gradients(chosen, theta)
                prior(theta)

        rows.append(versus(f"own NumPy gradient, {name}: a step over the bare calls", (bare, n),
                           (lambda saga=saga: saga.advance(n), n), turns, at_most=1.3))
    return rows


def learn_one(rows: int) -> list[Row]:
    """Measure the 99th percentile of processor time, in ms, in which river's model learns a row; d = 20, 16 chains."""
    if missing := [*missing_packages("a row learnt by river's model, d = 20, 16 chains", "river")]:
        return missing
    from sampler.river_models import OnlineBayesClassifier

    model, taken = OnlineBayesClassifier(), []
    features, labels = paper_rows(WARM + rows, dim=20, seed=5)
    for x, y in zip(features.tolist(), labels.astype(bool).tolist(), strict=True):
        row_of_x = dict(enumerate(x))
        start = time.thread_time()
        model.learn_one(row_of_x, y)
        taken.append(1e3 * (time.thread_time() - start))
    warm = np.array(taken[WARM:])
    return [row(f"a row learnt by river's model, d = 20, 16 chains, t = {WARM:,} to {WARM + rows:,}: 99th percentile",
                [np.percentile(part, 99) for part in np.array_split(warm, PARTS)], at_most=1.0, unit="ms",
                note=f"median {np.median(warm):.2f} ms, slowest {warm.max():.2f} ms")]


FIRST_STEP = """
import numpy as np
from sampler import LogisticRegression, OnlineSagaLD, Settings
saga = OnlineSagaLD(LogisticRegression(21), Settings(i_max=1), chains=1)
saga.observe(np.ones(21), 1)
"""


def start_up(repeats: int) -> list[Row]:
    """Measure processor seconds from a fresh interpreter to the first step, with cached kernels."""
    def run(code: str) -> tuple[float, float]:
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, env=os.environ)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, time.perf_counter() - start)

    run(FIRST_STEP)
    seconds = np.array([run(FIRST_STEP) for _ in range(repeats)])
    bare = np.median([run("import numpy, numba")[0] for _ in range(repeats)])
    return [row("import and first step, kernels on disk", seconds[:, 0], at_most=2.0, unit="s",
                note=f"by the clock {np.median(seconds[:, 1]):.2f} s; numpy and numba alone {bare:.2f} s")]


def measure(quick: bool) -> list[Row]:
    turns = 7 if quick else 21
    return [*evaluations(4_000), *memory(), *many_at_once(turns), *own_gradient(turns),
            *learn_one(1_000 if quick else 9_500), *start_up(3 if quick else 7)]
