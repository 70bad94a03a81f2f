"""Fingerprint of a stream: a number of every value, in order, however the rows were batched."""

import numpy as np

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def _mix(z: np.ndarray) -> np.ndarray:
    """Scramble 64 bits (the finaliser of SplitMix64, Steele, Lea, Flood 2014)."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


class Fingerprint:
    """Order-dependent 64-bit checksum of rows, 0 for none: guards against mistakes, not against malice.

    Attributes
    ----------
    rows : int
        Rows taken in.
    value : int
    """

    def __init__(self, rows: int = 0, value: int = 0) -> None:
        self.rows, self.value = int(rows), int(value)

    def add(self, values: np.ndarray) -> None:
        """Take in rows (n, m) of float64; -0.0 and 0.0 count as the same."""
        values = np.ascontiguousarray(values, float) + 0.0
        n, m = values.shape
        if n == 0:
            return
        bits = values.view(np.uint64)
        columns = _mix(np.arange(1, m + 1, dtype=np.uint64) * _GOLDEN) | np.uint64(1)
        numbers = (np.arange(self.rows + 1, self.rows + n + 1, dtype=np.uint64)) * _GOLDEN
        with np.errstate(over="ignore"):
            each = _mix(_mix(bits ^ (bits >> np.uint64(32))) * columns).sum(axis=1, dtype=np.uint64)
            total = _mix(_mix(each) + numbers).sum(dtype=np.uint64)
        self.rows += n
        self.value = (self.value + int(total)) % 2**64

    def __str__(self) -> str:
        return f"{self.value:016x}"
