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

    @property
    def held(self) -> int:
        """Number of rows that nobody has taken."""
        return 0 if self._features is None else len(self._features)

    def put_back(self, features: np.ndarray, labels: np.ndarray | None) -> None:
        """Give rows back: they are the next ones to be taken."""
        if self._features is not None and len(self._features):
            features = np.concatenate([features, self._features])
            labels = None if labels is None else np.concatenate([labels, self._labels])
        self._features, self._labels = features, labels

    def add(self, batches: list[Any]) -> None:
        """Hold the rows of more batches, after those that are held."""
        for batch in batches:
            refuse_no_pair(batch)
        if self.held:
            batches = [self.rest, *batches]
        if batches:
            features, labels = zip(*batches, strict=True)
            joined = batches[0] if len(batches) == 1 else (
                np.concatenate(features), None if labels[0] is None else np.concatenate(labels))
            self._features, self._labels = joined

    def take(self, n: int) -> tuple[np.ndarray, np.ndarray | None] | None:
        """The next ``n`` rows, fewer at the end of the stream, None after it."""
        while self.held < n:
            batch = next(self._batches, None)
            if batch is None:
                break
            self.add([batch])
        return self.cut(n)

    def cut(self, n: int) -> tuple[np.ndarray, np.ndarray | None] | None:
        """The first ``n`` of the rows that are held, fewer if there are not as many; None if there is none."""
        if self._features is None or not len(self._features):
            return None
        taken = self._features[:n], None if self._labels is None else self._labels[:n]
        self._features = self._features[n:]
        self._labels = None if self._labels is None else self._labels[n:]
        return taken


def refuse_no_pair(batch: Any) -> None:
    """A ValueError for what is no ``(features, labels)``."""
    if not isinstance(batch, tuple | list) or len(batch) != 2:
        raise ValueError(f"batches must give pairs (features, labels), got {shown(batch)}; a DataStream does")
