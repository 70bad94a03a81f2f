"""Diagnostics of a production run: `SampleWindow` compares chains with each other, `ModeLag` with the mode."""

from typing import Any

import numpy as np
from scipy.special import gammainccinv, gammaincinv, ndtri

from sampler.algorithms.laplace import find_mode
from sampler.metrics.diagnostics import Diagnostics, chain_diagnostics
from sampler.problems.base import Posterior

MIN_CHAINS = 4  # number of chains below which their mean is not subtracted
MOST_CHAINS = 32


class SampleWindow:
    """Window of the last ``size`` samples X^t of every chain.

    The posterior moves and contracts with the data, so draws of different epochs are compared relative to the mean of
    the chains at their epoch and in units of 1/sqrt(t + c), and the older half of the window is rescaled to the width of
    the newer one, since rows differ in information. With fewer than 4 chains the mean is not subtracted, and a moving
    posterior alone raises R-hat. R-hat does not detect common motion of all chains; `common_drift` does.

    Parameters
    ----------
    size : int >= 4
    offset : float
        c of the settings.
    most : int, optional
        Maximum number of rows retained; None for all.
    """

    def __init__(self, size: int = 200, offset: float = 0.0, most: int | None = None) -> None:
        self.size, self.offset, self.most = size, offset, most
        self.begin(0)

    def begin(self, forgotten: int) -> None:
        """Clear the window; in later samples the first ``forgotten`` rows do not count."""
        self.forgotten = forgotten
        self.draws, self.epochs = np.empty((0, 0, 0)), np.empty(0, np.int64)

    def add(self, t: int, samples: np.ndarray) -> None:
        """Append the samples (K, d) of epoch t and drop the oldest."""
        samples = samples[:MOST_CHAINS]
        if self.draws.shape[1:] != samples.shape:
            self.draws, self.epochs = np.empty((0, *samples.shape)), np.empty(0, np.int64)
        self.draws = np.concatenate([self.draws[-self.size + 1:], samples[None]])
        self.epochs = np.append(self.epochs[-self.size + 1:], t)

    @property
    def ages(self) -> np.ndarray:
        """Number of rows in the posterior at each epoch of the window, (n,)."""
        return np.minimum(self.epochs - self.forgotten, np.inf if self.most is None else self.most)

    def diagnostics(self) -> Diagnostics | None:
        """Return split R-hat, ESS and MCSE (current posterior units) by coordinate; None below 8 samples per chain."""
        if len(self.draws) < 8:
            return None
        draws = self.draws
        if draws.shape[1] >= MIN_CHAINS:
            draws = draws - draws.mean(axis=1, keepdims=True)
        ages = self.ages + self.offset
        draws = draws * np.sqrt(ages / ages[-1])[:, None, None]
        if draws.shape[1] >= MIN_CHAINS:
            older, newer = draws[:len(draws) // 2], draws[len(draws) // 2:]
            sd = older.std(axis=(0, 1))
            older *= np.divide(newer.std(axis=(0, 1)), sd, out=np.ones_like(sd), where=sd > 0)
        return chain_diagnostics(np.swapaxes(draws, 0, 1))

    def common_drift(self) -> float | None:
        """Return the common displacement of all chains in the window, in standard deviations; maximum over coordinates.

        The means of the two halves of the window are compared. The exact posterior mean also moves, but is a martingale:
        between epochs s and t its variance is v_s - v_t, the decrease of the posterior variance v = sigma^2/(t + c), and
        larger if rows are forgotten: the covariance is sigma^2 times the number of common rows over the product of the
        numbers of rows. Sigma is estimated from the spread of the chains about their mean; the noise of K chains is added
        as if the draws of a chain in one half were equal. None with fewer than 4 chains or 8 samples per chain.

        Returns
        -------
        float >= 0; for d exact coordinates almost always below sqrt(2 log 2d) + 2, 5.3 at d = 100.
        """
        if len(self.draws) < 8 or self.draws.shape[1] < MIN_CHAINS:
            return None
        n, chains = self.draws.shape[:2]
        ages, half = self.ages + self.offset, n // 2
        weight = np.where(np.arange(n) < half, -1.0 / half, 1.0 / (n - half))
        # With a_t rows at epoch t, Var(m_s - m_t) = 1/a_s + 1/a_t - 2 |both|/(a_s a_t), and the weights sum to 0.
        first = self.epochs - self.ages
        both = np.maximum(np.minimum.outer(self.epochs, self.epochs) - np.maximum.outer(first, first), 0.0) + self.offset
        moved = float(weight @ (both / np.outer(ages, ages)) @ weight)
        noise = float((1.0 / ages[:half]).mean() + (1.0 / ages[half:]).mean()) / chains
        centre = self.draws.mean(axis=1)
        spread = (self.draws.var(axis=1, ddof=1) * ages[:, None]).mean(axis=0)  # sigma^2, (d,)
        apart = np.abs(weight @ centre)
        scale = np.sqrt(spread * (moved + noise))
        return float(np.divide(apart, scale, out=np.where(apart > 0, np.inf, 0.0), where=scale > 0).max())


GROWTH = 1.02  # growth factor of the data between two solutions of the mode
CHANCE = 1e-3  # probability per look that exact chains exceed the allowance for chance; limits add a margin
SEED = 20_240_601  # seed of draws from the normal approximation, independent of the run's random numbers


def next_look(t: int, forgotten: int = 0) -> int:
    """Return the first epoch after ``t`` at which forecasters are renewed and the mode is solved again.

    There is a look at every epoch up to 32, then 16 looks between t and 2 t: rows are predicted from samples at most 6 %
    older, for any number of epochs per summary, and all solutions together cost about a hundred passes over the rows. If
    the first ``forgotten`` rows were forgotten, looks are as frequent as at t - forgotten.
    """
    step = 1 << max(int(t - forgotten).bit_length() - 5, 0)
    return (t // step + 1) * step


class ModeLag:
    """Mean and width of the chains relative to the normal approximation of F_t at its mode, tracked over the stream.

    R-hat only compares chains with each other and does not detect a common lag.

    Attributes
    ----------
    value : float or None
        Maximum over coordinates of the distance of the chains' mean from the mode, in posterior standard deviations,
        minus the sqrt(2 log(2d)/K) that K exact chains reach by chance; None without a mode: before the first
        look, for a flat prior without enough data, and for a GradientOracle.
    widest, narrowest : float or None
        Extreme ratios of the chains' standard deviation to that of the approximation, by coordinate; None for one chain.
    sure : dict of str to float
        The same by gate name, with an allowance for the chance of K chains and d coordinates that exact draws
        exceed once in a thousand looks.
    """

    def __init__(self) -> None:
        self.value: float | None = None
        self.widest: float | None = None
        self.narrowest: float | None = None
        self.sure: dict[str, float] = {}
        self._mode, self._t = np.empty(0), 0
        self._spread: np.ndarray | None = None  # (d, d), its square the covariance at the mode

    def look(self, posterior: Posterior, positions: np.ndarray) -> None:
        """Solve for the mode again if the data have grown by 2 %, and compare chains (K, d) with it."""
        if posterior.problem.kind == "oracle" or posterior.t < GROWTH * self._t:
            return
        self._t, self._spread = posterior.t, None
        try:
            mode = find_mode(posterior, self._mode if self._mode.size else None)
            spread = np.linalg.inv(np.linalg.cholesky(posterior.hessian(mode)))
        except (ValueError, np.linalg.LinAlgError):
            return
        self._mode, self._spread = mode, spread
        chains, dim = positions.shape
        sd = np.sqrt((spread**2).sum(axis=0))
        away = float((np.abs(positions.mean(axis=0) - mode) / sd).max())  # NaN stays NaN
        self.value = float(np.maximum(away - np.sqrt(2.0 * np.log(2.0 * dim) / chains), 0.0))
        self.sure = {"max_lag": away + float(ndtri(0.5 * CHANCE / dim) / np.sqrt(chains))}
        if chains > 1:
            ratio, free = positions.std(axis=0, ddof=1) / sd, 0.5 * (chains - 1)
            self.widest, self.narrowest = float(ratio.max()), float(ratio.min())
            self.sure |= {"max_width": self.widest / float(np.sqrt(gammainccinv(free, CHANCE / dim) / free)),
                          "min_width": self.narrowest / float(np.sqrt(gammaincinv(free, CHANCE / dim) / free))}

    def move(self) -> None:
        """Request a new solution of the mode at the next look, after rows were forgotten."""
        self._t = 0

    def law(self, draws: int) -> np.ndarray | None:
        """Return draws (K, d) from the approximation at the last look, identical for every call; None without one."""
        if self._spread is None:
            return None
        normal = np.random.default_rng([SEED, self._t]).standard_normal((draws, len(self._mode)))
        return self._mode + normal @ self._spread

    def state(self) -> tuple[dict[str, Any], np.ndarray]:
        """Return plain values and the mode, from which ``restore`` continues bit for bit."""
        return {"value": self.value, "t": self._t, "widest": self.widest, "narrowest": self.narrowest,
                "sure": self.sure}, self._mode

    def restore(self, plain: dict[str, Any], mode: np.ndarray) -> None:
        """Restore the values returned by ``state``."""
        self.value, self._t, self._mode = plain["value"], plain["t"], mode
        self.widest, self.narrowest = plain.get("widest"), plain.get("narrowest")  # absent up to release 0.6
        self.sure = dict(plain.get("sure", {}))
