"""Batches of exactly as many rows as asked for, from batches of any size."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from sampler.arguments import shown


class Rebatch:
    """Hands out rows of a stream of ``(features, labels)`` in pieces of any length, in order."""

    def __init__(self, batches: Iterable[Any]) -> None:
        if not isinstance(batches, Iterable) or isinstance(batches, str | bytes) or isinstance(batches, np.ndarray):
            raise ValueError(f"batches must give pairs (features, labels), got {shown(batches)}; a DataStream does")
        self._batches = iter(batches)
        self._features: np.ndarray | None = None
        self._labels: np.ndarray | None = None

    @property
    def rest(self) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Rows that the source has given and nobody has taken; None before the first."""
        return self._features, self._labels

    def put_back(self, features: np.ndarray, labels: np.ndarray | None) -> None:
        """Give rows back: they are the next ones to be taken."""
        if self._features is not None and len(self._features):
            features = np.concatenate([features, self._features])
            labels = None if labels is None else np.concatenate([labels, self._labels])
        self._features, self._labels = features, labels

    def take(self, n: int) -> tuple[np.ndarray, np.ndarray | None] | None:
        """The next ``n`` rows, fewer at the end of the stream, None after it."""
        while self._features is None or len(self._features) < n:
            batch = next(self._batches, None)
            if batch is None:
                break
            if not isinstance(batch, tuple | list) or len(batch) != 2:
                raise ValueError(f"batches must give pairs (features, labels), got {shown(batch)}; a DataStream does")
            features, labels = batch
            if self._features is not None and len(self._features):
                features = np.concatenate([self._features, features])
                labels = None if labels is None else np.concatenate([self._labels, labels])
            self._features, self._labels = features, labels
        if self._features is None or not len(self._features):
            return None
        taken = self._features[:n], None if self._labels is None else self._labels[:n]
        self._features = self._features[n:]
        self._labels = None if self._labels is None else self._labels[n:]
        return taken
