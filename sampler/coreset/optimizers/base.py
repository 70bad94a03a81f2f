"""Base of every optimizer of coreset weights."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import ClassVar

import numpy as np

from sampler.arguments import real_number
from sampler.kernels.coreset_optimizer_steps import CONSTANTS, SCALARS, VECTORS, step


def decay(name: str, value: float) -> None:
    """ValueError unless ``value`` is in [0, 1)."""
    real_number(name, value, "0.9 and 0.999 are the usual choices", least=0.0, below=1.0)


@dataclass(frozen=True)
class Optimizer:
    """Constants of one rule for moving the weights; the memory of a run is an `OptimizerState`.

    Weights are projected on w >= 0 after every step.
    """

    code: ClassVar[int]
    label: ClassVar[str]

    def constants(self) -> np.ndarray:
        """(5,) float64 as the compiled step reads them: by default the fields in their order."""
        return self._padded(*astuple(self))

    def _padded(self, *values: float) -> np.ndarray:
        out = np.zeros(CONSTANTS)
        out[:len(values)] = values
        return out

    def start(self, weights: np.ndarray) -> OptimizerState:
        """A state with ``weights`` (M,) as w_0."""
        return OptimizerState(self, weights)

    def rates(self, state: OptimizerState) -> np.ndarray:
        """Factor of each weight's (smoothed) gradient in the last step, (M,); nan before the first step.

        Weights a step away in units of gradient: rates of different optimizers can be compared.

        Parameters
        ----------
        state : OptimizerState
            Memory of one run: weights, gradient, sums.
        """
        raise NotImplementedError


class OptimizerState:
    """Weights and the optimizer's memory of past gradients.

    Attributes
    ----------
    weights : (M,) current weights, changed in place by `step`
    start : (M,) w_0
    vectors, scalars : the compiled step's memory
    """

    def __init__(self, optimizer: Optimizer, weights: np.ndarray) -> None:
        self.optimizer = optimizer
        self.start = np.array(weights, dtype=float)
        self.weights = self.start.copy()
        self.vectors = np.zeros((VECTORS, self.weights.size))
        self.scalars = np.zeros(SCALARS)
        self.constants = optimizer.constants()

    @property
    def steps(self) -> int:
        """Steps taken."""
        return int(self.scalars[0])

    @property
    def rates(self) -> np.ndarray:
        """`Optimizer.rates` of the last step, (M,)."""
        if not self.steps:
            return np.full(self.weights.size, np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.optimizer.rates(self)

    def step(self, gradient: np.ndarray) -> np.ndarray:
        """One step along ``gradient`` (M,), finite; returns the weights (the array itself, not a copy)."""
        gradient = np.ascontiguousarray(gradient, dtype=float)
        if gradient.shape != self.weights.shape or not np.isfinite(gradient).all():
            raise ValueError(f"gradient must be finite, of shape {self.weights.shape}, got {gradient!r}; "
                             "one number a weight")
        step(self.optimizer.code, self.weights, self.start, gradient, self.vectors, self.scalars, self.constants)
        return self.weights
