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

Gradient evaluations are those of OnlineSagaLD. Flops grow by 2 d^2 a step and 2 d^3/3 an epoch, memory by 8 bytes a
datum and 3 d^2 numbers a chain. Linear regression has constant curvature: w_k = h, and H is the exact Hessian.
"""

import dataclasses
import math

import numpy as np

from sampler.algorithms.epoch_records import StepTrace
from sampler.algorithms.online_saga_ld import OnlineSagaLD
from sampler.arguments import whole_number
from sampler.kernels import glm_preconditioned
from sampler.kernels.lanes import aligned_zeros, padded
from sampler.kernels.whitening import Weighting, Whitening, weigh_all
from sampler.settings import Settings

MEAN_RULE = {"curvature": 0.5, "square": 0.5, "cap": 2.0, "floor": 2.0, "tangent": True, "at_doublings": False}
EXACT_RULE = {**MEAN_RULE, "curvature": 1.0, "square": 0.0}  # where the curvature is constant
MIXING = 2.2  # i_max in units of 1/eta0: an epoch leaves (1 - exp(-2.2))/2.2 = 40 % of its start; half is the limit
INFLATION = 0.09  # share of variance that the default step may add
RARE = 1e-4  # chance of a false reset per epoch that the default acceptance radius is twice wide enough for


class PreconditionedSagaLD(OnlineSagaLD):
    """Preconditioned online SAGA-LD for logistic and linear regression with a strictly positive prior precision.

    Of the settings, ``offset`` is not used, and ``acceptance_radius`` is in standard deviations. A trace's ``guess``
    and ``correction`` are multiplied by P, so that they add up to the step in X's own coordinates.
    """

    algorithm = "preconditioned"
    kinds = ("logistic", "linear")
    needs = "a model of one score a datum with bounded curvature"
    _rule: dict | None = None  # changes to the weighting, for experiments

    def __init__(self, problem, settings=None, chains: int = 256, seed: int = 0, start=None, threads=None) -> None:
        if settings is None and getattr(problem, "kind", None) in self.kinds:
            settings = self.default_settings(problem.dim)
        super().__init__(problem, settings, chains, seed, start, threads)
        rule = MEAN_RULE if problem.kind == "logistic" else EXACT_RULE
        self._weighting = Weighting(bound=problem.curvature_bound, **{**rule, **(self._rule or {})})
        shape = (self.chains, self.dim, padded(self.dim))
        self._whitening = Whitening(np.zeros((self.chains, 0)), *(aligned_zeros(shape) for _ in range(3)),
                                    np.zeros(self.chains, np.bool_))
        every = np.arange(self.dim)
        self._whitening.precision[:, every, every] = problem.prior_precision
        self._whitening.frozen[:] = self._whitening.precision
        self._whitening.whitener[:, every, every] = 1.0 / np.sqrt(problem.prior_precision)

    @classmethod
    def refusal(cls, problem) -> str:
        """Why the sampler cannot run on this problem, in words; empty where it can."""
        refused = super().refusal(problem)
        if refused or np.all(problem.prior_precision > 0):
            return refused
        return (f"prior_precision must be above 0 in every coordinate for {cls.__name__}, got "
                f"{problem.prior_precision!r}; it is the first preconditioner, a small ridge will do")

    @classmethod
    def default_settings(cls, dim: int, batch_size: int | None = None) -> Settings:
        """Settings that need no tuning: 9 % more variance than the target's, acceptance far outside the noise.

        In whitened coordinates the variance grows by about eta0 (1/2 + (dim + 2)/b): half a step of Langevin bias,
        and gradient noise. Halve eta0 when ``leverage`` is far above 1.

        At a given growth of the variance an epoch of memory r costs in proportion to (b/2 + dim + 2)/r: a longer epoch
        buys nothing but memory, a larger batch nothing at all. So i_max is what brings the memory safely below one half,
        and None for the batch takes dim/4, at least LMV-n's smallest, 9, and at most 64: an eighth more gradients than
        the fewest, for fewer steps, each of which costs 2 dim^2 flops beside its gradients.
        On ten streams (``tests/sampler/tuning/preconditioned_default.py``) it costs less than twice the best tuned
        setting at the same accuracy. Memory of 4 %, i_max = 25/eta0 with b = 64, cost 6,000 gradients an epoch where
        130 do.
        """
        dim = whole_number("dim", dim, 1, 100_000)
        batch_size = min(64, max(9, dim // 4)) if batch_size is None else batch_size
        eta0 = INFLATION / (0.5 + (dim + 2) / whole_number("batch_size", batch_size, 1, 10_000_000))
        radius = 2.0 * math.sqrt(2.0) * (math.sqrt(dim) + math.sqrt(-2.0 * math.log(RARE)))
        return Settings(eta0=eta0, batch_size=batch_size, i_max=math.ceil(MIXING / eta0), acceptance_radius=radius)

    def precision_matrix(self, chain: int) -> np.ndarray:
        """H = P^-1 of one chain, (dim, dim): near the Hessian of F_t at the mode."""
        return self._whitening.precision[whole_number("chain", chain, 0, self.chains - 1), :, :self.dim].copy()

    def acceptance_matrix(self, chain: int) -> np.ndarray:
        """H of one chain's acceptance test, (dim, dim): as it stood when the checkpoint was taken."""
        return self._whitening.frozen[whole_number("chain", chain, 0, self.chains - 1), :, :self.dim].copy()

    @property
    def acceptance_in_force(self) -> np.ndarray:
        """Whether a chain can be put back to the checkpoint it has, (chains,) bool: see the module for when."""
        return self._whitening.trusted.copy()

    def weights(self, chain: int) -> np.ndarray:
        """Curvature weights w_1..w_t of one chain, (t,)."""
        return self._whitening.weights[whole_number("chain", chain, 0, self.chains - 1), :self.t].copy()

    def leverage(self, chain: int) -> float:
        """max_k w_k u_k' P u_k t/d, O(t d^2): 1 when all data pull alike, t/d when one does all the work.

        Gradient noise in the direction of that datum is about eta0 leverage d/b of the target's variance.
        """
        chain = whole_number("chain", chain, 0, self.chains - 1)
        if self.t == 0:
            raise ValueError("leverage needs at least one datum; call observe first")
        whitener = self._whitening.whitener[chain, :, :self.dim]
        white = self._rows.rows[:self.t, :self.dim] @ whitener.T
        return float((self.weights(chain) * (white**2).sum(axis=1)).max() * self.t / self.dim)

    # the same epochs as OnlineSagaLD's, in compiled code of their own ------------------------------------------

    def _prepare(self) -> bool:
        rebuild = super()._prepare()
        capacity = self._memory.items.shape[1]
        if self._whitening.weights.shape[1] < capacity:
            old, new = self._whitening.weights, np.zeros((self.chains, capacity))
            new[:, :self.t] = old[:, :self.t]
            self._whitening = self._whitening._replace(weights=new)
        return rebuild

    def _model(self, block) -> tuple:
        rows, memory = self._rows, self._memory
        return (self.problem.kind_code, memory.precision, rows.rows, rows.targets, block.chains,
                block.own(memory.items))

    def _whitening_of(self, block) -> Whitening:
        return Whitening(*map(block.own, self._whitening))

    def _knobs(self):
        return super()._knobs()._replace(reset=False)  # the test by plain distance is never made

    def _open_block(self, block, t, knobs, rebuild) -> None:
        glm_preconditioned.arrive(*self._model(block), self._whitening_of(block), self._weighting, t, knobs,
                                  self.settings.reset, rebuild, self._center, np.empty(t, np.int64), block.counts)

    def _advance_block(self, block, knobs, n, traced, trace) -> bool:
        return glm_preconditioned.advance(self._memory.lanes, *self._model(block), self._whitening_of(block), self.t,
                                          knobs, n, self._center, traced, trace, block.counts)

    def _run_block(self, block, first, last, knobs, rebuild) -> None:
        glm_preconditioned.run_epochs(self._memory.lanes, *self._model(block), self._whitening_of(block),
                                      self._weighting, first, last, knobs, self.settings.reset, rebuild, self._center,
                                      np.empty(last, np.int64), block.counts)

    def _opening(self, t, rebuild) -> float:
        return super()._opening(t, rebuild) + self.chains * self.dim**2

    def _step_work(self) -> float:
        return super()._step_work() + 2 * self.dim

    def _rebuild(self, chain) -> None:
        super()._rebuild(chain)
        whitening, memory, rows = self._whitening, self._memory, self._rows
        weigh_all(self.problem.kind_code, rows.rows, rows.targets, memory.items[chain], whitening.weights[chain],
                  whitening.precision[chain], memory.precision[0], self.t, self._weighting)

    def _trace_record(self, record, chain, made) -> StepTrace:
        return dataclasses.replace(super()._trace_record(record, chain, made), step_size=self.settings.eta0)

    def _memory_arrays(self) -> dict:
        whitening = self._whitening._replace(weights=self._whitening.weights[:, :self.t])._asdict()
        return {**super()._memory_arrays(), **{f"whitening_{name}": a for name, a in whitening.items()}}

    def _restore_memory(self, meta, arrays) -> None:
        super()._restore_memory(meta, arrays)
        saved = {name: arrays[f"whitening_{name}"] for name in Whitening._fields}
        for name in ("precision", "whitener", "frozen", "trusted"):
            getattr(self._whitening, name)[...] = saved[name]
        self._whitening = self._whitening._replace(weights=np.array(saved["weights"]))
