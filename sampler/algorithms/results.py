"""Results of an epoch on a stream and of a run on fixed data."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sampler.draws import Draws, HasDraws


@dataclass(frozen=True)
class Epoch(HasDraws):
    """Result of one call of ``observe``; ``to_datatree``, ``to_dataframe`` and ``save_draws`` export its samples.

    Attributes
    ----------
    t : int
        Finished epoch, equal to the number of data observed.
    samples : (chains, dim) array
        X^t of every chain: approximate, nearly independent draws from pi_t.
    gradient_evaluations, resets, refreshed, steps : int
        Totals over the chains in this call (evaluations include refreshes).
    """

    t: int
    samples: np.ndarray
    gradient_evaluations: int
    resets: int
    refreshed: int
    steps: int

    def draws(self, names: Sequence[str] | None = None) -> Draws:
        """Return one draw per chain, numbered t; ``names`` are those of the coefficients, such as ``stream.names``."""
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
    """First chain that diverged, with its epoch and step."""

    chain: int
    epoch: int
    step: int


class DivergenceError(ValueError):
    """Raised when a chain's position is not finite or its norm exceeds 1e15: the step is too long for the curvature."""


def divergence_message(where: Divergence, eta0: float, not_finite: str = "", nonmonotone: str | None = None) -> str:
    """Return the text of a DivergenceError; ``not_finite`` and ``nonmonotone`` describe faults of the user's gradient."""
    place = f"chain {where.chain} diverged at epoch {where.epoch}, step {where.step}"
    if not_finite:
        return (f"{not_finite}: {place}; fix the gradient there, or lower eta0 if no chain should be so far out, then call "
                "restart_diverged()")
    return (f"eta0 must be small enough for the curvature, got {eta0:g}: {place}; lower eta0 (below 2(t+c)/largest "
            f"eigenvalue of the Hessian), then call restart_diverged(){'. But ' + nonmonotone if nonmonotone else ''}")


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """States of K chains at one point of a run.

    Attributes
    ----------
    passes : float
        Requested passes over the data: largest number of gradient evaluations per chain, divided by n.
    evaluations : int
        Gradient evaluations made so far, summed over the chains.
    steps : (K,) int array
        Steps made so far by each chain.
    positions : (K, d) array
    path_means : (K, d) array
        Mean of each chain's positions after the steps so far (its start before the first step).
    beta : float in (0, 1]
        Inverse temperature of the target at this point; 1 except on OfflineSagaLD's ladder.
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
    """Result of a run on fixed data.

    Attributes
    ----------
    positions : (K, d) array
        Final positions of the chains: approximate, independent draws from the posterior.
    gradient_evaluations : int
        Gradients of single terms, summed over the chains; anchors and tables included.
    passes : float
        Mean number of gradient evaluations per chain, divided by n.
    trace : tuple of Checkpoint
        States of the chains at the requested passes, in order; for OfflineSagaLD its frames.
    epochs : tuple of Checkpoint
        For OfflineSagaLD the states at the end of each temperature, beta = 1/T, 2/T, ..., 1; empty for other samplers.
    n : int
        Number of terms.
    step_size : float
        eta as used (OfflineSagaLD: at beta = 1).
    stopped : bool
        True if ``stop`` ended the run early; the result then covers the part that was run.
    notes : tuple of str
        Remarks on the data, for display.
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
        """Return the final position of each chain as one draw, numbered 0; ``names`` are those of the coefficients."""
        return Draws(self.positions[:, None], np.zeros(1, int), names,
                     {"gradient_evaluations": self.gradient_evaluations, "passes": float(self.passes), "rows": self.n,
                      "step_size": float(self.step_size)})


class OfflineDivergenceError(DivergenceError):
    """Raised when a chain's next point is not finite or its norm exceeds 1e15; ``result`` holds the run up to there."""

    def __init__(self, message: str, result: OfflineResult) -> None:
        super().__init__(message)
        self.result = result
