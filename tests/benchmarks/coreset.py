"""Coreset MCMC with Hot DoG on the Gaussian model: iterations a second, and against a plain NumPy loop."""

from __future__ import annotations

import numpy as np

from sampler.coreset import CauchyLogistic, CoresetMCMC, GaussianLocation, SoftplusPoisson
from tests.benchmarks.timing import Row, race, row
from tests.sampler.coreset.plain_loop import numpy_hot_dog

ITERATIONS, FEW = 5_000, 100


def gaussian(turns: int) -> list[Row]:
    """N = 10,000, d = 20, K = 2, exact kernel, by the processor time of one core."""
    model, rows = GaussianLocation.synthetic(), []
    data = model.rows[:, :model.dim]
    for size in (100, 1000):
        run = CoresetMCMC(model, size).start()
        seconds = race({"compiled": (lambda run=run: run.advance(ITERATIONS), ITERATIONS),
                        "NumPy": (lambda size=size: numpy_hot_dog(data, size, FEW), FEW)}, turns)
        rows.append(row(f"Coreset MCMC with Hot DoG, M = S = {size:,}", 1 / seconds["compiled"],
                        at_least=20_000 if size == 1000 else None, unit="it/s", note="N = 10,000, d = 20, one core"))
        rows.append(row(f"the same against a plain NumPy loop, M = S = {size:,}", seconds["NumPy"] / seconds["compiled"],
                        at_least=5.0, note=f"NumPy {np.median(1 / seconds['NumPy']):,.0f} it/s"))
    return rows


def regressions(turns: int) -> list[Row]:
    """Slice sampling: likelihoods of the coreset are most of the work."""
    runs = {"Poisson, N = 15,641": CoresetMCMC(SoftplusPoisson.synthetic(), 500).start(),
            "logistic, N = 98,673": CoresetMCMC(CauchyLogistic.synthetic(), 500).start()}
    seconds = race({name: (lambda run=run: run.advance(300), 300) for name, run in runs.items()}, turns)
    return [row(f"Coreset MCMC, {name}, M = S = 500", 1 / seconds[name], unit="it/s", note="hit-and-run slice sampling")
            for name in runs]


def measure(quick: bool) -> list[Row]:
    """All rows of this group."""
    turns = 3 if quick else 9
    return gaussian(turns) + regressions(turns)
