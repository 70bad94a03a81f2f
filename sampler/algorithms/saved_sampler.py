"""Saving the complete state of a sampler, in memory or on disk, for a bit-for-bit identical continuation."""

import os
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from sampler.algorithms.one_caller import one_at_a_time
from sampler.algorithms.state_archive import WHOLE, read_state, write_state
from sampler.algorithms.stream_sampler import StreamSampler
from sampler.kernels.chains import Chains
from sampler.problems.base import Problem
from sampler.problems.gaussian_mean import GaussianMean
from sampler.problems.glm import GLM_KINDS
from sampler.problems.gradient_oracle import GradientOracle
from sampler.settings import Settings
from sampler.version import VERSION


@dataclass(frozen=True)
class SamplerSnapshot:
    """Complete state of a sampler: plain values and copies of its arrays."""

    meta: dict[str, Any]
    arrays: dict[str, Any]

    @property
    def nbytes(self) -> int:
        """Size of the arrays in bytes."""
        return sum(a.nbytes for a in self.arrays.values())


class SavedSampler(StreamSampler):
    """A StreamSampler with snapshot, from_snapshot, save and load; a subclass lists or adds its own state."""

    _kept_values: tuple[str, ...] = ()  # attributes to save in a file, there without their leading underscore
    _kept_arrays: tuple[str, ...] = ()

    def _memory_meta(self) -> dict[str, Any]:
        return {name.lstrip("_"): getattr(self, name) for name in self._kept_values}

    def _memory_arrays(self) -> dict[str, Any]:
        return {name.lstrip("_"): getattr(self, name) for name in self._kept_arrays}

    def _restore_memory(self, meta: dict[str, Any], arrays: dict[str, Any]) -> None:
        """Restore the state from the output of the two methods above."""
        for name in self._kept_values:
            setattr(self, name, meta[name.lstrip("_")])
        for name in self._kept_arrays:
            setattr(self, name, np.array(arrays[name.lstrip("_")]))

    @one_at_a_time
    def snapshot(self, rows: bool = True) -> SamplerSnapshot:
        """Return a copy of the complete state; ``rows=False`` omits the data, which are append-only."""
        state = self._parts(rows)
        return SamplerSnapshot(state.meta, {name: np.array(a) for name, a in state.arrays.items()})

    def _parts(self, rows: bool) -> SamplerSnapshot:
        """Return the same state as views of the sampler's arrays."""
        meta = {"version": WHOLE, "release": VERSION, "algorithm": type(self).__name__,
                "problem": problem_meta(self.problem), "settings": self.settings.to_dict(),
                "chains": self.chains, "seed": self.seed, "t": self.t,
                "done": self._done, "memory": self._memory_meta(), "rows": rows,
                "gradient_evaluations": self.gradient_evaluations, "epoch_counts": [int(c) for c in self._epoch_counts]}
        arrays = {f"chains_{name}": getattr(self._state, name) for name in Chains._fields}
        arrays |= {f"memory_{name}": a for name, a in self._memory_arrays().items()}
        arrays["center"] = self._center
        if rows:
            arrays |= {f"rows_{name}": a for name, a in self._rows.arrays().items()}
        return SamplerSnapshot(meta, arrays)

    @classmethod
    def from_snapshot(cls, snapshot: SamplerSnapshot, problem: Problem = None, rows: Any = None, adopt: bool = False,
                      threads: int | None = None) -> Self:
        """Return a sampler that continues from ``snapshot``.

        The number of threads is not part of the state.

        Parameters
        ----------
        snapshot : SamplerSnapshot
        problem : GradientOracle, optional
            Required if the saved problem was one, since functions are not saved.
        rows : sampler, optional
            Sampler with the data, if the snapshot omits them.
        adopt : bool
            Share the rows of that sampler instead of copying them.
        threads : int >= 1, optional
            None uses the default.

        Raises
        ------
        ValueError
            If the number of data in ``rows`` is not that of the saved sampler, or ``problem`` is not the saved one.
        """
        meta, arrays = snapshot.meta, snapshot.arrays
        sampler = cls(saved_problem(meta["problem"], problem), Settings(**meta["settings"]), meta["chains"], meta["seed"],
                      start=np.zeros(meta["problem"]["dim"]), threads=threads)
        for name in Chains._fields:
            getattr(sampler._state, name)[...] = arrays[f"chains_{name}"]
        sampler.t, sampler._done = meta["t"], meta["done"]
        sampler.gradient_evaluations = meta["gradient_evaluations"]
        sampler._epoch_counts = np.array(meta["epoch_counts"], np.int64)
        sampler._center = np.array(arrays["center"])
        if meta["rows"]:
            part = {name[5:]: a for name, a in arrays.items() if name.startswith("rows_")}
            sampler._rows.restore(part, meta["t"])
        else:
            since, held = meta["memory"].get("forgotten", 0) - rows.forgotten, rows._rows
            last = since + meta["t"]
            if since < 0 or (held.t != last if adopt else held.t < last):
                before = f", and {since:,} before them" if since else ""
                raise ValueError(f"rows must hold the {meta['t']:,} data of the saved sampler{before}, got {held.t:,}")
            if not adopt:
                sampler._rows.restore({name: a[since:last] for name, a in held.arrays().items()}, meta["t"])
            else:
                sampler._rows = held
                if since:
                    held.forget(since)
        sampler._restore_memory(meta["memory"], {n[7:]: a for n, a in arrays.items() if n.startswith("memory_")})
        return sampler

    @one_at_a_time
    def save(self, path: str | os.PathLike[str], rows: bool = True, extra: dict[str, Any] | None = None) -> None:
        """Write the complete state to exactly ``path``, atomically: on an error, such as a full disk, an older file is kept.

        May be called in mid-epoch and makes no copies in memory. The file contains a checksum, so ``load`` raises an error
        for a truncated or modified file. Size: the rows, plus 16 bytes per datum and chain for one-score models.

        Parameters
        ----------
        path : path
        rows : bool
            False omits the data, which must then be passed to ``load``.
        extra : dict of str to array, optional
            Additional arrays, read by ``load_extra``.
        """
        state = self._parts(rows)
        write_state(path, state.meta, state.arrays, extra)

    @classmethod
    def load(cls, path: str | os.PathLike[str], problem: Problem = None, rows: Any = None,
             threads: int | None = None) -> Self:
        """Load a sampler written by ``save``; it continues bit for bit as if it had not been interrupted.

        Parameters
        ----------
        path : path
        problem : GradientOracle, optional
            Required if the saved problem was an oracle (functions are not saved); otherwise it must match.
        rows : sampler, optional
            Sampler with the same data, added by ``hold_rows``, if they were not saved.
        threads : int, optional
            As for `StreamSampler`; the path does not depend on it.
        """
        meta, arrays = read_state(path)
        if meta["algorithm"] != cls.__name__:
            raise ValueError(f"path: {os.fspath(path)!r} holds a {meta['algorithm']}, not a {cls.__name__}; "
                             f"call {meta['algorithm']}.load")
        if not meta["rows"] and rows is None:
            raise ValueError(f"path: {os.fspath(path)!r} was saved without its rows; pass rows, a sampler that holds "
                             "them")
        return cls.from_snapshot(SamplerSnapshot(meta, arrays), problem, rows, adopt=True, threads=threads)

    def go_on_from(self, path: str | os.PathLike[str]) -> Self:
        """Load the sampler saved at ``path`` with this problem and number of threads, and these rows if none were saved."""
        saga = type(self).load(path, problem=self.problem, rows=self, threads=self.threads)
        if self._rows.folder is not None and saga._rows is not self._rows:  # the rows were saved
            self._rows.restore(saga._rows.arrays(), saga.t)
            saga._rows = self._rows
        return saga

    @one_at_a_time
    def hold_rows(self, *data: Any) -> None:
        """Store rows without running their epochs, for ``load(path, rows=self)``; arguments as for ``observe``."""
        self._rows.append(*self._rows.encode(data))

    def close(self) -> None:
        """Release resources outside this process: none here, the workers in ``ClusterChains``."""


def problem_meta(problem: Problem) -> dict[str, Any]:
    """Return the description of a problem in files: all of it except an oracle's functions."""
    return problem.to_dict() if hasattr(problem, "to_dict") else {"kind": problem.kind, "dim": problem.dim}


def saved_problem(meta: dict[str, Any], problem: Any = None) -> Any:
    """Return the problem described by ``meta`` of a file, or ``problem`` if it matches; required for an oracle."""
    if meta["kind"] == GradientOracle.kind:
        if problem is None:
            raise ValueError("problem must be given to load a sampler of a GradientOracle: functions are not saved")
    elif problem is None:
        values = {name: value for name, value in meta.items() if name != "kind"}
        return {**GLM_KINDS, GaussianMean.kind: GaussianMean}[meta["kind"]](**values)
    if problem_meta(problem) != meta:
        raise ValueError(f"problem must match the saved one, {meta}; got {problem_meta(problem)}")
    return problem
