"""Base class of the models of coresets, and a model with a user-supplied likelihood in Python."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from sampler.arguments import check_size, real_array, sample_array, whole_number
from sampler.coreset.full_data_posterior import Truth
from sampler.coreset.transitions import SliceSampler
from sampler.kernels.simd_lanes import aligned_zeros, padded
from sampler.predictive.predictive import Predictive
from sampler.problems.base import checked_labels as finite_labels


def checked_matrix(name: str, values: ArrayLike) -> np.ndarray:
    """Return ``values`` as finite float64 (n, p) with n, p >= 1; ValueError otherwise."""
    array = real_array(name, values, "numbers, one row per datum", "convert text columns first")
    if array.ndim != 2 or not array.size:
        raise ValueError(f"{name} must have shape (n, p), got {array.shape}; one row per datum")
    check_size(name, array, "drop or repair that row")
    return array


def checked_labels(values: ArrayLike, n: int, allowed: str = "") -> np.ndarray:
    """Return ``values`` as finite float64 (n,); ``allowed`` is "", "binary" or "counts". ValueError otherwise."""
    array = finite_labels(values, n, "labels")
    fine = np.isin(array, (0, 1)) if allowed == "binary" else (array >= 0) & (array == np.floor(array))
    if allowed and not fine.all():
        row, wanted = int(np.argmin(fine)), "0 or 1" if allowed == "binary" else "counts: 0, 1, 2, ..."
        raise ValueError(f"labels must be {wanted}; row {row} has {array[row]!r}; drop or recode that row")
    return array


class Model:
    """Data, log-likelihood terms l_n(theta) (up to constants in theta) and a log prior.

    A subclass may override `log_likelihood` and `log_prior`; its runs then use Python instead of compiled
    code, which is slower.

    Attributes
    ----------
    n, dim : int
        Number of data N, dimension of theta D.
    names : tuple of D str
        Names of the coordinates of theta.
    rows, labels : (n, P) and (n,) arrays
        Feature rows padded with zeros to whole vector lanes; labels (zeros where the model has none).
    """

    title: ClassVar[str]
    kernels: ClassVar[tuple[type[Any], ...]]  #: kernels that leave its coreset posteriors invariant
    response: ClassVar[Any] = None  #: problem with the same response distribution

    def __init__(self, rows: np.ndarray, labels: np.ndarray | None, dim: int, names: tuple[str, ...]) -> None:
        self.n, self.dim, self.names = len(rows), dim, names
        self.rows = aligned_zeros((self.n, padded(dim)))
        self.rows[:, :rows.shape[1]] = rows
        self.labels = np.zeros(self.n) if labels is None else np.ascontiguousarray(labels)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n={self.n}, dim={self.dim})"

    def terms(self, theta: np.ndarray, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return the log-likelihood of ``rows`` (n, P), ``labels`` (n,) at ``theta`` (D,), (n,)."""
        raise NotImplementedError

    def log_likelihood(self, theta: np.ndarray, indices: np.ndarray | None = None) -> np.ndarray:
        """Return l_n(theta) for the data at ``indices`` (all of them for None), (D,) -> (len(indices),)."""
        chosen = slice(None) if indices is None else indices
        return self.terms(np.asarray(theta, float), self.rows[chosen], self.labels[chosen])

    def term_gradients(self, theta: np.ndarray, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return the gradient of `terms` in ``theta``, (n, D), at ``rows``, ``labels``; ValueError if there is none."""
        raise ValueError(f"model must have gradients in theta here, and {type(self).__name__} has none; "
                         "use a sampler without gradients")

    def prior_gradient(self, theta: np.ndarray) -> np.ndarray:
        """Return the gradient of `log_prior` at ``theta``, (D,)."""
        raise NotImplementedError

    def log_prior(self, theta: np.ndarray) -> float:
        """Return the log prior density at ``theta`` (D,), up to a constant."""
        raise NotImplementedError

    def predictive(self, draws: ArrayLike) -> Predictive:
        """Return predictions from ``draws`` (n, D) of theta, for rows as in the model: a column of ones, if any, first.

        ValueError for a model without a response distribution.
        """
        if self.response is None:
            raise ValueError(f"model must have a response distribution, {self!r} has a likelihood only; use its draws")
        coefficients, noise_std = self.with_noise(sample_array("draws", draws, dim=self.dim))
        problem = self.response(coefficients.shape[1])
        problem.noise_std = noise_std
        return Predictive(coefficients, problem)

    def with_noise(self, draws: np.ndarray) -> tuple[np.ndarray, Any]:
        """Return the coefficients in ``draws`` (n, D), and the noise standard deviation of numerical responses."""
        return draws, 1.0

    def pick(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draw indices of a coreset of ``size`` in [1, N] with ``rng``, uniformly without replacement, (size,) int64."""
        return rng.choice(self.n, size=size, replace=False).astype(np.int64)

    def first_positions(self, chains: int, rng: np.random.Generator, points: np.ndarray) -> np.ndarray:
        """Draw default initial positions of ``chains`` with ``rng``, (chains, D); ``points`` (M,) index the coreset."""
        return rng.standard_normal((chains, self.dim))

    def admissible(self, positions: np.ndarray) -> np.ndarray:
        """Return ``positions`` (K, D) moved into the domain of theta, if it is not all of R^D."""
        return positions

    def variance_ratio(self, total: float) -> float | None:
        """Return the exact coreset over true posterior variance for sum w = ``total``; None if not available."""
        return None

    def find_truth(self, *arguments: Any, **options: Any) -> Any:
        """Compute the full-data posterior: a `Truth`, or None if the computation was stopped."""
        raise NotImplementedError

    @cached_property
    def truth(self) -> Truth:
        """Full-data posterior means and standard deviations, computed on first access and cached."""
        return self.find_truth()


class CustomModel(Model):
    """Model defined by functions; its runs are in Python, about a hundred times slower than compiled ones.

    Parameters
    ----------
    log_likelihood : callable
        ``log_likelihood(theta, indices) -> (len(indices),)`` for theta (D,).
    log_prior : callable
        ``log_prior(theta) -> float``.
    n, dim : int
        Number of data, dimension of theta.
    truth : Truth, optional
        Full-data means and deviations; without it z-scores are distances from 0 in units of 1.
    """

    title: ClassVar[str] = "Custom"
    kernels: ClassVar[tuple[type[Any], ...]] = (SliceSampler,)

    def __init__(
        self, log_likelihood: Callable[..., Any], log_prior: Callable[..., Any], n: int, dim: int,
        truth: Truth | None = None,
    ) -> None:
        for name, function in (("log_likelihood", log_likelihood), ("log_prior", log_prior)):
            if not callable(function):
                raise ValueError(f"{name} must be callable, got {function!r}; pass a function")
        n = whole_number("n", n, 2, 10**8, "count the data")
        dim = whole_number("dim", dim, 1, 100_000, "count the coordinates of theta")
        super().__init__(np.zeros((n, 1)), None, dim, tuple(f"theta {i + 1}" for i in range(dim)))
        self._log_likelihood, self._log_prior, self._truth = log_likelihood, log_prior, truth

    def log_likelihood(self, theta: np.ndarray, indices: np.ndarray | None = None) -> np.ndarray:
        """Return the user's log-likelihoods at ``theta``, (n,), of ``indices`` (None: all); ValueError for another shape."""
        indices = np.arange(self.n) if indices is None else indices
        values = np.asarray(self._log_likelihood(theta, indices), dtype=float)
        if values.shape != (len(indices),):
            raise ValueError(f"log_likelihood must return shape ({len(indices)},) for {len(indices)} indices, got "
                             f"{values.shape}; one number per datum")
        return values

    def log_prior(self, theta: np.ndarray) -> float:
        """Return the user's log prior at ``theta``."""
        return float(self._log_prior(theta))

    def find_truth(self) -> Truth:
        """Return the truth that the user passed; without one, mean 0 and standard deviation 1."""
        return self._truth or Truth(np.zeros(self.dim), np.ones(self.dim), "user values")
