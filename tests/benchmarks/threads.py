"""Two threads against one: wall-clock seconds of the same steps of the same chains.

Both cores must be free: on a busy machine medians are meaningless, and the minimum times in the notes count.
"""

import os
import time
from collections.abc import Iterator

import numpy as np

from sampler import ExitSimulation, LogisticRegression, OnlineSagaLD, PreconditionedSagaLD
from sampler.algorithms.metropolis import MALA
from sampler.kernels.compile import kernel
from sampler.kernels.refresh_calendar import ITEM
from sampler.kernels.simd_lanes import aligned_zeros, lanes_for, padded
from sampler.theory import flat_target
from sampler.threads import cores, cut, run_blocks
from tests.benchmarks.chains import BATCH, DIM, SETTINGS, open_saga_at, paper_rows, saga_at
from tests.benchmarks.kernels import _gather
from tests.benchmarks.timing import Row, race, row, skipped

SMALL, LARGE = 1_000, 1_000_000
GRADIENTS = 2_000_000  # per turn: about 10 ms of one core at t = 1e3, short enough for two cores to be free at times


@kernel()
def _turns(state, n):
    """Advance a generator that stays in registers ``n`` times."""
    for _ in range(n):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
    return state


def _free_memory() -> int:
    """Return roughly the bytes that can be used without swapping."""
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _spread_over(one: OnlineSagaLD, chains: int) -> OnlineSagaLD:
    """Return a sampler of ``chains`` copies of a single chain in mid-epoch, same rows, separate random numbers."""
    many = OnlineSagaLD(one.problem, one.settings, chains=chains, seed=1)
    many.t, many._done, many._rows = one.t, False, one._rows
    many._memory.items = aligned_zeros((chains, one._memory.items.shape[1]), ITEM)
    many._memory.items[:] = one._memory.items[0]
    for name in ("position", "checkpoint", "warm_start", "gradient_sum", "length_draw"):
        getattr(many._state, name)[:] = getattr(one._state, name)[0]
    return many


def _both(sampler, work) -> dict:
    def on(threads: int):
        sampler.threads = threads
        work()

    return {n: (lambda n=n: on(n), 1.0) for n in (1, 2)}


def _row(name: str, seconds: dict, least: float | None, note: str = "") -> Row:
    one, two = (1e3 * seconds[n].min() for n in (1, 2))
    return row(name, seconds[1] / seconds[2], at_least=least,
               note=f"least {one:.3g} and {two:.3g} ms: {one / two:.2f}x{note and '; ' + note}")


def steps(turns: int) -> Iterator[Row]:
    """Measure steps within one epoch, on 1, 64 and 256 chains."""
    for t in (SMALL, LARGE):
        one = open_saga_at(t)
        for chains in (1, 64, 256):
            name = f"two threads over one, steps at t = {t:,}, {chains} chain{'s' * (chains > 1)}"
            if 2 * chains * t * ITEM.itemsize > _free_memory():
                yield skipped(name, f"its cache takes {chains * t * ITEM.itemsize / 1e9:.1f} GB")
                continue
            saga, n = _spread_over(one, chains), max(1, GRADIENTS // (BATCH * chains))
            seconds = race(_both(saga, lambda saga=saga, n=n: saga.advance(n)), turns, time.perf_counter)
            ns = 1e9 * seconds[2].min() / (n * chains * BATCH)
            yield _row(name, seconds, 1.8 if chains > 1 else 0.97, f"{ns:.3g} ns a gradient")
            del saga


def bare(turns: int) -> Iterator[Row]:
    """Measure the gain of two threads that share nothing, not even memory: the upper limit of this machine."""
    def run(part):
        return _turns(np.uint64(1 + part[0]), GRADIENTS * (part[1] - part[0]))

    seconds = race({threads: (lambda threads=threads: run_blocks(run, cut(4, threads, 1e12), threads), 1.0)
                    for threads in (1, 2)}, turns, time.perf_counter)
    yield _row("two threads over one, a loop in registers", seconds, None, "what this machine gives at most")


def gather(turns: int) -> Iterator[Row]:
    """Measure the gain of two threads without computation: random access to rows and records of 64 chains."""
    chains, n = 64, GRADIENTS // (BATCH * 64)
    rows, items = aligned_zeros((LARGE, padded(DIM))), aligned_zeros((chains, LARGE), ITEM)
    rows[:], items["value"] = 1.0, 0.0
    x, fresh = aligned_zeros((chains, padded(DIM))), aligned_zeros((chains, BATCH))
    counters = np.zeros((chains, 8), np.uint64)
    counters[:, 0] = np.arange(chains, dtype=np.uint64) << np.uint64(40)

    def run(part):
        for k in range(*part):
            _gather(lanes_for(DIM), rows, items, k, x[k], fresh[k], counters[k], n)

    seconds = race({threads: (lambda threads=threads: run_blocks(run, cut(chains, threads, 1e12), threads), 1.0)
                    for threads in (1, 2)}, turns, time.perf_counter)
    yield _row("two threads over one, the bare gather of 64 chains' memory, t = 1,000,000", seconds, None,
               "the machine's own limit there")


def short_calls(turns: int) -> Iterator[Row]:
    """Measure the overhead of threads for short calls: one datum at a time, as in a stream."""
    features, labels = paper_rows(turns * 40 + 80, seed=3)
    for chains, i_max in ((64, 20), (64, 200), (256, 20), (256, 200)):
        saga = saga_at(SMALL, chains=chains, settings=SETTINGS.replace(i_max=i_max, random_length=False))

        def observe(saga=saga):
            for i in range(20):
                saga.observe(features[(saga.t + i) % len(features)], labels[(saga.t + i) % len(features)])

        seconds = race(_both(saga, observe), turns, time.perf_counter)
        yield _row(f"two threads over one, a datum of {i_max} steps, {chains} chains", seconds, 0.97, "20 data")


def others(turns: int) -> Iterator[Row]:
    """Measure other samplers on 64 chains, and the exit simulation."""
    problem, (features, labels) = LogisticRegression(DIM), paper_rows(SMALL)
    for kind, n in ((PreconditionedSagaLD, 500), (MALA, 60)):
        sampler = kind(problem, SETTINGS.replace(i_max=1), chains=64)
        sampler.observe(features, labels)
        sampler.settings = sampler.settings.replace(i_max=10**9, random_length=False)
        sampler.arrive(features[0], labels[0])
        seconds = race(_both(sampler, lambda s=sampler, n=n: s.advance(n)), turns, time.perf_counter)
        yield _row(f"two threads over one, {kind.__name__}, t = 1,000, 64 chains", seconds, 1.8)

    def walk(threads: int):
        ExitSimulation(flat_target(2), 1e-4, 1_000, 5.0, chains=20_000, threads=threads).run()

    seconds = race({n: (lambda n=n: walk(n), 1.0) for n in (1, 2)}, turns, time.perf_counter)
    yield _row("two threads over one, exit simulation, d = 2, 20,000 chains", seconds, 1.8)


def measure(quick: bool) -> Iterator[Row]:
    if cores() < 2:
        yield skipped("two threads over one", f"this process may use {cores()} core")
        return
    turns = 31 if quick else 101
    yield from bare(turns)
    yield from steps(turns)
    yield from gather(turns)
    yield from short_calls(turns)
    yield from others(turns)
