"""A worker's side of ``ClusterChains``: ranges of the chains, held between calls.

A share counts the orders it has carried out, so that one told the same order twice carries it out once. Orders are
observe (rows), settings and restart_diverged; a share that carries out the same orders from the first on, or from a
saved state on, is the same bit for bit, on whatever worker.
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

_shares: "dict[tuple[str, int], Resident]" = {}  # (run, first chain) -> Resident, of all runs this process works for


class ShareMissing(Exception):
    """The worker does not hold the share: it began anew, or failed in the middle of an order."""


@dataclass(frozen=True)
class ShareOrigin:
    """What a share is made from: chains ``first`` to ``last`` - 1 of ``chains``, of which ``start`` may be given; a folder
    for its rows, which None keeps in memory.
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
    """A share after ``done`` orders: ``counts`` are the last epochs' evaluations, resets, refreshed and steps."""

    done: int
    t: int
    samples: np.ndarray
    counts: tuple[int, int, int, int]
    gradient_evaluations: int
    divergence: Divergence | None
    diverged: int


@dataclass(eq=False)
class Resident:
    """A share in a worker's memory."""

    sampler: Any
    first: int
    owner: str
    done: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self) -> ShareAnswer:
        """The share as it stands; chains are counted among all K."""
        saga, where = self.sampler, self.sampler.divergence
        epoch = saga.epoch() if saga.t else None
        counts = (epoch.gradient_evaluations, epoch.resets, epoch.refreshed, epoch.steps) if epoch else (0, 0, 0, 0)
        where = where and Divergence(self.first + where.chain, where.epoch, where.step)
        return ShareAnswer(self.done, saga.t, saga.positions, counts, saga.gradient_evaluations, where,
                           int(saga.diverged.sum()))


def begin(run: str, payload: bytes, threads: int) -> ShareAnswer:
    """Hold a share as it is before the first order."""
    origin = loads(payload)
    saga = chain_subset(origin.algorithm, origin.problem, origin.settings, origin.chains, origin.seed, origin.first,
                       origin.last, threads, origin.start)
    if origin.rows_in is not None:
        saga.keep_rows_in(origin.rows_in)
    share = _shares[run, origin.first] = Resident(saga, origin.first, origin.owner)
    return share.answer()


def hold(run: str, first: int, at: int, n: int, encoded: tuple[Any, ...]) -> None:
    """Let a share that has ``at`` rows and no epoch have ``n`` more, for `restore`."""
    with _held(run, first) as share:
        rows = share.sampler._rows
        if rows.t == at:
            rows.append(n, encoded)
        elif rows.t != at + n:  # told twice is told once
            raise ShareMissing


def restore(run: str, first: int, path: str, base: int, done: int) -> ShareAnswer:
    """Let a share that holds the rows be as saved at ``path``, whose first chain is ``base``, after ``done`` orders."""
    with _held(run, first) as share:
        old = share.sampler
        state = SamplerSnapshot(*read_state(path, first - base, first - base + old.chains, rows=False))
        share.sampler = type(old).from_snapshot(state, old.problem, old, adopt=True, threads=old.threads)
        share.done = done
        return share.answer()


def carry_out(run: str, first: int, number: int, order: tuple[Any, ...]) -> ShareAnswer:
    """Let a share carry out order ``number``, once however often it is told."""
    with _held(run, first) as share:  # the client may have given up waiting for the same order, and ask again
        if share.done not in (number, number - 1):
            raise ShareMissing
        if share.done == number - 1:
            try:
                _obey(share.sampler, *order)
            except BaseException:
                _shares.pop((run, first), None)  # half done: it is made anew from what is saved
                raise
            share.done = number
        return share.answer()


def _obey(saga: Any, name: str, *arguments: Any) -> None:
    if name == "settings":
        saga.settings, = arguments
    elif name == "observe":
        n, encoded, continued = arguments
        before = saga._epoch_counts
        saga.take(n, encoded)  # the answer says where a chain diverged; the client is the one to raise
        if continued:
            saga._epoch_counts = before + saga._epoch_counts
    else:
        getattr(saga, name)(*arguments)


def save(run: str, first: int, folder: str) -> tuple[str, int]:
    """Save a share without the rows; the name of the file, and the orders done."""
    with _held(run, first) as share:
        name = share_name(run, first, share.done)
        share.sampler.save(Path(folder) / name, rows=False)
        return name, share.done


def forget(run: str) -> None:
    """Let go of all shares of a run."""
    for key in [key for key in _shares if key[0] == run]:
        _shares.pop(key, None)


def forget_all_but(owners: list[str]) -> None:
    """Let go of shares whose client is gone: it was killed before it could say so."""
    for key in [key for key, share in list(_shares.items()) if share.owner not in owners]:
        _shares.pop(key, None)


@contextmanager
def _held(run: str, first: int) -> Iterator[Resident]:
    """A share, for one call at a time."""
    try:
        share = _shares[run, first]
    except KeyError:
        raise ShareMissing from None
    with share.lock:
        yield share
