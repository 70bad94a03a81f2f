"""Prodigy, the ADAM-like heir of D-Adaptation."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sampler.arguments import real_number
from sampler.coreset.optimizers.base import Optimizer, OptimizerState, decay
from sampler.kernels.coreset_optimizer_steps import PRODIGY


@dataclass(frozen=True)
class Prodigy(Optimizer):
    """Prodigy ADAM (Mishchenko and Defazio, 2024) without bias correction, projected on w >= 0.

    Parameters
    ----------
    d0 : float > 0
        First lower bound of the distance.
    cosine_period : int or None
        Multiply steps by a cosine from 1 to 0, restarted every so many steps. The experiments of Hot DoG use 100;
        its text has none, and it makes results worse.
    beta1, beta2 : float in [0, 1)
    epsilon : float > 0
    """

    code: ClassVar[int] = PRODIGY
    label: ClassVar[str] = "Prodigy"

    d0: float = 1e-6
    cosine_period: int | None = None
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8

    def __post_init__(self) -> None:
        real_number("d0", self.d0, "1e-6 is the authors'", above=0.0)
        if self.cosine_period is not None:
            real_number("cosine_period", self.cosine_period, "100 is the authors'; None for no cosine", above=0.0)
        decay("beta1", self.beta1)
        decay("beta2", self.beta2)
        real_number("epsilon", self.epsilon, "1e-8 is usual", above=0.0)

    def constants(self) -> np.ndarray:
        """d0, beta1, beta2, epsilon, cosine period (0 for none)."""
        return self._padded(self.d0, self.beta1, self.beta2, self.epsilon, float(self.cosine_period or 0))

    def rates(self, state: OptimizerState) -> np.ndarray:
        """d^2 cosine / (sqrt(v) + d epsilon), (M,): its averages are of d g, so d counts twice.

        Parameters
        ----------
        state : OptimizerState
            Memory of one run: weights, gradient, sums.
        """
        d = state.scalars[3]
        return d * d * state.scalars[4] / (np.sqrt(state.vectors[0]) + d * self.epsilon)
