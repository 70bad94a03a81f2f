"""D-Adaptation for SGD."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sampler.arguments import real_number
from sampler.coreset.optimizers.base import Optimizer, OptimizerState
from sampler.kernels.coreset_optimizer_steps import D_ADAPTATION


@dataclass(frozen=True)
class DAdaptation(Optimizer):
    """D-Adaptation SGD (Defazio and Mishchenko, 2023): a lower bound d on the distance, rate d / |g_0|.

    With s the sum of rate_i g_i, d = max(d, 2 sum_i rate_i <g_i, s_i> / |s|). One noisy |g_0| sets the scale for
    good and nothing slows the steps down: on regressions the weights may run away, and the run says so.

    Differs from the paper: Hot DoG's text gives it DoG's denominator; this is the rule its experiments run.

    Parameters
    ----------
    d0 : float > 0
        First lower bound.
    """

    code: ClassVar[int] = D_ADAPTATION
    label: ClassVar[str] = "D-Adaptation"

    d0: float = 1e-6

    def __post_init__(self) -> None:
        real_number("d0", self.d0, "1e-6 is the authors'", above=0.0)

    def rates(self, state: OptimizerState) -> np.ndarray:
        """The same for every weight, (M,).

        Parameters
        ----------
        state : OptimizerState
            Memory of one run: weights, gradient, sums.
        """
        return np.full_like(state.weights, state.scalars[4])
