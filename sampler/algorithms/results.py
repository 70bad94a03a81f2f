"""Results of an epoch on a stream, and of a run on fixed data."""

from collections.abc import Sequence
from dataclasses import dataclass, field

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
    """Text of the DivergenceError; ``not_finite`` and ``falls`` are faults of the user's gradient, in words."""
    place = f"chain {where.chain} diverged at epoch {where.epoch}, step {where.step}"
    if not_finite:
        return (f"{not_finite}: {place}; mend the gradient there, or lower eta0 if no chain should be so far out, then call "
                "restart_diverged()")
    return (f"eta0 must be small enough for the curvature, got {eta0:g}: {place}; lower eta0 (below 2(t+c)/largest "
            f"eigenvalue of the Hessian), then call restart_diverged(){falls and '. But ' + falls}")


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """K chains at one moment of a run.

    Attributes
    ----------
    passes : float
        Passes over the data asked for: gradient evaluations a chain may have used, over n.
    evaluations : int
        Gradient evaluations made so far, summed over the chains.
    steps : (K,) int array
        Steps made so far.
    positions : (K, d) array
    path_means : (K, d) array
        Mean of each chain's positions after every step so far (its start before the first step).
    beta : float in (0, 1]
        Inverse temperature of the target at this moment; 1 except on OfflineSagaLD's ladder.
    """

    passes: float
    evaluations: int
    steps: np.ndarray
    positions: np.ndarray
    path_means: np.ndarray
    beta: float = 1.0

    @property
    def mean(self) -> np.ndarray:
        """Mean over the chains, (d,)."""
        return self.positions.mean(axis=0)

    @property
    def covariance(self) -> np.ndarray:
        """Covariance over the chains, (d, d), divisor K - 1; nan for one chain."""
        if len(self.positions) == 1:
            return np.full((self.positions.shape[1],) * 2, np.nan)
        return np.atleast_2d(np.cov(self.positions, rowvar=False))


@dataclass(frozen=True, eq=False)
class OfflineResult(HasDraws):
    """A run on fixed data.

    Attributes
    ----------
    positions : (K, d) array
        Where the chains ended: approximate, independent draws from the posterior.
    gradient_evaluations : int
        Gradients of single terms, summed over the chains; anchors and tables included.
    passes : float
        The same for one chain on average, over n.
    trace : tuple of Checkpoint
        The chains at the requested passes, in order; OfflineSagaLD's frames.
    epochs : tuple of Checkpoint
        OfflineSagaLD: the end of each temperature, beta = 1/T, 2/T, ..., 1. Empty for the others.
    n : int
        Number of terms.
    step_size : float
        eta as used (OfflineSagaLD: at beta = 1).
    stopped : bool
        True when ``stop`` ended the run early; what was done by then is here.
    notes : tuple of str
        What a reader should know about the data, in words.
    """

    positions: np.ndarray
    gradient_evaluations: int
    passes: float
    trace: tuple[Checkpoint, ...]
    n: int
    step_size: float
    epochs: tuple[Checkpoint, ...] = ()
    stopped: bool = False
    notes: tuple[str, ...] = field(default=())

    def draws(self, names: Sequence[str] | None = None) -> Draws:
        """One draw a chain, numbered 0, where the chains ended; ``names`` of the coefficients."""
        return Draws(self.positions[:, None], np.zeros(1, int), names,
                     {"gradient_evaluations": self.gradient_evaluations, "passes": float(self.passes), "rows": self.n,
                      "step_size": float(self.step_size)})


class OfflineDivergenceError(DivergenceError):
    """A chain's next point was not finite, or beyond 1e15; ``result`` holds what was done by then."""

    def __init__(self, message: str, result: OfflineResult) -> None:
        super().__init__(message)
        self.result = result
