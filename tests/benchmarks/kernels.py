"""How the cost of one step of SAGA-LD grows with the data, and the bare movement of its memory."""

import numpy as np

from sampler import ULA
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm_saga import _ask_ahead
from sampler.kernels.rng import indices_at
from sampler.kernels.simd_lanes import gathered_dots
from tests.benchmarks.chains import BATCH, open_saga_at, own_steps, paper_rows
from tests.benchmarks.timing import Row, versus

SMALL, LARGE = 1_000, 1_000_000
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""Increment of a counter that visits all numbers."""


@kernel(REORDER)
def _gather(lanes, rows, items, k, x, fresh, counter, steps, ahead):
    """Each row read once, each record of chain k read and written once, in random order, and next to no arithmetic."""
    batch, later = np.empty(fresh.size, np.int64), np.empty(fresh.size, np.int64)
    stride = np.uint64(fresh.size) * GOLDEN
    for _ in range(steps):
        indices_at(counter[0], GOLDEN, rows.shape[0], batch)
        counter[0] += stride
        if ahead:
            indices_at(counter[0], GOLDEN, rows.shape[0], later)
            _ask_ahead(lanes, rows, (items,), k, later)
        gathered_dots(lanes, rows, batch, batch.size, x, fresh)
        for j in range(batch.size):
            item = items[k][np.uint64(batch[j])]
            item.value, item.touched = item.value + fresh[j], item.touched + 1


def measure(quick: bool) -> list[Row]:
    """What a step grows by from 1e3 to 1e6 data: SAGA-LD's, and a full-data one for contrast."""
    turns, n, few = 9 if quick else 31, 2_000, 1_000
    small, large = open_saga_at(SMALL), open_saga_at(LARGE)
    return [versus("SAGA-LD step, growth from t = 1e3 to 1e6", (lambda: small.advance(n), n * BATCH),
                   (lambda: large.advance(few), few * BATCH), turns, at_most=3.0, note=" a gradient"),
            versus("full-data step (ULA), the same growth", (own_steps(ULA, *paper_rows(SMALL), 100), 100),
                   (own_steps(ULA, *paper_rows(LARGE), 1), 1), turns, note=", for contrast")]
