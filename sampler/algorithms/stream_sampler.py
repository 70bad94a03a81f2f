"""The contract every sampler on a stream keeps: observe, or arrive and advance; settings that act at once."""

import dataclasses

import numpy as np

from sampler.algorithms.epoch_records import Divergence, DivergenceError, Epoch, StepTrace
from sampler.algorithms.row_storage import InFile
from sampler.algorithms.stream_rows import Rows
from sampler.arguments import whole_number
from sampler.kernels.chains import Chains, Knobs, new_chains
from sampler.settings import Settings


class StreamSampler:
    """K independent chains on one stream of data; subclasses say how an epoch opens and how a chain steps.

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

    Attributes
    ----------
    kinds : tuple of str
        Kinds of problem (``problem.kind``) the sampler can run on; any other is refused with the reason.
    traceable : bool
        Does a step have terms that ``advance(..., trace=k)`` can record?
    """

    kinds = ("logistic", "linear", "poisson", "gaussian_mean", "oracle")
    needs = "a problem of this library"  # what other kinds lack, in the words of the refusal
    traceable = True

    def __init__(self, problem, settings: Settings | None = None, chains: int = 256, seed: int = 0, start=None) -> None:
        if getattr(problem, "kind", None) not in self.kinds:
            raise ValueError(f"problem must be {self.needs} for {type(self).__name__} ({', '.join(self.kinds)}), "
                             f"got {problem!r}; use another sampler")
        self.problem = problem
        self.settings = settings if settings is not None else Settings()
        self.chains = whole_number("chains", chains, 1, 1_000_000)
        self.seed = whole_number("seed", seed, 0, 2**63 - 1)
        self.dim = problem.dim
        self.t = 0
        self.gradient_evaluations = 0
        self.trace: StepTrace | None = None
        self._state: Chains = new_chains(self._starting_points(start), self.seed)
        self._rows = Rows(problem)
        self._done = True
        self._center = np.empty(0)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.problem!r}, chains={self.chains}, seed={self.seed}, t={self.t})"

    # what a subclass provides -------------------------------------------------------------------------------

    def _open(self, t: int, counts: np.ndarray) -> None:
        """Open epoch t in every chain. Must leave the state unchanged when it raises."""
        raise NotImplementedError

    def _advance(self, n: int, traced: int, trace: np.ndarray, counts: np.ndarray) -> bool:
        """Up to n steps in every unfinished chain; are all done?"""
        raise NotImplementedError

    def _run(self, first: int, last: int, counts: np.ndarray) -> None:
        """Whole epochs first..last."""
        for t in range(first, last + 1):
            self._open(t, counts)
            self.t, self._done, self._epoch_counts = t, False, counts
            self._done = self._advance(2**62, -1, np.empty((0, 4, 0)), counts)

    # the contract ---------------------------------------------------------------------------------------------

    @property
    def settings(self) -> Settings:
        """Knobs; set a new one at any time: it acts from the next step on."""
        return self._settings

    @settings.setter
    def settings(self, settings: Settings) -> None:
        if not isinstance(settings, Settings):
            raise ValueError(f"settings must be a Settings, got {type(settings).__name__}; use settings.replace(...)")
        self._settings = settings

    def reserve(self, n: int) -> None:
        """Make room for ``n`` data in all: memory is used as they arrive, and growth never copies what is there."""
        self._rows.reserve(whole_number("n", n, 1, 2**40))

    def keep_rows_in(self, folder) -> None:
        """Keep the rows in a file in ``folder``, mapped into memory: the stream may be larger than memory.

        Before the first datum only. The file has no name and vanishes with the process.
        """
        if self._rows.t:
            raise ValueError(f"keep_rows_in must be called before the first datum, got it at t = {self._rows.t}")
        self._rows = Rows(self.problem, InFile(folder))

    def observe(self, *data) -> Epoch:
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
        first = self.t + 1
        counts = np.zeros(4, np.int64)
        stored = self._rows.t
        self._rows.append(n, encoded)
        try:
            self._run(first, self.t + n, counts)
        except Exception:
            self._rows.t = max(stored, self.t)  # the rows of epochs that never opened are forgotten
            raise
        finally:
            self.gradient_evaluations += int(counts[0])
        self._epoch_counts = counts
        self._raise_if_diverged()
        return self._epoch(counts)

    def arrive(self, *data) -> None:
        """Take one datum and open its epoch, without a step: the first slice of ``observe``."""
        self._require_finished()
        n, encoded = self._rows.encode(data)
        if n != 1:
            raise ValueError(f"arrive takes one datum, got {n} rows; use observe for many")
        counts = np.zeros(4, np.int64)
        self._rows.append(1, encoded)
        try:
            self._open(self.t + 1, counts)
        except Exception:
            self._rows.t -= 1
            raise
        self.t += 1
        self._done = False
        self._epoch_counts = counts
        self.gradient_evaluations += int(counts[0])

    def advance(self, n_steps: int, trace: int | None = None) -> bool:
        """Up to ``n_steps`` steps in every unfinished chain; True when all have finished their epoch.

        Slicing never changes the path. With ``trace`` (a chain's index) the terms of its steps are kept in
        ``self.trace``. A chain that diverged counts as finished: look at ``diverged``.
        """
        n_steps = whole_number("n_steps", n_steps, 1, 2**62)
        if self._done:
            return True
        counts = np.zeros(4, np.int64)
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
        try:
            self._done = self._advance(n_steps, traced if len(record) else -1, record, counts)
        finally:
            self.gradient_evaluations += int(counts[0])
            self._epoch_counts = self._epoch_counts + counts
        if trace is not None:
            self.trace = self._trace_record(record, traced, int(self._state.steps_done[traced] - before))
        return self._done

    def _trace_record(self, record: np.ndarray, chain: int, made: int) -> StepTrace:
        before, guess, correction, noise = (record[:made, i] for i in range(4))
        last = self._state.position[chain:chain + 1, :self.dim]
        after = np.concatenate([before[1:], last])[:made]
        return StepTrace(self.t, self.settings.step_size(self.t), before, guess, correction, noise, after)

    def epoch(self) -> Epoch:
        """The epoch opened by ``arrive`` as it stands now, with its counts so far."""
        if self.t == 0:
            raise ValueError("epoch needs at least one datum; call arrive or observe first")
        return self._epoch(self._epoch_counts)

    _epoch_counts = np.zeros(4, np.int64)

    def _epoch(self, counts: np.ndarray) -> Epoch:
        evaluations, resets, refreshed, steps = (int(c) for c in counts)
        return Epoch(self.t, self.positions, evaluations, resets, refreshed, steps)

    # what can be looked at ------------------------------------------------------------------------------------

    @property
    def done(self) -> bool:
        """Has every chain finished the epoch?"""
        return self._done

    @property
    def positions(self) -> np.ndarray:
        """X of every chain now, a copy (chains, dim)."""
        return self._state.position[:, :self.dim].copy()

    @property
    def checkpoints(self) -> np.ndarray:
        """X^{t'} of every chain, a copy (chains, dim)."""
        return self._state.checkpoint[:, :self.dim].copy()

    @property
    def checkpoint_epoch(self) -> int:
        """T' = 2^floor(log2(t-1)), 0 in the first epoch."""
        return 1 << ((self.t - 1).bit_length() - 1) if self.t > 1 else 0

    @property
    def warm_starts(self) -> np.ndarray:
        """X^{t-1}: where each chain stood before this epoch (and before any reset), a copy (chains, dim)."""
        return self._state.warm_start[:, :self.dim].copy()

    @property
    def was_reset(self) -> np.ndarray:
        """Whether this epoch started at the checkpoint, (chains,) bool."""
        return self._state.was_reset.copy()

    @property
    def run_lengths(self) -> np.ndarray:
        """i_t of every chain under the settings as they are now, (chains,) int."""
        i_max = self.settings.i_max
        if not self.settings.random_length:
            return np.full(self.chains, i_max, np.int64)
        return np.minimum(1 + (self._state.length_draw * i_max).astype(np.int64), i_max)

    @property
    def steps_done(self) -> np.ndarray:
        """Steps made in this epoch, (chains,) int."""
        return self._state.steps_done.copy()

    def gradient_sum(self, chain: int) -> np.ndarray:
        """S of one chain: the sum of its cached gradients, (dim,)."""
        return self._state.gradient_sum[whole_number("chain", chain, 0, self.chains - 1), :self.dim].copy()

    @property
    def posterior(self):
        """F_t of the data so far: views of the rows, safe to read in another thread."""
        return self._rows.posterior(self.t)

    def watch(self, center) -> None:
        """From now on keep ``farthest``, the largest ||X - center||^2 of each chain in the epoch; None stops it."""
        if center is None:
            self._center = np.empty(0)
            return
        center = np.asarray(center, float)
        if center.shape != (self.dim,) or not np.all(np.isfinite(center)):
            raise ValueError(f"center must be {self.dim} finite numbers, got shape {center.shape}")
        self._center = np.zeros(self._state.position.shape[1])
        self._center[:self.dim] = center
        self._state.farthest[:] = ((self._state.position - self._center) ** 2).sum(axis=1)

    @property
    def farthest(self) -> np.ndarray:
        """Max over this epoch's steps, the start included, of ||X - center||^2 (see ``watch``), (chains,)."""
        return self._state.farthest.copy()

    # divergence -----------------------------------------------------------------------------------------------

    @property
    def diverged(self) -> np.ndarray:
        """Chains that stopped because their next point was not sound, (chains,) bool."""
        return self._state.diverged_epoch > 0

    @property
    def divergence(self) -> Divergence | None:
        """The first divergence, or None while all chains are sound."""
        chains = np.flatnonzero(self.diverged)
        if not chains.size:
            return None
        epochs, steps = self._state.diverged_epoch[chains], self._state.diverged_step[chains]
        first = np.lexsort((steps, epochs))[0]
        return Divergence(int(chains[first]), int(epochs[first]), int(steps[first]))

    def restart_diverged(self) -> int:
        """Put diverged chains back at their checkpoint with all gradients recomputed (t evaluations each, counted).

        Their epoch counts as finished. Returns how many chains.
        """
        chains = np.flatnonzero(self.diverged)
        for k in chains:
            self._state.position[k] = self._state.checkpoint[k]
            self._rebuild(int(k))
            self._state.diverged_epoch[k] = 0
            self._state.steps_done[k] = self.run_lengths[k]
        return len(chains)

    def _rebuild(self, chain: int) -> None:
        """Make the chain's own memory of gradients true at its position."""

    def _raise_if_diverged(self) -> None:
        where = self.divergence
        if where:
            raise DivergenceError(
                f"eta0 must be small enough for the curvature, got {self.settings.eta0:g}: chain {where.chain} "
                f"diverged at epoch {where.epoch}, step {where.step}; lower eta0 (below 2(t+c)/largest eigenvalue of "
                "the Hessian), then call restart_diverged()")

    def _require_finished(self) -> None:
        if not self._done:
            raise ValueError(f"epoch {self.t} is unfinished; call advance until it returns True before the next datum")
        self._raise_if_diverged()

    # start ----------------------------------------------------------------------------------------------------

    def _starting_points(self, start) -> np.ndarray:
        if start is not None:
            points = np.asarray(start, float)
            if points.shape not in ((self.dim,), (self.chains, self.dim)) or not np.all(np.isfinite(points)):
                raise ValueError(f"start must be finite with shape ({self.dim},) or ({self.chains}, {self.dim}), "
                                 f"got shape {points.shape}; None draws from the prior")
            return np.array(np.broadcast_to(points, (self.chains, self.dim)))
        precision = getattr(self.problem, "prior_precision", np.zeros(self.dim))
        spread = np.divide(1.0, np.sqrt(precision), out=np.zeros(self.dim), where=precision > 0)
        return np.random.default_rng([self.seed, 1]).standard_normal((self.chains, self.dim)) * spread

    def _knobs(self) -> Knobs:
        return Knobs(**dataclasses.asdict(self.settings))
