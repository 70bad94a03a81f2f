"""Preconditioned online SAGA-LD: OnlineSagaLD in coordinates in which the posterior is nearly round.

LMV-n leaves preconditioning to future work; this rule is ours. A datum's weight comes from what the cache holds, its
score gradient a_k and the curvature h_k at the same score:

    w_k = max(min((h_k + a_k^2)/2, 2 m_k), m_k min(1, 2 d/t));     H = prior precision + sum_k w_k u_k u_k'

m_k is the curvature of the parabola that touches the term at that score and lies above it (logistic: (p - 1/2)/z).

- (h + a^2)/2: both have the same mean when the model is right. h alone vanishes where scores are saturated, far from
  the mode, and the chain leaps away for good; a^2 is large there.
- The cap: a datum far on the wrong side has a^2 = 1 but m = 1/(2 |z|), and its parabola already reaches past the
  mode. So a far chain comes back in a time that grows with the logarithm of the distance, not with the distance.
- The floor: while t is below 2 d, H is at least a majorant of the Hessian, whatever the scores; then it decays.

At epoch t, before the steps, the weights of the data t, t/2, t/4, ... are taken from the cache anew: fewer than two an
epoch, and no gradient is evaluated. With H = L L', fixed within the epoch, and v = L^-1 g for SAGA-LD's own g,

    X <- X + L^-T (-eta_0 v + sqrt(2 eta_0) xi),

so the step is eta_0 itself, without division by t + c; every fixed P = H^-1 has exp(-F_t) as its target.

The acceptance test is ||X^{t-1} - X^{t'}|| <= C' in the metric H had at the checkpoint. A checkpoint is returned to
only if it was taken after epoch 8 d and looked like a draw from its posterior, ||L^-1 (grad f_0 + s)|| <= C'/sqrt(8),
and at most once: a checkpoint on the way to the mode, or one the target has left behind, would hold the chain fast.

Poisson regression has no bounded curvature. What stands for it:

- Weights: w_k = max(min((mean_k + y_k)/2, 2 m_k), m_k min(1, 2 d/t)). The count y_k stands for a_k^2: both have the mean
  h = mean_k when the model is right, but (mean - y)^2 grows as exp(2 z). y_k is also the curvature at the term's own best
  score; between the two scores the mean curvature is the logarithmic mean of the two, m_k, never above (mean + y)/2.
- Renewal: the mean of a new datum may grow many times before t doubles, so its weight is renewed at 1, 2, 4, ..., 64
  epochs of age too. Without it 53 of 600 chains were lost where features change their scales in mid-stream.
- Steps: P is fixed within the epoch, so a score that rises past its weight would meet a step that is too long. Where its
  mean passes 20 max(w_k, y_k + 1/2) a term goes on as a straight line until its weight is renewed: the target stays convex,
  its curvature below 20 w_k, and to be there costs more than 16 (y_k + 1/2) in log density over the term's best. At
  exp(25) (y_k + 1/2) it does so for good: the sum of cached gradients keeps the rounding of its largest summand. Without
  it 20 of 600 chains were lost where a draw of the prior has scores of +-30 (the stream "axis").
- Noise: data with large counts do most of the work, so the default step is shorter, see ``default_settings``. At the
  default of the other models 167 of 600 chains were lost where features are skewed.

``python -m tests.sampler.tuning.preconditioned counts``: of 600 chains none is lost on any of eleven streams of 300 rows,
d = 2 to 21, from starts at 1, 3 and 10 prior deviations; accuracy 0.954 to 0.965, of exact draws of 128 chains 0.959.

A GaussianMean has H = 2 t I in every chain, exact and without a number to keep. A GradientOracle gives ``curvature`` or
``factor``; what is kept of them stands in ``vector_metric``, and they are no gradient evaluations. Where its curvature
vanishes far from the mode, as a logistic term's own does, a chain leaps: give a majorant there, or the mean rule above.

``keep_last`` weighs the data that stay anew from the cache, O(n d^2) a chain, and trusts no checkpoint before the
next power of two: where each new datum has the oldest forgotten t stays, and no chain is put back (`acceptance_in_force`).

Gradient evaluations are those of OnlineSagaLD. Flops grow by 2 d^2 a step and 2 d^3/3 an epoch, memory by 8 bytes a
datum and 3 d^2 numbers a chain. Linear regression has constant curvature: w_k = h, and H is the exact Hessian.

In many dimensions H is low rank plus diagonal (``metric``, ``kernels.low_rank_metric``): 8 d r flops a step and 2 d r
numbers a chain. It is not shared over the chains: to keep it costs a tenth of an epoch's steps, and a shared one would have
to be made at a point that is no chain's own, or a chain's path would depend on who shares its block.
``python -m tests.sampler.tuning.preconditioned large``: at d = 1,000 an epoch of a chain takes 265 ms dense, 6.4 ms with
rank 32; directions far below the last eigenvalue kept are slow, and a longer epoch pays.
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

UNEVENNESS = {"poisson": 6.0}  # gradient noise over that of rows that all weigh alike
MIXING = 2.2  # i_max in units of 1/eta0: an epoch leaves (1 - exp(-2.2))/2.2 = 40 % of its start; half is the limit
INFLATION = 0.09  # share of variance that the default step may add
WIDEST = 0.08  # share of variance that it may add in any direction, once the rows are looked at: 4 % of the width
FOLLOWED_FROM = 32  # rows: of fewer the noise is small, as an anchor is soon taken anew
RARE = 1e-4  # chance of a false reset per epoch that the default acceptance radius is twice wide enough for


class PreconditionedSagaLD(OnlineSagaLD):
    """Preconditioned online SAGA-LD for every model whose curvature is known.

    One-score models need a prior precision above 0 in every coordinate, a GradientOracle its ``curvature`` or ``factor``.

    Without ``settings`` the default is `default_settings`, and follows the rows of a one-score model: at t = 32, 64, 128 and
    so on, `settings_for_rows` shortens the step where few rows make most of the gradient noise. Settings that are passed,
    or set later, stay as they are.

    Of the settings, ``offset`` is not used, and ``acceptance_radius`` is in standard deviations. A trace's ``guess``
    and ``correction`` are multiplied by P, so that they add up to the step in X's own coordinates.

    Parameters
    ----------
    problem, settings, chains, seed, start, threads
        As for every StreamSampler.
    metric : {"dense", "low-rank", "low-rank R", "diagonal"}, optional
        Form of H; it is saved with the state. None is dense up to d = 300 and low rank plus diagonal above. A GradientOracle
        has a dense or a diagonal one.
    """

    algorithm = "preconditioned"
    kinds = ("logistic", "linear", "poisson", "gaussian_mean", "oracle")
    needs = "a model whose curvature is known"
    _followed: Settings | None = None  # the default as the rows have it, as long as nobody sets another

    def __init__(self, problem: Problem, settings: Settings | None = None, chains: int = 256, seed: int = 0,
                 start: ArrayLike | None = None, threads: int | None = None, metric: str | None = None) -> None:
        if follows := settings is None and getattr(problem, "kind", None) in self.kinds:
            settings = self.default_settings(problem.dim, kind=problem.kind)
        super().__init__(problem, settings, chains, seed, start, threads)
        self._followed = self.settings if follows else None
        self._choose(metric_rank(metric, self.dim) if self._rows.is_glm or metric is not None else None)

    def _choose(self, rank: int | None) -> None:
        """Lay the arrays of a metric of this rank; None is dense."""
        if self._rows.is_glm:
            self._metric = GlmMetric(self.problem, self._memory, self.chains, rank)
        else:
            self._metric = VectorMetric(self.problem, self.chains, rank)
        self.metric = "dense" if rank is None else f"low-rank {rank}" if rank else "diagonal"

    @classmethod
    def refusal(cls, problem: Problem) -> str:
        """Why the sampler cannot run on this problem, in words; empty where it can."""
        refused = super().refusal(problem)
        if not refused and problem.kind == "oracle" and problem.curvatures is None:
            return (f"problem must be {cls.needs} for {cls.__name__}, got {problem!r}; give GradientOracle a curvature= or "
                    "a factor=, or use another sampler")
        if refused or problem.kind in ("gaussian_mean", "oracle") or np.all(problem.prior_precision > 0):
            return refused
        return (f"prior_precision must be above 0 in every coordinate for {cls.__name__}, got "
                f"{problem.prior_precision!r}; it is the first preconditioner, a small ridge will do")

    @classmethod
    def default_settings(cls, dim: int, batch_size: int | None = None, kind: str = "logistic") -> Settings:
        """Settings that need no tuning: 9 % more variance than the target's, acceptance far outside the noise.

        In whitened coordinates the variance grows by about eta0 (1/2 + u (dim + 2)/b): half a step of Langevin bias,
        and gradient noise. u is 1 where data weigh alike; `settings_for_rows` measures it. Weights exp(z) of a Poisson
        model never do: of scores with standard deviation 1.3, normal, E w^2/(E w)^2 is 6, and so is u.

        At a given growth of the variance an epoch of memory r costs in proportion to (b/2 + dim + 2)/r: a longer epoch
        buys nothing but memory, a larger batch nothing at all. So i_max is what brings the memory safely below one half,
        and None for the batch takes dim/4, at least LMV-n's smallest, 9, and at most 64: an eighth more gradients than
        the fewest, for fewer steps, each of which costs 2 dim^2 flops beside its gradients.
        On ten streams (``tests/sampler/tuning/preconditioned.py``) it costs less than twice the best tuned
        setting at the same accuracy. Memory of 4 %, i_max = 25/eta0 with b = 64, cost 6,000 gradients an epoch where
        130 do.

        Parameters
        ----------
        dim : int >= 1
        batch_size : int >= 1, optional
            None takes the dimension's own.
        kind : str
            Kind of the problem, such as "logistic".
        """
        dim, uneven = whole_number("dim", dim, 1, 100_000), UNEVENNESS.get(kind, 1.0)
        batch_size = min(64, max(9, int(uneven * dim) // 4)) if batch_size is None else batch_size
        eta0 = INFLATION / (0.5 + uneven * (dim + 2) / whole_number("batch_size", batch_size, 1, 10_000_000))
        radius = 2.0 * math.sqrt(2.0) * (math.sqrt(dim) + math.sqrt(-2.0 * math.log(RARE)))
        return Settings(eta0=eta0, batch_size=batch_size, i_max=math.ceil(MIXING / eta0), acceptance_radius=radius)

    def settings_for_rows(self) -> Settings:
        """Return the default with the step that the rows so far allow, O(t d^2); one-score models only.

        With v_k = W u_k, the gradient noise adds eta0 g s/b to a variance of 1, where g is the largest eigenvalue of
        t sum_k h_k^2 |v_k|^2 v_k v_k' and s = eta0 t/(b + eta0 t) the share of its deviation that an anchor has lost. g is
        dim + 2 for normal rows that weigh alike, and t/n where n rows alone tell a coefficient. eta0 is such that the widest
        direction has 8 % more variance, at most the default's; the batch is g/4, from the default's to 64. h_k are those in
        the cache of the first chain that did not diverge.

        Raises
        ------
        ValueError
            Before the first datum, where every chain diverged, and for a problem that keeps no weight a datum.
        """
        sound = np.flatnonzero(~self.diverged)
        if self.t == 0 or sound.size == 0:
            raise ValueError(f"settings_for_rows needs a datum and a chain that did not diverge, got {self.t} data and "
                             f"{sound.size} chains; call observe first")
        chain = int(sound[0])
        self.weights(chain)  # refuses a problem that keeps none
        base = self.default_settings(self.dim, kind=self.problem.kind)
        noise = self._metric.largest_noise(chain, self._rows, self.t)
        b = max(base.batch_size, min(64, int(noise) // 4))
        pull, t = (1.0 + WIDEST) * noise / b, self.t
        eta0 = brentq(lambda eta: eta * (0.5 + pull * eta * t / (b + eta * t)) - WIDEST, 0.0, 2.0 * WIDEST)
        eta0 = min(base.eta0, float(f"{eta0:.3g}"))  # rounded, so that no last bit of a matrix product changes the path
        return base if eta0 == base.eta0 else base.replace(eta0=eta0, batch_size=b, i_max=math.ceil(MIXING / eta0))

    def _follow(self, t: int) -> None:
        """Before epoch t: look at the rows again if it is a power of two and nobody has set the knobs."""
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
        """H = P^-1 of one chain, (dim, dim): near the Hessian of F_t at the mode."""
        return self._metric.precision_matrix(whole_number("chain", chain, 0, self.chains - 1))

    def acceptance_matrix(self, chain: int) -> np.ndarray:
        """H of one chain's acceptance test, (dim, dim): as it stood when the checkpoint was taken."""
        return self._metric.acceptance_matrix(whole_number("chain", chain, 0, self.chains - 1))

    @property
    def acceptance_in_force(self) -> np.ndarray:
        """Whether a chain can be put back to the checkpoint it has, (chains,) bool: see the module for when."""
        return self._metric.trusted.copy()

    def weights(self, chain: int) -> np.ndarray:
        """Curvature weights w_1..w_t of one chain, (t,); ValueError for a problem that keeps no weight a datum."""
        if not self._rows.is_glm:
            raise ValueError(f"weights are kept for one-score models only, not for {self.problem!r}; look at "
                             "precision_matrix")
        return self._metric.whitening.weights[whole_number("chain", chain, 0, self.chains - 1), :self.t].copy()

    def leverage(self, chain: int) -> float:
        """max_k w_k u_k' P u_k t/d, O(t d^2): 1 when all data pull alike, t/d when one does all the work.

        Gradient noise in the direction of that datum is about eta0 leverage d/b of the target's variance. H is that of one
        ``chain``; ValueError before the first datum.
        """
        chain = whole_number("chain", chain, 0, self.chains - 1)
        if self.t == 0:
            raise ValueError("leverage needs at least one datum; call observe first")
        weights, white = self.weights(chain), self._metric.whitened(chain, self._rows.rows[:self.t, :self.dim])
        return float((weights * (white**2).sum(axis=1)).max() * self.t / self.dim)

    # what OnlineSagaLD asks for ------------------------------------------------------------------------------------

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
