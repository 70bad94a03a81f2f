"""The compiled loop of the Gaussian location model with its own draws."""

import numpy as np

from sampler.coreset.iteration_record import Record
from sampler.coreset.loops.loop import Loop, Setup
from sampler.kernels.coreset_gaussian import advance_gaussian


class GaussianLoop(Loop):
    """Independent or autoregressive draws, Eq. 4 in three passes over rows."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.ones = np.ones(setup.subsample)

    def advance(self, record: Record, t: int, n: int, train: bool) -> int:
        """See `Loop.advance`."""
        return advance_gaussian(
            n, t, train, self.lanes, self.model.rows, self.points, self.everyone, self.ones, self.permutation,
            self.places, *self.optimizer_arrays(), self.theta, self.model.dim, float(self.setup.kernel.memory),
            self.rngs, *self.record_arrays(record))
