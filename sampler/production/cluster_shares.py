"""Shares of the chains on the workers of a cluster: who holds which, the orders they get, and what a lost one gets again.

Orders are numbered. The client keeps each until all shares are saved with it, and the rows, so a share that is lost is made
anew from its file, the rows up to there and the orders since.
"""

import contextlib
import os
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from sampler.algorithms.stream_rows import Rows
from sampler.production import cluster_share as worker_side
from sampler.production.cluster_calls import ClusterCalls, ClusterLost, WorkerCall
from sampler.production.cluster_share import ShareAnswer, ShareOrigin
from sampler.production.tuned import versions
from sampler.tuning.job_transport import dumps

MOST_LOSSES = 5
"""Times a share may be lost in one call: then it is not chance."""
MOST_BYTES = 8_000_000
"""Of one call's rows: they pass through the scheduler."""
FORGET_WITHIN = 10.0  # seconds


@dataclass(frozen=True)
class SavedChains:
    """A file with chains from ``base`` on, as they were after ``done`` orders and ``t`` epochs."""

    path: Path
    base: int
    done: int
    t: int


@dataclass(eq=False)
class Share:
    """Chains ``first`` to ``last`` - 1: who holds them, how far they are, and where they are saved."""

    first: int
    last: int
    worker: str | None = None
    answer: Any = None  # a ShareAnswer once it has begun
    saved: Any = None  # SavedChains once they are in a file, else None

    @property
    def words(self) -> str:
        """The chains, counted from 0."""
        return f"chains {self.first:,} to {self.last - 1:,}"


class ClusterShares:
    """All chains of ``origin``, cut into shares, one a worker of the cluster at first.

    Parameters
    ----------
    origin : ShareOrigin
        Of all chains.
    rows : Rows
        The client's; orders are about some of them.
    calls : ClusterCalls

    Attributes
    ----------
    shares : list of Share
        In order of their chains; each has an answer.
    """

    def __init__(self, origin: ShareOrigin, rows: Rows, calls: ClusterCalls) -> None:
        self._origin, self._rows, self._calls = replace(origin, owner=calls.name), rows, calls
        self._run, self._number = uuid.uuid4().hex, 0
        self._orders: dict[int, Any] = {}
        self._checked: set[str] = set()
        workers = self._alive()
        if known := calls.clients():
            with contextlib.suppress(ClusterLost):  # one that is busy with other work is told by the next client
                calls.ask([WorkerCall(worker, "forget chains of clients that are gone", worker_side.forget_all_but, (known,))
                           for worker in workers], FORGET_WITHIN)
        self.shares = self._cut(workers)
        self.settle()

    def begin_anew(self, rows: Rows, rows_in: str | None = None, saved: SavedChains | None = None) -> None:
        """Let all shares begin with other rows, kept in a folder, or as saved in a file of all chains."""
        self._rows, self._origin = rows, replace(self._origin, rows_in=rows_in or self._origin.rows_in)
        self._number, self._orders = 0, {}
        for share in self.shares:
            share.worker, share.saved = None, saved
        self.settle()

    def observe(self, n: int) -> None:
        """Let all shares run the epochs of the client's last ``n`` rows."""
        for first, last in self._pieces(self._rows.t - n, self._rows.t):
            self._give("observe", first, last, first > self._rows.t - n)
        self.settle()

    def give(self, *order: Any) -> None:
        """Give all shares one more order, and wait until all have carried it out."""
        self._give(*order)
        self.settle()

    def _give(self, *order: Any) -> None:
        self._number += 1
        self._orders[self._number] = order

    def settle(self) -> None:
        """Until every share is held and has carried out every order: rebuild those that are lost, give them theirs."""
        losses = 0
        while True:
            homeless = [share for share in self.shares if share.worker is None]
            if homeless:
                losses += 1
                if losses > MOST_LOSSES + 1:
                    raise ClusterLost(f"{_words(homeless)} were lost {MOST_LOSSES} times in a row: look at the workers' "
                                      "logs (too little memory?), then call again; nothing is lost")
                self._place(homeless)
                continue
            behind = [share for share in self.shares if share.answer.done < self._number]
            if not behind:
                return
            self._catch_up(behind)

    def _catch_up(self, behind: list[Share]) -> None:
        """Give the shares that are farthest behind their next order."""
        number = min(share.answer.done for share in behind) + 1
        groups = self._by_worker([share for share in behind if share.answer.done == number - 1])
        order = self._with_rows(self._orders[number])
        calls = [WorkerCall(worker, f"run {_words(held)} from epoch {held[0].answer.t:,} on", worker_side.carry_out,
                            (self._run, [share.first for share in held], number, order))
                 for worker, held in groups]
        for (_, held), answers in zip(groups, self._calls.ask(calls), strict=True):
            for place, share in enumerate(held):
                if answers is None:
                    share.worker = None
                else:
                    share.answer = answers[place]

    def _with_rows(self, order: tuple[Any, ...]) -> tuple[Any, ...]:
        """An order as a worker gets it: with the rows themselves."""
        if order[0] != "observe":
            return order
        _, first, last, continued = order
        return "observe", last - first, self._rows.encoded(first, last), continued

    def _pieces(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Rows ``first`` to ``last`` - 1 in calls that are small enough."""
        size = sum(part[:1].nbytes for part in self._rows.encoded(first, last)) or 1
        most = max(1, MOST_BYTES // size)
        for low in range(first, last, most):
            yield low, min(last, low + most)

    @property
    def workers(self) -> dict[str, list[tuple[int, int]]]:
        """Address of each worker in use -> its shares, each a first chain and one past the last."""
        held: dict[str, list[tuple[int, int]]] = {}
        for share in self.shares:
            if share.worker is not None:
                held.setdefault(share.worker, []).append((share.first, share.last))
        return held

    def save(self, folder: Path) -> list[tuple[int, int, str]]:
        """Save all shares in ``folder`` as they are now; their chains and files, for ``write_shared``."""
        for _ in range(MOST_LOSSES + 1):
            self.settle()
            late = [share for share in self.shares if self._unsaved(share, folder)]
            if not late:
                break
            self._save(late, folder)
        else:
            raise ClusterLost(f"{_words(late)} were lost {MOST_LOSSES} times while they were saved; the state saved before "
                              "is intact: look at the workers' logs, then call again")
        self._orders = {}
        return [(share.first, share.last, share.saved.path.name) for share in self.shares]

    def _unsaved(self, share: Share, folder: Path) -> bool:
        return share.saved is None or share.saved.done < self._number or share.saved.path.parent != folder

    def _save(self, shares: list[Share], folder: Path) -> None:
        groups = self._by_worker(shares)
        calls = [WorkerCall(worker, f"save {_words(held)} in {os.fspath(folder)!r}", worker_side.keep,
                            (self._run, [share.first for share in held], str(folder)))
                 for worker, held in groups]
        for (worker, held), kept in zip(groups, self._calls.ask(calls), strict=True):
            for place, share in enumerate(held):
                if kept is None:
                    share.worker = None
                    continue
                name, done = kept[place]
                if not (folder / name).is_file():
                    raise ValueError(f"folder: worker {worker} saved {share.words} in {os.fspath(folder)!r}, but nothing is "
                                     "seen there from here; choose a folder that this machine and all workers share")
                share.saved = SavedChains(folder / name, share.first, done, share.answer.t)

    def close(self) -> None:
        """Let the workers forget the chains; the cluster goes on."""
        alive = self._calls.workers()
        self._calls.ask([WorkerCall(worker, "forget its chains", worker_side.forget, (self._run,))
                         for worker in self.workers if worker in alive], FORGET_WITHIN)

    def _place(self, shares: list[Share]) -> None:
        """Let each share be held by the worker that has the fewest chains a thread, as it was saved if it was."""
        threads = self._alive()
        held = {worker: sum(last - first for first, last in self.workers.get(worker, ())) for worker in threads}
        placed = []
        for share in shares:
            worker = min(threads, key=lambda name: (held[name] / threads[name], name))
            held[worker] += share.last - share.first
            start = self._origin.start
            origin = replace(self._origin, first=share.first, last=share.last,
                             start=start if start is None or start.ndim == 1 else start[share.first:share.last])
            placed.append((share, WorkerCall(worker, f"hold {share.words}", worker_side.begin,
                                             (self._run, dumps(origin), threads[worker]))))
        answers = self._calls.ask([call for _, call in placed])
        begun = [(share, call.address, answer) for (share, call), answer in zip(placed, answers, strict=True) if answer]
        again = [(share, worker) for share, worker, _ in begun if share.saved is not None]
        restored = dict(zip([share for share, _ in again], self._restore(again), strict=True))
        for share, worker, answer in begun:
            answer = restored.get(share, answer)
            if answer is not None:
                share.worker, share.answer = worker, answer

    def _restore(self, begun: list[tuple[Share, str]]) -> list[ShareAnswer | None]:
        """Give shares that have begun the rows they had, and their saved states; None where a worker is lost."""
        for pieces in zip_longest(*[self._pieces(0, share.saved.t) for share, _ in begun]):
            self._calls.ask([WorkerCall(worker, f"take rows for {share.words}", worker_side.hold,
                                        (self._run, share.first, piece[0], piece[1] - piece[0], self._rows.encoded(*piece)))
                             for (share, worker), piece in zip(begun, pieces, strict=True) if piece is not None])
        return self._calls.ask([
            WorkerCall(worker, f"go on with {share.words} as saved in {os.fspath(share.saved.path)!r}", worker_side.restore,
                       (self._run, share.first, str(share.saved.path), share.saved.base, share.saved.done))
            for share, worker in begun])

    def _alive(self) -> dict[str, int]:
        """Address and threads of each worker, all of this version."""
        threads = self._calls.workers()
        new = [worker for worker in threads if worker not in self._checked]
        found = self._calls.ask([WorkerCall(worker, "import this library and say its versions", versions, ())
                                 for worker in new])
        mine = versions()
        for worker, answer in zip(new, found, strict=True):
            if answer is None:
                del threads[worker]
                continue
            other = [f"{name} {version}, here {mine.get(name)}" for name, version in answer.items()
                     if version != mine.get(name)]
            if other:
                raise ValueError(f"worker {worker} has {'; '.join(other)}: its numbers could differ; install the same "
                                 "versions on all workers")
            self._checked.add(worker)
        if not threads:
            lost = f" (lost just now: {', '.join(new)}; have they this library?)" if new else ""
            raise ClusterLost(f"workers: the cluster has none{lost}; start some with `dask worker` and call again, nothing "
                              "is lost")
        return threads

    def _cut(self, threads: dict[str, int]) -> list[Share]:
        """Contiguous shares, one a worker, in proportion to their threads; none is empty."""
        ends = np.cumsum(list(threads.values())[:self._origin.chains])
        bounds = [0, *(int(end) for end in self._origin.chains * ends // ends[-1])]
        return [Share(first, last) for first, last in zip(bounds, bounds[1:], strict=False) if last > first]

    def _by_worker(self, shares: list[Share]) -> list[tuple[str, list[Share]]]:
        groups: dict[Any, list[Share]] = {}
        for share in shares:
            groups.setdefault(share.worker, []).append(share)
        return list(groups.items())


def _words(shares: list[Share]) -> str:
    return ", ".join(share.words for share in shares)
