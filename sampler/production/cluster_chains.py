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
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sampler.algorithms.algorithm_names import online_algorithm
from sampler.algorithms.chain_states import starting_points
from sampler.algorithms.results import Divergence, DivergenceError, Epoch, diverged_words
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
    """K chains of an online algorithm, shared out over the workers of a Dask cluster.

    Every chain's path is what it is on one machine, bit for bit, however many workers there are, provided that their
    processors are of one kind (compiled code differs between kinds). Rows go once to each worker; samples come back once
    a call. The share of a lost worker is rebuilt on another one, from what ``save`` wrote last (else from the first row)
    and the rows since, which the client keeps.

    Parameters
    ----------
    problem, settings, chains, seed, algorithm
        As for Replay.
    client : distributed.Client
        Of a cluster whose workers have this library; all workers it has now are used, at most one a chain. It is not
        closed.
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
            starting_points(problem, self.chains, self.seed, start)  # raises where it does not fit
        origin = ShareOrigin(problem, algorithm, settings, self.chains, self.seed, start, 0, self.chains)
        self._cluster = ClusterPlacement(origin, self._rows, ClusterCalls(client, timeout))

    def __repr__(self) -> str:
        return f"ClusterChains({self.problem!r}, chains={self.chains}, seed={self.seed}, t={self.t})"

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
        return self.epoch()

    def epoch(self) -> Epoch:
        """Samples of all chains, in order, with the counts of the last call.

        Raises
        ------
        ValueError
            Before the first datum.
        """
        if self.t == 0:
            raise ValueError("epoch needs at least one datum; call observe first")
        return Epoch(self.t, self.positions, *self._counts())

    def _counts(self) -> list[int]:
        """Evaluations, resets, refreshed and steps of the last call, all shares together."""
        return [sum(counts) for counts in zip(*(share.answer.counts for share in self._cluster.shares), strict=True)]

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
        checked_settings(settings)
        self._cluster.settle()
        self._settings = settings
        self._cluster.give(("settings", settings))

    @property
    def divergence(self) -> Divergence | None:
        """The first divergence, or None while all chains are sound."""
        each = [share.answer.divergence for share in self._cluster.shares if share.answer.divergence is not None]
        return min(each, key=lambda where: (where.epoch, where.step, where.chain), default=None)

    def restart_diverged(self) -> int:
        """Put diverged chains back at their checkpoint, as ``OnlineSagaLD.restart_diverged``; how many they were."""
        self._cluster.settle()
        diverged = sum(share.answer.diverged for share in self._cluster.shares)
        if diverged:
            self._cluster.give(("restart_diverged",))
        return diverged

    def _raise_if_diverged(self) -> None:
        where = self.divergence
        if where is not None:
            why = not_finite(self.problem, self.t, self.positions[where.chain])
            raise DivergenceError(diverged_words(where, self._settings.eta0, why))

    @property
    def workers(self) -> dict[str, list[tuple[int, int]]]:
        """Address of each worker in use -> its shares, each a first chain and one past the last."""
        return self._cluster.workers

    def save(self, path: str | os.PathLike[str], rows: bool = True, extra: dict[str, Any] | None = None) -> None:
        """Write the whole state to ``path`` and to files of the shares in the folder ``PATH.shares``, all or nothing.

        The workers write their shares, so they must see the folder under the same name. ``OnlineSagaLD.load`` reads it
        too, as ``go_on_from`` here reads what that wrote. A lost share goes on from here.

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
        """Let all chains be as saved at ``path``, by these classes on one machine or many; rows that were not saved are
        those held here. Returns the sampler.

        Raises
        ------
        ValueError
            When the file is of another run, or was saved without its rows and others are held here.
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
                             "held here; give them with hold_rows first")
        self._settings = Settings(**meta["settings"])
        self._cluster.begin_anew(self._rows, saved=SavedChains(Path(path).absolute(), 0, 0, meta["t"]))
        return self

    def _identity(self) -> dict[str, Any]:
        """Values of a saved state's meta that do not change in a run."""
        return {"algorithm": self._algorithm.__name__, "problem": problem_meta(self.problem), "chains": self.chains,
                "seed": self.seed, "done": True}

    def hold_rows(self, *data: Any) -> None:
        """Take rows without running their epochs, for ``go_on_from``; arguments as for ``observe``."""
        self._rows.append(*self._rows.encode(data))

    def reserve(self, n: int) -> None:
        """Make room for ``n`` data in all on this machine."""
        self._rows.reserve(n)

    def keep_rows_in(self, folder: str | os.PathLike[str]) -> None:
        """Keep the rows in files in ``folder``, here and on every worker, where it must exist too.

        Before the first datum only. The files have no name and vanish with their process.
        """
        if self._rows.t:
            raise ValueError(f"keep_rows_in must be called before the first datum, got it at t = {self._rows.t}")
        self._rows = Rows(self.problem, folder)
        self._cluster.begin_anew(self._rows, rows_in=os.path.abspath(folder))

    def close(self) -> None:
        """Let the workers forget the chains; the cluster goes on."""
        self._cluster.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self.close()
        except ValueError:
            if kind is None:
                raise
