"""Preconditioned online SAGA-LD: OnlineSagaLD in coordinates in which the posterior is nearly round.

LMV-n leaves preconditioning to future work; this rule is ours. A datum's weight is computed from its cached score
gradient a_k and the curvature h_k at the same score:

    w_k = max(min((h_k + a_k^2)/2, 2 m_k), m_k min(1, 2 d/t));     H = prior precision + sum_k w_k u_k u_k'

m_k is the curvature of the parabola that touches the term at that score and majorises it (logistic: (p - 1/2)/z).

- (h + a^2)/2: both have the same mean if the model is correct. h alone vanishes at saturated scores, far from the mode,
  where the chain would diverge; a^2 is large there.
- The cap: a datum far on the wrong side has a^2 = 1 but m = 1/(2 |z|), and its parabola already reaches past the
  mode. So a far chain returns in a time that grows with the logarithm of the distance, not with the distance.
- The floor: while t is below 2 d, H is at least a majorant of the Hessian for all scores; then it decays.

At epoch t, before the steps, the weights of the data t, t/2, t/4, ... are recomputed from the cache: fewer than two per
epoch, and without gradient evaluations. With H = L L', fixed within the epoch, and v = L^-1 g for the g of SAGA-LD,

    X <- X + L^-T (-eta_0 v + sqrt(2 eta_0) xi),

so the step size is eta_0, without division by t + c; for every fixed P = H^-1 the target is exp(-F_t).

The acceptance test is ||X^{t-1} - X^{t'}|| <= C' in the metric H of the checkpoint. Chains return to a checkpoint only
if it was taken after epoch 8 d and is plausible as a draw from its posterior, ||L^-1 (grad f_0 + s)|| <= C'/sqrt(8),
and at most once: a checkpoint on the way to the mode, or far from the present target, would trap the chain.

Poisson regression has unbounded curvature. The rules for it are:

- Weights: w_k = max(min((mean_k + y_k)/2, 2 m_k), m_k min(1, 2 d/t)). The count y_k replaces a_k^2: both have the mean
  h = mean_k if the model is correct, but (mean - y)^2 grows as exp(2 z). y_k is also the curvature at the term's best
  score; between the two scores the mean curvature is the logarithmic mean of the two, m_k, never above (mean + y)/2.
- Renewal: the mean of a new datum may grow many times before t doubles, so its weight is also renewed at the ages 1, 2, 4,
  ..., 64 epochs. Without this rule 53 of 600 chains diverged on a stream with features that change their scales.
- Steps: P is fixed within the epoch, so the step would be too long for a score that exceeds its weight. If its mean
  exceeds 20 max(w_k, y_k + 1/2), a term is continued linearly until its weight is renewed: the target stays convex, with
  curvature below 20 w_k, and the log density there is more than 16 (y_k + 1/2) below the term's best. Above
  exp(25) (y_k + 1/2) it is linear permanently: the sum of cached gradients has the rounding error of its largest summand.
  Without this rule 20 of 600 chains diverged for prior draws with scores of +-30 (the stream "axis").
- Noise: data with large counts dominate the gradient, so the default step is shorter, see ``default_settings``. With the
  default of the other models 167 of 600 chains diverged on skewed features.

``python -m tests.sampler.tuning.preconditioned counts``: none of 600 chains diverges on any of eleven streams of 300 rows,
d = 2 to 21, from starts at 1, 3 and 10 prior deviations; accuracy 0.954 to 0.965, of exact draws of 128 chains 0.959.

A GaussianMean has H = 2 t I in every chain, exact and without storage. A GradientOracle provides ``curvature`` or
``factor`` (see ``vector_metric``), which do not count as gradient evaluations. If its curvature vanishes far from the
mode, as that of a logistic term does, a chain may diverge: use a majorant there, or the mean rule above.

``keep_last`` recomputes the weights of the remaining data from the cache, O(n d^2) per chain, and trusts no checkpoint until
the next power of two: if each datum replaces the oldest, t is constant and no chain is reset (`acceptance_in_force`).

Gradient evaluations are those of OnlineSagaLD. Additional cost: 2 d^2 flops per step and 2 d^3/3 per epoch, 8 bytes per
datum and 3 d^2 numbers per chain. Linear regression has constant curvature: w_k = h, and H is the exact Hessian.

In many dimensions H is low rank plus diagonal (``metric``, ``kernels.low_rank_metric``): 8 d r flops per step and 2 d r
numbers per chain. It is not shared over the chains: updating it costs a tenth of an epoch's steps, and a shared one would
be computed at a point of no chain, or make a chain's path depend on the others in its block.
``python -m tests.sampler.tuning.preconditioned large``: at d = 1,000 an epoch of a chain takes 265 ms dense, 6.4 ms with
rank 32; directions far below the smallest eigenvalue kept mix slowly and need longer epochs.
"""

import dataclasses
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from sampler.algorithms.glm_metric import GlmMetric, metric_rank
from sampler.algorithms.online_saga_ld import OnlineSagaLD
from sampler.algorithms.results import StepTrace
from sampler.algorithms.vector_metric import VectorMetric
from sampler.arguments import whole_number
from sampler.problems.base import Problem
from sampler.settings import Settings

UNEVENNESS = {"poisson": 6.0}  # gradient noise relative to that of rows with equal weights
MIXING = 2.2  # i_max in units of 1/eta0: memory of the epoch's start (1 - exp(-2.2))/2.2 = 40 %; the limit is one half
INFLATION = 0.09  # relative excess variance due to the default step
WIDEST = 0.08  # the same in the widest direction, for the default from the rows: 4 % of the width
FOLLOWED_FROM = 32  # rows: with fewer the noise is small, since anchors are soon renewed
RARE = 1e-4  # probability of a false reset per epoch; the default acceptance radius is twice that of this probability


class PreconditionedSagaLD(OnlineSagaLD):
    """Preconditioned online SAGA-LD for models with known curvature.

    One-score models require a prior precision above 0 in every coordinate, a GradientOracle a ``curvature`` or ``factor``.

    The default of ``settings`` is `default_settings`, adapted to the rows of a one-score model: at t = 32, 64, 128 and so
    on, `settings_for_rows` shortens the step if few rows make most of the gradient noise. Settings that are passed, or set
    later, are not changed.

    The setting ``offset`` is not used, and ``acceptance_radius`` is in standard deviations. A trace's ``guess`` and
    ``correction`` are multiplied by P, so that they add up to the step in the coordinates of X.

    Parameters
    ----------
    problem, settings, chains, seed, start, threads
        As for `StreamSampler`.
    metric : {"dense", "low-rank", "low-rank R", "diagonal"}, optional
        Form of H; it is saved with the state. None is dense up to d = 300 and low rank plus diagonal above. For a
        GradientOracle it is dense or diagonal.
    """

    algorithm = "preconditioned"
    kinds = ("logistic", "linear", "poisson", "gaussian_mean", "oracle")
    needs = "a model whose curvature is known"
    _followed: Settings | None = None  # current default from the rows, unless other settings were set

    def __init__(self, problem: Problem, settings: Settings | None = None, chains: int = 256, seed: int = 0,
                 start: ArrayLike | None = None, threads: int | None = None, metric: str | None = None) -> None:
        if follows := settings is None and getattr(problem, "kind", None) in self.kinds:
            settings = self.default_settings(problem.dim, kind=problem.kind)
        super().__init__(problem, settings, chains, seed, start, threads)
        self._followed = self.settings if follows else None
        self._choose(metric_rank(metric, self.dim) if self._rows.is_glm or metric is not None else None)

    def _choose(self, rank: int | None) -> None:
        """Allocate the arrays of a metric of this rank; None is dense."""
        if self._rows.is_glm:
            self._metric = GlmMetric(self.problem, self._memory, self.chains, rank)
        else:
            self._metric = VectorMetric(self.problem, self.chains, rank)
        self.metric = "dense" if rank is None else f"low-rank {rank}" if rank else "diagonal"

    @classmethod
    def refusal(cls, problem: Problem) -> str:
        """Return the reason why the sampler does not support ``problem``; empty if it does."""
        refused = super().refusal(problem)
        if not refused and problem.kind == "oracle" and problem.curvatures is None:
            return (f"problem must be {cls.needs} for {cls.__name__}, got {problem!r}; pass GradientOracle a curvature= or "
                    "a factor=, or use another sampler")
        if refused or problem.kind in ("gaussian_mean", "oracle") or np.all(problem.prior_precision > 0):
            return refused
        return (f"prior_precision must be above 0 in every coordinate for {cls.__name__}, got "
                f"{problem.prior_precision!r}; it is the initial preconditioner, a small ridge is enough")

    @classmethod
    def default_settings(cls, dim: int, batch_size: int | None = None, kind: str = "logistic") -> Settings:
        """Return settings that need no tuning: 9 % excess variance, acceptance radius far outside the noise.

        In whitened coordinates the variance grows by about eta0 (1/2 + u (dim + 2)/b): half a step of Langevin bias,
        and gradient noise. u is 1 for equally weighted data; `settings_for_rows` measures it. The weights exp(z) of a
        Poisson model are unequal: for normal scores of standard deviation 1.3, E w^2/(E w)^2 is 6, and so is u.

        For a fixed growth of the variance, the cost of an epoch of memory r is proportional to (b/2 + dim + 2)/r: a longer
        epoch only reduces memory, a larger batch has no benefit. So i_max keeps the memory safely below one half, and the
        default batch is dim/4, at least 9, LMV-n's smallest, and at most 64: an eighth more gradients than the minimum,
        for fewer steps, each of which costs 2 dim^2 flops in addition to its gradients.
        On ten streams (``tests/sampler/tuning/preconditioned.py``) it costs less than twice the best tuned
        setting at the same accuracy. A memory of 4 %, i_max = 25/eta0 with b = 64, would cost 6,000 gradients per epoch
        instead of 130.

        Parameters
        ----------
        dim : int >= 1
        batch_size : int >= 1, optional
            None chooses by the dimension.
        kind : str
            Kind of the problem, such as "logistic".
        """
        dim, uneven = whole_number("dim", dim, 1, 100_000), UNEVENNESS.get(kind, 1.0)
        batch_size = min(64, max(9, int(uneven * dim) // 4)) if batch_size is None else batch_size
        eta0 = INFLATION / (0.5 + uneven * (dim + 2) / whole_number("batch_size", batch_size, 1, 10_000_000))
        radius = 2.0 * math.sqrt(2.0) * (math.sqrt(dim) + math.sqrt(-2.0 * math.log(RARE)))
        return Settings(eta0=eta0, batch_size=batch_size, i_max=math.ceil(MIXING / eta0), acceptance_radius=radius)

    def settings_for_rows(self) -> Settings:
        """Return the default settings with the step adapted to the rows so far, O(t d^2); one-score models only.

        With v_k = W u_k, the gradient noise adds eta0 g s/b to a variance of 1, where g is the largest eigenvalue of
        t sum_k h_k^2 |v_k|^2 v_k v_k' and s = eta0 t/(b + eta0 t) the decorrelated fraction of an anchor's deviation. g is
        dim + 2 for normal rows of equal weight, and t/n if only n rows inform a coefficient. eta0 is such that the widest
        direction has 8 % excess variance, at most the default; the batch is g/4, between the default and 64. h_k are those
        in the cache of the first chain that has not diverged.

        Raises
        ------
        ValueError
            Before the first datum, if every chain has diverged, and for a problem without stored weights per datum.
        """
        sound = np.flatnonzero(~self.diverged)
        if self.t == 0 or sound.size == 0:
            raise ValueError(f"settings_for_rows needs a datum and a chain that did not diverge, got {self.t} data and "
                             f"{sound.size} chains; call observe first")
        chain = int(sound[0])
        self.weights(chain)  # raises for a problem without weights
        base = self.default_settings(self.dim, kind=self.problem.kind)
        noise = self._metric.largest_noise(chain, self._rows, self.t)
        b = max(base.batch_size, min(64, int(noise) // 4))
        pull, t = (1.0 + WIDEST) * noise / b, self.t
        eta0 = brentq(lambda eta: eta * (0.5 + pull * eta * t / (b + eta * t)) - WIDEST, 0.0, 2.0 * WIDEST)
        eta0 = min(base.eta0, float(f"{eta0:.3g}"))  # rounded, so that the path does not depend on the last bits of products
        return base if eta0 == base.eta0 else base.replace(eta0=eta0, batch_size=b, i_max=math.ceil(MIXING / eta0))

    def _follow(self, t: int) -> None:
        """Update the default settings before epoch t if t is a power of two and no other settings were set."""
        due = t >= FOLLOWED_FROM and t & (t - 1) == 0
        if due and self._followed is self.settings and self._rows.is_glm and not self.diverged.all():
            self._settings = self._followed = self.settings_for_rows()

    def _open(self, t: int, counts: np.ndarray) -> None:
        self._follow(t)
        super()._open(t, counts)

    def _run(self, first: int, last: int, counts: np.ndarray) -> None:
        while first <= last:
            self._follow(first)
            end = min(last, (1 << first.bit_length()) - 1) if self._followed is self.settings else last
            super()._run(first, end, counts)
            first = end + 1

    def precision_matrix(self, chain: int) -> np.ndarray:
        """Return H = P^-1 of one ``chain``, (dim, dim): near the Hessian of F_t at the mode."""
        return self._metric.precision_matrix(whole_number("chain", chain, 0, self.chains - 1))

    def acceptance_matrix(self, chain: int) -> np.ndarray:
        """Return the H of the acceptance test of one ``chain``, (dim, dim): that at the time of its checkpoint."""
        return self._metric.acceptance_matrix(whole_number("chain", chain, 0, self.chains - 1))

    @property
    def acceptance_in_force(self) -> np.ndarray:
        """True for chains that may be reset to their checkpoint (conditions: module docstring), (chains,) bool."""
        return self._metric.trusted.copy()

    def weights(self, chain: int) -> np.ndarray:
        """Return the curvature weights w_1..w_t of one ``chain``, (t,); ValueError for a problem without them."""
        if not self._rows.is_glm:
            raise ValueError(f"weights are stored for one-score models only, not for {self.problem!r}; use "
                             "precision_matrix")
        return self._metric.whitening.weights[whole_number("chain", chain, 0, self.chains - 1), :self.t].copy()

    def leverage(self, chain: int) -> float:
        """Return max_k w_k u_k' P u_k t/d, O(t d^2): 1 if all data have equal influence, t/d if one datum has all.

        Gradient noise in the direction of that datum is about eta0 leverage d/b times the target's variance. P is that of
        ``chain``; ValueError before the first datum.
        """
        chain = whole_number("chain", chain, 0, self.chains - 1)
        if self.t == 0:
            raise ValueError("leverage needs at least one datum; call observe first")
        weights, white = self.weights(chain), self._metric.whitened(chain, self._rows.rows[:self.t, :self.dim])
        return float((weights * (white**2).sum(axis=1)).max() * self.t / self.dim)

    # hooks of OnlineSagaLD -----------------------------------------------------------------------------------------

    def _opening(self, t: int, rebuild: bool) -> float:
        return super()._opening(t, rebuild) + self.chains * self._metric.step_work * self.dim / 2

    def _step_work(self) -> float:
        return super()._step_work() + self._metric.step_work

    def _forget(self, dropped: int, n: int) -> None:
        super()._forget(dropped, n)
        for k in range(self.chains):
            self._metric.rebuild(self._state, self._rows, k, n)
        self._metric.trusted[:] = False

    def _rebuild(self, chain: int) -> None:
        super()._rebuild(chain)
        self._metric.rebuild(self._state, self._rows, chain, self.t)

    def _trace_record(self, record: np.ndarray, chain: int, made: int) -> StepTrace:
        return dataclasses.replace(super()._trace_record(record, chain, made), step_size=self.settings.eta0)

    def _memory_meta(self) -> dict[str, Any]:
        return {**super()._memory_meta(), "metric": self.metric, "follows": self._followed is self.settings}

    def _memory_arrays(self) -> dict[str, Any]:
        return {**super()._memory_arrays(), **self._metric.arrays(self.t)}

    def _restore_memory(self, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        super()._restore_memory(meta, arrays)
        self._followed = self.settings if meta.get("follows") else None
        self._choose(metric_rank(meta["metric"], self.dim))
        self._metric.restore(arrays)
