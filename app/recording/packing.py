"""Arrays as one deflated block of bytes in base64, with a directory; plane positions in 16 bits (read by js/unpack.js)."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np

REACH = 8.0
"""Positions are kept up to so many half-widths from the window's centre; farther ones stand at that edge."""
FINEST = 32_767
"""Codes on either side of 0: one is 1/4,096 of a half-width, a twelfth of a pixel on Live's canvas."""
NO_NUMBER = -32_768
"""Code of a position that is no number."""

TYPES = {"i2": np.int16, "i4": np.int32, "f4": np.float32, "u1": np.uint8}
"""Names of the element types, little endian."""


def quantised(points: np.ndarray, center: np.ndarray, half_width: np.ndarray) -> np.ndarray:
    """Return points as 16-bit codes in the frame of a window.

    Parameters
    ----------
    points : (..., 2) array
    center : (..., 2) array
        Of the windows; broadcasts against `points`.
    half_width : (...) array
        Of the windows, without the last axis.

    Returns
    -------
    (..., 2) int16 array
        `NO_NUMBER` where a coordinate is not finite.
    """
    scale = FINEST / (REACH * np.asarray(half_width, np.float64)[..., None])
    codes = (np.asarray(points, np.float64) - np.asarray(center, np.float64)) * scale
    known = np.isfinite(codes)
    return np.where(known, np.clip(np.rint(np.where(known, codes, 0.0)), -FINEST, FINEST), NO_NUMBER).astype(np.int16)


def restored(codes: np.ndarray, center: np.ndarray, half_width: np.ndarray) -> np.ndarray:
    """Return the points of `quantised` codes, float64, NaN where there was no number."""
    scale = REACH * np.asarray(half_width, np.float64)[..., None] / FINEST
    return np.where(codes == NO_NUMBER, np.nan, np.asarray(center, np.float64) + codes * scale)


def differences(codes: np.ndarray) -> np.ndarray:
    """Return int16 codes as steps along the first axis, modulo 2^16: a chain that moves little packs well."""
    return np.diff(codes, axis=0, prepend=np.zeros_like(codes[:1]))


def _bytes(kind: str, values: np.ndarray) -> bytes:
    """Low bytes together, then the next: neighbours are alike."""
    raw = np.ascontiguousarray(values, np.dtype(TYPES[kind]).newbyteorder("<"))
    return raw.view(np.uint8).reshape(-1, raw.itemsize).T.tobytes() if raw.size else b""


def as_json(value: Any) -> str:
    """Return a value as JSON, NumPy's numbers too; ValueError for one that is not finite."""
    def plain(number: np.generic) -> Any:
        return number.item()

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=plain)


class Blocks:
    """Named arrays on their way into a file."""

    def __init__(self) -> None:
        self.directory: list[list] = []  #: [name, type, number of values] of each
        self._parts: list[bytes] = []

    def add(self, name: str, kind: str, values: np.ndarray) -> None:
        """Add an array under a name of its own; `kind` is one of TYPES."""
        values = np.asarray(values)
        self.directory.append([name, kind, int(values.size)])
        self._parts.append(_bytes(kind, values.astype(TYPES[kind])))

    def add_words(self, name: str, value: Any) -> None:
        """Add a value of lists, dictionaries, numbers and words, as JSON."""
        self.add(name, "u1", np.frombuffer(as_json(value).encode("utf-8"), np.uint8))

    def text(self) -> str:
        """Return all arrays deflated, in base64."""
        return base64.b64encode(zlib.compress(b"".join(self._parts), 9)).decode("ascii")


def unpack(directory: list[list], text: str) -> dict[str, np.ndarray]:
    """Return the arrays of `Blocks.text`, flat: what the browser does, for tests and for reading a file again."""
    data, at, found = zlib.decompress(base64.b64decode(text)), 0, {}
    for name, kind, count in directory:
        size = np.dtype(TYPES[kind]).itemsize
        planes = np.frombuffer(data, np.uint8, count * size, at).reshape(size, count)
        found[name] = np.ascontiguousarray(planes.T).reshape(-1).view(np.dtype(TYPES[kind]).newbyteorder("<"))
        at += count * size
    return found
