"""Diagnostics of a run in production: chains against each other, and all of them against the mode."""

from typing import Any

import numpy as np
from scipy.special import gammainccinv, gammaincinv, ndtri

from sampler.algorithms.laplace import find_mode
from sampler.metrics.diagnostics import Diagnostics, chain_diagnostics
from sampler.problems.base import Posterior

FEW = 4  # chains below which their own mean cannot be taken off
MOST_CHAINS = 32


class SampleWindow:
    """The last ``size`` samples X^t of every chain.

    The posterior moves and narrows as data come, so draws of different epochs are compared about the mean of
    the chains at their epoch and in units of 1/sqrt(t + c), and those of the window's older half are made as wide as
    those of the newer one: not every row teaches alike. With fewer than 4 chains the mean stays in, and a moving posterior
    raises R-hat by itself. What all chains do together R-hat cannot see then; `common_drift` does.

    Parameters
    ----------
    size : int >= 4
    offset : float
        c of the settings.
    most : int, optional
        Rows that count at most, where older ones are forgotten; None is all.
    """

    def __init__(self, size: int = 200, offset: float = 0.0, most: int | None = None) -> None:
        self.size, self.offset, self.most = size, offset, most
        self.begin(0)

    def begin(self, forgotten: int) -> None:
        """Keep no sample; of those to come the first ``forgotten`` rows do not count."""
        self.forgotten = forgotten
        self.draws, self.epochs = np.empty((0, 0, 0)), np.empty(0, np.int64)

    def add(self, t: int, samples: np.ndarray) -> None:
        """Keep the samples (K, d) of epoch t; the oldest go."""
        samples = samples[:MOST_CHAINS]
        if self.draws.shape[1:] != samples.shape:
            self.draws, self.epochs = np.empty((0, *samples.shape)), np.empty(0, np.int64)
        self.draws = np.concatenate([self.draws[-self.size + 1:], samples[None]])
        self.epochs = np.append(self.epochs[-self.size + 1:], t)

    @property
    def ages(self) -> np.ndarray:
        """Rows that counted at each epoch kept, (n,)."""
        return np.minimum(self.epochs - self.forgotten, np.inf if self.most is None else self.most)

    def diagnostics(self) -> Diagnostics | None:
        """Split R-hat, ESS and MCSE (in posterior units now) by coordinate; None with fewer than 8 samples a chain."""
        if len(self.draws) < 8:
            return None
        draws = self.draws
        if draws.shape[1] >= FEW:
            draws = draws - draws.mean(axis=1, keepdims=True)
        ages = self.ages + self.offset
        draws = draws * np.sqrt(ages / ages[-1])[:, None, None]
        if draws.shape[1] >= FEW:
            older, newer = draws[:len(draws) // 2], draws[len(draws) // 2:]
            sd = older.std(axis=(0, 1))
            older *= np.divide(newer.std(axis=(0, 1)), sd, out=np.ones_like(sd), where=sd > 0)
        return chain_diagnostics(np.swapaxes(draws, 0, 1))

    def common_drift(self) -> float | None:
        """How far all chains moved together in the window, in standard deviations; the largest coordinate.

        The means of the window's halves are compared. A right posterior mean moves too, but it is a martingale: between
        epochs s and t its variance is v_s - v_t, what the posterior's variance v = sigma^2/(t + c) loses, and more where
        rows are forgotten: the covariance is sigma^2 times the rows both have over the product of their numbers. Sigma comes
        from the chains' spread about their mean; to it the noise of K chains is added as if a chain's draws of a half
        were all alike. None with fewer than 4 chains or 8 samples a chain.

        Returns
        -------
        float >= 0; of d exact coordinates below sqrt(2 log 2d) + 2 nearly always: 5.3 at d = 100.
        """
        if len(self.draws) < 8 or self.draws.shape[1] < FEW:
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


GROWTH = 1.02  # of the data between two solutions
CHANCE = 1e-3  # that exact chains look further off than is taken off, a look; limits leave room beyond
SEED = 20_240_601  # of draws from the normal approximation: no random number of the run


def next_look(t: int, forgotten: int = 0) -> int:
    """The first epoch after ``t`` at which forecasters are renewed and the mode is solved again.

    Every epoch up to 32, then 16 looks between any t and 2 t: rows are predicted from samples at most 6 % older than they
    are, whatever the epochs of a summary, and all solutions together cost some hundred passes over the rows. Where the first
    ``forgotten`` rows no longer count, they are as frequent as at t - forgotten.
    """
    step = 1 << max(int(t - forgotten).bit_length() - 5, 0)
    return (t // step + 1) * step


class ModeLag:
    """Centre and width of the chains against the normal approximation of F_t at its mode, followed as data come.

    R-hat compares chains with each other; chains that fall behind together agree.

    Attributes
    ----------
    value : float or None
        Largest over coordinates of the distance of the chains' centre from the mode, in posterior standard deviations,
        beyond the sqrt(2 log(2d)/K) that K exact chains reach by chance; None where no mode is known: before the first
        look, for a flat prior without enough data, and for a gradient alone.
    widest, narrowest : float or None
        Of the coordinates: standard deviation of the chains over that of the approximation; None for one chain.
    sure : dict of str to float
        By the names of the gates: the same with the chance of K chains and d coordinates taken off, which exact draws of
        the approximation would pass once in a thousand looks.
    """

    def __init__(self) -> None:
        self.value: float | None = None
        self.widest: float | None = None
        self.narrowest: float | None = None
        self.sure: dict[str, float] = {}
        self._mode, self._t = np.empty(0), 0
        self._spread: np.ndarray | None = None  # (d, d), its square the covariance at the mode

    def look(self, posterior: Posterior, positions: np.ndarray) -> None:
        """Solve the mode again if the data have grown by 2 %, and measure chains (K, d)."""
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
        """The rows are others, as many as they may be: solve the mode at the next look."""
        self._t = 0

    def law(self, draws: int) -> np.ndarray | None:
        """Draws (K, d) of the approximation at the last look, the same whenever they are asked for; None without one."""
        if self._spread is None:
            return None
        normal = np.random.default_rng([SEED, self._t]).standard_normal((draws, len(self._mode)))
        return self._mode + normal @ self._spread

    def state(self) -> tuple[dict[str, Any], np.ndarray]:
        """Plain values and the mode, from which ``restore`` goes on bit for bit."""
        return {"value": self.value, "t": self._t, "widest": self.widest, "narrowest": self.narrowest,
                "sure": self.sure}, self._mode

    def restore(self, plain: dict[str, Any], mode: np.ndarray) -> None:
        """Put back what ``state`` gave."""
        self.value, self._t, self._mode = plain["value"], plain["t"], mode
        self.widest, self.narrowest = plain.get("widest"), plain.get("narrowest")  # releases up to 0.6 had none
        self.sure = dict(plain.get("sure", {}))
