"""Zig-Zag with control variates: a piecewise linear process, exact for pi_t, one datum per event.

X(s) moves with a velocity v in {-1, 1}^d; v_i flips at rate max(0, v_i d_i F_t(X(s))), which leaves pi_t invariant. With
the control point x' (control_point.py) and W_i = sum_k w_ik, w_ik = |u_ki| |u_k|, a datum k drawn with probability w_ik/W_i
gives the unbiased estimate

    v_i [d_i F_t(x') + q_i (X_i - x'_i) + (W_i/w_ik) (d_i f_k(X) - d_i f_k(x'))]

and its positive part as the rate leaves pi_t invariant too. d_i f_k has slope at most h w_ik, h = 1/4 for a logistic term
and 1 for a linear one, so after a further time s the rate is at most

    max(0, v_i [d_i F_t(x') + q_i (X_i - x'_i)]) + h W_i |X - x'| + (q_i + h W_i sqrt(d)) s,

from which events are drawn and thinned: a rejected event costs a datum as well. A step of a chain runs the process for a
time sqrt(2 eta_t), eta_t = eta_0/(t+c): positions at equal times, not at events, have the law pi_t for every eta_0.

Source: Bierkens, Fearnhead, Roberts (2019), https://doi.org/10.1214/18-AOS1715, sections 4 and 5 (data drawn uniformly;
by weights: Sen, Sachs, Lu, Dunson 2020, https://doi.org/10.1093/biomet/asz085).
"""

import numpy as np

from sampler.algorithms.chain_states import ChainBlock
from sampler.algorithms.control_point import ControlSampler
from sampler.kernels import zigzag
from sampler.kernels.chains import Knobs

MOST_DIMENSIONS = 25  # the number of events grows with d and their bounds with sqrt(d)
VELOCITY_WORD = 11  # after the seed in the seed sequence of the initial velocities


class ZigZag(ControlSampler):
    """The Zig-Zag process on K independent chains; ``batch_size``, ``variance_reduction``, ``refresh`` are not used.

    A chain that makes 100,000 events in one step stops as diverged: ``eta0`` is too large for features of that size. Each
    datum read counts as one evaluation. Running sums of the weights take d numbers per datum, shared by all chains.

    Attributes
    ----------
    velocities : (chains, dim) array of -1 and 1

    Raises
    ------
    ValueError
        Above 25 dimensions, and for a PoissonRegression, which has unbounded slopes.
    """

    kinds = ("logistic", "linear")
    needs = "one with terms of bounded curvature"
    traceable = False
    most_dimensions = MOST_DIMENSIONS
    why_no_more = "its velocities change one coordinate at a time"
    _kept_arrays = ("velocities",)

    def _allocate(self) -> None:
        super()._allocate()
        up = np.random.default_rng([self.seed, VELOCITY_WORD]).random((self.chains, self.dim)) < 0.5
        self.velocities = np.where(up, 1.0, -1.0)

    def _weigh(self, rows: np.ndarray, factor: np.ndarray) -> np.ndarray:
        return np.abs(rows.T) * np.sqrt((rows**2).sum(axis=1))

    def _step_work(self) -> float:
        return self.dim

    def _advance_block(self, block: ChainBlock, knobs: Knobs, n: int, traced: int, trace: np.ndarray) -> bool:
        control = self.control
        return zigzag.advance(self._lanes, self.problem.kind_code, self.problem.curvature_bound,
                              self._precision[0, :self.dim], self._rows.rows, control.point, control.gradient, control.means,
                              control.sums, block.own(self.velocities), block.chains, self.t, knobs, n, self._center,
                              block.counts)
