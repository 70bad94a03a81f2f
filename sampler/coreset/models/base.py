"""Base of every model whose data a coreset can summarise."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from sampler.arguments import real_array
from sampler.coreset.full_data_posterior import Truth
from sampler.kernels.lanes import aligned_zeros, padded


def checked_matrix(name: str, values: ArrayLike, columns: int | None = None) -> np.ndarray:
    """``values`` as finite float64 (n, columns) with n >= 1, or ValueError."""
    array = real_array(name, values, "numbers, one row a datum", "convert text columns first")
    if array.ndim != 2 or min(array.shape) < 1 or (columns is not None and array.shape[1] != columns):
        raise ValueError(f"{name} must have shape (n, {columns or 'p'}), got {array.shape}; one row a datum")
    bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if bad.size:
        raise ValueError(f"{name} must be finite, row {bad[0]} has {array[bad[0]]!r}; drop or repair that row")
    return array


def checked_labels(values: ArrayLike, n: int, allowed: str = "") -> np.ndarray:
    """``values`` as finite float64 (n,); ``allowed`` is "", "binary" or "counts". ValueError otherwise."""
    array = real_array("labels", values, "numbers", "convert text first")
    if array.shape != (n,):
        raise ValueError(f"labels must have shape ({n},), one for each row of features, got {array.shape}")
    fine = np.isfinite(array)
    wanted = "finite"
    if allowed == "binary":
        fine, wanted = (array == 0) | (array == 1), "0 or 1"
    elif allowed == "counts":
        fine, wanted = fine & (array >= 0) & (array == np.floor(array)), "counts: 0, 1, 2, ..."
    bad = np.flatnonzero(~fine)
    if bad.size:
        raise ValueError(f"labels must be {wanted}; row {bad[0]} has {array[bad[0]]!r}; drop or recode that row")
    return array


class Model:
    """Data, log-likelihood terms l_n(theta) (up to constants in theta) and a log prior.

    A subclass may override `log_likelihood` and `log_prior`; its runs are then made in Python instead of compiled
    code, which is slow but needs nothing else.

    Attributes
    ----------
    n, dim : int
        Number of data N, dimension of theta D.
    names : tuple of D str
        What the coordinates of theta are.
    rows, labels : (n, P) and (n,) arrays
        Feature rows padded with zeros to whole vector lanes; labels (zeros where the model has none).
    """

    title: ClassVar[str]
    kernels: ClassVar[tuple[str, ...]]  #: names of the kernels that leave its coreset posteriors invariant

    def __init__(self, rows: np.ndarray, labels: np.ndarray | None, dim: int, names: tuple[str, ...]) -> None:
        self.n, self.dim, self.names = len(rows), dim, names
        self.rows = aligned_zeros((self.n, padded(dim)))
        self.rows[:, :rows.shape[1]] = rows
        self.labels = np.zeros(self.n) if labels is None else np.ascontiguousarray(labels)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n={self.n}, dim={self.dim})"

    def terms(self, theta: np.ndarray, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Log-likelihood of ``rows`` (n, P), ``labels`` (n,) at ``theta`` (D,), (n,)."""
        raise NotImplementedError

    def log_likelihood(self, theta: np.ndarray, indices: np.ndarray | None = None) -> np.ndarray:
        """l_n(theta) for the data at ``indices`` (all of them for None), (D,) -> (len(indices),)."""
        chosen = slice(None) if indices is None else indices
        return self.terms(np.asarray(theta, float), self.rows[chosen], self.labels[chosen])

    def term_gradients(self, theta: np.ndarray, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Gradient in ``theta`` (D,) of each of `terms`, (n, D).

        Parameters
        ----------
        theta : (D,) array
        rows : (n, p) array
        labels : (n,) array

        Raises
        ------
        ValueError
            For a model without gradients.
        """
        raise ValueError(f"model must have gradients in theta here, and {type(self).__name__} has none; "
                         "use a sampler without gradients")

    def prior_gradient(self, theta: np.ndarray) -> np.ndarray:
        """Gradient of `log_prior`, (D,).

        Parameters
        ----------
        theta : (D,) array
        """
        raise NotImplementedError

    def log_prior(self, theta: np.ndarray) -> float:
        """Log prior density at ``theta`` (D,), up to a constant."""
        raise NotImplementedError

    def pick(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Indices of a coreset, uniform without replacement, (size,) int64.

        Parameters
        ----------
        size : int in [1, N]
        rng : numpy.random.Generator
        """
        return rng.choice(self.n, size=size, replace=False).astype(np.int64)

    def first_positions(self, chains: int, rng: np.random.Generator, points: np.ndarray) -> np.ndarray:
        """Return the default first positions of the chains, (chains, D); ``points`` are the coreset's indices.

        Parameters
        ----------
        chains : int >= 1
        rng : numpy.random.Generator
        points : (M,) int64 array
            Indices of the coreset.
        """
        return rng.standard_normal((chains, self.dim))

    def admissible(self, positions: np.ndarray) -> np.ndarray:
        """``positions`` (K, D) moved into the space of theta, where it is not all of R^D."""
        return positions

    def variance_ratio(self, total: float) -> float | None:
        """Coreset over true posterior variance when sum w is ``total``, where it is known; else None."""
        return None

    def find_truth(self, *arguments: Any, **options: Any) -> Any:
        """Compute the full-data posterior afresh: a `Truth`, or None where a kind of model can be stopped and was."""
        raise NotImplementedError

    @cached_property
    def truth(self) -> Truth:
        """Full-data posterior means and standard deviations, computed when first asked for and kept."""
        return self.find_truth()
