"""The compiled loop of the sparse regression, sampled by Gibbs."""

import numpy as np

from sampler.coreset.iteration_record import Record
from sampler.coreset.loops.loop import Loop, Setup
from sampler.kernels.coreset_sparse import advance_sparse


class SparseLoop(Loop):
    """Gibbs steps; ``included`` (K, p) is gamma, all features in at first."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        p = self.model.dim - 1
        self.columns = np.ascontiguousarray(self.points[:, :p].T)
        self.included = np.ones((len(self.theta), p))

    def advance(self, record: Record, t: int, n: int, train: bool) -> int:
        """See `Loop.advance`."""
        return advance_sparse(
            n, t, train, self.lanes, self.model.rows, self.model.labels, self.points, self.columns, self.labels,
            self.everyone, self.permutation, self.places, *self.optimizer_arrays(), self.theta, self.included,
            self.model.dim, self.model.constants, self.rngs, *self.record_arrays(record))
