"""Chain diagnostics of a growing posterior, from the last samples of every chain."""

import numpy as np

from sampler.metrics.diagnostics import Diagnostics, chain_diagnostics

FEW = 4  # chains below which their own mean cannot be taken off
MOST_CHAINS = 32


class SampleWindow:
    """The last ``size`` samples X^t of every chain.

    The posterior moves and narrows as data come, so draws of different epochs are compared about the mean of
    the chains at their epoch and in units of 1/sqrt(t + c). With fewer than 4 chains the mean stays in, and a
    moving posterior raises R-hat by itself.

    Parameters
    ----------
    size : int >= 4
    offset : float
        c of the settings.
    """

    def __init__(self, size: int = 200, offset: float = 0.0) -> None:
        self.size, self.offset = int(size), float(offset)
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
        return chain_diagnostics(np.swapaxes(draws, 0, 1))
