"""Zig-Zag with control variates: straight lines that turn at random times, exact for pi_t, one datum an event.

X(s) moves with a velocity v in {-1, 1}^d; coordinate i turns at rate max(0, v_i d_i F_t(X(s))), which leaves pi_t unchanged.
With x' the control point (control_point.py) and W_i = sum_k w_ik, w_ik = |u_ki| |u_k|, a datum k drawn with chance w_ik/W_i
gives an estimate without bias

    v_i [d_i F_t(x') + q_i (X_i - x'_i) + (W_i/w_ik) (d_i f_k(X) - d_i f_k(x'))]

and a rate of its positive part leaves pi_t unchanged too. d_i f_k has slope at most h w_ik, h = 1/4 for a logistic term and
1 for a linear one, so that at s later the rate is at most

    max(0, v_i [d_i F_t(x') + q_i (X_i - x'_i)]) + h W_i |X - x'| + (q_i + h W_i sqrt(d)) s,

from which events are drawn and thinned: an event that is turned down costs a datum as well. A step of a chain is the process
for a time sqrt(2 eta_t), eta_t = eta_0/(t+c): places at equal times, not at turns, have the law pi_t, whatever eta_0.

Source: Bierkens, Fearnhead, Roberts (2019), https://doi.org/10.1214/18-AOS1715, sections 4 and 5 (data are drawn evenly
there; by weights, Sen, Sachs, Lu, Dunson 2020, https://doi.org/10.1093/biomet/asz085).
"""

import numpy as np

from sampler.algorithms.chain_states import ChainBlock
from sampler.algorithms.control_point import ControlSampler
from sampler.kernels import zigzag
from sampler.kernels.chains import Knobs

MOST_DIMENSIONS = 25  # events, d of them, and their bounds, sqrt(d) wide, make larger ones slow
VELOCITY_WORD = 11  # after the seed in the seed of the first velocities


class ZigZag(ControlSampler):
    """The Zig-Zag process on K independent chains; ``batch_size``, ``variance_reduction``, ``refresh`` are not used.

    A chain that meets 100,000 events in one step stops as diverged: ``eta0`` is too large for features of that size. An
    evaluation is counted for each datum that is read. Running sums of the weights take d numbers a datum, for all chains.

    Attributes
    ----------
    velocities : (chains, dim) array of -1 and 1

    Raises
    ------
    ValueError
        Above 25 dimensions, and for a PoissonRegression, whose slopes have no bound.
    """

    kinds = ("logistic", "linear")
    needs = "one whose terms have a bounded curvature"
    traceable = False
    most_dimensions = MOST_DIMENSIONS
    why_no_more = "its coordinates turn one at a time"
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
