"""The preconditioner of one-score models: a weight a datum and chain, and H, the sum of the weighted rows' squares."""

import numpy as np

from sampler.algorithms.vector_metric import dense_whitening
from sampler.kernels import glm_preconditioned
from sampler.kernels.whitening import Weighting, Whitening, weigh_all

MEAN_RULE = {"curvature": 0.5, "square": 0.5, "cap": 2.0, "floor": 2.0, "tangent": True, "at_doublings": False}
EXACT_RULE = {**MEAN_RULE, "curvature": 1.0, "square": 0.0}  # where the curvature is constant


class GlmMetric:
    """Weights and H of every chain of a one-score model.

    Attributes
    ----------
    whitening : Whitening
    weighting : Weighting
        The weights' rule.
    """

    def __init__(self, problem, memory, chains: int, rule: dict | None) -> None:
        self.problem, self.memory = problem, memory
        plain = EXACT_RULE if problem.kind == "linear" else MEAN_RULE
        self.weighting = Weighting(bound=problem.curvature_bound, **{**plain, **(rule or {})})
        self.whitening = dense_whitening(chains, problem.prior_precision)

    def hold(self, capacity: int, t: int) -> None:
        """Make room for ``capacity`` weights, the first ``t`` kept."""
        if self.whitening.weights.shape[1] < capacity:
            old, new = self.whitening.weights, np.zeros((len(self.whitening.trusted), capacity))
            new[:, :t] = old[:, :t]
            self.whitening = self.whitening._replace(weights=new)

    def _model(self, block, rows) -> tuple:
        memory = self.memory
        return (self.problem.kind_code, memory.precision, rows.rows, rows.targets, block.chains, block.own(memory.items))

    def _own(self, block) -> Whitening:
        return Whitening(*map(block.own, self.whitening))

    def open(self, block, rows, t, knobs, reset, rebuild, center) -> None:
        """Open epoch t in a ``ChainBlock``."""
        glm_preconditioned.arrive(*self._model(block, rows), self._own(block), self.weighting, t, knobs, reset, rebuild,
                                  center, np.empty(t, np.int64), block.counts)

    def advance(self, block, rows, t, knobs, n, center, traced, trace) -> bool:
        """Up to n steps in every unfinished chain of a ``ChainBlock``; ``traced`` counts within it."""
        return glm_preconditioned.advance(self.memory.lanes, *self._model(block, rows), self._own(block), t, knobs, n,
                                          center, traced, trace, block.counts)

    def run(self, block, rows, first, last, knobs, reset, rebuild, center) -> None:
        """Epochs first..last of a ``ChainBlock`` whole, in one compiled call."""
        glm_preconditioned.run_epochs(self.memory.lanes, *self._model(block, rows), self._own(block), self.weighting,
                                      first, last, knobs, reset, rebuild, center, np.empty(last, np.int64), block.counts)

    def rebuild(self, rows, k: int, t: int) -> None:
        """Weights and H of one chain from its cache as it stands."""
        weigh_all(self.problem.kind_code, rows.rows, rows.targets, self.memory.items[k], self.whitening.weights[k],
                  self.whitening.precision[k], self.memory.precision[0], t, self.weighting)

    def precision_matrix(self, k: int) -> np.ndarray:
        """H of one chain, (dim, dim)."""
        return self.whitening.precision[k, :, :self.problem.dim].copy()

    def acceptance_matrix(self, k: int) -> np.ndarray:
        """H when the checkpoint was taken, (dim, dim)."""
        return self.whitening.frozen[k, :, :self.problem.dim].copy()

    @property
    def trusted(self) -> np.ndarray:
        """Whether each checkpoint looked like a draw, (chains,) bool."""
        return self.whitening.trusted

    def arrays(self, t: int) -> dict[str, np.ndarray]:
        """Return the arrays that a file must hold."""
        whitening = self.whitening._replace(weights=self.whitening.weights[:, :t])._asdict()
        return {f"whitening_{name}": a for name, a in whitening.items()}

    def restore(self, arrays) -> None:
        """Put back what ``arrays`` gave."""
        saved = {name: arrays[f"whitening_{name}"] for name in Whitening._fields}
        for name in ("precision", "whitener", "frozen", "trusted"):
            getattr(self.whitening, name)[...] = saved[name]
        self.whitening = self.whitening._replace(weights=np.array(saved["weights"]))
