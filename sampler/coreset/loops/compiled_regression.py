"""The compiled loop of models with one score a datum, sampled along lines."""

from sampler.coreset.iteration_record import Record
from sampler.coreset.loops.loop import Loop
from sampler.kernels.coreset_regression import advance_regression


class RegressionLoop(Loop):
    """Hit-and-run slice sampling."""

    def advance(self, record: Record, t: int, n: int, train: bool) -> int:
        """See `Loop.advance`."""
        kernel = self.setup.kernel
        done, _, _ = advance_regression(
            n, t, train, self.lanes, self.model.family, self.model.prior, self.model.rows, self.model.labels,
            self.points, self.labels, self.everyone, self.permutation, self.places, *self.optimizer_arrays(),
            self.theta, self.model.dim, float(kernel.width), int(kernel.doublings), int(kernel.directions), self.rngs,
            *self.record_arrays(record), self.calls)
        return done
