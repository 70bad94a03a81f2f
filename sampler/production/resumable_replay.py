"""`ResumableReplay`: the checkpoint of a run and of its stream, and resuming from it."""

import os
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from sampler.algorithms.algorithm_names import PLAIN
from sampler.problems.base import Problem
from sampler.production import checkpoint_file as files
from sampler.production.background_reader import RowReader
from sampler.production.run_monitor import Watch
from sampler.streams.data_stream import DataStream
from sampler.streams.row_cleaning import BadRows
from sampler.streams.row_encoding import RowReading
from sampler.streams.stream_report import Fingerprint


class ResumableReplay:
    """Mixin of Replay for its rows and its checkpoint."""

    path: str | None
    goes_on: bool
    problem: Problem
    stream: Any
    saga: Any  # a SavedSampler or ClusterChains, with the same interface
    output: Any
    watch: Watch
    warnings: list[str]
    _run: dict[str, Any]
    _blocks: RowReader
    _bad: BadRows
    _on_checkpoint: Callable[[int, Any], Any] | None
    _warn: Callable[[str], Any]
    _fingerprint: Fingerprint
    _warned = 0  # number of stream warnings already emitted
    _count: files.TakenCount | None = None
    _taken_before, _kept_at, _kept_place = 0, 0.0, (-1, -1)
    _within = 0  #: rows of the block that is being learnt
    resumed_at = kept = 0  # epochs resumed from and in the last checkpoint
    mended = ""  # message after resuming from the previous checkpoint because the last one was damaged

    def resume(self) -> int:
        """Resume from the checkpoint if it exists, else start; return the epoch. Call once, before ``run``."""
        if self.path is not None:
            files.check_writable(self.path)
            self.mended = files.recover(self.path)
            files.sweep_leftovers(self.path)
        if self.path is not None and self.goes_on and not getattr(self.stream, "has_places", hasattr(self.stream, "offset")):
            self._count = files.TakenCount(self.path)
        if self.path is None or not os.path.exists(self.path):
            self.output.resume(0)
            self._warn_missing_rows({})
            return 0
        plain, arrays = files.read(self.path)
        files.check_unchanged(self.path, {"algorithm": PLAIN, **plain["run"]}, self._run)
        if self.mended and self.goes_on and plain.get("offset") is None:
            self.mended += "; rows that came after it are missing, unless the source delivers them again"
        self._restore_rows(plain, arrays)
        self.saga = self.saga.go_on_from(self.path)
        self.watch.restore(plain["watch"], arrays)
        self.output.resume(plain["output"])
        self._warn_missing_rows(plain)
        self.resumed_at = self.kept = self.epoch
        return self.epoch

    @property
    def epoch(self) -> int:
        """Number of epochs, one per row learnt, including forgotten rows."""
        return int(self.saga.forgotten + self.saga.t)

    def _emit_warnings(self, *messages: str) -> None:
        """Emit new warnings of the stream, then ``messages``."""
        new = self.stream.warnings[self._warned:] if isinstance(self.stream, DataStream) else []
        self._warned += len(new)
        for sentence in (*new, *messages):
            self.warnings.append(sentence)
            self._warn(sentence)

    def _data(self, block: Any) -> list[tuple[Any, ...]]:
        """Return the arguments of ``observe``: one call per block, or one per datum for a GradientOracle."""
        features, labels = block
        if self.problem.kind == "oracle":
            return [()] * len(features)
        return [(features,) if labels is None else (features, labels)]

    def _columns(self) -> list[str] | None:
        """Return the coefficient names of the stream, if it has any."""
        names = getattr(self.stream, "names", None)
        return None if names is None else list(names)

    def _reading(self) -> RowReading | None:
        """Return a DataStream's conversion of rows to features, with the scale at the rows taken."""
        is_read = isinstance(self.stream, DataStream)
        return replace(self.stream.reading, scale=self._blocks.place.scale) if is_read else None

    def _restore_rows(self, plain: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Restore the rows of the sampler, checked against the checkpoint."""
        if self.goes_on:
            if plain.get("whole") is False:
                raise ValueError(f"checkpoint: {self.path!r} was made without goes_on (--goes-on), so it stores none of its "
                                 f"{plain['rows']:,} rows; pass the same data again without it, new rows after them")
            if self.path and plain.get("names") is not None and (now := self._columns()) is not None:
                files.check_unchanged(self.path, {"columns": plain["names"]}, {"columns": now})
            self._fingerprint = Fingerprint(plain["rows"], plain["fingerprint"])
            if plain["scale"] is not None:
                self.stream.scale = type(self.stream.scale).from_dict(plain["scale"])
            if plain.get("offset") is not None:
                self.stream.go_on_after(plain["offset"], *[plain["recent"]] if plain.get("recent") else [])
            self._blocks.update_place()
            if "rest_features" in arrays:
                self._blocks.put_back(arrays["rest_features"], arrays.get("rest_labels"))
            self._taken_before = plain.get("taken", plain["rows"] + self._blocks.held) - self._blocks.place.taken
            return
        left = plain["rows"]
        while left:
            block = self._blocks.take(min(left, 8192))
            if block is None:
                raise ValueError(f"checkpoint: {self.path!r} was made from {plain['rows']:,} rows, the data has "
                                 f"{plain['rows'] - left:,}; pass the same data, or start again with a new checkpoint")
            self._fingerprint.add(*block)
            for data in self._data(block):
                self.saga.hold_rows(*data)
            left -= len(block[0])
        if self._fingerprint.value != plain["fingerprint"]:
            raise ValueError(f"checkpoint: {self.path!r} was made from other data (fingerprint "
                             f"{plain['fingerprint']:016x}, the first {plain['rows']:,} rows now have "
                             f"{self._fingerprint}); pass the same data, or start again with a new checkpoint")

    def _warn_missing_rows(self, plain: dict[str, Any]) -> None:
        """Warn of rows that a queue without offsets delivered to the previous run and that are in no checkpoint."""
        if self._count is None:
            return
        after = None if self._count.left is None else self._count.left - self.rows_taken
        if after or (after is None and not plain.get("ended", True)):
            rows = "an unknown number of rows" if after is None else "1 row" if after == 1 else f"{after:,} rows"
            self._emit_warnings(f"checkpoint: the previous run was interrupted after it took {rows} more than the "
                                f"{self.rows_taken:,} of its last checkpoint, {self.path!r}: they are missing unless the "
                                "stream delivers them again; to check, pass an offset_column; commit only in on_checkpoint")

    def _save_state(self, ended: bool = False) -> None:
        """Save the summaries, then the state with their count: a kill between the two loses nothing."""
        mark, place, self._kept_at = self.output.mark(), self._blocks.place, time.monotonic()
        if self.path is None or (self._kept_place == (self.epoch, place.taken) and not ended):
            return
        watch, arrays = self.watch.state()
        scale = place.scale if self.goes_on else None
        plain = {"run": self._run, "rows": self._fingerprint.rows, "fingerprint": self._fingerprint.value,
                 "output": mark, "watch": watch, "scale": scale.to_dict() if scale is not None else None,
                 "offset": place.offset if self.goes_on else None, "recent": place.recent if self.goes_on else None,
                 "whole": self.goes_on,
                 "names": self._columns(), "taken": self.rows_taken, "ended": ended,
                 "reading": None if (reading := self._reading()) is None else reading.to_dict()}
        self._bad.sync()
        if self.goes_on:  # rows after the last one learnt, up to the offset
            rest = zip(("rest_features", "rest_labels"), self._blocks.rest, strict=True)
            arrays |= {name: part for name, part in rest if part is not None}
        files.write(self.path, self.saga, plain, arrays, rows=self.goes_on)
        self.kept, self._kept_place = self.epoch, (self.epoch, place.taken)
        if ended and self._count is not None:
            self._blocks.note_in(int)
            self._count.remove()
        if self._on_checkpoint is not None:
            self._on_checkpoint(self.rows_taken, place.offset)

    @property
    def rows_taken(self) -> int:
        """Number of rows learnt, buffered and left out since the first run."""
        return self._taken_before + self._blocks.place.taken

    @property
    def skipped(self) -> int:
        """Number of rows left out since the first run."""
        return self.rows_taken - self._fingerprint.rows - self._blocks.held - self._within
