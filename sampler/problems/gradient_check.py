"""Check that a user's gradient is the gradient of a convex function, before sampling with it."""

import timeit
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from sampler.arguments import has_parts, real_number, seed_number, shown, whole_number
from sampler.problems.base import Problem, central_differences, quiet
from sampler.problems.term_faults import check_curvature

SLOW = 50e-6
"""Seconds per gradient above which a sampler with thousands of gradients per epoch is slow."""
TERMS, POINTS = 8, 4


@dataclass(frozen=True)
class GradientCheck:
    """Result of a gradient check.

    Attributes
    ----------
    faults : tuple of str
        Descriptions of faults, worst first; empty if there are none.
    notes : tuple of str
        Remarks: speed, properties that could not be checked.
    worst_coordinate : int or None
        Coordinate (from 0) with the largest error, if any is wrong.
    error : float
        Largest relative error; about 1e-6 for a correct gradient.
    smallest_curvature : float
        Smallest eigenvalue of a term's Hessian, divided by the largest in absolute value; negative if not convex.
    seconds_per_gradient : float
        Time per gradient in a batch of 64.
    against : {"potential", "symmetry"}
        Criterion of the check.
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
        """True if the check found no faults."""
        return not self.faults

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values, for JSON."""
        return {"ok": self.ok, **asdict(self)}


@dataclass
class _Check:
    faults: dict[str, list[tuple[float, str, int | None]]] = field(default_factory=dict)  # severity, text, coordinate
    notes: dict[str, str] = field(default_factory=dict)
    error: float = 0.0

    def add(self, kind: str, severity: float, fault: str, coordinate: int | None = None) -> None:
        self.faults.setdefault(kind, []).append((severity, fault, coordinate))

    def findings(self) -> tuple[tuple[str, ...], int | None]:
        """Return the worst fault of each kind and its count, worst first, and the first coordinate among them."""
        kinds = [(*max(some, key=lambda fault: fault[0]), len(some)) for some in self.faults.values()]
        kinds.sort(key=lambda fault: -fault[0])
        return (tuple(f"{fault} (the worst of {times} places)" if times > 1 else fault for _, fault, _, times in kinds),
                next((coordinate for _, _, coordinate, _ in kinds if coordinate is not None), None))


def check_gradient(problem: Problem, terms: int, potential: Callable[..., Any] | None = None, scale: float = 1.0,
                   tolerance: float = 1e-4, seed: int = 0) -> GradientCheck:
    """Check the gradients of a problem at random points and terms; ValueError for an invalid argument.

    With ``potential(index, theta)``, the value of f_{index+1}, the gradient is compared with central differences of it.
    Without one the Jacobian is checked for symmetry, as of every gradient, which cannot detect a wrong constant or a wrong
    factor common to all coordinates. The check always covers the sign of each term's Hessian, the order of the batch,
    repeated calls, speed, and the oracle's curvature or factor if it has one.

    Parameters
    ----------
    problem : GradientOracle
        Or any object with ``gradients(indices, theta)``, ``prior_gradient(theta)`` and ``dim``.
    terms : int >= 1
        Number of data; the check uses indices below it.
    potential : callable, optional
    scale : float
        Standard deviation of the random points around 0.
    tolerance : float
        Largest tolerated relative error.
    seed : int >= 0
        The same seed gives the same points and terms.
    """
    has_parts("problem", problem, ("gradients", "prior_gradient", "dim"), "make one with GradientOracle(gradients, dim)")
    terms = whole_number("terms", terms, advice="it is the number of data of the gradient")
    if potential is not None and not callable(potential):
        raise ValueError(f"potential must be callable or None, got {shown(potential)}; pass a function of (index, theta)")
    scale = real_number("scale", scale, "1 is about the width of a standardised problem", above=0.0)
    tolerance = real_number("tolerance", tolerance, "1e-4 is usual", above=0.0)
    with quiet():  # a gradient that overflows is reported as a fault
        return _checked(problem, terms, potential, scale, tolerance, seed_number(seed))


def _checked(problem: Any, terms: int, potential: Callable[..., Any] | None, scale: float, tolerance: float,
             seed: int) -> GradientCheck:
    """Run the check with validated arguments."""
    rng, check = np.random.default_rng(seed), _Check()
    indices = np.unique(np.concatenate([[0, terms - 1], rng.integers(0, terms, TERMS)])).astype(np.int64)
    points = scale * rng.standard_normal((POINTS, problem.dim))
    if not _evaluates(problem, indices, points[0], check):
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
    seconds = min(timeit.repeat(lambda: problem.gradients(batch, points[0]), number=1)) / 64  # least disturbed run
    curved = getattr(problem, "curvatures", None) is not None
    fault, note = check_curvature(problem, indices, points) if curved else ("", "")
    if fault:
        check.add("curvature", 1.0, fault)
    notes = [*check.notes.values(), *([note] if note else [])]
    notes += [f"{1e6 * seconds:.3g} microseconds per gradient in batches of 64"]
    if seconds > SLOW:
        notes.append(f"slow: an epoch of 500 steps of 64 gradients in 64 chains takes {seconds * 500 * 64 * 64:,.0f} "
                     "s; compute the whole batch with NumPy at once, or write it as a numba cfunc")
    if potential is None:
        notes.append("without a potential an error by a constant or a common factor of all coordinates cannot be detected")
    faults, worst = check.findings()
    return GradientCheck(faults, tuple(notes), worst, check.error, float(smallest), seconds,
                         "symmetry" if potential is None else "potential")


def _evaluates(problem: Problem, indices: np.ndarray, theta: np.ndarray, check: _Check) -> bool:
    """Add the first fault of an evaluation (exception, not finite, not reproducible); return True if there is none."""
    try:
        once, twice = problem.gradients(indices, theta.copy()), problem.gradients(indices, theta.copy())
        prior = problem.prior_gradient(theta.copy())
    except Exception as error:  # the user's code may raise anything
        check.add("error", np.inf, f"the gradient raises {type(error).__name__}: {error} (indices {indices.tolist()}, "
                   f"theta {np.round(theta, 3).tolist()})")
        return False
    for name, values in (("gradients", once), ("prior_gradient", prior[None])):
        bad = np.argwhere(~np.isfinite(values))
        if bad.size:
            where = f"term {indices[bad[0][0]]}, " if name == "gradients" else ""
            check.add("finite", np.inf, f"{name} is not finite at {where}coordinate {bad[0][1]} (theta "
                       f"{np.round(theta, 3).tolist()})", int(bad[0][1]))
            return False
    if not np.array_equal(once, twice):
        check.add("again", np.inf, "the gradient returns other values the second time; it must depend on indices and theta "
                  "only")
        return False
    return True


def _same_in_any_batch(problem: Problem, indices: np.ndarray, theta: np.ndarray, check: _Check) -> None:
    """Check that each row of a batch depends on its own index only, also for repeated indices."""
    batch = np.concatenate([indices[::-1], indices[:1], indices[:1]])
    together = problem.gradients(batch, theta)
    alone = np.array([problem.gradients(np.array([k]), theta)[0] for k in batch])
    error = np.abs(together - alone).max(axis=0)
    size = np.abs(alone).max() + 1e-300
    if error.max() > 1e-9 * size:
        check.add("batch", error.max() / size, "a batch returns other gradients than its terms one by one (coordinate "
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
    check.add("symmetry", float(gap.max()), f"{what} is not a gradient: its Jacobian is asymmetric by {100 * gap.max():.2g} "
              f"% of the largest entry, most in coordinate {worst}; check component {worst}", worst)


def _agrees(problem: Problem, potential: Callable[..., Any], k: int, theta: np.ndarray, tolerance: float,
            check: _Check) -> None:
    slope = central_differences(lambda x: float(potential(k, x)), theta)
    gradient = problem.gradients(np.array([k]), theta)[0]
    size = max(np.abs(slope).max(), np.abs(gradient).max())
    # Differences of the potential have its rounding error, 1e-16 of its value over the width, 1e-5.
    noise = 1e-10 * abs(float(potential(k, theta)))
    error = np.maximum(np.abs(gradient - slope) - noise, 0.0) / (size + 1e-300)
    check.error = max(check.error, float(error.max()))
    if error.max() > tolerance:
        worst = int(error.argmax())
        check.add("potential", float(error.max()), f"coordinate {worst} of term {k} is {gradient[worst]:.6g}, differences "
                  f"of the potential give {slope[worst]:.6g}", worst)


def _curvature(jacobian: np.ndarray, what: str, check: _Check) -> float:
    """Return the smallest eigenvalue divided by the largest in absolute value; a negative one is added as a fault."""
    values = np.linalg.eigvalsh(0.5 * (jacobian + jacobian.T))
    size = np.abs(values).max()
    if not size > 1e-12:
        return 0.0
    smallest = float(values[0] / size)
    if smallest < -1e-4:
        check.add(f"convexity of {what.split()[0]}", -smallest, f"{what} is not convex: its Hessian has the eigenvalue "
                  f"{values[0]:.3g} (largest {values[-1]:.3g}); the sign of the gradient may be wrong")
    return smallest


def _prior_curvature(problem: Problem, theta: np.ndarray, jacobian: np.ndarray, check: _Check) -> None:
    """Check the prior's convexity: a gradient away from 0 is a fault (wrong sign), heavy tails only a note."""
    if float(theta @ problem.prior_gradient(theta.copy())) <= 0.0:
        _curvature(jacobian, "the prior", check)
    elif _curvature(jacobian, "the prior", _Check()) < -1e-4:
        check.notes["prior"] = ("the prior is not convex everywhere, as with heavy tails: data may outweigh it, but bounds "
                                "for convex terms do not apply until they do")
