"""How far the chains of a run stand, all together, from the mode of the data they have seen."""

from typing import Any

import numpy as np

from sampler.algorithms.newton import find_mode
from sampler.problems.base import Posterior

GROWTH = 1.02  # of the data between two solutions, so that all of them cost some fifty passes over the rows


class ModeLag:
    """Distance of the chains' common centre from the mode of F_t, followed as data come.

    R-hat compares chains with each other; chains that fall behind together agree.

    Attributes
    ----------
    value : float or None
        Largest over coordinates, in posterior standard deviations, beyond the sqrt(2 log(2d)/K) that K exact chains
        reach by chance; None where no mode is known: before the first look, for a flat prior without enough data, and
        for a gradient alone.
    """

    def __init__(self) -> None:
        self.value: float | None = None
        self._mode, self._t = np.empty(0), 0

    def look(self, posterior: Posterior, positions: np.ndarray) -> None:
        """Solve the mode again if the data have grown by 2 %, and measure chains (K, d)."""
        if posterior.problem.kind == "oracle" or posterior.t < GROWTH * self._t:
            return
        self._t = posterior.t
        try:
            mode = find_mode(posterior, self._mode if self._mode.size else None)
            variance = np.diagonal(np.linalg.inv(posterior.hessian(mode)))
        except (ValueError, np.linalg.LinAlgError):
            return
        self._mode = mode
        chains, dim = positions.shape
        away = np.abs(positions.mean(axis=0) - mode) / np.sqrt(variance)
        self.value = max(0.0, float(away.max()) - float(np.sqrt(2.0 * np.log(2.0 * dim) / chains)))

    def state(self) -> tuple[dict[str, Any], np.ndarray]:
        """Plain values and the mode, from which ``restore`` goes on bit for bit."""
        return {"value": self.value, "t": self._t}, self._mode

    def restore(self, plain: dict[str, Any], mode: np.ndarray) -> None:
        """Put back what ``state`` gave."""
        self.value, self._t, self._mode = plain["value"], plain["t"], mode
