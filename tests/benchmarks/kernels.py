"""Compiled kernels: growth of a SAGA-LD step with the data, speed of exit simulation and coresets; the bare gather."""

import numpy as np

from sampler import ExitSimulation
from sampler.coreset import CoresetMCMC, GaussianLocation
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm_saga import _prefetch_batch
from sampler.kernels.rng import indices_at
from sampler.kernels.simd_lanes import gathered_dots
from sampler.theory import flat_target, quadratic_target
from tests.benchmarks.chains import BATCH, open_saga_at
from tests.benchmarks.timing import Row, race, row, versus
from tests.sampler.coreset.plain_loop import numpy_hot_dog

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""Increment of a counter with full period."""


@kernel(REORDER)
def _gather(lanes, rows, items, k, x, fresh, counter, steps):
    """Read rows, and read and write records of chain k, in random order with almost no arithmetic."""
    batch, later = np.empty(fresh.size, np.int64), np.empty(fresh.size, np.int64)
    stride = np.uint64(fresh.size) * GOLDEN
    for _ in range(steps):
        indices_at(counter[0], GOLDEN, rows.shape[0], batch)
        counter[0] += stride
        indices_at(counter[0], GOLDEN, rows.shape[0], later)
        _prefetch_batch(lanes, rows, (items,), k, later)
        gathered_dots(lanes, rows, batch, batch.size, x, fresh)
        for j in range(batch.size):
            item = items[k][np.uint64(batch[j])]
            item.value, item.touched = item.value + fresh[j], item.touched + 1


def measure(quick: bool) -> list[Row]:
    return [*growth(9 if quick else 31), *exits(3 if quick else 9), *coresets(3 if quick else 9)]


def growth(turns: int) -> list[Row]:
    """Measure the growth of a SAGA-LD step from 1e3 to 1e6 data."""
    n, few = 2_000, 1_000
    small, large = open_saga_at(1_000), open_saga_at(1_000_000)
    return [versus("SAGA-LD step, growth from t = 1e3 to 1e6", (lambda: small.advance(n), n * BATCH),
                   (lambda: large.advance(few), few * BATCH), turns, at_most=3.0, note=" a gradient")]


def exits(turns: int) -> list[Row]:
    """Measure the speed of exit simulations."""
    chains, steps = 10_000, 1_000
    cases = {"flat F, d = 2": flat_target(2), "quadratic F, d = 2, walk beside it": quadratic_target(1.0, 2)}
    seconds = race({name: (lambda target=target: ExitSimulation(target, 1e-4, steps, 5.0, chains=chains).run(),
                           chains * steps) for name, target in cases.items()}, turns)
    return [row(f"exit simulation, {name}", 1e-6 / seconds[name], at_least=10.0 if "flat" in name else None, unit="M/s",
                note=f"10,000 chains x 1,000 steps in {np.median(seconds[name]) * chains * steps:.2f} s")
            for name in cases]


def coresets(turns: int) -> list[Row]:
    """Measure Coreset MCMC: N = 10,000, d = 20, M = S = 1,000, K = 2, exact kernel, processor time of one core."""
    model, size, iterations, few = GaussianLocation.synthetic(), 1_000, 5_000, 100
    data, run = model.rows[:, :model.dim], CoresetMCMC(model, size).start()
    seconds = race({"compiled": (lambda: run.advance(iterations), iterations),
                    "NumPy": (lambda: numpy_hot_dog(data, size, few), few)}, turns)
    return [row("Coreset MCMC with Hot DoG, M = S = 1,000", 1 / seconds["compiled"], at_least=20_000, unit="it/s",
                note="N = 10,000, d = 20, one core"),
            row("the same against a plain NumPy loop", seconds["NumPy"] / seconds["compiled"], at_least=5.0,
                note=f"NumPy {np.median(1 / seconds['NumPy']):,.0f} it/s")]
