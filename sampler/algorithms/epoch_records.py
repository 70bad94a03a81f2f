"""Results of an epoch: its samples and counts, the terms of single steps, and the place of a divergence."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Epoch:
    """Result of one call of ``observe``.

    Attributes
    ----------
    t : int
        Epoch just finished, which is the number of data seen.
    samples : (chains, dim) array
        X^t of every chain: approximate, nearly independent draws from pi_t.
    gradient_evaluations, resets, refreshed, steps : int
        Totals over the chains in this call (refreshes are counted among the evaluations).
    """

    t: int
    samples: np.ndarray
    gradient_evaluations: int
    resets: int
    refreshed: int
    steps: int


@dataclass(frozen=True)
class StepTrace:
    """Steps of one chain, term by term: ``after = before - step_size (guess + correction) + noise``.

    All arrays are (n, dim): ``before`` X_i; ``guess`` prior gradient + (t/b) sum of fresh gradients; ``correction``
    s - (t/b) sum of the cached ones (zero without variance reduction); ``noise`` sqrt(2 eta) xi; ``after`` X_{i+1}.
    """

    t: int
    step_size: float
    before: np.ndarray
    guess: np.ndarray
    correction: np.ndarray
    noise: np.ndarray
    after: np.ndarray


@dataclass(frozen=True)
class Divergence:
    """The first chain that left every posterior, and where."""

    chain: int
    epoch: int
    step: int


class DivergenceError(ValueError):
    """A chain's position stopped being finite (or passed 1e15): the step is too long for the curvature."""
