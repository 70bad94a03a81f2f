"""Coreset MCMC with Hot DoG on the Gaussian model: iterations a second, and against a plain NumPy loop."""

import numpy as np

from sampler.coreset import CoresetMCMC, GaussianLocation
from tests.benchmarks.timing import Row, race, row
from tests.sampler.coreset.plain_loop import numpy_hot_dog

ITERATIONS, FEW = 5_000, 100


def measure(quick: bool) -> list[Row]:
    """N = 10,000, d = 20, M = S = 1,000, K = 2, exact kernel, by the processor time of one core."""
    model, size = GaussianLocation.synthetic(), 1_000
    data, run = model.rows[:, :model.dim], CoresetMCMC(model, size).start()
    seconds = race({"compiled": (lambda: run.advance(ITERATIONS), ITERATIONS),
                    "NumPy": (lambda: numpy_hot_dog(data, size, FEW), FEW)}, 3 if quick else 9)
    return [row("Coreset MCMC with Hot DoG, M = S = 1,000", 1 / seconds["compiled"], at_least=20_000, unit="it/s",
                note="N = 10,000, d = 20, one core"),
            row("the same against a plain NumPy loop", seconds["NumPy"] / seconds["compiled"], at_least=5.0,
                note=f"NumPy {np.median(1 / seconds['NumPy']):,.0f} it/s")]
