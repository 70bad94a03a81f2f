"""DoWG: distance over weighted gradients."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sampler.arguments import real_number
from sampler.coreset.optimizers.base import Optimizer, OptimizerState
from sampler.kernels.coreset_optimizer_steps import DOWG


@dataclass(frozen=True)
class DoWG(Optimizer):
    """DoWG (Khaled, Mishchenko and Jin, 2023): rate = r_t^2 over root of the sum of r_i^2 |g_i|^2.

    Parameters
    ----------
    r : float > 0
        Distance assumed at first, and the least ever.
    """

    code: ClassVar[int] = DOWG
    label: ClassVar[str] = "DoWG"

    r: float = 1e-3

    def __post_init__(self) -> None:
        real_number("r", self.r, "1e-3 is usual", above=0.0)

    def rates(self, state: OptimizerState) -> np.ndarray:
        """The same for every weight, (M,).

        Parameters
        ----------
        state : OptimizerState
            Memory of one run: weights, gradient, sums.
        """
        return np.full_like(state.weights, state.scalars[2] ** 2 / np.sqrt(state.scalars[1]))
