"""Shares of the chains on the workers of a cluster: who holds which, the orders they get, and what a lost one gets again.

Orders are numbered. The client keeps each until the checkpoints of all shares have it, so a share that is lost is made
anew from its checkpoint and the orders since.
"""

import uuid
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sampler.production import cluster_share as worker_side
from sampler.production.cluster_calls import ClusterCalls, ClusterLost, WorkerCall
from sampler.production.cluster_share import ShareAnswer, ShareOrigin, share_file
from sampler.production.tuned import versions
from sampler.tuning.job_transport import dumps

MOST_LOSSES = 5
"""Times a share may be lost in one call: then it is not chance."""


FORGET_WITHIN = 10.0  # seconds


@dataclass(eq=False)
class Share:
    """Chains ``first`` to ``last`` - 1: who holds them, and how far they are; ``kept`` counts the orders in its file."""

    first: int
    last: int
    worker: str | None = None
    answer: ShareAnswer | None = None
    kept: int = 0

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
    calls : ClusterCalls
    folder : Path, optional
        For checkpoints; None keeps all orders instead.

    Attributes
    ----------
    shares : list of Share
        In order of their chains; each has an answer.
    """

    def __init__(self, origin: ShareOrigin, calls: ClusterCalls, folder: Path | None) -> None:
        self._origin, self._calls, self._folder = origin, calls, folder
        self._run, self._number, self._orders = uuid.uuid4().hex, 0, {}
        self._checked: set[str] = set()
        self.shares = self._cut(self._alive())
        self.settle()

    def give(self, *order) -> None:
        """Give all shares one more order, and wait until all have carried it out."""
        self._number += 1
        self._orders[self._number] = order
        self.settle()

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
        calls = [WorkerCall(worker, f"run {_words(held)} from epoch {held[0].answer.t:,} on", worker_side.carry_out,
                            (self._run, [share.first for share in held], number, self._orders[number]))
                 for worker, held in groups]
        for (_, held), answers in zip(groups, self._calls.ask(calls), strict=True):
            for place, share in enumerate(held):
                if answers is None:
                    share.worker = None
                else:
                    share.answer = answers[place]

    @property
    def workers(self) -> dict[str, list[tuple[int, int]]]:
        """Address of each worker in use -> its shares, each a first chain and one past the last."""
        held: dict[str, list[tuple[int, int]]] = {}
        for share in self.shares:
            if share.worker is not None:
                held.setdefault(share.worker, []).append((share.first, share.last))
        return held

    def keep(self) -> None:
        """Save all shares in ``folder`` now; rows up to here need not be kept any more."""
        self.settle()
        groups = self._by_worker(self.shares)
        calls = [WorkerCall(worker, f"save {_words(held)}", worker_side.keep,
                            (self._run, [share.first for share in held], str(self._folder)))
                 for worker, held in groups]
        for (_, held), counts in zip(groups, self._calls.ask(calls), strict=True):
            for share, done in zip(held, counts or (), strict=False):  # one that is lost keeps its file and its rows
                if done > share.kept:
                    self._file(share).unlink(missing_ok=True)
                    share.kept = done
        oldest = min(share.kept for share in self.shares)
        self._orders = {number: order for number, order in self._orders.items() if number > oldest}

    def close(self) -> None:
        """Let the workers forget the chains, and remove the checkpoints; the cluster goes on."""
        for share in self.shares:
            if share.kept:
                self._file(share).unlink(missing_ok=True)
                share.kept = 0
        alive = self._calls.workers()
        self._calls.ask([WorkerCall(worker, "forget its chains", worker_side.forget, (self._run,))
                         for worker in self.workers if worker in alive], FORGET_WITHIN)

    def _place(self, shares: list[Share]) -> None:
        """Let each share be held by the worker that has the fewest chains a thread, from its checkpoint if it has one."""
        threads = self._alive()
        held = {worker: sum(last - first for first, last in self.workers.get(worker, ())) for worker in threads}
        calls = []
        for share in shares:
            worker = min(threads, key=lambda name: (held[name] / threads[name], name))
            held[worker] += share.last - share.first
            origin = replace(self._origin, first=share.first, last=share.last)
            calls.append(WorkerCall(worker, f"hold {share.words}", worker_side.begin,
                                    (self._run, dumps(origin), str(self._file(share)) if share.kept else None,
                                     threads[worker])))
        for share, call, answer in zip(shares, calls, self._calls.ask(calls), strict=True):
            if answer is not None:
                share.worker, share.answer = call.address, answer

    def _alive(self) -> dict[str, int]:
        """Address and threads of each worker, all of this version."""
        threads = self._calls.workers()
        new = [worker for worker in threads if worker not in self._checked]
        found = self._calls.ask([WorkerCall(worker, "say its versions", versions, ()) for worker in new])
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
        groups: dict[str, list[Share]] = {}
        for share in shares:
            groups.setdefault(share.worker, []).append(share)
        return list(groups.items())

    def _file(self, share: Share) -> Path:
        return share_file(self._folder, self._run, share.first, share.kept)


def _words(shares: list[Share]) -> str:
    return ", ".join(share.words for share in shares)
