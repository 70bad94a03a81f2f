"""A reference known through draws."""

import numpy as np
from scipy.special import ndtr, ndtri

from sampler.argument_faults import names_faults
from sampler.metrics.ceiling import equivalent_draws
from sampler.metrics.histogram_ess import histogram_ess_from
from sampler.reference.base import evaluation_points


class SampleReference:
    """Draws of a long exact chain as a reference.

    Its marginal distribution functions run straight between order statistics, and continue beyond the
    outermost draws as a normal tail does, so a chain that stands outside is told from one far outside.

    Parameters
    ----------
    samples : (n, d) array, n >= 20
    t : int
        Number of data they stand for; its age is the present epoch less this.
    ess, rhat : (d,) arrays
        Effective number of draws and split R-hat, from several chains.
    histogram_ess : (d,) array, optional
        Effective number of draws of the marginal histograms, if measured on the chains; else what ``ess`` says of an
        autoregression.
    """

    exact = False

    @names_faults
    def __init__(self, samples: np.ndarray, t: int, ess: np.ndarray, rhat: np.ndarray,
                 histogram_ess: np.ndarray | None = None) -> None:
        samples = np.array(samples, dtype=float)
        if samples.ndim != 2 or len(samples) < 20 or not np.isfinite(samples).all():
            raise ValueError(
                f"samples must be finite, of shape (n >= 20, d), got {samples.shape}; run longer"
            )
        self.samples, self.t, self.dim = samples, int(t), samples.shape[1]
        self.ess, self.rhat = np.asarray(ess, float), np.asarray(rhat, float)
        self.histogram_ess = np.asarray(histogram_ess_from(self.ess, len(samples)) if histogram_ess is None
                                        else histogram_ess, float)
        self.mean, self.std = samples.mean(axis=0), samples.std(axis=0)
        self.covariance = np.atleast_2d(np.cov(samples.T))
        if not np.all(self.std > 0):
            raise ValueError("samples must vary in every coordinate; the chain did not move")
        n = len(samples)
        self._sorted = np.sort(samples, axis=0)
        self._levels = (np.arange(n) + 0.5) / n
        self._end = -ndtri(self._levels[0])  # normal score of the outermost draws

    @property
    def draws(self) -> np.ndarray:
        """The draws, (n, d)."""
        return self.samples

    @property
    def ceiling_draws(self) -> int:
        """Independent draws whose histograms are as noisy as this reference's, for ``exact_ceiling``."""
        return max(1, round(equivalent_draws(self.histogram_ess)))

    def cdf(self, samples: np.ndarray) -> np.ndarray:
        """Marginal distribution functions, (n, d) -> (n, d) in (0, 1)."""
        points = evaluation_points(samples, self.dim)
        values = np.empty_like(points)
        for i in range(self.dim):
            column = self._sorted[:, i]
            values[:, i] = np.interp(points[:, i], column, self._levels)
            below, above = points[:, i] < column[0], points[:, i] > column[-1]
            values[below, i] = ndtr((points[below, i] - column[0]) / self.std[i] - self._end)
            values[above, i] = ndtr((points[above, i] - column[-1]) / self.std[i] + self._end)
        return values

    def moved(self, shift: np.ndarray, scale: float | np.ndarray, t: int) -> "SampleReference":
        """The same draws carried to a later epoch: theta -> mean + shift + scale (theta - mean).

        With ``shift`` the move of the mode and ``scale`` sqrt((t_old + c)/(t + c)) it stands in for a fresh
        chain while one is being drawn; ``t`` is kept by the caller as the epoch it now serves.
        """
        moved = self.mean + np.asarray(shift, float) + np.asarray(scale, float) * (self.samples - self.mean)
        return SampleReference(moved, t, self.ess, self.rhat, self.histogram_ess)
