"""Results of an epoch: its samples and counts, the terms of single steps, and the place of a divergence."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sampler.draws import Draws, HasDraws


@dataclass(frozen=True)
class Epoch(HasDraws):
    """Result of one call of ``observe``; ``to_datatree``, ``to_dataframe`` and ``save_draws`` hand its samples on.

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

    def draws(self, names: Sequence[str] | None = None) -> Draws:
        """One draw a chain, numbered t; ``names`` of the coefficients, such as ``stream.names``."""
        return Draws(self.samples[:, None], np.array([self.t]), names,
                     {"gradient_evaluations": self.gradient_evaluations, "resets": self.resets, "steps": self.steps})


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


def diverged_words(where: Divergence, eta0: float, not_finite: str = "", falls: str = "") -> str:
    """Text of the DivergenceError: which chain, where, and what to do.

    Parameters
    ----------
    where : Divergence
    eta0 : float
    not_finite, falls : str
        What is wrong with a gradient of the user's, if anything.
    """
    place = f"chain {where.chain} diverged at epoch {where.epoch}, step {where.step}"
    if not_finite:
        return (f"{not_finite}: {place}; mend the gradient there, or lower eta0 if no chain should be so far out, then call "
                "restart_diverged()")
    return (f"eta0 must be small enough for the curvature, got {eta0:g}: {place}; lower eta0 (below 2(t+c)/largest "
            f"eigenvalue of the Hessian), then call restart_diverged(){falls and '. But ' + falls}")
