"""Batches of exactly as many rows as asked for, from batches of any size."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from sampler.arguments import shown


class Rebatch:
    """Rows of a stream of ``(features, labels)`` in pieces of any length, in order.

    Attributes
    ----------
    held : int
        Rows read from the source and not yet taken.
    """

    def __init__(self, batches: Iterable[Any]) -> None:
        if not isinstance(batches, Iterable) or isinstance(batches, str | bytes) or isinstance(batches, np.ndarray):
            raise ValueError(f"batches must give pairs (features, labels), got {shown(batches)}; a DataStream does")
        self._batches = iter(batches)
        self._parts: list[Any] = []  # pairs, not yet joined
        self.held = 0

    @property
    def rest(self) -> Any:
        """Features and labels that are held; (None, None) before the first."""
        if len(self._parts) > 1:
            features, labels = zip(*self._parts, strict=True)
            self._parts = [(np.concatenate(features), None if labels[0] is None else np.concatenate(labels))]
        return self._parts[0] if self._parts else (None, None)

    def put_back(self, features: np.ndarray, labels: np.ndarray | None) -> None:
        """Put rows back in front: they are taken next."""
        self._parts.insert(0, (features, labels))
        self.held += len(features)

    def add(self, batch: Any) -> None:
        """Append the rows of one more batch."""
        refuse_no_pair(batch)
        self._parts.append(batch)
        self.held += len(batch[0])

    def take(self, n: int) -> tuple[np.ndarray, np.ndarray | None] | None:
        """The next ``n`` rows, fewer at the end of the stream, None after it."""
        while self.held < n:
            batch = next(self._batches, None)
            if batch is None:
                break
            self.add(batch)
        return self.cut(n)

    def cut(self, n: int) -> tuple[np.ndarray, np.ndarray | None] | None:
        """The first ``n`` of the rows that are held, fewer if there are not as many; None if there is none."""
        if not self.held:
            return None
        features, labels = self.rest
        self._parts = [(features[n:], None if labels is None else labels[n:])]
        self.held -= len(features[:n])
        return features[:n], None if labels is None else labels[:n]


def refuse_no_pair(batch: Any) -> None:
    """A ValueError for what is no ``(features, labels)``."""
    if not isinstance(batch, tuple | list) or len(batch) != 2:
        raise ValueError(f"batches must give pairs (features, labels), got {shown(batch)}; a DataStream does")
