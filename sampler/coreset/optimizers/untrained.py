"""No training: the baseline that every optimizer must beat."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sampler.coreset.optimizers.base import Optimizer, OptimizerState
from sampler.kernels.coreset_optimizer_steps import UNTRAINED


@dataclass(frozen=True)
class Untrained(Optimizer):
    """Weights stay at w_0 = N / M."""

    code: ClassVar[int] = UNTRAINED
    label: ClassVar[str] = "untrained"

    def rates(self, state: OptimizerState) -> np.ndarray:
        """Zeros, (M,).

        Parameters
        ----------
        state : OptimizerState
            Memory of one run: weights, gradient, sums.
        """
        return np.zeros_like(state.weights)
