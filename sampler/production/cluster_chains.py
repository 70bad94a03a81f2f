"""`ClusterChains`: the chains of one sampler on many machines; each Dask worker holds a share with its caches and rows.

Estimated cost of logistic regression, d = 21, 1e9 rows and 1e4 chains on 100 machines of 100 cores, one worker each:

- Memory: caches take 16 bytes per datum and chain, 160 TB in total, 1.6 TB per machine; rows take 208 bytes each, 0.2 TB on
  every machine and the client, in memory or in files (``keep_rows_in``).
- Network: 184 bytes per row to each worker, 18 TB in total, 18 kB per epoch; 1.7 MB each time samples are gathered.
- Work: 130 (preconditioned) to 2,700 (plain, tuned) gradients per epoch and chain, each reading 320 bytes of memory:
  4e17 to 9e18 bytes, 3 to 60 hours at 400 GB/s of memory bandwidth per machine.
- Checkpoint: 160 TB for all shares, 1.6 TB per machine; a few per run. With fewer, a lost share takes longer to rebuild.
"""

import os
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sampler.algorithms.algorithm_names import online_algorithm
from sampler.algorithms.chain_states import starting_points
from sampler.algorithms.results import Divergence, DivergenceError, Epoch, divergence_message
from sampler.algorithms.saved_sampler import problem_meta
from sampler.algorithms.state_archive import read_meta, read_rows, shares_folder, write_state
from sampler.algorithms.stream_rows import Rows
from sampler.arguments import whole_number
from sampler.problems.base import Problem
from sampler.problems.term_faults import not_finite
from sampler.production.cluster_calls import ClusterCalls
from sampler.production.cluster_placement import ClusterPlacement, SavedChains
from sampler.production.cluster_worker import ShareOrigin
from sampler.settings import Settings, checked_settings


class ClusterChains:
    """K chains of an online algorithm, distributed over the workers of a Dask cluster.

    Every chain follows the same path as on one machine, bit for bit, for any number of workers, provided that their
    processors are of the same type (compiled code differs between types). Rows are sent once to each worker; samples are
    gathered once per call. The share of a lost worker is rebuilt on another one from the last ``save`` (else from the
    first row) and the rows since, which the client stores.

    Parameters
    ----------
    problem, settings, chains, seed, algorithm
        As for Replay.
    client : distributed.Client
        Client of a cluster whose workers have this library; all its current workers are used, at most one per chain. It
        is not closed.
    timeout : float > 0, seconds
        Time limit of one call to a worker; ClusterLost names a worker that exceeds it. No data are lost: end that worker
        and repeat the call.
    start : (dim,) or (chains, dim) array, optional
        X^0; None draws from the prior.

    Attributes
    ----------
    t, gradient_evaluations : int
        Number of completed epochs, and of gradient evaluations of all chains.
    """

    forgotten = 0

    def __init__(self, problem: Problem, settings: Settings, chains: int, client: Any, seed: int = 0,
                 algorithm: str | None = None, timeout: float = 600.0, start: ArrayLike | None = None) -> None:
        algorithm = checked_settings(settings).algorithm if algorithm is None else algorithm
        self._algorithm: type[Any] = online_algorithm(algorithm)
        if refused := self._algorithm.refusal(problem):
            raise ValueError(refused)
        self.problem, self.chains = problem, whole_number("chains", chains, 1, 1_000_000)
        self.seed = whole_number("seed", seed, 0, 2**63 - 1)
        self._settings, self._rows = checked_settings(settings), Rows(problem)
        if start is not None:
            start = np.asarray(start, float)
            starting_points(problem, self.chains, self.seed, start)  # raises for a wrong shape
        origin = ShareOrigin(problem, algorithm, settings, self.chains, self.seed, start, 0, self.chains)
        self._cluster = ClusterPlacement(origin, self._rows, ClusterCalls(client, timeout))

    def __repr__(self) -> str:
        return f"ClusterChains({self.problem!r}, chains={self.chains}, seed={self.seed}, t={self.t})"

    def observe(self, *data: Any) -> Epoch:
        """Add one datum or several in order, run their epochs and gather the samples, as ``OnlineSagaLD.observe``.

        Raises
        ------
        ValueError
            If a value is invalid, before any state changes; or if a worker fails.
        ClusterLost
            If no worker is left or one hangs: repair the cluster and continue with the next rows; these are accepted.
        DivergenceError
            If a chain diverged; see ``divergence``.
        """
        n, encoded = self._rows.encode(data)
        if n == 0:
            raise ValueError("features must hold at least one row, got none; wait for the next datum")
        self._cluster.settle()
        self._raise_if_diverged()
        self._rows.append(n, encoded)
        self._cluster.observe(n)
        self._raise_if_diverged()
        return self.epoch()

    def epoch(self) -> Epoch:
        """Return the samples of all chains, in order, with the counts of the last call.

        Raises
        ------
        ValueError
            If there is no datum yet.
        """
        if self.t == 0:
            raise ValueError("epoch needs at least one datum; call observe first")
        return Epoch(self.t, self.positions, *self._counts())

    def _counts(self) -> list[int]:
        """Return evaluations, resets, refreshed and steps of the last call, summed over shares."""
        return [sum(counts) for counts in zip(*(share.answer.counts for share in self._cluster.shares), strict=True)]

    @property
    def positions(self) -> np.ndarray:
        """Positions X of all chains, (chains, dim)."""
        return np.concatenate([share.answer.samples for share in self._cluster.shares])

    @property
    def t(self) -> int:
        """Number of epochs completed by all chains."""
        return min(share.answer.t for share in self._cluster.shares)

    @property
    def gradient_evaluations(self) -> int:
        """Number of gradient evaluations of all chains so far."""
        return sum(share.answer.gradient_evaluations for share in self._cluster.shares)

    @property
    def posterior(self) -> Any:
        """F_t of the data so far, as views of the client's rows."""
        return self._rows.posterior(self.t)

    @property
    def settings(self) -> Settings:
        """Settings; may be replaced between two calls, with effect from the next epoch."""
        return self._settings

    @settings.setter
    def settings(self, settings: Settings) -> None:
        checked_settings(settings)
        self._cluster.settle()
        self._settings = settings
        self._cluster.give(("settings", settings))

    @property
    def divergence(self) -> Divergence | None:
        """First divergence of any chain; None if all chains are finite."""
        each = [share.answer.divergence for share in self._cluster.shares if share.answer.divergence is not None]
        return min(each, key=lambda where: (where.epoch, where.step, where.chain), default=None)

    def restart_diverged(self) -> int:
        """Reset diverged chains to their checkpoint, as ``OnlineSagaLD.restart_diverged``; return their number."""
        self._cluster.settle()
        diverged = sum(share.answer.diverged for share in self._cluster.shares)
        if diverged:
            self._cluster.give(("restart_diverged",))
        return diverged

    def _raise_if_diverged(self) -> None:
        where = self.divergence
        if where is not None:
            why = not_finite(self.problem, self.t, self.positions[where.chain])
            raise DivergenceError(divergence_message(where, self._settings.eta0, why))

    @property
    def workers(self) -> dict[str, list[tuple[int, int]]]:
        """Shares of each worker in use, by its address: half-open ranges of chains."""
        return self._cluster.workers

    def save(self, path: str | os.PathLike[str], rows: bool = True, extra: dict[str, Any] | None = None) -> None:
        """Write the state to ``path`` and one file per share to the folder ``PATH.shares``, atomically.

        The workers write their shares, so the folder must have the same path on all of them. ``OnlineSagaLD.load`` and
        `go_on_from` read the files of both classes. A lost share is rebuilt from here.

        Parameters
        ----------
        path, rows, extra
            As for ``OnlineSagaLD.save``.
        """
        folder = shares_folder(path).absolute()
        folder.mkdir(exist_ok=True)
        shares = self._cluster.save(folder)
        meta = {**self._identity(), "settings": self.settings.to_dict(), "t": self.t, "rows": rows,
                "gradient_evaluations": self.gradient_evaluations, "epoch_counts": self._counts()}
        arrays = {f"rows_{name}": a for name, a in self._rows.arrays().items()} if rows else {}
        write_state(path, meta, {"center": np.empty(0), **arrays}, extra, shares)

    def go_on_from(self, path: str | os.PathLike[str]) -> Self:
        """Restore all chains from ``path``, saved on one machine or a cluster; rows that were not saved must be held here.
        Return the sampler.

        Raises
        ------
        ValueError
            If the file is from another run, or was saved without its rows and their number differs here.
        """
        meta = read_meta(path)
        for name, mine in self._identity().items():
            if meta[name] != mine:
                raise ValueError(f"path: {os.fspath(path)!r} was saved with {name} = {meta[name]!r}, here it is {mine!r}; "
                                 "make ClusterChains with the same")
        if meta["rows"]:
            self._rows.restore(read_rows(path), meta["t"])
        elif self._rows.t != meta["t"]:
            raise ValueError(f"path: {os.fspath(path)!r} was saved without its {meta['t']:,} rows, {self._rows.t:,} are "
                             "held here; pass them to hold_rows first")
        self._settings = Settings(**meta["settings"])
        self._cluster.restart(self._rows, saved=SavedChains(Path(path).absolute(), 0, 0, meta["t"]))
        return self

    def _identity(self) -> dict[str, Any]:
        """Return the metadata of a saved state that are constant during a run."""
        return {"algorithm": self._algorithm.__name__, "problem": problem_meta(self.problem), "chains": self.chains,
                "seed": self.seed, "done": True}

    def hold_rows(self, *data: Any) -> None:
        """Add rows without running their epochs, for ``go_on_from``; arguments as for ``observe``."""
        self._rows.append(*self._rows.encode(data))

    def reserve(self, n: int) -> None:
        """Allocate memory for ``n`` data in total on this machine."""
        self._rows.reserve(n)

    def keep_rows_in(self, folder: str | os.PathLike[str]) -> None:
        """Store the rows in files in ``folder``, here and on every worker, where the folder must exist too.

        Call before the first datum. The files are unnamed and are deleted with their process.
        """
        if self._rows.t:
            raise ValueError(f"keep_rows_in must be called before the first datum, got it at t = {self._rows.t}")
        self._rows = Rows(self.problem, folder)
        self._cluster.restart(self._rows, rows_in=os.path.abspath(folder))

    def close(self) -> None:
        """Release the chains on the workers; the cluster keeps running."""
        self._cluster.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self.close()
        except ValueError:
            if kind is None:
                raise
