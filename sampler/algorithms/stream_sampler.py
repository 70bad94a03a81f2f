"""The contract every sampler on a stream keeps: observe, or arrive and advance; settings that act at once."""

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
from sampler.arguments import whole_number
from sampler.kernels.chains import Chains, Knobs, new_chains
from sampler.kernels.simd_lanes import padded
from sampler.predictive.predictive import Predictive
from sampler.problems.base import Problem
from sampler.problems.term_faults import EPOCHS, TermWatch
from sampler.settings import Settings, checked_settings
from sampler.threads import checked_threads, cut, run_blocks


class StreamSampler(ChainStates):
    """K independent chains on one stream of data; subclasses say how an epoch opens and how a chain steps.

    Threads may share a sampler: what moves or saves it, ``settings`` and ``positions`` wait until another thread's call has
    ended. Rows are learnt in the order of the calls, and only the same order gives the same path.

    Parameters
    ----------
    problem : LogisticRegression, LinearRegression, PoissonRegression, GaussianMean or GradientOracle
        What is sampled. It stays unchanged; the sampler owns the rows.
    settings : Settings, optional
        Knobs; may be replaced at any time, mid-epoch too.
    chains : int in [1, 1000000]
        Number of independent chains (K).
    seed : int >= 0
        Fixes every random number: same seed, same path, however the epochs are sliced.
    start : (dim,) or (chains, dim) array, optional
        X^0; None draws from the prior (zero in coordinates where it is flat).
    threads : int in [1, 1024], optional
        Threads that blocks of chains are run on, at most one a chain; may be set at any time. The path does not depend
        on it. None takes the cores this process may use (or what ``use_threads`` set). Gradients in
        Python (a GradientOracle's, unless compiled) stay on one thread, as Python's lock would make them take turns; so
        does what is too short to share.

    Attributes
    ----------
    kinds : tuple of str
        Kinds of problem (``problem.kind``) the sampler can run on; any other is refused with the reason.
    traceable : bool
        Does a step have terms that ``advance(..., trace=k)`` can record?
    forgotten : int
        Data that ``keep_last`` has dropped: ``forgotten + t`` came in all.
    """

    kinds: tuple[str, ...] = ("logistic", "linear", "poisson", "gaussian_mean", "oracle")
    needs = "a problem of this library"  # what other kinds lack, in the words of the refusal
    traceable = True
    most_dimensions: int | None = None  # any number of them
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
        """Why the sampler cannot run on this problem, in words; empty where it can."""
        if getattr(problem, "kind", None) not in cls.kinds:
            return (f"problem must be {cls.needs} for {cls.__name__} ({', '.join(cls.kinds)}), got {problem!r}; use another "
                    "sampler")
        if cls.most_dimensions is None or problem.dim <= cls.most_dimensions:
            return ""
        return (f"problem must have at most {cls.most_dimensions:,} dimensions for {cls.__name__}, got {problem.dim:,}: "
                f"{cls.why_no_more}; use another sampler")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.problem!r}, chains={self.chains}, seed={self.seed}, t={self.t})"

    # what a subclass provides -------------------------------------------------------------------------------

    def _allocate(self) -> None:
        """Make what a subclass keeps beside the chains' arrays, when these are made; ValueError for what it refuses."""

    def _open(self, t: int, counts: np.ndarray) -> None:
        """Open epoch t in every chain. Must leave the state unchanged when it raises."""
        raise NotImplementedError

    def _advance_block(self, block: ChainBlock, knobs: Knobs, n: int, traced: int, trace: np.ndarray) -> bool:
        """Up to n steps in every unfinished chain of a block; are all done? ``traced`` counts within it."""
        raise NotImplementedError

    def _step_work(self) -> float:
        """Work of one step of one chain, in gradients of one term."""
        raise NotImplementedError

    def _advance(self, n: int, traced: int, trace: np.ndarray, counts: np.ndarray) -> bool:
        """Up to n steps in every unfinished chain; are all done?"""
        knobs, in_python = self._knobs(), getattr(self.problem, "compiled", True) is None  # gradients, which take turns
        return self._in_blocks(lambda block: self._advance_block(block, knobs, n, traced - block.first, trace),
                               0 if in_python else self._steps_ahead(n) * self._step_work(), counts)

    def _run(self, first: int, last: int, counts: np.ndarray) -> None:
        """Whole epochs first..last."""
        for t in range(first, last + 1):
            self._open(t, counts)
            self.t, self._done, self._epoch_counts = t, False, counts
            self._done = self._advance(2**62, -1, np.empty((0, 4, 0)), counts)

    @contextmanager
    def _counted(self) -> Iterator[np.ndarray]:
        """Counts (4,) of what is run inside; its gradients are counted, and watched, whatever comes of it."""
        counts = np.zeros(4, np.int64)
        try:
            with self._watch.listening() if self._watch is not None and self.t < EPOCHS else nullcontext():
                yield counts
        finally:
            self.gradient_evaluations += int(counts[0])

    # what it provides to a subclass ---------------------------------------------------------------------------

    def _in_blocks(self, run: Callable[[ChainBlock], bool | None], gradients: float, counts: np.ndarray) -> bool:
        """``run(block)`` for blocks that make up all chains, on ``threads`` threads; is what they return all true?

        ``gradients`` is the work of all chains in gradients of one term, roughly: it decides whether to share. 0 for
        work that must stay on one thread.
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
        """Steps that all chains together make when each is asked for ``n``, in the mean."""
        return self.chains * min(n, self.settings.i_max / (2 if self.settings.random_length else 1))

    # the contract ---------------------------------------------------------------------------------------------

    @property
    def threads(self) -> int:
        """Threads that blocks of chains are run on, at most; None sets the default."""
        return self._threads

    @threads.setter
    def threads(self, threads: int | None) -> None:
        self._threads = checked_threads(threads)

    @property
    def settings(self) -> Settings:
        """Knobs; set a new one at any time: it acts from the next step on."""
        return self._settings

    @settings.setter
    @between_calls
    def settings(self, settings: Settings) -> None:
        self._settings = checked_settings(settings)

    @one_at_a_time
    def reserve(self, n: int) -> None:
        """Make room for ``n`` data in all: memory is used as they arrive, and growth never copies what is there."""
        self._rows.reserve(n)

    @one_at_a_time
    def keep_rows_in(self, folder: str | os.PathLike[str]) -> None:
        """Keep the rows in a file in ``folder``, mapped into memory: the stream may be larger than memory.

        The file has no name and vanishes with the process. ValueError after the first datum, or without such a folder.
        """
        if self._rows.t:
            raise ValueError(f"keep_rows_in must be called before the first datum, got it at t = {self._rows.t}")
        self._rows = Rows(self.problem, folder)

    @one_at_a_time
    def observe(self, *data: Any) -> Epoch:
        """Take one datum, or many in a row, and run their epochs whole.

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
            On any bad value, before anything changes.
        DivergenceError
            When a chain diverged; its epoch and step are in ``divergence``.
        """
        self._require_finished()
        n, encoded = self._rows.encode(data)
        if n == 0:
            raise ValueError("features must hold at least one row, got none; wait for the next datum")
        self._take(n, encoded)
        self._tell_falls()
        self._raise_if_diverged()
        return self.epoch()

    def keep_last(self, n: int) -> None:
        """Forget all data but the last n, between two epochs; a ValueError for a sampler that cannot.

        Parameters
        ----------
        n : int >= 1
        """
        raise ValueError(f"{type(self).__name__} cannot forget; use OnlineSagaLD or PreconditionedSagaLD, or start another "
                         "on the rows that are to count")

    @one_at_a_time
    def take(self, n: int, encoded: tuple[Any, ...]) -> None:
        """Run the epochs of ``n`` rows, ``encoded`` by ``Rows.encode``, a chain that diverged standing still."""
        self._take(n, encoded)
        self._tell_falls()

    def _take(self, n: int, encoded: tuple[Any, ...]) -> None:
        stored = self._rows.t
        self._rows.append(n, encoded)
        try:
            with self._counted() as counts:
                self._run(self.t + 1, self.t + n, counts)
        except Exception:
            self._rows.t = max(stored, self.t)  # the rows of epochs that never opened are forgotten
            raise
        self._epoch_counts = counts

    @one_at_a_time
    def arrive(self, *data: Any) -> None:
        """Take one datum and open its epoch, without a step: the first slice of ``observe``.

        ValueError, and nothing changes, for more data, a bad value, and while an epoch is unfinished.
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
        self._tell_falls()

    @one_at_a_time
    def advance(self, n_steps: int, trace: int | None = None) -> bool:
        """Up to ``n_steps`` steps in every unfinished chain; True when all have finished their epoch.

        Slicing never changes the path. With ``trace`` (a chain's index) the terms of its steps are kept in
        ``self.trace``. A chain that diverged counts as finished: look at ``diverged``.

        Raises
        ------
        ValueError
            For a chain out of range, a sampler whose steps cannot be traced, and more than 100,000 steps with a trace.
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
        self._tell_falls()
        return self._done

    def _trace_record(self, record: np.ndarray, chain: int, made: int) -> StepTrace:
        before, guess, correction, noise = (record[:made, i] for i in range(4))
        last = self._state.position[chain:chain + 1, :self.dim]
        after = np.concatenate([before[1:], last])[:made]
        return StepTrace(self.t, self.settings.step_size(self.t), before, guess, correction, noise, after)

    @between_calls
    def epoch(self) -> Epoch:
        """The epoch opened by ``arrive`` as it stands now, with its counts so far; ValueError before the first datum."""
        if self.t == 0:
            raise ValueError("epoch needs at least one datum; call arrive or observe first")
        return Epoch(self.t, self.positions, *(int(count) for count in self._epoch_counts))

    @property
    def posterior(self) -> Any:
        """F_t of the data so far: views of the rows, safe to read in another thread."""
        return self._rows.posterior(self.t)

    @between_calls
    def predictive(self, reading: Any = None) -> Predictive:
        """Return predictions from the chains as they stand, draws of the posterior of the data so far.

        With the ``reading`` of the DataStream whose rows these are, new rows may be given in its columns. ValueError before
        the first datum and for a GradientOracle; DivergenceError where a chain diverged.
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
