"""Saving chains on many machines, so that they go on bit for bit on as many, on others or on one."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sampler.algorithms.row_storage import InFile
from sampler.algorithms.state_file import problem_meta
from sampler.algorithms.state_parts import read_meta, read_rows, shares_folder, write_shared
from sampler.algorithms.stream_rows import Rows
from sampler.problems.base import Problem
from sampler.production.cluster_shares import ClusterShares, SavedChains
from sampler.settings import Settings

if TYPE_CHECKING:
    class _Mixed:
        """What ``ClusterChains`` has."""

        problem: Problem
        chains: int
        seed: int
        _algorithm: type[Any]
        _counts: Callable[[], np.ndarray]

        @property
        def t(self) -> int: ...
        @property
        def gradient_evaluations(self) -> int: ...
        @property
        def settings(self) -> Settings: ...
else:
    _Mixed = object


class ClusterStateFile(_Mixed):
    """Mixin of ClusterChains: what ``StateFile`` is to a sampler in one process, and as much as a replay asks of one."""

    _rows: Rows
    _cluster: ClusterShares
    _folder: Path | None

    def save(self, path: str | os.PathLike[str], rows: bool = True, extra: dict[str, Any] | None = None) -> None:
        """Write the whole state to ``path`` and to files of the shares in the folder ``PATH.shares``, all or nothing.

        The workers write their shares, so they must see the folder under the same name. ``OnlineSagaLD.load`` reads it
        too, as ``go_on_from`` here reads what that wrote. A lost share goes on from here.

        Parameters
        ----------
        path, rows, extra
            As for ``OnlineSagaLD.save``.
        """
        folder, before = shares_folder(path).absolute(), self._files()
        folder.mkdir(exist_ok=True)
        shares = self._cluster.save(folder)
        epoch_counts = [int(count) for count in self._counts()]
        meta = {"algorithm": self._algorithm.__name__, "problem": problem_meta(self.problem),
                "settings": self.settings.to_dict(), "chains": self.chains, "seed": self.seed, "t": self.t, "done": True,
                "rows": rows, "gradient_evaluations": self.gradient_evaluations, "epoch_counts": epoch_counts}
        arrays = {f"rows_{name}": a for name, a in self._rows.arrays().items()} if rows else {}
        arrays |= {f"extra_{name}": np.asarray(a) for name, a in (extra or {}).items()}
        write_shared(path, meta, {"center": np.empty(0), **arrays}, shares)
        self._remove(before)
        self._kept_at = self.t

    def go_on_from(self, path: str | os.PathLike[str]) -> Self:
        """Let all chains be as saved at ``path``, by these classes on one machine or many; rows that were not saved are
        those held here. Returns the sampler.

        Raises
        ------
        ValueError
            When the file is of another run, or was saved without its rows and others are held here.
        """
        meta = read_meta(path)
        for name, mine in (("algorithm", self._algorithm.__name__), ("problem", problem_meta(self.problem)),
                           ("chains", self.chains), ("seed", self.seed), ("done", True)):
            if meta[name] != mine:
                raise ValueError(f"path: {os.fspath(path)!r} was saved with {name} = {meta[name]!r}, here it is {mine!r}; "
                                 "make ClusterChains with the same")
        if meta["rows"]:
            self._rows.restore(read_rows(path), meta["t"])
        elif self._rows.t != meta["t"]:
            raise ValueError(f"path: {os.fspath(path)!r} was saved without its {meta['t']:,} rows, {self._rows.t:,} are "
                             "held here; give them with hold_rows first")
        self._settings, self._kept_at = Settings(**meta["settings"]), meta["t"]
        self._cluster.begin_anew(self._rows, saved=SavedChains(Path(path).absolute(), 0, 0, meta["t"]))
        return self

    def keep(self) -> None:
        """Save all shares in ``folder`` now, for the lost ones to go on from.

        Raises
        ------
        ValueError
            When no folder was given.
        """
        if self._folder is None:
            raise ValueError("folder must be given to keep the shares; make ClusterChains with folder=")
        before = self._files()
        self._cluster.save(self._folder)
        self._remove(before - self._files())
        self._kept_at = self.t

    def hold_rows(self, *data: Any) -> None:
        """Take rows without running their epochs, for ``go_on_from``; arguments as for ``observe``."""
        n, encoded = self._rows.encode(data)
        self._rows.append(n, encoded)

    def reserve(self, n: int) -> None:
        """Make room for ``n`` data in all on this machine."""
        self._rows.reserve(n)

    def keep_rows_in(self, folder: str | os.PathLike[str]) -> None:
        """Keep the rows in files in ``folder``, here and on every worker, where it must exist too.

        Before the first datum only. The files have no name and vanish with their process.
        """
        if self._rows.t:
            raise ValueError(f"keep_rows_in must be called before the first datum, got it at t = {self._rows.t}")
        self._rows = Rows(self.problem, InFile(folder))
        self._cluster.begin_anew(self._rows, rows_in=os.path.abspath(folder))

    def close(self) -> None:
        """Let the workers forget the chains, and remove the checkpoints in ``folder``; the cluster goes on."""
        self._remove(self._files())
        self._cluster.close()

    def _files(self) -> set[Path]:
        """Files that lost shares would go on from."""
        return {share.saved.path for share in self._cluster.shares if share.saved is not None}

    def _remove(self, files: set[Path]) -> None:
        """Remove those that stand in ``folder``: nothing else names them."""
        for file in files:
            if file.parent == self._folder:
                file.unlink(missing_ok=True)
