"""Base of the compiled and the plain loops: places in memory, random numbers, and words for failures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sampler.coreset.iteration_record import Record
from sampler.coreset.models.base import Model
from sampler.coreset.optimizers.base import OptimizerState
from sampler.kernels.coreset_subsample import fresh_permutation
from sampler.kernels.lanes import aligned_zeros, lanes_for, padded
from sampler.kernels.rng import spawn_generators

RUNAWAY = 1e3  # a weight beyond this many times N stands for more data than there are


class NotFiniteError(ValueError):
    """Weights that ran away, or a log-likelihood that is not a number, or infinite, where the algorithm needs one."""


@dataclass(eq=False)
class Setup:
    """One run's parts, as the loops need them.

    chosen : (M,) indices of the coreset.   positions : (K, D) first positions of the chains.
    """

    model: Model
    kernel: Any
    chosen: np.ndarray
    state: OptimizerState
    positions: np.ndarray
    subsample: int
    seed: int


class Loop:
    """Memory of a loop; a subclass's `advance` runs iterations on it.

    Attributes
    ----------
    theta : (K, P) positions, padded
    calls : (1,) int64, evaluations of a log posterior by the slice sampler
    """

    stride: ClassVar[int] = 1000  #: most iterations between two chances to stop

    def __init__(self, setup: Setup) -> None:
        model, chains = setup.model, len(setup.positions)
        self.setup, self.state = setup, setup.state
        self.model: Any = model  # each loop knows its own kinds
        self.lanes = lanes_for(model.dim)
        self.theta = aligned_zeros((chains, padded(model.dim)))
        self.theta[:, :model.dim] = setup.positions
        self.points = aligned_zeros((setup.chosen.size, model.rows.shape[1]))
        self.points[:] = model.rows[setup.chosen]
        self.labels = model.labels[setup.chosen]
        self.everyone = np.arange(setup.chosen.size, dtype=np.int64)
        self.permutation = fresh_permutation(model.n)
        self.places = np.empty(setup.subsample, np.int64)
        self.rngs = spawn_generators(setup.seed, chains + 1, 1)[:, 0]
        self.calls = np.zeros(1, np.int64)
        self.centre, self.scale = model.truth.mean, 1.0 / model.truth.std

    @property
    def positions(self) -> np.ndarray:
        """(K, D) copy."""
        return self.theta[:, :self.model.dim].copy()

    def optimizer_arrays(self) -> tuple[Any, ...]:
        """In the order that the compiled loops take them."""
        state = self.state
        return (state.weights, state.start, state.optimizer.code, state.vectors, state.scalars, state.constants)

    def record_arrays(self, record: Record) -> tuple[Any, ...]:
        """In the order that the compiled loops take them."""
        return self.centre, self.scale, record.sums, record.squares, record.norms, record.totals, record.potentials

    def advance(self, record: Record, t: int, n: int, train: bool) -> int:
        """Run up to ``n`` iterations after ``t``; returns how many were done, fewer when a term is not finite."""
        raise NotImplementedError

    def fault(self, t: int) -> NotFiniteError:
        """Words for a loop that stopped in iteration ``t``: weights that ran away, or the first term at fault."""
        weights = self.state.weights
        if not weights.max() < RUNAWAY * self.model.n:
            return NotFiniteError(
                f"weights must stay finite; at iteration {t} of {self.model!r} the largest is {weights.max():.3g}, and "
                f"{self.state.optimizer!r} has diverged. Lower its rate or first distance, or use HotDoG()")
        for k, theta in enumerate(self.positions):
            for what, indices in (("coreset point", self.setup.chosen), ("datum", np.arange(self.model.n))):
                with np.errstate(all="ignore"):
                    values = np.asarray(self.model.log_likelihood(theta, indices), dtype=float)
                bad = np.flatnonzero(~np.isfinite(values))
                if bad.size:
                    return NotFiniteError(
                        f"log-likelihood must be finite; at iteration {t}, chain {k}, {what} {indices[bad[0]]} of "
                        f"{self.model!r} it is {values[bad[0]]} (theta = {np.array2string(theta, precision=4)}). "
                        "Repair that datum, or start the chains nearer to the mode")
        return NotFiniteError(
            f"the gradient of the weights must be finite; at iteration {t} of {self.model!r} it overflows at theta = "
            f"{np.array2string(self.positions, precision=4)}. Start the chains nearer the mode, or scale the features")
