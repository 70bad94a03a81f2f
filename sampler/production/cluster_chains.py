"""One sampler's chains on many machines: each Dask worker holds a share, with its caches and the rows.

On paper: logistic regression, d = 21, 1e9 rows and 1e4 chains on 100 machines of 100 cores, one worker each.

- Memory: caches are 16 bytes a datum a chain, 160 TB, 1.6 TB a machine; rows are 208 bytes, 0.2 TB on every machine and the
  client, or in files there (``keep_rows_in``).
- Network: a row is 184 bytes, to each worker: 18 TB in all, 18 kB an epoch. Samples are 1.7 MB each time they are gathered.
- Work: 130 (preconditioned) to 2,700 (plain, tuned) gradients an epoch a chain, each of which reads 320 bytes of memory:
  4e17 to 9e18 bytes, 3 to 60 hours where a machine reads 400 GB a second.
- A checkpoint of all shares: 160 TB, 1.6 TB a machine: a few a run. Less often, a lost share takes longer to rebuild.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sampler.algorithms.epoch_records import Divergence, DivergenceError, Epoch, diverged_words
from sampler.algorithms.online_algorithms import online_algorithm
from sampler.algorithms.starting_points import starting_points
from sampler.algorithms.stream_rows import Rows
from sampler.arguments import whole_number
from sampler.problems.base import Problem
from sampler.problems.term_faults import not_finite
from sampler.production.cluster_calls import ClusterCalls
from sampler.production.cluster_share import ShareOrigin
from sampler.production.cluster_shares import ClusterShares
from sampler.production.cluster_state_file import ClusterStateFile
from sampler.settings import Settings
from sampler.streams.rebatch import Rebatch
from sampler.tuning.algorithm_settings import algorithm_of


class ClusterChains(ClusterStateFile):
    """K chains of an online algorithm, shared out over the workers of a Dask cluster.

    Every chain's path is what it is on one machine, bit for bit, however many workers there are, provided that their
    processors are of one kind (compiled code differs between kinds). Rows go once to each worker; samples come back once
    a call. A worker that is lost is noticed, and its share made anew on another from its checkpoint and the rows, which
    the client keeps. Does all that a replay asks of a sampler in one process (observe, posterior, save, go_on_from, ...).

    Parameters
    ----------
    problem, settings, chains, seed, algorithm
        As for Replay.
    client : distributed.Client
        Of a cluster whose workers have this library; all workers it has now are used, at most one a chain. It is not
        closed.
    folder : path, optional
        Folder that the client and all workers see, for checkpoints of the shares. None keeps none: a lost share then goes
        on from what ``save`` wrote last, or is run again from the first row.
    keep_every : int >= 1
        Rows between two checkpoints.
    timeout : float > 0, seconds
        A worker that takes longer for one call is named in a ClusterLost, which loses nothing: end that worker and
        call again.
    start : (dim,) or (chains, dim) array, optional
        X^0; None draws from the prior.

    Attributes
    ----------
    t, gradient_evaluations : int
        Epochs done, and gradients of all chains in them.
    """

    def __init__(self, problem: Problem, settings: Settings, chains: int, client: Any, seed: int = 0,
                 algorithm: str | None = None, folder: str | os.PathLike[str] | None = None, keep_every: int = 100_000,
                 timeout: float = 600.0, start: ArrayLike | None = None) -> None:
        settings = _checked(settings)
        algorithm = algorithm_of(settings) if algorithm is None else algorithm
        if refused := online_algorithm(algorithm).refusal(problem):
            raise ValueError(refused)
        self.problem, self.chains = problem, whole_number("chains", chains, 1, 1_000_000)
        self.seed = whole_number("seed", seed, 0, 2**63 - 1)
        self._settings, self._rows = settings, Rows(problem)
        self._folder = None if folder is None else Path(folder).absolute()
        if self._folder is not None and not self._folder.is_dir():
            raise ValueError(f"folder must be a folder that the client and all workers see, got {str(folder)!r}; make it")
        self._keep_every = whole_number("keep_every", keep_every, 1, 10**12)
        self._algorithm, self._kept_at = online_algorithm(algorithm), 0
        if start is not None:
            start = np.asarray(start, float)
            starting_points(problem, self.chains, self.seed, start)  # checked
        origin = ShareOrigin(problem, algorithm, settings, self.chains, self.seed, start, 0, self.chains)
        self._cluster = ClusterShares(origin, self._rows, ClusterCalls(client, timeout))

    def __repr__(self) -> str:
        return f"ClusterChains({self.problem!r}, chains={self.chains}, seed={self.seed}, t={self.t})"

    # what the user does -----------------------------------------------------------------------------------------

    def observe(self, *data: Any) -> Epoch:
        """Take one datum, or many in a row, run their epochs whole and gather the samples: as ``OnlineSagaLD.observe``.

        Raises
        ------
        ValueError
            On any bad value, before anything changes; and where a worker fails.
        ClusterLost
            When no worker is left or one hangs: mend the cluster and go on with the rows after these, which are taken.
        DivergenceError
            When a chain diverged; ``divergence`` says which.
        """
        n, encoded = self._rows.encode(data)
        if n == 0:
            raise ValueError("features must hold at least one row, got none; wait for the next datum")
        self._cluster.settle()
        self._raise_if_diverged()
        self._rows.append(n, encoded)
        self._cluster.observe(n)
        self._raise_if_diverged()
        if self._folder is not None and self.t - self._kept_at >= self._keep_every:
            self.keep()
        return self.epoch()

    def observe_blocks(self, batches: Iterable[Any], every: int = 1000) -> Iterator[Epoch]:
        """Observe a stream of (features, labels) to its end; an Epoch with the samples after each ``every`` rows.

        Parameters
        ----------
        batches : iterable of (features, labels)
        every : int >= 1
            Rows of a block.
        """
        blocks, every = Rebatch(batches), whole_number("every", every, 1, 10**9)
        while (block := blocks.take(every)) is not None:
            features, labels = block
            yield self.observe(*((features,) if labels is None else (features, labels)))

    def epoch(self) -> Epoch:
        """Samples of all chains, in order, with the counts of the last call.

        Raises
        ------
        ValueError
            Before the first datum.
        """
        if self.t == 0:
            raise ValueError("epoch needs at least one datum; call observe first")
        return Epoch(self.t, self.positions, *(int(count) for count in self._counts()))

    def _counts(self) -> np.ndarray:
        return np.array([share.answer.counts for share in self._cluster.shares]).sum(axis=0)

    @property
    def positions(self) -> np.ndarray:
        """X of every chain, (chains, dim)."""
        return np.concatenate([share.answer.samples for share in self._cluster.shares])

    @property
    def t(self) -> int:
        """Epochs that all chains have done."""
        return min(share.answer.t for share in self._cluster.shares)

    @property
    def gradient_evaluations(self) -> int:
        """Gradients of all chains so far."""
        return sum(share.answer.gradient_evaluations for share in self._cluster.shares)

    @property
    def posterior(self) -> Any:
        """F_t of the data so far: views of the client's rows."""
        return self._rows.posterior(self.t)

    @property
    def settings(self) -> Settings:
        """Knobs; set a new one between two calls: it acts from the next epoch on."""
        return self._settings

    @settings.setter
    def settings(self, settings: Settings) -> None:
        _checked(settings)
        self._cluster.settle()
        self._settings = settings
        self._cluster.give("settings", settings)

    @property
    def divergence(self) -> Divergence | None:
        """The first divergence, or None while all chains are sound."""
        found = [share.answer.divergence for share in self._cluster.shares if share.answer.divergence is not None]
        return min(found, key=lambda where: (where.epoch, where.step, where.chain)) if found else None

    def restart_diverged(self) -> int:
        """Put diverged chains back at their checkpoint, as ``OnlineSagaLD.restart_diverged``; how many they were."""
        self._cluster.settle()
        diverged = sum(share.answer.diverged for share in self._cluster.shares)
        if diverged:
            self._cluster.give("restart_diverged")
        return diverged

    @property
    def workers(self) -> dict[str, list[tuple[int, int]]]:
        """Address of each worker in use -> its shares, each a first chain and one past the last."""
        return self._cluster.workers

    def __enter__(self) -> "ClusterChains":
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self.close()
        except ValueError:
            if kind is None:
                raise

    def _raise_if_diverged(self) -> None:
        where = self.divergence
        if where is not None:
            why = not_finite(self.problem, self.t, self.positions[where.chain])
            raise DivergenceError(diverged_words(where, self._settings.eta0, why))


def _checked(settings: Any) -> Settings:
    if not isinstance(settings, Settings):
        raise ValueError(f"settings must be a Settings, got {type(settings).__name__}; use settings.replace(...)")
    return settings
