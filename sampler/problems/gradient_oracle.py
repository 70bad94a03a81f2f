"""A problem given by the user's own gradient: the general path, at one call of that function a step."""

from collections.abc import Callable
from typing import Any

import numpy as np

from sampler.arguments import switch
from sampler.problems.base import points, whole_dim
from sampler.problems.compiled_oracle import CompiledGradients, is_compiled
from sampler.problems.term_curvature import TermCurvatures
from sampler.problems.term_faults import listener


class GradientOracle:
    """Terms known only through their gradients.

    Parameters
    ----------
    gradients : callable
        ``gradients(indices, theta) -> (len(indices), dim)``: the gradient of f_{k+1} at ``theta`` (dim,) for each
        k in ``indices`` (int64, counted from 0, repeats possible). Must not depend on anything else.
    dim : int
        Dimension of theta.
    prior_gradient : callable, optional
        ``prior_gradient(theta) -> (dim,)``, the gradient of f_0; None is a flat prior.
    data : array, optional
        What compiled gradients read (float64, handed on unchanged).
    curvature : callable, optional
        ``curvature(indices, theta)``: f_k'' or what stands for it, positive semi-definite, as diagonals (n, dim) or as
        matrices (n, dim, dim). For PreconditionedSagaLD, which asks for two an epoch and chain; any is right, a near one is
        fast. One that vanishes far from the mode makes a chain leap from there.
    factor : callable, optional
        In place of ``curvature``: ``factor(indices, theta)``, a row u_k with f_k'' near u_k u_k', (n, dim), or r rows whose
        u u' add up, (n, r, dim): the Gauss-Newton part of a model with r outputs, never negative.
    prior_curvature : float or (dim,) array, >= 0
        Curvature of f_0 for the same sampler, or a small ridge where f_0 is flat. Not a prior: ``prior_gradient`` is.

    watch : bool
        Whether a sampler compares the gradients that its first 16 epochs ask for, and warns once (RuntimeWarning) where one
        falls along a way: of a wrong sign, or of a term that is not convex. Nothing is evaluated or drawn beside the run.

    Both functions may be numba ``cfunc``s of ``gradient_signature`` and ``prior_signature``: then no Python runs
    between two steps, and chains on several threads call them at once. Functions in Python are called by one thread.

    Attributes
    ----------
    curvatures : TermCurvatures or None
        Whether, and how, curvatures are known.
    """

    kind = "oracle"
    curvature_bound = np.inf

    def __init__(self, gradients: Callable[..., Any], dim: int, prior_gradient: Callable[..., Any] | None = None,
                 data: np.ndarray | None = None, curvature: Callable[..., Any] | None = None,
                 factor: Callable[..., Any] | None = None,
                 prior_curvature: float | np.ndarray = 0.0, watch: bool = True) -> None:
        self.compiled = CompiledGradients(gradients, prior_gradient, data) if is_compiled(gradients) else None
        for name, function in (("gradients", gradients), ("prior_gradient", prior_gradient)):
            if not callable(function) and not (name == "prior_gradient" and function is None):
                raise ValueError(f"{name} must be callable, got {function!r}; pass a function of "
                                 f"{'(indices, theta)' if name == 'gradients' else 'theta'}")
        self.dim, self.watch = whole_dim(dim), switch("watch", watch)
        self._gradients, self._prior_gradient = gradients, prior_gradient
        known = curvature is not None or factor is not None or np.any(prior_curvature)
        self.curvatures = TermCurvatures(curvature, factor, prior_curvature, self.dim) if known else None

    def __repr__(self) -> str:
        return f"GradientOracle(dim={self.dim})"

    def gradients(self, indices: np.ndarray, theta: np.ndarray) -> np.ndarray:
        """The user's gradients, checked for shape: (n,), (dim,) -> (n, dim).

        Parameters
        ----------
        indices : (n,) int64 array
            Of the terms, counted from 0; repeats are possible.
        theta : (dim,) array

        Raises
        ------
        ValueError
            When the user's function returns another shape than (n, dim).
        """
        if self.compiled is not None:
            fresh = self.compiled.gradients(indices, theta, self.dim)
        else:
            fresh = np.asarray(self._gradients(indices, theta), dtype=float)
        if fresh.shape != (len(indices), self.dim):
            raise ValueError(f"gradients must return shape ({len(indices)}, {self.dim}) for {len(indices)} indices, "
                             f"got {fresh.shape}; one row for each index, repeats too")
        if (tell := listener.get()) is not None:
            tell(indices, theta, fresh)
        return fresh

    def prior_gradient(self, theta: np.ndarray) -> np.ndarray:
        """Gradient of f_0, (dim,) -> (dim,).

        Parameters
        ----------
        theta : (dim,) array

        Raises
        ------
        ValueError
            When the user's function returns another shape than (dim,).
        """
        if self.compiled is not None:
            return self.compiled.prior_gradient(theta, self.dim)
        if self._prior_gradient is None:
            return np.zeros(self.dim)
        gradient = np.asarray(self._prior_gradient(theta), dtype=float)
        if gradient.shape != (self.dim,):
            raise ValueError(f"prior_gradient must return shape ({self.dim},), got {gradient.shape}")
        return gradient

    def posterior(self, t: int) -> "OraclePosterior":
        """F_t for the first ``t`` data."""
        return OraclePosterior(self, t)


class OraclePosterior:
    """F_t by calling the oracle; there is no potential, and the Hessian is a central difference of gradients."""

    features = labels = None

    def __init__(self, problem: GradientOracle, t: int) -> None:
        self.problem, self.t, self.dim = problem, int(t), problem.dim

    def potential(self, theta: np.ndarray) -> np.ndarray | float:
        """Not known to a gradient oracle: always a ValueError."""
        raise ValueError("problem must know its potential here, and a GradientOracle knows gradients only; "
                         "use a sampler without an acceptance test")

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """Gradient of F_t, same shape as ``theta``."""
        theta, single = points(theta, self.dim)
        total = np.array([self.problem.prior_gradient(x) + self.term_gradients(x).sum(axis=0) for x in theta])
        return total[0] if single else total

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """Central differences of the gradient, symmetrised: 2 dim t gradient evaluations."""
        theta = np.asarray(theta, float)
        width = 1e-5 * np.maximum(1.0, np.abs(theta))
        rows = [(self.gradient(theta + h * e) - self.gradient(theta - h * e)) / (2 * h)
                for h, e in zip(width, np.eye(self.dim), strict=True)]
        return 0.5 * (np.array(rows) + np.array(rows).T)

    def term_gradients(self, theta: np.ndarray, indices: np.ndarray | None = None) -> np.ndarray:
        """Gradients of f_1..f_t at one point, (dim,) -> (t, dim)."""
        indices = np.arange(self.t, dtype=np.int64) if indices is None else np.asarray(indices, np.int64)
        return self.problem.gradients(indices, np.asarray(theta, float))
