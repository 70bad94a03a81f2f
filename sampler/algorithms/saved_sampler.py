"""Saving a sampler whole, in memory or on disk, so that it goes on bit for bit as if it had never stopped."""

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
    """A sampler's whole state: plain values and arrays, copied."""

    meta: dict[str, Any]
    arrays: dict[str, Any]

    @property
    def nbytes(self) -> int:
        """Size of the arrays in bytes."""
        return sum(a.nbytes for a in self.arrays.values())


class SavedSampler(StreamSampler):
    """A StreamSampler with snapshot, from_snapshot, save and load; a subclass names, or adds, what it remembers."""

    _kept_values: tuple[str, ...] = ()  # attributes that a file must hold, in it without the underscore before their names
    _kept_arrays: tuple[str, ...] = ()

    def _memory_meta(self) -> dict[str, Any]:
        return {name.lstrip("_"): getattr(self, name) for name in self._kept_values}

    def _memory_arrays(self) -> dict[str, Any]:
        return {name.lstrip("_"): getattr(self, name) for name in self._kept_arrays}

    def _restore_memory(self, meta: dict[str, Any], arrays: dict[str, Any]) -> None:
        """Put back what the two methods above gave."""
        for name in self._kept_values:
            setattr(self, name, meta[name.lstrip("_")])
        for name in self._kept_arrays:
            setattr(self, name, np.array(arrays[name.lstrip("_")]))

    @one_at_a_time
    def snapshot(self, rows: bool = True) -> SamplerSnapshot:
        """Copy of everything the future depends on; ``rows=False`` leaves out the data (they only ever grow)."""
        state = self._parts(rows)
        return SamplerSnapshot(state.meta, {name: np.array(a) for name, a in state.arrays.items()})

    def _parts(self, rows: bool) -> SamplerSnapshot:
        """The same as views of the living arrays."""
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
        """Sampler that goes on from ``snapshot``; ``rows`` is a sampler that has the data, if they were left out.

        With ``adopt`` its data are taken over, not copied. ``threads`` is no part of a state: given here, or the default.

        Parameters
        ----------
        snapshot : SamplerSnapshot
        problem : GradientOracle, optional
            Needed where the saved problem was one: functions are not saved.
        rows : sampler, optional
            Has the data, where the snapshot left them out.
        adopt : bool
            Take the rows over instead of copying them.
        threads : int >= 1, optional
            None takes the default.

        Raises
        ------
        ValueError
            When ``rows`` hold another number of data than the saved sampler had, and for another problem than the saved one.
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
        """Write the whole state to exactly ``path``, atomically: a full disk leaves an older file intact.

        Works in mid-epoch, copies nothing in memory. A checksum is written with it: ``load`` refuses a file that was cut
        off or has changed. Size: the rows, plus 16 bytes a datum a chain for one-score
        models.

        Parameters
        ----------
        path : path
        rows : bool
            False leaves out the data; ``load`` must then be given them.
        extra : dict of str to array, optional
            Kept beside the state; ``load_extra`` reads it.
        """
        state = self._parts(rows)
        write_state(path, state.meta, state.arrays, extra)

    @classmethod
    def load(cls, path: str | os.PathLike[str], problem: Problem = None, rows: Any = None,
             threads: int | None = None) -> Self:
        """Read what ``save`` wrote; the sampler goes on bit for bit as if it had never stopped.

        Parameters
        ----------
        path : path
        problem : GradientOracle, optional
            Needed when the saved problem was an oracle (functions are not saved); otherwise it must match.
        rows : sampler, optional
            One that was given the same data by ``hold_rows``, where they were not saved.
        threads : int, optional
            As for every StreamSampler; the path goes on the same on any number.
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
        """Sampler saved at ``path``, of this problem, on as many threads; rows that were not saved are those held here."""
        saga = type(self).load(path, problem=self.problem, rows=self, threads=self.threads)
        if self._rows.folder is not None and saga._rows is not self._rows:  # they were saved, too
            self._rows.restore(saga._rows.arrays(), saga.t)
            saga._rows = self._rows
        return saga

    @one_at_a_time
    def hold_rows(self, *data: Any) -> None:
        """Take rows without running their epochs, for ``load(path, rows=self)``; arguments as for ``observe``."""
        self._rows.append(*self._rows.encode(data))

    def close(self) -> None:
        """Let go of what lies outside this process: nothing. ``ClusterChains`` has workers to tell."""


def problem_meta(problem: Problem) -> dict[str, Any]:
    """What a file says of a problem: all of it, but an oracle's functions."""
    return problem.to_dict() if hasattr(problem, "to_dict") else {"kind": problem.kind, "dim": problem.dim}


def saved_problem(meta: dict[str, Any], problem: Any = None) -> Any:
    """Problem of which a file says ``meta``; an oracle, and one to be compared with it, is given as ``problem``."""
    if meta["kind"] == GradientOracle.kind:
        if problem is None:
            raise ValueError("problem must be given to load a sampler of a GradientOracle: functions are not saved")
    elif problem is None:
        values = {name: value for name, value in meta.items() if name != "kind"}
        return {**GLM_KINDS, GaussianMean.kind: GaussianMean}[meta["kind"]](**values)
    if problem_meta(problem) != meta:
        raise ValueError(f"problem must match the saved one, {meta}; got {problem_meta(problem)}")
    return problem
