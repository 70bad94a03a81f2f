"""Check of the user's curvature against differences of the gradient: a wrong one slows a sampler, it never misleads it."""

from typing import Any

import numpy as np

from sampler.problems.base import Problem

WRONG = 20.0
"""Curvature that is so many times too large or too small in all is taken for a mistake, not for an approximation."""


def check_curvature(problem: Problem, indices: np.ndarray, points: np.ndarray, jacobian: Any) -> tuple[str, str]:
    """Fault and note, in words; the fault is empty where there is none.

    Parameters
    ----------
    problem : GradientOracle
        With ``curvatures``.
    indices : (n,) int array
    points : (m, dim) array
    jacobian : callable
        ``jacobian(function, theta)``: central differences.
    """
    given, known = np.zeros((problem.dim, problem.dim)), np.zeros((problem.dim, problem.dim))
    name = problem.curvatures.name
    for theta in points:
        try:
            taken, again = (problem.curvatures.of(indices, theta.copy()) for _ in range(2))
        except ValueError as error:
            return str(error), ""
        except Exception as error:  # the user's code may raise anything
            return f"the {name} raises {type(error).__name__}: {error} (indices {indices.tolist()})", ""
        if not np.array_equal(taken, again):
            return f"the {name} gives another answer the second time; it must depend on indices and theta only", ""
        given += np.diag(taken.sum(axis=0)) if taken.ndim == 2 else taken.sum(axis=0)
        for k in indices:
            known += jacobian(lambda x, k=k: problem.gradients(np.array([k]), x)[0], theta)
    ratio = np.trace(given) / np.trace(known) if np.trace(known) > 0 else 1.0
    gap = np.abs(given - 0.5 * (known + known.T)).max() / (np.abs(known).max() + 1e-300)
    note = (f"{name}: {ratio:.3g} times the gradient's own derivatives in trace, worst entry off by {100 * gap:.2g} % of "
            "the largest")
    if not 1.0 / WRONG <= ratio <= WRONG:
        return f"the {name} is {ratio:.3g} times the derivatives of the gradient in trace; look at its units", note
    return "", note
