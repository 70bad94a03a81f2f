"""One step of SAGA-LD against what this machine can do at best, and how its cost grows with the data."""

from __future__ import annotations

import numpy as np

from sampler import ULA, LogisticRegression, Settings
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm_gradient import LOGISTIC, means_inplace
from sampler.kernels.glm_saga import _ask_ahead, _differences, _write_back
from sampler.kernels.lanes import aligned_zeros, gathered_dots, gathered_sums, lanes_for, padded
from sampler.kernels.refresh_calendar import ITEM
from sampler.kernels.rng import GOLDEN, fill_normal, indices_at, spawn_generators
from tests.benchmarks.chains import BATCH, DIM, open_saga_at, paper_rows
from tests.benchmarks.timing import Row, race, row

SMALL, LARGE = 1_000, 1_000_000
NORMALS = 512


@kernel(REORDER)
def _passes(lanes, rows, items, x, fresh, weights, distinct, change, gain, noise, rng, steps):
    """All arithmetic of ``steps`` steps on rows that fit the first-level cache, no step waiting for the one before."""
    batch = np.empty(fresh.size, np.int64)
    drawn = noise.size
    for step in range(steps):
        indices_at(np.uint64(step * 977), GOLDEN, rows.shape[0], batch)
        gathered_dots(lanes, rows, batch, batch.size, x, fresh)
        means_inplace(LOGISTIC, fresh)
        _differences(items, batch, fresh, weights)
        _write_back(items, batch, fresh, step, distinct)
        gathered_sums(lanes, rows, batch, batch.size, weights, change, distinct, gain)
        drawn += x.size
        if drawn > noise.size:
            fill_normal(rng, noise)
            drawn = x.size


@kernel(REORDER)
def _gather(lanes, rows, items, x, fresh, counter, steps, ahead):
    """Each row read once, each record read and written once, in random order, and next to no arithmetic."""
    batch, later = np.empty(fresh.size, np.int64), np.empty(fresh.size, np.int64)
    stride = np.uint64(fresh.size) * GOLDEN
    for _ in range(steps):
        indices_at(counter[0], GOLDEN, rows.shape[0], batch)
        counter[0] += stride
        if ahead:
            indices_at(counter[0], GOLDEN, rows.shape[0], later)
            _ask_ahead(lanes, rows, items, later)
        gathered_dots(lanes, rows, batch, batch.size, x, fresh)
        for j in range(batch.size):
            item = items[np.uint64(batch[j])]
            item.value, item.touched = item.value + fresh[j], item.touched + 1


def _best_case():
    """Function that makes n steps' arithmetic in the first-level cache."""
    width, few = padded(DIM), 32
    rows = aligned_zeros((few, width))
    rows[:, :DIM] = paper_rows(few)[0]
    arrays = [aligned_zeros((size,)) for size in (width, BATCH, BATCH, BATCH, width, width, NORMALS)]
    items, rng = aligned_zeros((few,), ITEM), spawn_generators(0, 1, 1)[0, 0]
    return lambda n: _passes(lanes_for(DIM), rows, items, *arrays, rng, n)


def _bare_gather(ahead: bool):
    """Function that moves n steps' memory at ``LARGE`` data."""
    rows, items = aligned_zeros((LARGE, padded(DIM))), aligned_zeros((LARGE,), ITEM)
    rows[:], items["value"] = 1.0, 0.0
    x, fresh, counter = aligned_zeros((padded(DIM),)), aligned_zeros((BATCH,)), np.zeros(1, np.uint64)
    return lambda n: _gather(lanes_for(DIM), rows, items, x, fresh, counter, n, ahead)


def step_cost(turns: int) -> list[Row]:
    """SAGA-LD's step at 1e3 and 1e6 data against the machine's own limits, and its growth."""
    small, large = open_saga_at(SMALL), open_saga_at(LARGE)
    best, gather, plain = _best_case(), _bare_gather(True), _bare_gather(False)
    n, few = 2_000, 1_000
    seconds = race({
        "small": (lambda: small.advance(n), n * BATCH), "best": (lambda: best(n), n * BATCH),
        "large": (lambda: large.advance(few), few * BATCH), "gather": (lambda: gather(few), few * BATCH),
        "plain": (lambda: plain(few), few * BATCH)}, turns)
    ns = {name: f"{1e9 * np.median(values):.1f} ns" for name, values in seconds.items()}
    return [
        row("SAGA-LD step, t = 1e3, against its arithmetic in the L1 cache", seconds["small"] / seconds["best"],
            at_most=1.4, note=f"{ns['small']} a gradient, {ns['best']}"),
        row("SAGA-LD step, t = 1e6, against a bare gather of its memory", seconds["large"] / seconds["gather"],
            at_most=2.0, note=f"{ns['large']} a gradient, {ns['gather']}; not asked ahead: {ns['plain']}"),
        row("SAGA-LD step, growth from t = 1e3 to 1e6", seconds["large"] / seconds["small"], at_most=3.0),
    ]


def full_data_growth(turns: int) -> list[Row]:
    """What a full-data step grows by, for contrast."""
    small, large = _full_data_chain(SMALL), _full_data_chain(LARGE)
    seconds = race({"small": (lambda: small.advance(100), 100), "large": (lambda: large.advance(1), 1)}, turns)
    return [row("full-data step (ULA), the same growth", seconds["large"] / seconds["small"], note="for contrast")]


def _full_data_chain(t: int) -> ULA:
    """ULA with the epoch of datum t open; its earlier epochs are left out, as each would cost all its data."""
    chain = ULA(LogisticRegression(DIM), Settings(eta0=0.1, i_max=10**9, random_length=False), chains=1, seed=0)
    features, labels = paper_rows(t)
    chain._rows.append(t - 1, chain._rows.encode((features[1:], labels[1:]))[1])
    chain.t = t - 1
    chain.arrive(features[0], labels[0])
    return chain


def measure(quick: bool) -> list[Row]:
    """All rows of this group."""
    turns = 9 if quick else 31
    return step_cost(turns) + full_data_growth(turns)
