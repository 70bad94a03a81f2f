"""A tuned setting at work: stream in, summaries out, gates watched, state kept against any end."""

import contextlib
import math
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler.algorithms.epoch_records import DivergenceError, Epoch
from sampler.algorithms.online_algorithms import PLAIN, online_algorithm
from sampler.arguments import instance_of, is_infinite, real_number, whole_number
from sampler.draws import Draws, HasDraws
from sampler.problems.base import Problem
from sampler.problems.data_check import check_problem
from sampler.production import checkpoint as files
from sampler.production.cluster_calls import ClusterLost
from sampler.production.cluster_chains import ClusterChains
from sampler.production.gates import GateFailure, Gates
from sampler.production.run_monitor import Watch
from sampler.production.summaries import Nowhere
from sampler.settings import Settings, checked_settings
from sampler.streams.fingerprint import Fingerprint
from sampler.streams.rebatch import Rebatch
from sampler.tuning.algorithm_settings import algorithm_of

CHECKPOINT_FORMAT = 2
"""Raised when what the monitor keeps changes its meaning."""


@dataclass(frozen=True)
class ReplayResult(HasDraws):
    """Result of a run: ``ended`` is "finished", "stopped" or "gate", ``t`` the epochs in all, ``resumed_at`` the
    epoch it went on from, ``samples`` (K, d) is X^t, ``fingerprint`` the checksum of the rows as sampled, ``names`` are
    those of the coefficients where the stream has them.
    """

    ended: str
    t: int
    resumed_at: int
    samples: np.ndarray
    failure: GateFailure | None
    watch: Watch
    gradient_evaluations: int
    fingerprint: str
    names: tuple[str, ...] | None = None

    def draws(self, names: Sequence[str] | None = None) -> Draws:
        """X^t, one draw a chain, and those of up to 199 blocks before (32 chains), each of the posterior of its epoch.

        Parameters
        ----------
        names : sequence of str, optional
            Of the coefficients, one a dimension; None numbers them.
        """
        names, window = self.names if names is None else names, self.watch.window
        past = Draws(np.swapaxes(window.draws[:-1], 0, 1), window.epochs[:-1], names,
                     {"words": "each draw is of the posterior of its own epoch, which moves and narrows"})
        return Draws(self.samples[:, None], np.array([self.t]), names,
                     {"ended": self.ended, "gradient_evaluations": self.gradient_evaluations,
                      "fingerprint": self.fingerprint}, past if len(past.epochs) else None)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        watch, failure = self.watch, self.failure
        return {"ended": self.ended, "t": self.t, "resumed_at": self.resumed_at, "chains": len(self.samples),
                "mean": self.samples.mean(axis=0).tolist(), "sd": self.samples.std(axis=0).tolist(),
                "score": watch.score, "calibration_error": watch.calibration_error,
                "calibration_noise": watch.calibration_noise, "rhat": watch.rhat,
                "why_no_rhat": watch.why_no_rhat, "lag": watch.lag.value, "common_drift": watch.common_drift,
                "reset_rate": watch.reset_rate, "seconds_per_epoch": watch.seconds_per_epoch,
                "gradient_evaluations": self.gradient_evaluations,
                "drifts": [{"at": at, "since": since} for at, since in watch.drifts],
                "gate": None if failure is None else {"name": failure.gate, "epoch": failure.t, "value": failure.value,
                                                      "limit": failure.limit, "words": failure.words},
                "fingerprint": self.fingerprint}


class Replay:
    """One sampler on one stream, summarised, gated and kept.

    Rows are taken in blocks of ``every``, which end at multiples of ``every``: a stop takes effect between two
    blocks, and a resumed run writes byte for byte what an unbroken one does.

    Parameters
    ----------
    problem, settings, chains, seed
        As for the sampler.
    batches : iterable of (features, labels)
        A DataStream, or like it. On resuming it starts from its first row again, unless ``goes_on``.
    every : int
        Epochs a summary.
    gates : Gates, optional
    output : optional
        JsonLines or ParquetParts (``summaries.writer``); None keeps nothing.
    checkpoint : str, optional
        Path of the state; an existing one is gone on from. The one before it stays at ``PATH.before``, and is gone on
        from where the disk has damaged the newer: ``mended`` then says so. So it takes the room of two, of three while
        one is written.
    seconds : float
        Wall time between two checkpoints.
    goes_on : bool
        The source is not read again on resuming, and the checkpoint holds the rows: a queue goes on where it stopped, a
        DataStream with an ``offset`` (a query, a file) is told to go on after the last row it gave, so that none is lost or
        comes twice.
    expect : int, optional
        Rows expected: room is made for them at once.
    rows_in : path, optional
        Folder for the file that holds the rows, for streams larger than memory.
    threads : int, optional
        As for OnlineSagaLD; a run may be gone on with on any number, bit for bit.
    algorithm : {"saga-ld", "preconditioned"}, optional
        None is the one the settings are for, "saga-ld" if they name none.
    client : distributed.Client, optional
        Of a cluster whose workers hold the chains (``ClusterChains``); None holds them here. A run may be gone on with
        there or here, bit for bit; the workers must see the checkpoint's folder.
    worker_timeout : float, seconds
        A worker that takes longer for one block ends the run; it is named.
    """

    def __init__(self, problem: Problem, settings: Settings, batches: Iterable[Any], chains: int = 256, seed: int = 0,
                 every: int = 100, gates: Gates | None = None, output: Any = None,
                 checkpoint: str | None = None, seconds: float = 30.0, goes_on: bool = False, expect: int | None = None,
                 rows_in: Any = None, threads: int | None = None, algorithm: str | None = None, client: Any = None,
                 worker_timeout: float = 600.0) -> None:
        check_problem(problem)
        checked_settings(settings)
        if gates is not None:
            instance_of("gates", gates, Gates, "make them with Gates()")
        self.problem, self.settings, self.every = problem, settings, whole_number("every", every, 1, 10**9)
        if not is_infinite(seconds):
            seconds = real_number("seconds", seconds, "it is the time between two checkpoints, 30 is the default", least=0.0)
        if client is not None and threads is not None:
            raise ValueError(f"threads must be left out with a client, got {threads!r}: workers have those they were "
                             "started with (dask worker --nthreads)")
        algorithm = algorithm_of(settings) if algorithm is None else algorithm
        self.gates, self.output = gates or Gates(), output if output is not None else Nowhere()
        self.path, self.seconds, self.goes_on = checkpoint, seconds, goes_on
        self.stream: Any = batches
        self._blocks, self._fingerprint = Rebatch(batches), Fingerprint()
        self._run = {"checkpoint format": CHECKPOINT_FORMAT, "algorithm": algorithm, "settings": settings.to_dict(),
                     "chains": chains, "seed": seed, "every": self.every}
        self.saga: Any  # a StreamSampler with its StateFile, or ClusterChains, which are used alike
        if client is None:
            self.saga = online_algorithm(algorithm)(problem, settings, chains=chains, seed=seed, threads=threads)
        else:
            self.saga = ClusterChains(problem, settings, chains, client, seed, algorithm, timeout=worker_timeout)
        if rows_in is not None:
            self.saga.keep_rows_in(rows_in)
        if expect is not None and whole_number("expect", expect, 0, 2**31 - 1, "leave it out where it is not known"):
            self.saga.reserve(int(expect))
        self.watch = Watch(problem, self.gates, chains, settings.offset)
        self.resumed_at = self.kept = 0  # epochs: gone on from, in the last checkpoint
        self.mended = ""  # words: that the checkpoint was damaged, and the one before it is gone on from
        self._within = False  # a block that the monitor has not seen whole

    def resume(self) -> int:
        """Go on from the checkpoint if there is one, else start; returns the epoch. Call once, before ``run``."""
        if self.path is not None:
            files.refuse_place(self.path)
            self.mended = files.newest_whole(self.path)
            files.sweep_leftovers(self.path)
        if self.path is None or not os.path.exists(self.path):
            self.output.resume(0)
            return 0
        plain, arrays = files.read(self.path)
        files.refuse_change(self.path, {"algorithm": PLAIN, **plain["run"]}, self._run)
        if self.mended and self.goes_on and plain.get("offset") is None:
            self.mended += "; rows that came after it are missing, unless the source gives them again"
        self._hold_again(plain, arrays)
        self.saga = self.saga.go_on_from(self.path)
        self.watch.restore(plain["watch"], arrays)
        self.output.resume(plain["output"])
        self.resumed_at = self.kept = self.saga.t
        return self.saga.t

    def _columns(self) -> list[str] | None:
        """Names of the columns of a stream that has them, levels of categories with them."""
        names = getattr(self.stream, "names", None)
        return None if names is None else list(names)

    def _hold_again(self, plain: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Give the sampler the rows it had, checked against the checkpoint."""
        if self.goes_on:
            if self.path and plain.get("names") is not None and (now := self._columns()) is not None:
                files.refuse_change(self.path, {"columns": plain["names"]}, {"columns": now})
            self._fingerprint = Fingerprint(plain["rows"], plain["fingerprint"])
            if plain["scale"] is not None:
                self.stream.scale = type(self.stream.scale).from_dict(plain["scale"])
            if plain.get("offset") is not None:
                self.stream.go_on_after(plain["offset"])
            if "rest_features" in arrays:
                self._blocks.put_back(arrays["rest_features"], arrays.get("rest_labels"))
            return
        left = plain["rows"]
        while left:
            block = self._blocks.take(min(left, 8192))
            if block is None:
                raise ValueError(f"checkpoint: {self.path!r} was made from {plain['rows']:,} rows, the data has "
                                 f"{plain['rows'] - left:,}; give the same data, or start again with a new checkpoint")
            self._note(block)
            for data in self._data(block):
                self.saga.hold_rows(*data)
            left -= len(block[0])
        if self._fingerprint.value != plain["fingerprint"]:
            raise ValueError(f"checkpoint: {self.path!r} was made from other data (fingerprint "
                             f"{plain['fingerprint']:016x}, the first {plain['rows']:,} rows given now have "
                             f"{self._fingerprint}); give the same data, or start again with a new checkpoint")

    def _keep(self) -> None:
        """Summaries first, then the state that says how many there are: a kill between the two loses nothing."""
        mark = self.output.mark()
        if self.path is None:
            return
        watch, arrays = self.watch.state()
        scale, offset = ((getattr(self.stream, name, None) if self.goes_on else None) for name in ("scale", "offset"))
        plain = {"run": self._run, "rows": self._fingerprint.rows, "fingerprint": self._fingerprint.value,
                 "output": mark, "watch": watch, "scale": scale.to_dict() if scale is not None else None, "offset": offset,
                 "names": self._columns()}
        if self.goes_on:  # rows between the last one learnt and the offset
            rest = zip(("rest_features", "rest_labels"), self._blocks.rest, strict=True)
            arrays |= {name: part for name, part in rest if part is not None}
        files.write(self.path, self.saga, plain, arrays, rows=self.goes_on)
        self.kept = self.saga.t

    def run(self, stop: Callable[[], bool] = lambda: False,
            progress: Callable[[int], None] = lambda t: None) -> ReplayResult:
        """Run to the end of the stream, to a failed gate, or until ``stop()``; ``progress(t)`` after each block.

        Raises
        ------
        ValueError
            When it is called again after an error has cut it short.
        """
        if self._within:
            raise ValueError(f"run must not be called again, an error cut it short after epoch {self._fingerprint.rows:,}; "
                             "make another Replay, which goes on from the checkpoint")
        kept_at, ended = time.monotonic(), "stopped"
        while not stop():
            wanted = self.every - self.saga.t % self.every
            block = self._blocks.take(wanted)
            if (block is None or len(block[0]) < wanted) and stop():
                if block is not None:
                    self._blocks.put_back(*block)
                break  # the stop itself cut the source short: these rows are read again, or kept in the checkpoint
            if block is None:
                ended = "finished"
                break
            failure = self._block(block)
            if failure is not None:  # the checkpoint before the failure stays, to look at it again
                self.output.mark()
                return self._result("gate", failure)
            progress(self.saga.t)
            if time.monotonic() - kept_at >= self.seconds:
                self._keep()
                kept_at = time.monotonic()
        self._keep()
        if ended == "finished" and self.saga.t:
            self.watch.diagnose(self.saga.posterior, self.saga.positions)
        return self._result(ended)

    def close(self) -> None:
        """Close the output, and let the workers of a cluster forget the chains."""
        self.output.close()
        with contextlib.suppress(ClusterLost):  # they are gone with the chains, or hang
            self.saga.close()

    def _block(self, block: Any) -> GateFailure | None:
        """One block of rows: foretold, learnt, summarised, judged."""
        score = self.watch.foretell(block[0], block[1], self.saga.positions)
        self._within = True
        before, started, n, resets, revived = self.saga.gradient_evaluations, time.perf_counter(), len(block[0]), 0, 0
        for data in self._data(block):
            try:
                epoch = self.saga.observe(*data)
            except DivergenceError as error:
                if self.gates.divergence:
                    where = self.saga.divergence
                    return GateFailure("divergence", where.epoch, float(where.chain), None,
                                       f"gate divergence failed at epoch {where.epoch:,}: {error}")
                revived, epoch = revived + self.saga.restart_diverged(), self.saga.epoch()
            resets += epoch.resets
        epoch = Epoch(epoch.t, self.saga.positions, self.saga.gradient_evaluations - before, resets, 0, 0)
        self._note(block)
        self._within = False
        failure = self.watch.learn(n, epoch, time.perf_counter() - started, self.saga.posterior)
        summary = {"t": epoch.t, "mean": epoch.samples.mean(axis=0).tolist(), "sd": epoch.samples.std(axis=0).tolist(),
                   "gradient_evaluations": epoch.gradient_evaluations, "resets": epoch.resets, "score": score,
                   "rhat": self.watch.rhat, "why_no_rhat": self.watch.why_no_rhat, "lag": self.watch.lag.value,
                   "common_drift": self.watch.common_drift, **({"revived": revived} if revived else {})}
        self.output.write({name: None if isinstance(value, float) and not math.isfinite(value) else value
                           for name, value in summary.items()})
        return failure

    def _data(self, block: Any) -> list[tuple[Any, ...]]:
        """Arguments of ``observe``: one call for the block, or one a datum for a gradient."""
        features, labels = block
        if self.problem.kind == "oracle":
            return [()] * len(features)
        return [(features,) if labels is None else (features, labels)]

    def _note(self, block: Any) -> None:
        """Take rows into the checksum."""
        features, labels = block
        self._fingerprint.add(features if labels is None else np.column_stack([features, labels]))

    def _result(self, ended: str, failure: GateFailure | None = None) -> ReplayResult:
        return ReplayResult(ended, self.saga.t, self.resumed_at, self.saga.positions, failure, self.watch,
                            self.saga.gradient_evaluations, str(self._fingerprint), getattr(self.stream, "names", None))
