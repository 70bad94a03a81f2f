"""Chain diagnostics of a growing posterior, from the last samples of every chain."""

import numpy as np

from sampler.arguments import real_number, whole_number
from sampler.metrics.diagnostics import Diagnostics, chain_diagnostics

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
    """

    def __init__(self, size: int = 200, offset: float = 0.0) -> None:
        self.size = whole_number("size", size, 4, 10**7)
        self.offset = real_number("offset", offset, "use settings.offset", least=0.0)
        self.draws, self.epochs = np.empty((0, 0, 0)), np.empty(0, np.int64)

    def add(self, t: int, samples: np.ndarray) -> None:
        """Keep the samples (K, d) of epoch t; the oldest go."""
        samples = samples[:MOST_CHAINS]
        if self.draws.shape[1:] != samples.shape:
            self.draws, self.epochs = np.empty((0, *samples.shape)), np.empty(0, np.int64)
        self.draws = np.concatenate([self.draws[-self.size + 1:], samples[None]])
        self.epochs = np.append(self.epochs[-self.size + 1:], t)

    def diagnostics(self) -> Diagnostics | None:
        """Split R-hat, ESS and MCSE (in posterior units now) by coordinate; None with fewer than 8 samples a chain."""
        if len(self.draws) < 8:
            return None
        draws = self.draws
        if draws.shape[1] >= FEW:
            draws = draws - draws.mean(axis=1, keepdims=True)
        now = self.epochs[-1] + self.offset
        draws = draws * np.sqrt((self.epochs + self.offset) / now)[:, None, None]
        if draws.shape[1] >= FEW:
            older, newer = draws[:len(draws) // 2], draws[len(draws) // 2:]
            sd = older.std(axis=(0, 1))
            older *= np.divide(newer.std(axis=(0, 1)), sd, out=np.ones_like(sd), where=sd > 0)
        return chain_diagnostics(np.swapaxes(draws, 0, 1))

    def common_drift(self) -> float | None:
        """How far all chains moved together in the window, in standard deviations; the largest coordinate.

        The means of the window's halves are compared. A right posterior mean moves too, but it is a martingale: between
        epochs s and t its variance is v_s - v_t, what the posterior's variance v = sigma^2/(t + c) loses. Sigma comes
        from the chains' spread about their mean; to it the noise of K chains is added as if a chain's draws of a half
        were all alike. None with fewer than 4 chains or 8 samples a chain.

        Returns
        -------
        float >= 0; of d exact coordinates below sqrt(2 log 2d) + 2 nearly always: 5.3 at d = 100.
        """
        if len(self.draws) < 8 or self.draws.shape[1] < FEW:
            return None
        n, chains = self.draws.shape[:2]
        known, half = self.epochs + self.offset, n // 2
        weight = np.where(np.arange(n) < half, -1.0 / half, 1.0 / (n - half))
        # Cov(m_s, m_t) = constant - v at the earlier of the two, and the weights sum to 0.
        moved = -float(weight @ (1.0 / known)[np.minimum.outer(np.arange(n), np.arange(n))] @ weight)
        noise = float((1.0 / known[:half]).mean() + (1.0 / known[half:]).mean()) / chains
        centre = self.draws.mean(axis=1)
        spread = (self.draws.var(axis=1, ddof=1) * known[:, None]).mean(axis=0)  # sigma^2, (d,)
        apart = np.abs(weight @ centre)
        scale = np.sqrt(spread * (moved + noise))
        return float(np.divide(apart, scale, out=np.where(apart > 0, np.inf, 0.0), where=scale > 0).max())
