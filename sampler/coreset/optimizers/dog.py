"""DoG: distance over gradient."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sampler.arguments import real_number
from sampler.coreset.optimizers.base import Optimizer, OptimizerState
from sampler.kernels.coreset_optimizer_steps import DOG


@dataclass(frozen=True)
class DoG(Optimizer):
    """DoG (Ivgi, Hinder and Carmon, 2023): rate = farthest distance from w_0 over root of the sum of |g|^2.

    Differs from the paper: the last weights are used, not their average; r is the distance itself, not a share of
    |w_0|.

    Parameters
    ----------
    r : float > 0
        Distance assumed at first, and the least ever.
    """

    code: ClassVar[int] = DOG
    label: ClassVar[str] = "DoG"

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
        return np.full_like(state.weights, state.scalars[2] / np.sqrt(state.scalars[1]))
