"""`OwnBalls`: acceptance balls of chains that have metrics of their own, on the plotted plane; found when they change."""

from __future__ import annotations

import numpy as np

from app.live.plotted_plane import Geometry, View, float32
from app.live.run_state import RunState, positive
from sampler import PreconditionedSagaLD


class OwnBalls:
    """Keeps the outlines of one run: a chain's ball stands from one checkpoint to the next, sixty pictures a second."""

    def __init__(self) -> None:
        self._roots = np.empty((0, 2, 2))  #: (K, 2, 2) of unit balls, not rescaled
        self._saga: PreconditionedSagaLD | None = None
        self._projection = self._checkpoints = np.empty(0)

    def rows(self, state: RunState, geometry: Geometry, view: View, checkpoints: np.ndarray) -> np.ndarray | None:
        """Return (K, 5) float32, as `Cloud.acceptance_balls` says; None for plain chains.

        Parameters
        ----------
        state, geometry, view
            The run and its plane.
        checkpoints : (K, d) array
            Of every chain: while they stand, so does what their metrics were.
        """
        saga = state.saga
        if not state.preconditioned:
            return None
        if (saga is not self._saga or view.projection is not self._projection
                or not np.array_equal(checkpoints, self._checkpoints)):
            self._roots = self._found(saga, geometry, view)  # first: what fails leaves nothing of another run
            self._saga, self._projection, self._checkpoints = saga, view.projection, checkpoints
        radius = min(saga.settings.acceptance_radius, 1e6)
        roots = radius * self._roots * (geometry.scale if geometry.config.rescaled else 1.0)
        force = saga.acceptance_in_force & saga.settings.reset
        return float32(np.column_stack((roots[:, 0, 0], roots[:, 0, 1], roots[:, 1, 1], force, np.full(len(force), radius))))

    @staticmethod
    def _found(saga: PreconditionedSagaLD, geometry: Geometry, view: View) -> np.ndarray:
        """Outlines of the unit balls, (K, 2, 2); NaN, not drawn, of a chain that diverged or whose ball is unbounded."""
        plain = geometry.config.replace(rescaled=False)
        flat = Geometry(plain, geometry.t, geometry.mode, geometry.covariance)
        roots = np.full((saga.chains, 2, 2), np.nan)
        for chain in range(saga.chains):
            matrix = positive(saga.acceptance_matrix(chain))
            if matrix is not None:
                roots[chain] = view.outline(flat, matrix)
        return roots
