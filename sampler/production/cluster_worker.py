"""Worker side of ``ClusterChains``: shares of the chains, stored between calls.

A share counts its completed orders, so that an order sent twice is executed once. Orders are
observe (rows), settings and restart_diverged; after the same orders from the start, or from a
saved state, a share is bit for bit the same on every worker.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sampler.algorithms.results import Divergence
from sampler.algorithms.sampler_copies import chain_subset
from sampler.algorithms.saved_sampler import SamplerSnapshot
from sampler.algorithms.state_archive import read_state, share_name
from sampler.problems.base import Problem
from sampler.settings import Settings
from sampler.tuning.sweep_cell import loads

_shares: "dict[tuple[str, int], Resident]" = {}  # (run, first chain) -> Resident, for all runs of this process


class ShareMissing(Exception):
    """Error of a worker that does not hold the share: it was restarted, or failed during an order."""


@dataclass(frozen=True)
class ShareOrigin:
    """Origin of a share: chains ``first`` to ``last`` - 1 of ``chains``, optionally with ``start``; ``rows_in`` is a folder
    for its rows, None for memory.
    """

    problem: Problem
    algorithm: str
    settings: Settings
    chains: int
    seed: int
    start: np.ndarray | None
    first: int
    last: int
    rows_in: str | None = None
    owner: str = ""  # the client's name at the scheduler


@dataclass(frozen=True)
class ShareAnswer:
    """State of a share after ``done`` orders; ``counts`` are evaluations, resets, refreshed and steps of the last epochs."""

    done: int
    t: int
    samples: np.ndarray
    counts: tuple[int, int, int, int]
    gradient_evaluations: int
    divergence: Divergence | None
    diverged: int


@dataclass(eq=False)
class Resident:
    """Share in a worker's memory."""

    sampler: Any
    first: int
    owner: str
    done: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self) -> ShareAnswer:
        """Return the current state of the share, with chains numbered among all K."""
        saga, where = self.sampler, self.sampler.divergence
        epoch = saga.epoch() if saga.t else None
        counts = (epoch.gradient_evaluations, epoch.resets, epoch.refreshed, epoch.steps) if epoch else (0, 0, 0, 0)
        where = where and Divergence(self.first + where.chain, where.epoch, where.step)
        return ShareAnswer(self.done, saga.t, saga.positions, counts, saga.gradient_evaluations, where,
                           int(saga.diverged.sum()))


def begin(run: str, payload: bytes, threads: int) -> ShareAnswer:
    """Create a share in its state before the first order."""
    origin = loads(payload)
    saga = chain_subset(origin.algorithm, origin.problem, origin.settings, origin.chains, origin.seed, origin.first,
                       origin.last, threads, origin.start)
    if origin.rows_in is not None:
        saga.keep_rows_in(origin.rows_in)
    share = _shares[run, origin.first] = Resident(saga, origin.first, origin.owner)
    return share.answer()


def hold(run: str, first: int, at: int, n: int, encoded: tuple[Any, ...]) -> None:
    """Append ``n`` rows to a share that has ``at`` rows and no epoch, for `restore`."""
    with _held(run, first) as share:
        rows = share.sampler._rows
        if rows.t == at:
            rows.append(n, encoded)
        elif rows.t != at + n:  # rows sent twice are appended once
            raise ShareMissing


def restore(run: str, first: int, path: str, base: int, done: int) -> ShareAnswer:
    """Restore a share that has its rows from ``path``, a file of chains from ``base`` on after ``done`` orders."""
    with _held(run, first) as share:
        old = share.sampler
        state = SamplerSnapshot(*read_state(path, first - base, first - base + old.chains, rows=False))
        share.sampler = type(old).from_snapshot(state, old.problem, old, adopt=True, threads=old.threads)
        share.done = done
        return share.answer()


def carry_out(run: str, first: int, number: int, order: tuple[Any, ...]) -> ShareAnswer:
    """Execute order ``number`` on a share, at most once."""
    with _held(run, first) as share:  # the client may repeat an order after a timeout
        if share.done not in (number, number - 1):
            raise ShareMissing
        if share.done == number - 1:
            try:
                _execute(share.sampler, *order)
            except BaseException:
                _shares.pop((run, first), None)  # incomplete: it is rebuilt from its saved state
                raise
            share.done = number
        return share.answer()


def _execute(saga: Any, name: str, *arguments: Any) -> None:
    if name == "settings":
        saga.settings, = arguments
    elif name == "observe":
        n, encoded, continued = arguments
        before = saga._epoch_counts
        saga.take(n, encoded)  # a divergence is part of the answer; the client raises the error
        if continued:
            saga._epoch_counts = before + saga._epoch_counts
    else:
        getattr(saga, name)(*arguments)


def save(run: str, first: int, folder: str) -> tuple[str, int]:
    """Save a share without its rows; return the file name and the number of completed orders."""
    with _held(run, first) as share:
        name = share_name(run, first, share.done)
        share.sampler.save(Path(folder) / name, rows=False)
        return name, share.done


def forget(run: str) -> None:
    """Release all shares of a run."""
    for key in [key for key in _shares if key[0] == run]:
        _shares.pop(key, None)


def forget_all_but(owners: list[str]) -> None:
    """Release the shares of all clients except ``owners``, such as killed ones."""
    for key in [key for key, share in list(_shares.items()) if share.owner not in owners]:
        _shares.pop(key, None)


@contextmanager
def _held(run: str, first: int) -> Iterator[Resident]:
    """Lock a share for one call and yield it; raise ShareMissing if it is not held."""
    try:
        share = _shares[run, first]
    except KeyError:
        raise ShareMissing from None
    with share.lock:
        yield share
