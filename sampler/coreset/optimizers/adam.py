"""ADAM, with a rate that the user has to choose."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sampler.arguments import choice, real_number
from sampler.coreset.optimizers.base import Optimizer, OptimizerState, decay
from sampler.kernels.coreset_optimizer_steps import ADAM


@dataclass(frozen=True)
class Adam(Optimizer):
    """ADAM (Kingma and Ba, 2014) with projection on w >= 0.

    Parameters
    ----------
    rate : float > 0
    schedule : {"sqrt", "constant"}
        "sqrt" divides the rate by the square root of the number of steps, as the experiments on coresets do.
    beta1, beta2 : float in [0, 1)
    epsilon : float > 0
    """

    code: ClassVar[int] = ADAM
    label: ClassVar[str] = "ADAM"

    rate: float = 1.0
    schedule: str = "sqrt"
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8

    def __post_init__(self) -> None:
        real_number("rate", self.rate, "the usual grid is 1e-3 to 1e2", above=0.0)
        choice("schedule", self.schedule, ("sqrt", "constant"))
        decay("beta1", self.beta1)
        decay("beta2", self.beta2)
        real_number("epsilon", self.epsilon, "1e-8 is usual", above=0.0)

    def constants(self) -> np.ndarray:
        """Rate, beta1, beta2, epsilon, whether the rate decays."""
        return self._padded(self.rate, self.beta1, self.beta2, self.epsilon, float(self.schedule == "sqrt"))

    def rates(self, state: OptimizerState) -> np.ndarray:
        """rate_t / (sqrt(v-hat) + epsilon), (M,)."""
        count = state.scalars[0]
        rate = self.rate / np.sqrt(count) if self.schedule == "sqrt" else self.rate
        return rate / (np.sqrt(state.vectors[0] / (1 - self.beta2**count)) + self.epsilon)
