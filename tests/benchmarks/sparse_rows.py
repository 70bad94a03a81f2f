"""Potential gain of sparse rows for one-hot data like a9a: 124 columns with 14 nonzeros, read as in a step."""

from collections.abc import Callable, Iterator

import numpy as np

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm_saga import _prefetch_batch
from sampler.kernels.rng import indices_at
from sampler.kernels.simd_lanes import aligned_zeros, gathered_dots, gathered_sums, lanes_for, padded
from tests.benchmarks.chains import SETTINGS, open_saga_at
from tests.benchmarks.kernels import GOLDEN
from tests.benchmarks.timing import Row, row, versus

ROWS, DIM, FILLED = 32_561, 124, 14


@kernel(REORDER)
def _dense(lanes, rows, x, weights, fresh, out, out_2, counter, steps):
    """Compute the scores of a batch and two weighted sums of its rows, as a step does."""
    batch, later = np.empty(fresh.size, np.int64), np.empty(fresh.size, np.int64)
    stride = np.uint64(fresh.size) * GOLDEN
    for _ in range(steps):
        indices_at(counter[0], GOLDEN, rows.shape[0], batch)
        counter[0] += stride
        indices_at(counter[0], GOLDEN, rows.shape[0], later)
        _prefetch_batch(lanes, rows, (), 0, later)
        gathered_dots(lanes, rows, batch, batch.size, x, fresh)
        gathered_sums(lanes, rows, batch, batch.size, fresh, out, weights, out_2)


@kernel(REORDER)
def _sparse(starts, columns, values, x, weights, fresh, out, out_2, counter, steps):
    batch = np.empty(fresh.size, np.int64)
    stride = np.uint64(fresh.size) * GOLDEN
    for _ in range(steps):
        indices_at(counter[0], GOLDEN, starts.size - 1, batch)
        counter[0] += stride
        out[:], out_2[:] = 0.0, 0.0
        for j in range(batch.size):
            first, last = starts[batch[j]], starts[batch[j] + 1]
            score = 0.0
            for place in range(first, last):
                score += values[place] * x[columns[place]]
            fresh[j] = score
            for place in range(first, last):
                out[columns[place]] += score * values[place]
                out_2[columns[place]] += weights[j] * values[place]


def _contestants(batch: int, steps: int) -> tuple[Callable[[], object], Callable[[], object]]:
    rng = np.random.default_rng(0)
    columns = np.sort(np.argsort(rng.random((ROWS, DIM)), axis=1)[:, :FILLED].astype(np.int32), axis=1)
    rows = aligned_zeros((ROWS, padded(DIM)))
    np.put_along_axis(rows, columns.astype(np.int64), 1.0, axis=1)
    x, weights, fresh = rng.normal(size=padded(DIM)), rng.normal(size=batch), np.zeros(batch)
    sums, counter = (np.zeros(padded(DIM)), np.zeros(padded(DIM))), np.zeros(1, np.uint64)
    starts = np.arange(ROWS + 1) * FILLED
    return (lambda: _dense(lanes_for(DIM), rows, x, weights, fresh, *sums, counter, steps),
            lambda: _sparse(starts, columns.ravel(), np.ones(columns.size), x, weights, fresh, *sums, counter, steps))


def measure(quick: bool) -> Iterator[Row]:
    """Measure the gain of sparse rows in time per step and in memory."""
    turns, steps = (7, 1_000) if quick else (21, 4_000)
    for batch in (9, 64):
        dense, sparse = _contestants(batch, steps)
        saga, name = open_saga_at(ROWS, dim=DIM, settings=SETTINGS.replace(batch_size=batch)), f"d = {DIM}, b = {batch}"
        yield versus(f"{name}: reading rows dense, over sparse", (sparse, steps), (dense, steps), turns)
        yield versus(f"{name}: a whole step, over reading its rows", (dense, steps),
                     (lambda saga=saga: saga.advance(steps), steps), turns)
    numbers = 8 * padded(DIM), 12 * FILLED + 8
    yield row("bytes of a row dense, over sparse", numbers[0] / numbers[1], note=f"{numbers[0]} and {numbers[1]}")
    whole, less = (each + 16 * 256 + 16 for each in numbers)
    yield row("bytes of a datum with the caches of 256 chains, dense rows over sparse", whole / less,
              note=f"{whole:,} and {less:,}")
