"""Append-only storage of the rows of a stream, in memory or in a file, grown by doubling."""

import mmap
import os
import tempfile
from typing import IO, Any

import numpy as np

from sampler.arguments import whole_number
from sampler.kernels.refresh_calendar import MOST_DATA
from sampler.kernels.simd_lanes import aligned_zeros, padded
from sampler.problems.base import Problem
from sampler.problems.gaussian_mean import GaussianMean, GaussianPosterior
from sampler.problems.glm import GeneralizedLinearModel, GlmPosterior
from sampler.problems.gradient_oracle import GradientOracle


class InFile:
    """Arrays mapped from anonymous files in ``folder``: growth copies no data, and the files are removed with the process.

    The operating system keeps only the pages in use in memory, so a stream may be larger than memory.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        if not os.path.isdir(folder):
            raise ValueError(f"folder must exist, got {os.fspath(folder)!r}; make it on a disk with room for the rows")
        self.folder = os.fspath(folder)
        self._files: dict[str, IO[bytes]] = {}

    def zeros(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """Return the array ``name`` with this shape, float64; its previous values stay in place, the rest is zero."""
        size = int(np.prod(shape)) * 8
        if size == 0:
            return np.zeros(shape)
        if name not in self._files:
            self._files[name] = tempfile.TemporaryFile(dir=self.folder, prefix=f".{name}.")  # noqa: SIM115
        file = self._files[name]
        try:  # allocate now: writing to a hole on a full disk would kill the process instead of raising an error
            os.posix_fallocate(file.fileno(), 0, size)
        except OSError as error:
            raise ValueError(f"folder: {self.folder!r} has no room for {size / 1e9:.2f} GB of rows "
                             f"({error.strerror}); choose a larger disk") from None
        # Rows are read at random: reading ahead would fill memory with unused rows.
        mapped = mmap.mmap(file.fileno(), size)
        if hasattr(mmap, "MADV_RANDOM"):
            mapped.madvise(mmap.MADV_RANDOM)
        return np.frombuffer(mapped, np.float64).reshape(shape)

    def __del__(self) -> None:
        for file in getattr(self, "_files", {}).values():  # mapped arrays stay valid after closing
            file.close()


class Rows:
    """Encoded rows of one problem.

    Attributes
    ----------
    t : int
        Number of data stored.
    rows : (capacity, D) array
        Encoded rows, padded to whole lanes for one-score models.
    targets, labels : (capacity,) arrays
        One-score models only; empty otherwise.
    folder : str or None
        Folder of memory-mapped files; None stores the arrays in memory, which is used as rows arrive, not when reserved.
    """

    def __init__(self, problem: Problem, folder: str | os.PathLike[str] | None = None) -> None:
        self.problem, self.t = problem, 0
        self._files = None if folder is None else InFile(folder)
        self.folder = None if folder is None else os.fspath(folder)
        self.is_glm = isinstance(problem, GeneralizedLinearModel)
        self.width = padded(problem.dim) if self.is_glm else (0 if isinstance(problem, GradientOracle) else problem.dim)
        self._allocate(0)

    def _allocate(self, capacity: int) -> None:
        kept = self.arrays() if self.t else {}
        scalars = capacity if self.is_glm else 0
        shapes = {"rows": (capacity, self.width), "targets": (scalars,), "labels": (scalars,)}
        self.capacity = capacity
        if self._files is not None:  # stored rows stay in place
            self.rows, self.targets, self.labels = [self._files.zeros(name, shape) for name, shape in shapes.items()]
            return
        self.rows, self.targets, self.labels = map(aligned_zeros, shapes.values())
        if kept:
            self.restore(kept, self.t)

    def reserve(self, n: int) -> None:
        """Reserve memory for ``n`` data in total, so that later growth does not copy them."""
        whole_number("n", n, 1, MOST_DATA)
        if n > self.capacity:
            self._allocate(n)

    def encode(self, data: tuple[Any, ...]) -> tuple[int, tuple[Any, ...]]:
        """Check raw arguments of ``observe``; return the number of rows and the arguments of ``append``."""
        if isinstance(self.problem, GradientOracle):
            if data:
                raise ValueError(f"observe takes no data for a GradientOracle, got {len(data)} argument(s); "
                                 "each call reveals the next index")
            return 1, ()
        if isinstance(self.problem, GaussianMean):
            if len(data) != 1:
                raise ValueError(f"observe takes one argument y for GaussianMean, got {len(data)}")
            rows = self.problem.encode(*data)
            return len(rows), (rows,)
        if len(data) != 2:
            raise ValueError(f"observe takes features and label, got {len(data)} argument(s)")
        encoded = self.problem.encode(*data)
        return len(encoded[0]), encoded

    def append(self, n: int, encoded: tuple[Any, ...]) -> None:
        """Store ``n`` checked rows, doubling the capacity when it is full."""
        if self.t + n > MOST_DATA:
            raise ValueError(f"a sampler holds at most {MOST_DATA:,} data; it has {self.t:,}, got {n:,} more; start another "
                             "one at its mode")
        if self.t + n > self.capacity:
            self._allocate(min(max(64, 2 * self.capacity, self.t + n), MOST_DATA))
        if encoded:
            self.rows[self.t:self.t + n, :self.problem.dim] = encoded[0]
        if self.is_glm:
            self.targets[self.t:self.t + n], self.labels[self.t:self.t + n] = encoded[1:]
        self.t += n

    def forget(self, n: int) -> None:
        """Drop the first ``n`` rows and release their memory; existing views of rows in memory are unchanged."""
        kept, t = {name: np.array(a[n:]) for name, a in self.arrays().items()}, self.t - n
        self.t = 0
        self._allocate(0)
        self.restore(kept, t)

    def encoded(self, first: int, last: int) -> tuple[Any, ...]:
        """Return rows ``first`` to ``last`` - 1 in the form of ``append``, as views."""
        return tuple(array[first:last] for array in self.arrays().values()) if self.width else ()

    def posterior(self, t: int) -> Any:
        """Return F_t of the first ``t`` data, on views of the rows."""
        if self.is_glm:
            return GlmPosterior(self.problem, self.rows[:t, :self.problem.dim], self.targets[:t], self.labels[:t])
        if isinstance(self.problem, GaussianMean):
            return GaussianPosterior(self.problem, self.rows[:t])
        return self.problem.posterior(t)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays to save in a file: the stored rows without padding."""
        rows = {"rows": self.rows[:self.t, :self.problem.dim]}
        return {**rows, "targets": self.targets[:self.t], "labels": self.labels[:self.t]} if self.is_glm else rows

    def __deepcopy__(self, memo: dict[int, Any]) -> "Rows":
        """Copy the stored rows to memory, without spare capacity; the problem is shared."""
        other = Rows(self.problem)
        other.restore(self.arrays(), self.t)
        return other

    def restore(self, arrays: dict[str, np.ndarray], t: int) -> None:
        """Restore ``t`` rows from the output of ``arrays``."""
        self.t = 0
        self.append(t, tuple(arrays[name] for name in self.arrays()) if self.width else ())
