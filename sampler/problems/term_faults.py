"""Faults of a GradientOracle that its own run shows: terms whose gradient falls along a way, terms that are no number.

A term is convex only if its gradient g never falls along a way: (y - x) . (g(y) - g(x)) >= 0 for all x, y. The chains of
the first epochs ask for the same terms at many places, so that their answers can be compared: no gradient is asked for
beside those, and no random number is drawn.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from sampler.problems.base import Problem, quiet

EPOCHS = 16
"""Epochs, from the first, whose gradients are compared."""
TERMS, PLACES, COMPARED = 8, 4, 64
"""Terms that are looked at, places kept of each, and comparisons a call of the sampler."""
ROUNDING = 1e-5
"""Share of the gradients by which one may fall: some hundred roundings of single precision."""
SOME = 6  # numbers of theta that are said
MANY = 4096  # terms asked for at once

Listener = Callable[[np.ndarray, np.ndarray, np.ndarray], None]
listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
"""Who is told (indices, theta, gradients) of what GradientOracles answer on this thread."""


class TermWatch:
    """Compares the gradients that a sampler's first epochs ask for, and warns once where one falls.

    Attributes
    ----------
    words : str
        What is wrong, a sentence; empty while nothing is.
    """

    def __init__(self) -> None:
        self.words = ""
        self._places: dict[int, list[tuple[np.ndarray, np.ndarray]]] = {}
        self._left = self._rises = self._falls = 0
        self._where = ""

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Compare what is asked for inside, on this thread."""
        self._left = COMPARED
        token = listener.set(self._hear)
        try:
            yield
        finally:
            listener.reset(token)

    def tell(self, stacklevel: int) -> None:
        """Warn where a gradient fell since, but once in all; ``stacklevel`` as for ``warnings.warn``."""
        if self.words or not self._falls:
            return
        why = "it is not convex there" if self._rises else "its sign is wrong, or it is not convex there"
        self.words = (f"the gradient of a term must not fall along a way, it fell in {self._falls} of "
                      f"{self._falls + self._rises} comparisons, {self._where}: {why}. Check it with check_gradient; "
                      "GradientOracle(..., watch=False) compares nothing")
        warnings.warn(self.words, RuntimeWarning, stacklevel=stacklevel + 1)

    def _hear(self, indices: np.ndarray, theta: np.ndarray, fresh: np.ndarray) -> None:
        if self._left <= 0:
            return
        with quiet():
            for k, gradient in dict(zip(indices.tolist(), fresh, strict=True)).items():
                places = self._places.setdefault(k, []) if len(self._places) < TERMS else self._places.get(k, [])
                for other, before in places:
                    self._compare(k, theta - other, gradient - before, gradient, before, theta)
                if len(places) < PLACES and k in self._places:
                    places.append((theta.copy(), gradient.copy()))

    def _compare(self, k: int, way: np.ndarray, change: np.ndarray, one: np.ndarray, other: np.ndarray,
                 theta: np.ndarray) -> None:
        self._left -= 1
        rise = float(way @ change)
        if not abs(rise) > ROUNDING * np.linalg.norm(way) * (np.linalg.norm(one) + np.linalg.norm(other)):
            return  # too near to tell, or no number
        self._rises += rise > 0
        if rise < 0:
            self._falls += 1
            self._where = self._where or f"as of index {k} between theta = {_said(theta - way)} and {_said(theta)}"


def not_finite(problem: Problem, t: int, theta: np.ndarray) -> str:
    """Which gradient of f_0 ... f_t of a GradientOracle is no finite number at ``theta``, in words; empty where all are."""
    if problem.kind != "oracle":
        return ""
    try:
        with quiet():
            if not np.isfinite(prior := problem.prior_gradient(theta.copy())).all():
                return _no_number("prior_gradient", "", prior, theta)
            for first in range(0, t, MANY):
                indices = np.arange(first, min(t, first + MANY), dtype=np.int64)
                fresh = problem.gradients(indices, theta.copy())
                if (bad := np.flatnonzero(~np.isfinite(fresh).all(axis=1))).size:
                    return _no_number("gradients", f" for index {indices[bad[0]]}", fresh[bad[0]], theta)
    except Exception:  # the user's code may raise anything; the divergence is what is reported
        return ""
    return ""


def _no_number(name: str, which: str, gradient: np.ndarray, theta: np.ndarray) -> str:
    place = int(np.flatnonzero(~np.isfinite(gradient))[0])
    return f"{name} must be finite, got {gradient[place]}{which} in coordinate {place} at theta = {_said(theta)}"


def _said(theta: np.ndarray) -> str:
    return f"[{', '.join(f'{x:.6g}' for x in theta[:SOME])}{', ...' * (theta.size > SOME)}]"
