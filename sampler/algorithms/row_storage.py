"""Storage of a stream's rows: in memory, or in a file larger than memory."""

import mmap
import os
import tempfile
from typing import IO

import numpy as np

from sampler.kernels.lanes import aligned_zeros


class InMemory:
    """Plain arrays: growing means a longer array and a copy. Memory is used as rows arrive, not as room is made."""

    keeps = False

    def zeros(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """Room of this shape, float64, all zero."""
        return aligned_zeros(shape)


class InFile:
    """Arrays mapped from files without a name in ``folder``: growing copies nothing, and they vanish with the process.

    The system keeps the pages in use in memory and the others on disk, so that a stream may be larger than memory.
    """

    keeps = True

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        if not os.path.isdir(folder):
            raise ValueError(f"folder must exist, got {os.fspath(folder)!r}; make it on a disk with room for the rows")
        self.folder = os.fspath(folder)
        self._files: dict[str, IO[bytes]] = {}

    def zeros(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """Room of this shape, float64; what ``name`` held before stays in place, the rest is zero."""
        size = int(np.prod(shape)) * 8
        if size == 0:
            return np.zeros(shape)
        if name not in self._files:
            self._files[name] = tempfile.TemporaryFile(dir=self.folder, prefix=f".{name}.")  # noqa: SIM115
        file = self._files[name]
        try:  # a hole would kill the process when a row meets a full disk; asking first is an error with words
            os.posix_fallocate(file.fileno(), 0, size)
        except OSError as error:
            raise ValueError(f"folder: {self.folder!r} has no room for {size / 1e9:.2f} GB of rows "
                             f"({error.strerror}); choose a larger disk") from None
        # Rows are read at random: reading ahead would fill memory with rows nobody asked for.
        mapped = mmap.mmap(file.fileno(), size)
        if hasattr(mmap, "MADV_RANDOM"):
            mapped.madvise(mmap.MADV_RANDOM)
        return np.frombuffer(mapped, np.float64).reshape(shape)

    def __del__(self) -> None:
        for file in getattr(self, "_files", {}).values():  # mapped arrays outlive their file's handle
            file.close()
