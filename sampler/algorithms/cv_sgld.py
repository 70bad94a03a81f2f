"""SGLD with control variates and random reshuffling: batches without replacement that together make a pass over the data.

A pass draws a new random order of 1..t and splits it into R = ceil(t/b) batches S_1..S_R of equal size up to one datum.
With the control point x' (control_point.py), step j of the pass is

    g = grad F_t(x') + Q (X - x') + R sum_{k in S_j} (grad f_k(X) - grad f_k(x'))
    X <- X - eta_t g + sqrt(2 eta_t) xi,   eta_t = eta_0/(t+c)

with Q the prior's precisions: over a pass the gradients at any one point add up to R times the full gradient, so the bias
due to batching is of higher order in eta than with replacement. Each epoch starts a new pass of i_t steps, as for SGLD.

Sources: Shaw and Whalley (2025), https://arxiv.org/abs/2501.16055 (random reshuffling for SGLD, t a multiple of b);
Baker, Fearnhead, Fox, Nemeth (2019), https://doi.org/10.1007/s11222-018-9826-2 (the gradient g with replacement).
"""

from typing import Any

import numpy as np

from sampler.algorithms.chain_states import ChainBlock
from sampler.algorithms.control_point import ControlSampler
from sampler.kernels import cv_langevin
from sampler.kernels.chains import Knobs


class CvSGLD(ControlSampler):
    """Control-variate SGLD, reshuffled, on K independent chains; ``variance_reduction`` and ``refresh`` are not used.

    A step costs b evaluations, since gradients at the control point are stored. Each chain stores its order of the data,
    4 bytes per datum.
    """

    _kept_arrays = ("_order",)

    def _allocate(self) -> None:
        super()._allocate()
        self._order = np.empty((self.chains, 0), np.int32)

    def _open(self, t: int, counts: np.ndarray) -> None:
        super()._open(t, counts)
        held = self._order.shape[1]
        if held < t:
            fresh = np.arange(held, max(64, self._rows.capacity), dtype=np.int32)
            self._order = np.ascontiguousarray(np.hstack([self._order, np.broadcast_to(fresh, (self.chains, len(fresh)))]))

    def _step_work(self) -> float:
        return min(self.settings.batch_size, self.t)

    def _advance_block(self, block: ChainBlock, knobs: Knobs, n: int, traced: int, trace: np.ndarray) -> bool:
        control = self.control
        return cv_langevin.advance(self._lanes, self.problem.kind_code, self._precision, self._rows.rows,
                                   self._widened(control.point), self._widened(control.gradient), control.means,
                                   block.own(self._order), block.chains, self.t, knobs, n, self._center, traced, trace,
                                   block.counts)

    def _memory_arrays(self) -> dict[str, Any]:
        return {**super()._memory_arrays(), "order": self._order[:, :self.t]}
