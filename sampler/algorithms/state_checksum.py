"""A checksum at the end of a saved state: one torn by a power loss, or changed on the disk, is known by it.

It is the comment that may end a ZIP archive, so releases that know nothing of it read the file all the same.
"""

import hashlib
import os
import struct
from typing import IO, Any

import numpy as np

MARK = b"blake2b:"
DIGEST = 16
"""Bytes of the checksum."""
LENGTH = len(MARK) + 2 * DIGEST
"""Bytes of the comment."""


def save_arrays(file: IO[bytes], arrays: dict[str, Any]) -> None:
    """Write arrays as ``np.savez`` does to a file that is open for writing and reading, and its checksum after them."""
    np.savez(file, **arrays)
    file.seek(-2, os.SEEK_END)  # where an archive says how long its comment is: 0 until now
    file.write(struct.pack("<H", LENGTH))
    file.seek(0)
    digest = _digest(file, None)
    file.seek(0, os.SEEK_END)
    file.write(MARK + digest)


def damage_of(path: str | os.PathLike[str]) -> str:
    """Return what is wrong with a saved state, in words; empty where nothing is, or an older release wrote no checksum."""
    size = os.path.getsize(path)
    if size == 0:
        return "it is empty"
    with open(path, "rb") as file:
        file.seek(max(size - LENGTH, 0))
        comment = file.read()
        if not comment.startswith(MARK):
            return ""
        file.seek(0)
        if _digest(file, size - LENGTH) != comment[len(MARK):]:
            return "its checksum is not that of what it holds: it was cut off, or changed on the disk"
    return ""


def _digest(file: IO[bytes], size: int | None) -> bytes:
    """Checksum of the next ``size`` bytes, or of all."""
    sum_ = hashlib.blake2b(digest_size=DIGEST)
    left = size
    while left is None or left > 0:
        piece = file.read(1 << 20 if left is None else min(left, 1 << 20))
        if not piece:
            break
        sum_.update(piece)
        left = None if left is None else left - len(piece)
    return sum_.hexdigest().encode()
