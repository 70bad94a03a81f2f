"""Coreset MCMC in plain Python for any likelihood: the general path, and the compiled loops' yardstick."""

from collections.abc import Callable
from functools import partial
from typing import ClassVar

import numpy as np

from sampler.coreset.iteration_record import Record
from sampler.coreset.loops.loop import Loop, Setup

SHRINKAGES = 200


def eq4(terms: np.ndarray, subsample_terms: np.ndarray, weights: np.ndarray, n: int) -> np.ndarray:
    """Coreset MCMC's gradient estimate (Eq. 4), as written, (M,).

    terms : (K, M) log-likelihoods of the coreset points.   subsample_terms : (K, S).   n : number of data.
    """
    centred = terms - terms.mean(axis=0)
    drawn = subsample_terms - subsample_terms.mean(axis=0)
    rest = centred @ weights - n / drawn.shape[1] * drawn.sum(axis=1)
    return centred.T @ rest / (len(terms) - 1)


def slice_on_line(height: Callable[[float], float], width: float, doublings: int,
                  rng: np.random.Generator) -> tuple[float, int]:
    """One slice update of a log density on a line, from 0 (Neal, 2003, Figures 4 to 6); where to, evaluations."""
    calls = 0

    def at(x: float) -> float:
        nonlocal calls
        calls += 1
        return height(x)

    here = at(0.0)
    if not np.isfinite(here):
        return np.nan, calls
    level = here - rng.exponential()
    left = -width * rng.random()
    right = left + width
    ends = [at(left), at(right)]
    for _ in range(doublings):
        if not max(ends) > level:
            break
        if rng.random() < 0.5:
            left -= right - left
            ends[0] = at(left)
        else:
            right += right - left
            ends[1] = at(right)

    def acceptable(x: float) -> bool:
        low, high, differs = left, right, False
        while high - low > 1.1 * width:
            middle = 0.5 * (low + high)
            differs = differs or (middle > 0) != (middle > x)
            low, high = (low, middle) if x < middle else (middle, high)
            if differs and not at(low) > level and not at(high) > level:
                return False
        return True

    low, high = left, right
    for _ in range(SHRINKAGES):
        x = low + rng.random() * (high - low)
        if at(x) > level and acceptable(x):
            return x, calls
        low, high = (x, high) if x < 0 else (low, x)
    return 0.0, calls


class PlainLoop(Loop):
    """Calls the model's ``log_likelihood`` and ``log_prior``, nothing compiled but the optimizer's step."""

    stride: ClassVar[int] = 20

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.rng = np.random.default_rng(setup.seed)

    def log_coreset_posterior(self, theta: np.ndarray) -> tuple[float, float]:
        """Of the current weights, up to a constant, and its likelihood part."""
        likelihood = float(self.state.weights @ self.model.log_likelihood(theta, self.setup.chosen))
        return likelihood + float(self.model.log_prior(theta)), likelihood

    def height(self, theta: np.ndarray, direction: np.ndarray, x: float) -> float:
        """Log coreset posterior at theta + x direction."""
        return self.log_coreset_posterior(theta + x * direction)[0]

    def estimate(self) -> np.ndarray:
        """A fresh gradient estimate, (M,)."""
        drawn = self.rng.choice(self.model.n, self.setup.subsample, replace=False)
        theta = self.positions
        return eq4(np.array([self.model.log_likelihood(x, self.setup.chosen) for x in theta]),
                   np.array([self.model.log_likelihood(x, drawn) for x in theta]),
                   self.state.weights, self.model.n)

    def move(self, k: int) -> float:
        """One slice sampling step of chain ``k``; its log-likelihood sum afterwards, nan on failure."""
        kernel, dim = self.setup.kernel, self.model.dim
        theta = self.theta[k, :dim]
        for _ in range(kernel.directions):
            direction = self.rng.standard_normal(dim)
            direction /= np.linalg.norm(direction)
            x, calls = slice_on_line(partial(self.height, theta, direction),
                                     kernel.width, kernel.doublings, self.rng)
            self.calls += calls
            if np.isnan(x):
                return np.nan
            theta += x * direction
        return self.log_coreset_posterior(theta)[1]

    def advance(self, record: Record, t: int, n: int, train: bool) -> int:
        """See `Loop.advance`."""
        for done in range(n):
            gradient = self.estimate()
            record.norms[t + done] = np.linalg.norm(gradient)
            if not np.isfinite(gradient).all():
                return done
            if train:
                self.state.step(gradient)
            record.totals[t + done] = self.state.weights.sum()
            for k in range(len(self.theta)):
                record.potentials[t + done, k] = self.move(k)
                if not np.isfinite(record.potentials[t + done, k]):
                    return done
            units = (self.positions - self.centre) * self.scale
            record.sums[t + done + 1] = record.sums[t + done] + units.sum(axis=0)
            record.squares[t + done + 1] = record.squares[t + done] + (units**2).sum(axis=0)
        return n
