"""`Pool`: the chains' samples of the last 16 epochs, each standardized by its epoch's target."""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from typing import Any

import numpy as np

from sampler.metrics import exact_ceiling, successive_correlation, uniform_accuracy

EPOCHS = 16


class Pool:
    """Uniforms and standardized positions of up to 16 epochs, pooled into one large sample."""

    def __init__(self) -> None:
        self._epochs: deque[tuple[Any, ...]] = deque(maxlen=EPOCHS)  # (uniforms, scores, *reference) per epoch
        self._pairs: deque[tuple[np.ndarray, np.ndarray]] = deque(maxlen=EPOCHS)
        self._last: tuple[int, np.ndarray, np.ndarray] | None = None

    def add(self, t: int, uniforms: np.ndarray, scores: np.ndarray, sound: np.ndarray,
            reference: tuple[int | None, int | None] = (None, None)) -> None:
        """Add epoch t: uniforms (K, d), standardized positions (K, d), and a mask of the chains to include (K,).

        `reference` identifies the reference: the epoch at which it was sampled, and the effective draws of its
        histograms; both None if the target is exact.
        """
        self._epochs.append((uniforms[sound], scores[sound], *reference))
        if self._last is not None and self._last[0] == t - 1:
            both = sound & self._last[2]
            self._pairs.append((self._last[1][both], scores[both]))
        self._last = (t, scores, sound)

    def copy(self) -> Pool:
        """Return a copy that shares the immutable arrays."""
        other = Pool()
        other._epochs, other._pairs, other._last = self._epochs.copy(), self._pairs.copy(), self._last
        return other

    @property
    def size(self) -> int:
        """Number of pooled draws."""
        return sum(len(uniforms) for uniforms, *_ in self._epochs)

    def accuracy(self) -> float | None:
        """Return the marginal accuracy of the pool; None if it is empty."""
        return uniform_accuracy(np.concatenate([uniforms for uniforms, *_ in self._epochs])) if self.size else None

    @property
    def reference_draws(self) -> int | None:
        """Number of draws of a single reference with histograms as noisy as those of the pool's references together.

        A fraction w_i of the pool uses reference i, of m_i draws. Their noises are independent, so the pool's noise has
        variance sum_i w_i^2/m_i instead of 1/m: noise averages out over the references of a pool.
        """
        weights: dict[tuple[int | None, int], int] = {}
        for uniforms, _, epoch, draws in self._epochs:
            if draws is not None:
                weights[epoch, draws] = weights.get((epoch, draws), 0) + len(uniforms)
        variance = sum((weight / self.size) ** 2 / draws for (_, draws), weight in weights.items()) if self.size else 0.0
        return round(1.0 / variance) if variance else None

    def ceiling(self) -> tuple[float, float]:
        """Return mean and standard deviation of the accuracy of as many independent exact draws."""
        return _ceiling(self.size, self._epochs[-1][0].shape[1], self.reference_draws)

    def shape(self) -> tuple[float, float, float]:
        """Return width bias (largest standard deviation minus 1), lag (largest absolute mean) and narrowness (1 minus the
        smallest standard deviation), in target standard deviations.
        """
        scores = np.concatenate([scores for _, scores, *_ in self._epochs])
        if len(scores) < 2:
            return 0.0, 0.0, 0.0
        widths = scores.std(axis=0)
        return float(widths.max() - 1.0), float(np.abs(scores.mean(axis=0)).max()), float(1.0 - widths.min())

    @property
    def pairs(self) -> int:
        """Number of pairs of successive samples."""
        return sum(len(first) for first, _ in self._pairs)

    def memory(self) -> float | None:
        """Return the largest correlation of successive samples over coordinates; None with fewer than three pairs."""
        if self.pairs < 3:
            return None
        previous, current = (np.concatenate([pair[i] for pair in self._pairs]) for i in (0, 1))
        highest = successive_correlation(previous, current).highest
        return highest if np.isfinite(highest) else None


@lru_cache(maxsize=512)
def _ceiling(n: int, dim: int, reference_draws: int | None) -> tuple[float, float]:
    ceiling = exact_ceiling(n, dim, reference_draws)
    return ceiling.mean, ceiling.sd
