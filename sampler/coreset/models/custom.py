"""A model with the user's own likelihood, written in Python."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from sampler.arguments import whole_number
from sampler.coreset.full_data_posterior import Truth
from sampler.coreset.models.base import Model
from sampler.coreset.transitions import SliceSampler


class CustomModel(Model):
    """A model known through functions; its runs are plain Python, some hundred times slower than compiled ones.

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
        """The user's log-likelihoods at ``theta`` for ``indices``, None all data; ValueError for another shape than (n,)."""
        indices = np.arange(self.n) if indices is None else indices
        values = np.asarray(self._log_likelihood(theta, indices), dtype=float)
        if values.shape != (len(indices),):
            raise ValueError(f"log_likelihood must return shape ({len(indices)},) for {len(indices)} indices, got "
                             f"{values.shape}; one number a datum")
        return values

    def log_prior(self, theta: np.ndarray) -> float:
        """Return the user's log prior at ``theta``."""
        return float(self._log_prior(theta))

    def find_truth(self) -> Truth:
        """Return the truth that the user passed; without one, mean 0 and standard deviation 1."""
        return self._truth or Truth(np.zeros(self.dim), np.ones(self.dim), "given")
