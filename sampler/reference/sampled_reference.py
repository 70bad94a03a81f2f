"""A reference known through draws."""

import numpy as np
from scipy.special import ndtr, ndtri

from sampler.arguments import real_array, sample_array, shown, vector, whole_number
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

    def __init__(self, samples: np.ndarray, t: int, ess: np.ndarray, rhat: np.ndarray,
                 histogram_ess: np.ndarray | None = None) -> None:
        samples = np.array(sample_array("samples", samples, least=20))
        self.samples, self.t, self.dim = samples, whole_number("t", t, 0), samples.shape[1]
        advice = "chain_diagnostics measures it, one number a coordinate"
        self.ess = vector("ess", ess, self.dim, advice)
        self.rhat = real_array("rhat", rhat, f"numbers of shape ({self.dim},)", advice)
        if self.rhat.shape != (self.dim,) or np.isnan(self.rhat).any():
            raise ValueError(f"rhat must have shape ({self.dim},) and no nan, got {shown(self.rhat)}; {advice}")
        self.histogram_ess = vector("histogram_ess", histogram_ess_from(self.ess, len(samples)) if histogram_ess is None
                                    else histogram_ess, self.dim, advice)
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
        """Marginal distribution functions, (n, d) -> (n, d) in (0, 1).

        Parameters
        ----------
        samples : (n, dim) array
        """
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
