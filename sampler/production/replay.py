"""`Replay`: a run of a tuned setting on a stream, with summaries, gates and checkpoints."""

import contextlib
import logging
import math
import os
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from sampler.algorithms.algorithm_names import ONLINE_ALGORITHMS, stream_algorithm
from sampler.algorithms.results import DivergenceError, Epoch
from sampler.arguments import instance_of, is_infinite, real_number, shown, switch, whole_number
from sampler.problems.base import Problem
from sampler.problems.data_check import check_problem
from sampler.production.background_reader import RowReader
from sampler.production.cluster_calls import ClusterLost
from sampler.production.cluster_chains import ClusterChains
from sampler.production.gates import GateFailure, Gates
from sampler.production.replay_result import ReplayResult
from sampler.production.resumable_replay import ResumableReplay
from sampler.production.run_diagnostics import next_look
from sampler.production.run_monitor import Watch
from sampler.production.summaries import NullWriter
from sampler.settings import Settings, checked_settings
from sampler.streams.data_stream import DataStream
from sampler.streams.row_cleaning import BadRows
from sampler.streams.stream_report import Fingerprint

CHECKPOINT_FORMAT = 2
"""Incremented when the state of the monitor changes its meaning."""
POLL_EVERY = 0.2
"""Seconds between checks of the time and of ``stop`` while waiting for rows."""


class Replay(ResumableReplay):
    """Run of one sampler on one stream, with summaries, gates and checkpoints.

    Rows are processed in blocks that end at multiples of ``every``: a stop takes effect between two
    blocks, and a resumed run writes the same bytes as an uninterrupted one.

    Parameters
    ----------
    problem, settings, chains, seed, threads
        As for OnlineSagaLD; a run may be resumed on any number of threads, bit for bit.
    batches : iterable of (features, labels)
        A DataStream or similar. On resuming it starts from its first row again, unless ``goes_on``.
    every : int
        Epochs per summary.
    gates : Gates, optional
    output : optional
        JsonLines or ParquetParts (``summaries.writer``); None writes no summaries.
    checkpoint : str, optional
        Path of the state; an existing file is resumed from. The previous one is kept at ``PATH.before`` and used if the
        disk has damaged the newer; ``mended`` then reports it. This requires disk space for two files, three during a
        write.
    seconds : float
        Wall time between two checkpoints.
    goes_on : bool
        Do not read the source again on resuming; the checkpoint stores the rows. A queue continues where it stopped, a
        DataStream with an ``offset`` (a query, a file) after the last row it yielded.
    expect : int, optional
        Expected number of rows, for which memory is allocated at the start.
    rows_in : path, optional
        Folder for the file that stores the rows, for streams larger than memory.
    algorithm : {"saga-ld", "preconditioned", "laplace", "rvga", "ibis"}, optional
        None uses the algorithm of the settings, "saga-ld" by default. The last three use no setting.
    client : distributed.Client, optional
        Client of a cluster whose workers hold the chains (``ClusterChains``) and share the checkpoint's folder; None runs
        them in this process. A run may be resumed in either place, bit for bit.
    worker_timeout : float, seconds
        Time limit of a worker for one block; the error that ends the run names a worker that exceeds it.
    on_checkpoint : callable, optional
        ``on_checkpoint(rows_taken, offset)``, called in the thread of ``run`` once a checkpoint is on the disk. With
        ``goes_on``, a queue's consumer must commit the rows it delivered here and only here, so that each row is either in
        a checkpoint or delivered again.
    on_bad_row : {"stop", "skip"} or path, optional
        As for a DataStream; None keeps the DataStream's policy. If a bad row or another error of the source stops the run,
        a checkpoint of all rows before it is written.
    reader_thread : bool, optional
        Read the batches in a thread, so that ``stop`` and ``seconds`` act while the stream blocks. None does so if the
        stream may block and is not bound to a thread; False reads in the thread of ``run``, for a consumer restricted to
        one thread, which must yield None while it has no rows.
    warn : callable, optional
        Called immediately with each sentence on missing or late rows; None logs it.
    on_drift : {"window", "always"}, optional
        "window" forgets all rows except the last ``window`` at a drift alarm, then accumulates rows again; "always" forgets
        before each block, so that a summary refers to exactly the last ``window`` rows. The warm-up of the gates restarts at
        an alarm. None forgets nothing. An alarm takes effect at the next block.
    window : int > every, optional
        Number of rows to retain.
    timed : bool
        Whether summaries include ``time`` (UTC) and ``seconds_per_epoch``; the bytes of a resumed run then differ.

    Attributes
    ----------
    rows_taken, skipped : int
        Number of rows learnt, buffered and left out since the first run, and of those left out.
    warnings : list of str
        Sentences on missing, late and forgotten rows.
    """

    def __init__(self, problem: Problem, settings: Settings, batches: Iterable[Any], chains: int = 256, seed: int = 0,
                 every: int = 100, gates: Gates | None = None, output: Any = None,
                 checkpoint: str | None = None, seconds: float = 30.0, goes_on: bool = False, expect: int | None = None,
                 rows_in: Any = None, threads: int | None = None, algorithm: str | None = None, client: Any = None,
                 worker_timeout: float = 600.0, on_checkpoint: Callable[[int, Any], Any] | None = None,
                 on_bad_row: str | os.PathLike[str] | None = None, reader_thread: bool | None = None,
                 warn: Callable[[str], Any] | None = None, timed: bool = False, on_drift: str | None = None,
                 window: int | None = None) -> None:
        check_problem(problem)
        checked_settings(settings)
        if gates is not None:
            instance_of("gates", gates, Gates, "make them with Gates()")
        self.problem, self.settings, self.every = problem, settings, whole_number("every", every, 1, 10**9)
        if not is_infinite(seconds):
            seconds = real_number("seconds", seconds, "it is the time between two checkpoints, 30 is the default", least=0.0)
        if client is not None and threads is not None:
            raise ValueError(f"threads must be left out with a client, got {threads!r}: set them when starting the workers "
                             "(dask worker --nthreads)")
        if on_checkpoint is not None and (checkpoint is None or not callable(on_checkpoint)):
            raise ValueError(f"on_checkpoint must be a function of (rows_taken, offset), and requires a checkpoint, got "
                             f"{shown(on_checkpoint)} with checkpoint={checkpoint!r}; pass a file name")
        algorithm = settings.algorithm if algorithm is None else algorithm
        self.gates, self.output = gates or Gates(), output if output is not None else NullWriter()
        self.path, self.seconds, self.goes_on, self.timed = checkpoint, seconds, goes_on, switch("timed", timed)
        self.stream = batches
        self._bad = batches.bad_rows if isinstance(batches, DataStream) else BadRows()
        if on_bad_row is not None:
            self._bad.choose(on_bad_row)
        own = not isinstance(batches, DataStream) and problem.kind != "oracle"  # unchecked pairs
        self._blocks = RowReader(batches, reader_thread, partial(self._bad.usable, encode=problem.encode) if own else None)
        self._fingerprint = Fingerprint()
        self._on_checkpoint, self._warn = on_checkpoint, warn or logging.getLogger(__name__).warning
        self.warnings: list[str] = []
        self._run = {"checkpoint format": CHECKPOINT_FORMAT, "algorithm": algorithm, "settings": settings.to_dict(),
                     "chains": chains, "seed": seed, "every": self.every, "on_drift": on_drift, "window": window}
        self.on_drift, self.window = on_drift, self._window(on_drift, window, algorithm, client)
        if client is None:
            self.saga = stream_algorithm(algorithm)(problem, settings, chains=chains, seed=seed, threads=threads)
        else:
            self.saga = ClusterChains(problem, settings, chains, client, seed, algorithm, timeout=worker_timeout)
        if rows_in is not None:
            self.saga.keep_rows_in(rows_in)
        if expect is not None and whole_number("expect", expect, 0, 2**31 - 1, "leave it out if unknown"):
            self.saga.reserve(int(expect))
        self.watch = Watch(problem, self.gates, chains, settings.offset, self.window if on_drift == "always" else None)
        self._begun = False  # whether a row has arrived

    def _window(self, on_drift: str | None, window: int | None, algorithm: str, client: Any) -> int:
        """Return the validated ``window``, 0 without forgetting; raise a ValueError if forgetting is not possible."""
        if on_drift is None:
            if window is not None:
                raise ValueError(f"window must be left out without on_drift, got {shown(window)}; on_drift='window' forgets "
                                 "older rows at a drift alarm, 'always' at every block")
            return 0
        if on_drift not in ("window", "always"):
            raise ValueError(f"on_drift must be 'window', 'always' or None, got {shown(on_drift)}; None forgets nothing")
        if client is not None or algorithm not in ONLINE_ALGORITHMS or self.problem.kind == "oracle":
            what = ("chains on a cluster" if client is not None else "the terms of a GradientOracle"
                    if self.problem.kind == "oracle" else f"the algorithm {shown(algorithm)}")
            raise ValueError(f"on_drift must be None here, got {on_drift!r}: {what} cannot forget; run saga-ld or "
                             "preconditioned on rows of a stream, on one machine")
        if on_drift == "window" and self.gates.drift:
            raise ValueError("on_drift must be None with a gate that ends the run at a drift alarm, got 'window'; set drift "
                             "= false in [gates], or choose 'always'")
        return whole_number("window", window, self.every + 1, 2**31 - 1,
                            f"number of rows to retain, more than every = {self.every:,}")

    def _forget(self, coming: int) -> None:
        """Forget the rows outside the window, before a block of ``coming`` rows."""
        alarm = self.on_drift == "window" and self.watch.unanswered
        keep = self.window - (0 if alarm else coming)
        if not alarm and (self.on_drift != "always" or self.saga.t <= keep):
            return
        self.saga.keep_last(keep)
        self.watch.forget(self.saga.forgotten, anew=alarm)
        if alarm:
            self._emit_warnings(f"drift alarm at row {self.watch.drifts[-1].at:,}: retained the last {self.saga.t:,} of "
                                f"{self.epoch:,} rows, forgot the others")

    def run(self, stop: Callable[[], bool] = lambda: False,
            progress: Callable[[int], None] = lambda t: None) -> ReplayResult:
        """Run to the end of the stream, to a failed gate, or until ``stop()``; call ``progress(t)`` after each block.

        Raises
        ------
        ValueError
            If it is called again after an error interrupted a block.
        """
        if self._within:
            raise ValueError(f"run must not be called again, an error interrupted it after epoch "
                             f"{self._fingerprint.rows:,}; make another Replay, which resumes from the checkpoint")
        self._kept_at, self._taken_here, ended = time.monotonic(), self._blocks.place.taken, "stopped"
        if self._count is not None:  # so that the next run can report rows that are in no checkpoint
            self._count.begin(self._taken_before)
            self._blocks.note_in(self._count)
        try:
            while not stop():
                wanted = self.every - self.epoch % self.every
                if not self._wait(wanted, stop) or (self._blocks.held < wanted and stop()):
                    break  # the stop ended the source early: these rows are read again, or stored in the checkpoint
                block = self._blocks.cut(wanted)
                if block is None:
                    ended = "finished"
                    break
                failure = self._block(block)
                if failure is not None:  # keep the checkpoint from before the failure, to examine it
                    self.output.mark()
                    return self._result("gate", failure)
                progress(self.epoch)
                self._look()
        finally:
            self._blocks.pause()
        self._save_state(ended=True)
        self._emit_warnings()
        if ended == "finished" and self.saga.t:
            self.watch.diagnose()
            self.watch.lag.look(self.saga.posterior, self.saga.positions)
            if (failure := self.watch.judge(self.epoch)) is not None:
                return self._result("gate", failure)
        return self._result(ended)

    def _wait(self, wanted: int, stop: Callable[[], bool]) -> bool:
        """Wait for the next block or the end of the stream, saving the state meanwhile; return False after ``stop()``."""
        while True:
            try:
                ready = self._blocks.ready(wanted, POLL_EVERY)
            except Exception as error:  # of the source, or a row that cannot be used
                self._blocks.pause()
                try:
                    self._save_state(ended=True)
                except ValueError as also:
                    error.add_note(str(also))
                raise
            first = not self._begun and self._blocks.place.taken > self._taken_here
            if first:
                self._begun = True
                if self.goes_on:  # its rows may be delivered only once: save them before anything else
                    self._save_state()
            if ready:
                return True
            self._look()
            if not first and stop():
                return False

    def _look(self) -> None:
        """Emit warnings, and save the state if a checkpoint is due."""
        self._emit_warnings()
        if time.monotonic() - self._kept_at >= self.seconds:
            self._save_state()

    def close(self) -> None:
        """Close the output, and release the chains on the workers of a cluster."""
        self.output.close()
        with contextlib.suppress(ClusterLost):  # the workers are gone with their chains, or hang
            self.saga.close()

    def _block(self, block: Any) -> GateFailure | None:
        """Predict, learn, summarise and judge one block of rows; return the failed gate, if any."""
        self._within = len(block[0])
        self._forget(len(block[0]))
        before, n, resets, revived, seconds, total = self.saga.gradient_evaluations, len(block[0]), 0, 0, 0.0, 0.0
        for part in self._parts(block):
            score = self.watch.predict(part[0], part[1], self.saga.positions, self.saga.posterior)
            total, started = total + (score or 0.0) * len(part[0]), time.perf_counter()
            for data in self._data(part):
                try:
                    epoch = self.saga.observe(*data)
                except DivergenceError as error:
                    if self.gates.divergence:
                        where = self.saga.divergence
                        at = self.saga.forgotten + where.epoch
                        return GateFailure("divergence", at, float(where.chain), None,
                                           f"gate divergence failed at epoch {at:,}: {error}")
                    revived, epoch = revived + self.saga.restart_diverged(), self.saga.epoch()
                resets += epoch.resets
            seconds += time.perf_counter() - started
        score = None if score is None else total / n
        epoch = Epoch(self.epoch, self.saga.positions, self.saga.gradient_evaluations - before, resets, 0, 0)
        self._fingerprint.add(*block)
        self._within = 0
        failure = self.watch.learn(n, epoch, seconds)
        names = self._columns()
        summary = {"t": epoch.t, **({"names": names} if names else {}), "mean": epoch.samples.mean(axis=0).tolist(),
                   "sd": epoch.samples.std(axis=0).tolist(),
                   "gradient_evaluations": epoch.gradient_evaluations, "resets": epoch.resets, "score": score,
                   "rhat": self.watch.rhat, "why_no_rhat": self.watch.why_no_rhat, "lag": self.watch.lag.value,
                   "common_drift": self.watch.common_drift, **({"revived": revived} if revived else {}),
                   **({"skipped": self.skipped} if self.skipped else {}),
                   **({"rows_counted": self.saga.t} if self.on_drift else {}),
                   **({"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "seconds_per_epoch": seconds / n}
                      if self.timed else {})}
        self.output.write({name: None if isinstance(value, float) and not math.isfinite(value) else value
                           for name, value in summary.items()})
        return failure

    def _parts(self, block: Any) -> Iterator[Any]:
        """Yield the block split at every look of the monitor, so that scores and lags are independent of ``every``."""
        first, n, t = 0, len(block[0]), self.epoch
        while first < n:
            last = n if self.problem.kind == "oracle" else next_look(t + first, self.saga.forgotten) - t
            yield tuple(None if each is None else each[first:last] for each in block)
            first = last

    def _result(self, ended: str, failure: GateFailure | None = None) -> ReplayResult:
        return ReplayResult(ended, self.epoch, self.resumed_at, self.saga.positions, failure, self.watch,
                            self.saga.gradient_evaluations, str(self._fingerprint), getattr(self.stream, "names", None),
                            self.rows_taken, self.skipped, tuple(self.warnings), self._reading(), self.saga.forgotten)
