"""`ClusterPlacement`: assignment of chain ranges to the workers of a cluster, and recovery from lost workers.

Orders are numbered. The client stores each one until all shares are saved with it, and all rows, so that a lost share can be
rebuilt from its file, the rows up to there and the orders since.
"""

import contextlib
import os
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sampler.algorithms.stream_rows import Rows
from sampler.production import cluster_worker as worker_side
from sampler.production.cluster_calls import ClusterCalls, ClusterLost, WorkerCall
from sampler.production.cluster_worker import ShareOrigin
from sampler.production.tuned import versions
from sampler.tuning.sweep_cell import dumps

MOST_LOSSES = 5
"""Maximum number of losses per call; more indicate a systematic failure."""
MOST_BYTES = 8_000_000
"""Maximum size of the rows of one call, which pass through the scheduler."""
FORGET_WITHIN = 10.0  # seconds


@dataclass(frozen=True)
class SavedChains:
    """File of chains from ``base`` on after ``done`` orders and ``t`` epochs."""

    path: Path
    base: int
    done: int
    t: int


@dataclass(eq=False)
class Share:
    """Chains ``first`` to ``last`` - 1: their worker, progress and saved file."""

    first: int
    last: int
    worker: str | None = None
    answer: Any = None  # a ShareAnswer once the worker has begun
    saved: Any = None  # SavedChains once they are in a file, else None

    @property
    def label(self) -> str:
        """Range of the chains, counted from 0, for messages."""
        return f"chains {self.first:,} to {self.last - 1:,}"


class ClusterPlacement:
    """All chains of ``origin`` divided into shares, initially one per worker of the cluster.

    Parameters
    ----------
    origin : ShareOrigin
        Origin of all chains.
    rows : Rows
        Rows of the client, to which orders refer.
    calls : ClusterCalls

    Attributes
    ----------
    shares : list of Share
        Shares in order of their chains; each has an answer.
    """

    def __init__(self, origin: ShareOrigin, rows: Rows, calls: ClusterCalls) -> None:
        self._origin, self._rows, self._calls = replace(origin, owner=calls.name), rows, calls
        self._run, self._number = uuid.uuid4().hex, 0
        self._orders: dict[int, Any] = {}
        self._checked: set[str] = set()
        workers = self._alive()
        if clients := calls.clients():
            with contextlib.suppress(ClusterLost):  # a busy worker is left to the next client
                calls.ask([WorkerCall(worker, "release chains of disconnected clients", worker_side.forget_all_but,
                                      (clients,)) for worker in workers], FORGET_WITHIN)
        self.shares = self._cut(workers)
        self.settle()

    def restart(self, rows: Rows, rows_in: str | None = None, saved: SavedChains | None = None) -> None:
        """Restart all shares with other rows, stored in a folder, or from a file of all chains."""
        self._rows, self._origin = rows, replace(self._origin, rows_in=rows_in or self._origin.rows_in)
        self._number, self._orders = 0, {}
        for share in self.shares:
            share.worker, share.saved = None, saved
        self.settle()

    def observe(self, n: int) -> None:
        """Run the epochs of the client's last ``n`` rows on all shares."""
        begin, end = self._rows.t - n, self._rows.t
        self.give(*(("observe", first, last, first > begin) for first, last in self._pieces(begin, end)))

    def give(self, *orders: tuple[Any, ...]) -> None:
        """Send further orders to all shares and wait for their completion."""
        for order in orders:
            self._number += 1
            self._orders[self._number] = order
        self.settle()

    def settle(self) -> None:
        """Place lost shares and send pending orders until every share has completed every order."""
        losses = 0
        while True:
            homeless = [share for share in self.shares if share.worker is None]
            if homeless:
                losses += 1
                if losses > MOST_LOSSES + 1:
                    raise ClusterLost(f"{_labels(homeless)} were lost {MOST_LOSSES} times in a row: check the workers' "
                                      "logs (out of memory?), then repeat the call; nothing is lost")
                self._place(homeless)
                continue
            behind = [share for share in self.shares if share.answer.done < self._number]
            if not behind:
                return
            self._catch_up(behind)

    def _catch_up(self, behind: list[Share]) -> None:
        """Send the next order to the shares that are farthest behind."""
        number = min(share.answer.done for share in behind) + 1
        last = {share: str(share.worker) for share in behind if share.answer.done == number - 1}
        order = self._orders[number]
        if order[0] == "observe":  # replace the range by the rows
            _, begin, end, continued = order
            order = "observe", end - begin, self._rows.encoded(begin, end), continued
        answers = self._ask(last, lambda share: f"run {share.label} from epoch {share.answer.t:,} on",
                            worker_side.carry_out, number, order)
        for share in last:
            if share in answers:
                share.answer = answers[share]
            else:
                share.worker = None

    def _ask(self, held: dict[Share, str], what: Callable[[Share], str], function: Callable[..., Any],
             *arguments: Any) -> dict[Share, Any]:
        """Call a function on the worker of each share; return the answers of those that are not lost."""
        calls = [WorkerCall(worker, what(share), function, (self._run, share.first, *arguments))
                 for share, worker in held.items()]
        return {share: answer for share, answer in zip(held, self._calls.ask(calls), strict=True) if answer is not None}

    def _pieces(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yield ranges of the rows ``first`` to ``last`` - 1 of at most ``MOST_BYTES`` each."""
        size = sum(part[:1].nbytes for part in self._rows.encoded(first, last)) or 1
        most = max(1, MOST_BYTES // size)
        for low in range(first, last, most):
            yield low, min(last, low + most)

    @property
    def workers(self) -> dict[str, list[tuple[int, int]]]:
        """Shares of each worker in use, by its address: half-open ranges of chains."""
        held: dict[str, list[tuple[int, int]]] = {}
        for share in self.shares:
            if share.worker is not None:
                held.setdefault(share.worker, []).append((share.first, share.last))
        return held

    def save(self, folder: Path) -> list[tuple[int, int, str]]:
        """Save all shares in ``folder``; return their chain ranges and file names for ``write_state``."""
        for _ in range(MOST_LOSSES + 1):
            self.settle()
            late = [share for share in self.shares if share.saved is None or share.saved.done < self._number
                    or share.saved.path.parent != folder]
            if not late:
                break
            self._save(late, folder)
        else:
            raise ClusterLost(f"{_labels(late)} were lost {MOST_LOSSES} times while they were saved; the state saved "
                              "before is intact: check the workers' logs, then repeat the call")
        self._orders = {}
        return [(share.first, share.last, share.saved.path.name) for share in self.shares]

    def _save(self, shares: list[Share], folder: Path) -> None:
        place = os.fspath(folder)
        files = self._ask({share: str(share.worker) for share in shares}, lambda share: f"save {share.label} in {place!r}",
                          worker_side.save, place)
        for share in shares:
            if share not in files:
                share.worker = None
                continue
            name, done = files[share]
            if not (folder / name).is_file():
                raise ValueError(f"folder: worker {share.worker} saved {share.label} in {place!r}, but the file is not "
                                 "visible here; choose a folder shared by this machine and all workers")
            share.saved = SavedChains(folder / name, share.first, done, share.answer.t)

    def close(self) -> None:
        """Release the chains on the workers; the cluster keeps running."""
        alive = self._calls.workers()
        self._calls.ask([WorkerCall(worker, "release its chains", worker_side.forget, (self._run,))
                         for worker in self.workers if worker in alive], FORGET_WITHIN)

    def _place(self, shares: list[Share]) -> None:
        """Place each share on the worker with the fewest chains per thread, restored from its file if it was saved."""
        threads = self._alive()
        held = {worker: sum(last - first for first, last in self.workers.get(worker, ())) for worker in threads}
        placed, calls = {}, []
        for share in shares:
            worker = min(threads, key=lambda name: (held[name] / threads[name], name))
            held[worker] += share.last - share.first
            start = self._origin.start
            origin = replace(self._origin, first=share.first, last=share.last,
                             start=start if start is None or start.ndim == 1 else start[share.first:share.last])
            placed[share] = worker
            calls.append(WorkerCall(worker, f"hold {share.label}", worker_side.begin,
                                    (self._run, dumps(origin), threads[worker])))
        begun = {share: answer for share, answer in zip(placed, self._calls.ask(calls), strict=True) if answer is not None}
        for saved in {share.saved for share in begun if share.saved is not None}:
            again = {share: placed[share] for share in begun if share.saved == saved}
            restored = self._restore(again, saved)
            begun = {share: restored.get(share) if share in again else answer for share, answer in begun.items()}
        for share, answer in begun.items():
            if answer is not None:
                share.worker, share.answer = placed[share], answer

    def _restore(self, held: dict[Share, str], saved: SavedChains) -> dict[Share, Any]:
        """Send the rows and the saved state to shares that have begun; return the answers of those that are not lost."""
        for first, last in self._pieces(0, saved.t):
            self._ask(held, lambda share: f"store rows for {share.label}", worker_side.hold, first, last - first,
                      self._rows.encoded(first, last))
        path = os.fspath(saved.path)
        return self._ask(held, lambda share: f"restore {share.label} from {path!r}", worker_side.restore, path,
                         saved.base, saved.done)

    def _alive(self) -> dict[str, int]:
        """Return the address and number of threads of each worker; check that versions agree."""
        threads = self._calls.workers()
        new = [worker for worker in threads if worker not in self._checked]
        answers = self._calls.ask([WorkerCall(worker, "import this library and report versions", versions, ())
                                 for worker in new])
        mine = versions()
        for worker, answer in zip(new, answers, strict=True):
            if answer is None:
                del threads[worker]
                continue
            other = [f"{name} {version}, here {mine.get(name)}" for name, version in answer.items()
                     if version != mine.get(name)]
            if other:
                raise ValueError(f"worker {worker} has {'; '.join(other)}: its results could differ; install the same "
                                 "versions on all workers")
            self._checked.add(worker)
        if not threads:
            lost = f" (just lost: {', '.join(new)}; is this library installed there?)" if new else ""
            raise ClusterLost(f"workers: the cluster has none{lost}; start some with `dask worker` and repeat the call, "
                              "nothing is lost")
        return threads

    def _cut(self, threads: dict[str, int]) -> list[Share]:
        """Return contiguous non-empty shares, one per worker, in proportion to its threads."""
        ends = np.cumsum(list(threads.values())[:self._origin.chains])
        bounds = [0, *(int(end) for end in self._origin.chains * ends // ends[-1])]
        return [Share(first, last) for first, last in zip(bounds, bounds[1:], strict=False) if last > first]


def _labels(shares: list[Share]) -> str:
    return ", ".join(share.label for share in shares)
