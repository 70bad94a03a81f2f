"""Interface of all samplers on a stream: observe, or arrive and advance; settings that take effect immediately."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sampler.algorithms.chain_states import ChainBlock, ChainStates, starting_points, tallied_blocks
from sampler.algorithms.one_caller import Turn, between_calls, one_at_a_time
from sampler.algorithms.results import Epoch, StepTrace
from sampler.algorithms.stream_rows import Rows
from sampler.arguments import instance_of, whole_number
from sampler.kernels.chains import Chains, Knobs, new_chains
from sampler.kernels.simd_lanes import padded
from sampler.predictive.predictive import Predictive
from sampler.problems.base import Problem
from sampler.problems.term_faults import EPOCHS, TermWatch
from sampler.settings import Settings, checked_settings
from sampler.threads import checked_threads, cut, run_blocks


class StreamSampler(ChainStates):
    """K independent chains on one stream of data; subclasses define how an epoch opens and how a chain steps.

    Threads may share a sampler: methods that move or save it, ``settings`` and ``positions`` wait for the calls of other
    threads to return. Rows are learnt in the order of the calls; the path depends on this order.

    Parameters
    ----------
    problem : LogisticRegression, LinearRegression, PoissonRegression, GaussianMean or GradientOracle
        Posterior to sample. It is not modified; the sampler owns the rows.
    settings : Settings, optional
        Knobs; may be replaced at any time, also in mid-epoch.
    chains : int in [1, 1000000]
        Number of independent chains (K).
    seed : int >= 0
        Seed of all random numbers: the same seed gives the same path, however the epochs are sliced.
    start : (dim,) or (chains, dim) array, optional
        X^0; None draws from the prior (zero in coordinates where it is flat).
    threads : int in [1, 1024], optional
        Number of threads that run blocks of chains, at most one per chain; may be set at any time. The path does not
        depend on it. None uses all cores available to this process (or the number set by ``use_threads``). Gradients in
        Python (those of a GradientOracle, unless compiled) run on one thread because of Python's global interpreter
        lock; so does work too short to share.

    Attributes
    ----------
    kinds : tuple of str
        Kinds of problem (``problem.kind``) that the sampler supports; any other raises a ValueError.
    traceable : bool
        True if ``advance(..., trace=k)`` can record the terms of a step.
    forgotten : int
        Number of data dropped by ``keep_last``: ``forgotten + t`` have arrived in total.
    """

    kinds: tuple[str, ...] = ("logistic", "linear", "poisson", "gaussian_mean", "oracle")
    needs = "a problem of this library"  # requirement named in the error for other kinds
    traceable = True
    most_dimensions: int | None = None  # None: no limit
    why_no_more = ""
    forgotten = 0

    def __init__(self, problem: Problem, settings: Settings | None = None, chains: int = 256, seed: int = 0,
                 start: ArrayLike | None = None, threads: int | None = None) -> None:
        if refused := self.refusal(problem):
            raise ValueError(refused)
        self.problem, self._turn = problem, Turn()
        self.settings = settings if settings is not None else Settings()
        self.chains = whole_number("chains", chains, 1, 1_000_000)
        self.seed = whole_number("seed", seed, 0, 2**63 - 1)
        self.threads = threads
        self.dim = problem.dim
        self.t = 0
        self.gradient_evaluations, self._epoch_counts = 0, np.zeros(4, np.int64)
        self.trace: StepTrace | None = None
        self._state: Chains = new_chains(starting_points(problem, self.chains, self.seed, start), self.seed)
        self._rows = Rows(problem)
        self._done = True
        self._center = np.empty(0)
        self._watch = TermWatch() if getattr(problem, "watch", False) else None
        self._allocate()

    @classmethod
    def refusal(cls, problem: Problem) -> str:
        """Return the reason why the sampler does not support ``problem``; empty if it does."""
        if getattr(problem, "kind", None) not in cls.kinds:
            return (f"problem must be {cls.needs} for {cls.__name__} ({', '.join(cls.kinds)}), got {problem!r}; use another "
                    "sampler")
        if cls.most_dimensions is None or problem.dim <= cls.most_dimensions:
            return ""
        return (f"problem must have at most {cls.most_dimensions:,} dimensions for {cls.__name__}, got {problem.dim:,}: "
                f"{cls.why_no_more}; use another sampler")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.problem!r}, chains={self.chains}, seed={self.seed}, t={self.t})"

    # implemented by subclasses ------------------------------------------------------------------------------

    def _allocate(self) -> None:
        """Allocate the arrays of a subclass, after those of the chains; ValueError for an unsupported problem."""

    def _open(self, t: int, counts: np.ndarray) -> None:
        """Open epoch t in every chain. On an error the state must be unchanged."""
        raise NotImplementedError

    def _advance_block(self, block: ChainBlock, knobs: Knobs, n: int, traced: int, trace: np.ndarray) -> bool:
        """Make up to n steps in every unfinished chain of a block (``traced``: index in it); return True if all are done."""
        raise NotImplementedError

    def _step_work(self) -> float:
        """Return the work of one step of one chain, in gradients of one term."""
        raise NotImplementedError

    def _advance(self, n: int, traced: int, trace: np.ndarray, counts: np.ndarray) -> bool:
        """Make up to n steps in every unfinished chain; return True if all are done."""
        knobs, in_python = self._knobs(), getattr(self.problem, "compiled", True) is None  # Python's lock serialises these
        return self._in_blocks(lambda block: self._advance_block(block, knobs, n, traced - block.first, trace),
                               0 if in_python else self._steps_ahead(n) * self._step_work(), counts)

    def _run(self, first: int, last: int, counts: np.ndarray) -> None:
        """Run the epochs first..last completely."""
        for t in range(first, last + 1):
            self._open(t, counts)
            self.t, self._done, self._epoch_counts = t, False, counts
            self._done = self._advance(2**62, -1, np.empty((0, 4, 0)), counts)

    @contextmanager
    def _counted(self) -> Iterator[np.ndarray]:
        """Yield counts (4,) for the body of the context; its gradients are counted, and watched, also on an error."""
        counts = np.zeros(4, np.int64)
        try:
            with self._watch.watching() if self._watch is not None and self.t < EPOCHS else nullcontext():
                yield counts
        finally:
            self.gradient_evaluations += int(counts[0])

    # helpers for subclasses -----------------------------------------------------------------------------------

    def _in_blocks(self, run: Callable[[ChainBlock], bool | None], gradients: float, counts: np.ndarray) -> bool:
        """Call ``run(block)`` for blocks of all chains on ``threads`` threads; return True if all calls return True.

        ``gradients`` is the approximate work of all chains in gradients of one term, which determines the number of
        blocks; 0 for work that must run on one thread.
        """
        parts = cut(self.chains, self._threads, gradients * padded(self.dim))
        if len(parts) == 1:
            return bool(run(ChainBlock(0, self.chains, self._state, counts)))
        blocks, tallies = tallied_blocks(self._state, parts)
        try:
            return all(run_blocks(run, blocks, self._threads))
        finally:
            counts += tallies.sum(axis=0)

    def _steps_ahead(self, n: int) -> float:
        """Return the mean total number of steps of all chains if each makes up to ``n``."""
        return self.chains * min(n, self.settings.i_max / (2 if self.settings.random_length else 1))

    # public interface -----------------------------------------------------------------------------------------

    @property
    def threads(self) -> int:
        """Largest number of threads that run blocks of chains; None sets the default."""
        return self._threads

    @threads.setter
    def threads(self, threads: int | None) -> None:
        self._threads = checked_threads(threads)

    @property
    def settings(self) -> Settings:
        """Knobs of the sampler; a new value takes effect at the next step."""
        return self._settings

    @settings.setter
    @between_calls
    def settings(self, settings: Settings) -> None:
        self._settings = checked_settings(settings)

    @one_at_a_time
    def reserve(self, n: int) -> None:
        """Reserve memory for ``n`` data in total: it is used as they arrive, and later growth copies no rows."""
        self._rows.reserve(n)

    @one_at_a_time
    def keep_rows_in(self, folder: str | os.PathLike[str]) -> None:
        """Store the rows in a memory-mapped file in ``folder``, for streams larger than memory.

        The file is anonymous and is removed with the process. ValueError after the first datum or for a missing folder.
        """
        if self._rows.t:
            raise ValueError(f"keep_rows_in must be called before the first datum, got it at t = {self._rows.t}")
        instance_of("folder", folder, (str, os.PathLike), "name one on a disk with room for the rows")
        self._rows = Rows(self.problem, folder)

    @one_at_a_time
    def observe(self, *data: Any) -> Epoch:
        """Observe one datum, or several in order, and run their epochs completely.

        Parameters
        ----------
        *data
            ``(features, label)`` with shapes (d,) and () for one epoch, or (n, d) and (n,) for n epochs;
            ``(y,)`` for GaussianMean; nothing for a GradientOracle.

        Returns
        -------
        Epoch
            The last epoch, with totals over the whole call.

        Raises
        ------
        ValueError
            For an invalid argument; only ``gradient_evaluations`` may then have changed.
        DivergenceError
            If a chain has diverged; its epoch and step are in ``divergence``.
        """
        self._require_finished()
        n, encoded = self._rows.encode(data)
        if n == 0:
            raise ValueError("features must hold at least one row, got none; wait for the next datum")
        self._take(n, encoded)
        self._warn_nonmonotone()
        self._raise_if_diverged()
        return self.epoch()

    def keep_last(self, n: int) -> None:
        """Drop all data but the last ``n``, between two epochs; ValueError for a sampler without this operation.

        Parameters
        ----------
        n : int >= 1
        """
        raise ValueError(f"{type(self).__name__} cannot forget; use OnlineSagaLD or PreconditionedSagaLD, or start another "
                         "sampler on the rows to keep")

    @one_at_a_time
    def take(self, n: int, encoded: tuple[Any, ...]) -> None:
        """Run the epochs of ``n`` rows, ``encoded`` by ``Rows.encode``; diverged chains do not move."""
        self._take(n, encoded)
        self._warn_nonmonotone()

    def _take(self, n: int, encoded: tuple[Any, ...]) -> None:
        stored = self._rows.t
        self._rows.append(n, encoded)
        try:
            with self._counted() as counts:
                self._run(self.t + 1, self.t + n, counts)
        except Exception:
            self._rows.t = max(stored, self.t)  # drop the rows of epochs that did not open
            raise
        self._epoch_counts = counts

    @one_at_a_time
    def arrive(self, *data: Any) -> None:
        """Observe one datum and open its epoch without making a step: the first slice of ``observe``.

        ValueError, with the state unchanged, for more than one datum, an invalid value or during an unfinished epoch.
        """
        self._require_finished()
        n, encoded = self._rows.encode(data)
        if n != 1:
            raise ValueError(f"arrive takes one datum, got {n} rows; use observe for many")
        self._rows.append(1, encoded)
        try:
            with self._counted() as counts:
                self._open(self.t + 1, counts)
        except Exception:
            self._rows.t -= 1
            raise
        self.t, self._done, self._epoch_counts = self.t + 1, False, counts
        self._warn_nonmonotone()

    @one_at_a_time
    def advance(self, n_steps: int, trace: int | None = None) -> bool:
        """Make up to ``n_steps`` steps in every unfinished chain; return True if all have finished their epoch.

        Slicing does not change the path. With ``trace``, the index of a chain, the terms of its steps are stored in
        ``self.trace``. A diverged chain counts as finished: see ``diverged``.

        Raises
        ------
        ValueError
            For a chain out of range, a sampler with untraceable steps, or more than 100,000 steps with a trace.
        """
        n_steps = whole_number("n_steps", n_steps, 1, 2**62)
        if self._done:
            return True
        record, traced = np.empty((0, 4, 0)), -1
        if trace is not None:
            if not self.traceable:
                raise ValueError(f"trace must be None for {type(self).__name__}, got {trace!r}; its steps have no "
                                 "gradient to take apart")
            traced = whole_number("trace", trace, 0, self.chains - 1)
            before = self._state.steps_done[traced]
            left = max(0, int(self.run_lengths[traced] - before)) if not self.diverged[traced] else 0
            record = np.zeros((min(n_steps, left, 100_000), 4, self.dim))
            if n_steps > 100_000:
                raise ValueError(f"n_steps must be at most 100000 with a trace, got {n_steps}; advance in slices")
        with self._counted() as counts:
            try:
                self._done = self._advance(n_steps, traced if len(record) else -1, record, counts)
            finally:
                self._epoch_counts = self._epoch_counts + counts
        if trace is not None:
            self.trace = self._trace_record(record, traced, int(self._state.steps_done[traced] - before))
        self._warn_nonmonotone()
        return self._done

    def _trace_record(self, record: np.ndarray, chain: int, made: int) -> StepTrace:
        before, guess, correction, noise = (record[:made, i] for i in range(4))
        last = self._state.position[chain:chain + 1, :self.dim]
        after = np.concatenate([before[1:], last])[:made]
        return StepTrace(self.t, self.settings.step_size(self.t), before, guess, correction, noise, after)

    @between_calls
    def epoch(self) -> Epoch:
        """Return the current state of the epoch opened by ``arrive`` and its counts; ValueError before the first datum."""
        if self.t == 0:
            raise ValueError("epoch needs at least one datum; call arrive or observe first")
        return Epoch(self.t, self.positions, *(int(count) for count in self._epoch_counts))

    @property
    def posterior(self) -> Any:
        """F_t of the data observed so far: views of the rows, safe to read in another thread."""
        return self._rows.posterior(self.t)

    @between_calls
    def predictive(self, reading: Any = None) -> Predictive:
        """Return predictions from the chains' current positions, draws from the posterior of the data observed so far.

        With the ``reading`` of the DataStream that read the rows, new rows may be passed in its columns. ValueError before
        the first datum and for a GradientOracle; DivergenceError if a chain has diverged.
        """
        if self.t == 0:
            raise ValueError("predictive needs draws, and there are none yet; call observe first")
        self._raise_if_diverged()
        return Predictive(self.positions, self.problem, reading)

    def _require_finished(self) -> None:
        if not self._done:
            raise ValueError(f"epoch {self.t} is unfinished; call advance until it returns True before the next datum")
        self._raise_if_diverged()

    def _knobs(self) -> Knobs:
        return Knobs(*(getattr(self._settings, name) for name in Knobs._fields))
