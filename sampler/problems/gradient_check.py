"""Check that the user's gradient is the gradient of something convex, before a sampler trusts it."""

import timeit
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from sampler.arguments import has_parts, real_number, seed_number, shown, whole_number
from sampler.problems.base import Problem, central_differences, quiet
from sampler.problems.term_faults import check_curvature

SLOW = 50e-6
"""Seconds a gradient from which a sampler of thousands of gradients an epoch crawls."""
TERMS, POINTS = 8, 4


@dataclass(frozen=True)
class GradientCheck:
    """Findings of a check.

    Attributes
    ----------
    faults : tuple of str
        What is wrong, worst first; empty is good.
    notes : tuple of str
        What is worth knowing: speed, what could not be checked.
    worst_coordinate : int or None
        Coordinate (from 0) with the largest error, when one is wrong.
    error : float
        Largest relative error found; about 1e-6 for a right gradient.
    smallest_curvature : float
        Smallest eigenvalue of a term's Hessian over the largest of its size; below 0 is not convex.
    seconds_per_gradient : float
        In a batch of 64.
    against : {"potential", "symmetry"}
        What it was compared with.
    """

    faults: tuple[str, ...]
    notes: tuple[str, ...]
    worst_coordinate: int | None
    error: float
    smallest_curvature: float
    seconds_per_gradient: float
    against: str

    @property
    def ok(self) -> bool:
        """Nothing wrong was found."""
        return not self.faults

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"ok": self.ok, **asdict(self)}


@dataclass
class _Check:
    faults: dict[str, list[tuple[float, str, int | None]]] = field(default_factory=dict)  # how bad, words, coordinate
    notes: dict[str, str] = field(default_factory=dict)
    error: float = 0.0

    def note(self, kind: str, how_bad: float, fault: str, coordinate: int | None = None) -> None:
        self.faults.setdefault(kind, []).append((how_bad, fault, coordinate))

    def findings(self) -> tuple[tuple[str, ...], int | None]:
        """One fault of each kind, the worst first, with how many there are like it; coordinate of the first that has one."""
        kinds = [(*max(some, key=lambda fault: fault[0]), len(some)) for some in self.faults.values()]
        kinds.sort(key=lambda fault: -fault[0])
        return (tuple(f"{fault} (the worst of {times} places)" if times > 1 else fault for _, fault, _, times in kinds),
                next((coordinate for _, _, coordinate, _ in kinds if coordinate is not None), None))


def check_gradient(problem: Problem, terms: int, potential: Callable[..., Any] | None = None, scale: float = 1.0,
                   tolerance: float = 1e-4, seed: int = 0) -> GradientCheck:
    """Check the gradients of a problem at random points and terms.

    With ``potential(index, theta)``, the value of f_{index+1}, the gradient is compared with its central
    differences. Without one the Jacobian must be symmetric, as every gradient's is; a constant, or a factor that is
    the same in all coordinates, then stays unseen. The sign of each term's Hessian, the order of the batch,
    repeated calls and speed are looked at either way, and so is a curvature or a factor that the oracle has.

    Parameters
    ----------
    problem : GradientOracle
        Or anything with ``gradients(indices, theta)``, ``prior_gradient(theta)`` and ``dim``.
    terms : int >= 1
        Data it has; indices up to here are asked for.
    potential : callable, optional
    scale : float
        Standard deviation of the random points about 0.
    tolerance : float
        Largest relative error that passes.
    seed : int >= 0
        Same seed, same numbers.
    """
    has_parts("problem", problem, ("gradients", "prior_gradient", "dim"), "make one with GradientOracle(gradients, dim)")
    terms = whole_number("terms", terms, advice="how many data the gradient has")
    if potential is not None and not callable(potential):
        raise ValueError(f"potential must be callable or None, got {shown(potential)}; pass a function of (index, theta)")
    scale = real_number("scale", scale, "1 is about the width of a standardised problem", above=0.0)
    tolerance = real_number("tolerance", tolerance, "1e-4 is usual", above=0.0)
    with quiet():  # a gradient that goes beyond all numbers is found out
        return _checked(problem, terms, potential, scale, tolerance, seed_number(seed))


def _checked(problem: Any, terms: int, potential: Callable[..., Any] | None, scale: float, tolerance: float,
             seed: int) -> GradientCheck:
    """The findings, with checked arguments."""
    rng, check = np.random.default_rng(seed), _Check()
    indices = np.unique(np.concatenate([[0, terms - 1], rng.integers(0, terms, TERMS)])).astype(np.int64)
    points = scale * rng.standard_normal((POINTS, problem.dim))
    if not _answers(problem, indices, points[0], check):
        faults, worst = check.findings()
        return GradientCheck(faults, (), worst, np.inf, np.nan, np.nan, "symmetry")
    _same_in_any_batch(problem, indices, points[0], check)
    smallest = np.inf
    for theta in points:
        for k in indices:
            jacobian = central_differences(lambda x, k=k: problem.gradients(np.array([k]), x)[0], theta)
            smallest = min(smallest, _curvature(jacobian, f"term {k}", check))
            if potential is None:
                _symmetric(jacobian, f"term {k}", tolerance, check)
            else:
                _agrees(problem, potential, int(k), theta, tolerance, check)
        prior = central_differences(problem.prior_gradient, theta)
        _prior_curvature(problem, theta, prior, check)
        _symmetric(prior, "the prior", tolerance, check)
    batch = np.random.default_rng(0).integers(0, terms, 64)
    seconds = min(timeit.repeat(lambda: problem.gradients(batch, points[0]), number=1)) / 64  # the least disturbed
    curved = getattr(problem, "curvatures", None) is not None
    fault, note = check_curvature(problem, indices, points) if curved else ("", "")
    if fault:
        check.note("curvature", 1.0, fault)
    notes = [*check.notes.values(), *([note] if note else [])]
    notes += [f"{1e6 * seconds:.3g} microseconds a gradient in batches of 64"]
    if seconds > SLOW:
        notes.append(f"slow: an epoch of 500 steps of 64 gradients in 64 chains takes {seconds * 500 * 64 * 64:,.0f} "
                     "s; compute the whole batch with NumPy at once, or write it as a numba cfunc")
    if potential is None:
        notes.append("without a potential a constant, or a factor common to all coordinates, cannot be seen")
    faults, worst = check.findings()
    return GradientCheck(faults, tuple(notes), worst, check.error, float(smallest), seconds,
                         "symmetry" if potential is None else "potential")


def _answers(problem: Problem, indices: np.ndarray, theta: np.ndarray, check: _Check) -> bool:
    """Note the first fault of the answers (an error, no finite number, a second answer); return whether there is none."""
    try:
        once, twice = problem.gradients(indices, theta.copy()), problem.gradients(indices, theta.copy())
        prior = problem.prior_gradient(theta.copy())
    except Exception as error:  # the user's code may raise anything
        check.note("error", np.inf, f"the gradient raises {type(error).__name__}: {error} (indices {indices.tolist()}, "
                   f"theta {np.round(theta, 3).tolist()})")
        return False
    for name, values in (("gradients", once), ("prior_gradient", prior[None])):
        bad = np.argwhere(~np.isfinite(values))
        if bad.size:
            where = f"term {indices[bad[0][0]]}, " if name == "gradients" else ""
            check.note("finite", np.inf, f"{name} is not finite at {where}coordinate {bad[0][1]} (theta "
                       f"{np.round(theta, 3).tolist()})", int(bad[0][1]))
            return False
    if not np.array_equal(once, twice):
        check.note("again", np.inf, "the gradient returns other values the second time; it must depend on indices and theta "
                   "only")
        return False
    return True


def _same_in_any_batch(problem: Problem, indices: np.ndarray, theta: np.ndarray, check: _Check) -> None:
    """One row for each index, whatever the others are, repeats too."""
    batch = np.concatenate([indices[::-1], indices[:1], indices[:1]])
    together = problem.gradients(batch, theta)
    alone = np.array([problem.gradients(np.array([k]), theta)[0] for k in batch])
    error = np.abs(together - alone).max(axis=0)
    size = np.abs(alone).max() + 1e-300
    if error.max() > 1e-9 * size:
        check.note("batch", error.max() / size, "a batch gives other gradients than its terms one by one (coordinate "
                   f"{error.argmax()} is off by {error.max():.3g}); row j must belong to indices[j]", int(error.argmax()))


def _symmetric(jacobian: np.ndarray, what: str, tolerance: float, check: _Check) -> None:
    size = np.abs(jacobian).max()
    if not size > 1e-12:
        return
    gap = np.abs(jacobian - jacobian.T) / size
    check.error = max(check.error, float(gap.max()))
    if gap.max() <= tolerance:
        return
    worst = int(gap.sum(axis=1).argmax())
    check.note("symmetry", float(gap.max()), f"{what} is no gradient: its derivatives disagree by {100 * gap.max():.2g} % "
               f"of the largest, worst in coordinate {worst}; look at component {worst}", worst)


def _agrees(problem: Problem, potential: Callable[..., Any], k: int, theta: np.ndarray, tolerance: float,
            check: _Check) -> None:
    slope = central_differences(lambda x: float(potential(k, x)), theta)
    gradient = problem.gradients(np.array([k]), theta)[0]
    size = max(np.abs(slope).max(), np.abs(gradient).max())
    # Differences of the potential carry its own rounding, 1e-16 of its value over the width, 1e-5.
    noise = 1e-10 * abs(float(potential(k, theta)))
    error = np.maximum(np.abs(gradient - slope) - noise, 0.0) / (size + 1e-300)
    check.error = max(check.error, float(error.max()))
    if error.max() > tolerance:
        worst = int(error.argmax())
        check.note("potential", float(error.max()), f"coordinate {worst} of term {k} is {gradient[worst]:.6g}, differences "
                   f"of the potential give {slope[worst]:.6g}", worst)


def _curvature(jacobian: np.ndarray, what: str, check: _Check) -> float:
    """Smallest eigenvalue over the largest in size; a fault below rounding."""
    values = np.linalg.eigvalsh(0.5 * (jacobian + jacobian.T))
    size = np.abs(values).max()
    if not size > 1e-12:
        return 0.0
    smallest = float(values[0] / size)
    if smallest < -1e-4:
        check.note(f"convexity of {what.split()[0]}", -smallest, f"{what} is not convex: its Hessian has the eigenvalue "
                   f"{values[0]:.3g} (largest {values[-1]:.3g}); the sign of the gradient may be wrong")
    return smallest


def _prior_curvature(problem: Problem, theta: np.ndarray, jacobian: np.ndarray, check: _Check) -> None:
    """A prior that pushes away from 0 is taken for a wrong sign; one with heavy tails is only told of."""
    if float(theta @ problem.prior_gradient(theta.copy())) <= 0.0:
        _curvature(jacobian, "the prior", check)
    elif _curvature(jacobian, "the prior", _Check()) < -1e-4:
        check.notes["prior"] = ("the prior is not convex everywhere, as heavy tails are not: data may outweigh it, but no "
                                "bound that asks for convex terms holds until they do")
