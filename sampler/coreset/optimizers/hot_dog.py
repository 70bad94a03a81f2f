"""Hot DoG: distance over gradient, coordinate by coordinate, with exponential averages."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sampler.arguments import real_number, switch
from sampler.coreset.optimizers.base import Optimizer, OptimizerState, decay
from sampler.kernels.coreset_optimizer_steps import HOT_DOG


@dataclass(frozen=True)
class HotDoG(Optimizer):
    """Hot DoG (Chen, Huggins and Campbell, 2025, Algorithm 2); its hot start is `CoresetMCMC`'s ``hot_start``.

    Differs from the paper: d-hat is r at the first update (c = 1), where the paper writes the first iteration
    (t = 1); after a hot start the latter would be 0 / 0. Weights are projected on w >= 0.

    Parameters
    ----------
    r : float > 0
        Distance that every weight moves in the first step.
    beta1, beta2 : float in [0, 1)
        Decay of the averages of gradients and distances, and of squared gradients.
    epsilon : float > 0
    floor : bool
        True keeps d-hat at r or more (Appendix C.1's r_delta). Without it a weight whose very first gradient is
        exactly 0 never moves.
    """

    code: ClassVar[int] = HOT_DOG
    label: ClassVar[str] = "Hot DoG"

    r: float = 1e-3
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    floor: bool = False

    def __post_init__(self) -> None:
        real_number("r", self.r, "1e-3 is the paper's", above=0.0)
        decay("beta1", self.beta1)
        decay("beta2", self.beta2)
        switch("floor", self.floor)
        real_number("epsilon", self.epsilon, "1e-8 is the paper's", above=0.0)

    def distances(self, state: OptimizerState) -> np.ndarray:
        """d-hat of the last step, (M,): how far each weight is thought to have to go.

        Parameters
        ----------
        state : OptimizerState
            Memory of one run: weights, gradient, sums.
        """
        count = state.scalars[0]
        d = np.full_like(state.weights, self.r) if count <= 1 else state.vectors[2] / (1 - self.beta1 ** (count - 1))
        return np.maximum(d, self.r) if self.floor else d

    def rates(self, state: OptimizerState) -> np.ndarray:
        """d-hat / sqrt(c (v-hat + epsilon)), (M,).

        Parameters
        ----------
        state : OptimizerState
            Memory of one run: weights, gradient, sums.
        """
        count = state.scalars[0]
        second = state.vectors[0] / (1 - self.beta2**count)
        return self.distances(state) / np.sqrt(count * (second + self.epsilon))
