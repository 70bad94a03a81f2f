"""The target of a Live run at every epoch: exact, on a grid, or long chains drawn in the background."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from app.canvas.contours import ellipses, level_sets, thin_loop
from sampler import GridReference, long_chain_reference
from sampler.metrics import equivalent_draws
from sampler.reference import ModeTracker, SampleReference


class GaussianTruth:
    """Exact where F_t is quadratic: N(mode, Hessian^-1)."""

    words = "exact"  #: how the target is known
    draws: float | None = None  #: effective number of a reference's draws, of which the next two are, too
    ceiling_draws: int | None = None  #: independent draws whose histograms are as noisy
    epoch: int | None = None  #: at which it was drawn

    def __init__(self, tracker: ModeTracker) -> None:
        self.tracker = tracker

    def add(self, *row: np.ndarray) -> None:
        """Nothing to do: the tracker has the datum."""

    def forget(self, n: int) -> None:
        """The oldest data no longer count."""
        self.tracker.forget(n)

    @property
    def ready(self) -> bool:
        """Whether the target has a density yet."""
        return bool(np.isfinite(self.tracker.covariance).all())

    @property
    def mean(self) -> np.ndarray:
        """(d,)."""
        return self.tracker.mode

    @property
    def std(self) -> np.ndarray:
        """(d,)."""
        return np.sqrt(np.diagonal(self.tracker.covariance))

    def uniforms(self, samples: np.ndarray) -> np.ndarray:
        """Marginal distribution functions, (n, d) -> (n, d)."""
        return ndtr((samples - self.mean) / self.std)

    def contours(self, projection: np.ndarray) -> tuple[np.ndarray, ...]:
        """Loops of MASSES in the plane of the (d, 2) projection: Laplace's ellipses, which follow every datum."""
        return ellipses(self.tracker.mode @ projection, projection.T @ self.tracker.covariance @ projection)

    busy = False  #: whether something is being computed in the background

    def refresh(self) -> bool:
        """Take in what the background has computed; whether there was anything."""
        return False

    def close(self) -> None:
        """Stop whatever runs in the background."""


class LaplaceTruth(GaussianTruth):
    """The Gaussian of mode and curvature: all that gradients alone tell."""

    words = "Laplace (mode and curvature)"


class GridTruth(GaussianTruth):
    """A grid in the plane, one datum an epoch."""

    words = "grid"

    def __init__(self, tracker: ModeTracker) -> None:
        super().__init__(tracker)
        self.grid = GridReference(tracker.problem)

    def add(self, *row: np.ndarray) -> None:
        """Multiply the density by the datum's likelihood."""
        self.grid.add(*row)

    def forget(self, n: int) -> None:
        """The oldest data no longer count."""
        super().forget(n)
        self.grid.forget(n)

    @property
    def mean(self) -> np.ndarray:
        """(d,)."""
        return self.grid.mean

    @property
    def std(self) -> np.ndarray:
        """(d,)."""
        return self.grid.std

    def uniforms(self, samples: np.ndarray) -> np.ndarray:
        """Marginal distribution functions, (n, d) -> (n, d)."""
        return self.grid.cdf(samples)

    def contours(self, projection: np.ndarray) -> tuple[np.ndarray, ...]:
        """Level sets of the density; ellipses while a level leaves the window."""
        loops = level_sets(self.grid)
        if not loops:
            return ellipses(self.mean @ projection, projection.T @ self.grid.covariance @ projection)
        return tuple(thin_loop(loop) @ projection for loop in loops)


GROWTH = 1.1
"""A new reference is begun when the data have grown by a tenth since the last."""
DRAWS = 3000
EARLY, EARLY_DRAWS = 100, 1000  # while every datum counts, a reference must be quick
YIELD_SECONDS = 0.0005
_JOIN = 0.8


@dataclass(frozen=True, eq=False)
class _Drawn:
    reference: SampleReference
    mode: np.ndarray  # (d,) and Laplace's standard deviations (d,) at its epoch
    spread: np.ndarray
    epoch: int


class Drawer:
    """Draws one reference at a time, each on a thread of its own; stops at once when closed."""

    def __init__(self, make: Callable[..., SampleReference | None] = long_chain_reference) -> None:
        self._make = make
        self._closed = False
        self._thread: threading.Thread | None = None
        self.latest: _Drawn | None = None
        self.error: str | None = None

    @property
    def idle(self) -> bool:
        """Whether a new order would be taken."""
        return not self._closed and self.error is None and (self._thread is None or not self._thread.is_alive())

    def order(self, posterior: object, mode: np.ndarray, spread: np.ndarray, epoch: int) -> None:
        """Ask for a reference; ignored while one is being drawn."""
        if self.idle:
            self._thread = threading.Thread(target=self._draw, args=(posterior, mode, spread, epoch), daemon=True,
                                            name="exit-time-reference")
            self._thread.start()

    def close(self) -> None:
        """Stop and wait for the thread, less than a second."""
        self._closed = True
        if self._thread is not None:
            self._thread.join(_JOIN)

    def _asked_to_stop(self) -> bool:
        """Asked between two sweeps: a moment for the threads that wait for the interpreter, then the answer."""
        time.sleep(YIELD_SECONDS)
        return self._closed

    def _draw(self, posterior: object, mode: np.ndarray, spread: np.ndarray, epoch: int) -> None:
        draws = EARLY_DRAWS if posterior.t < EARLY else DRAWS
        try:
            reference = self._make(posterior, draws, seed=epoch, warm_start=mode, stop=self._asked_to_stop)
        except Exception as error:  # a reference that fails must not take the page with it
            self.error = f"{type(error).__name__}: {error}"
            return
        if reference is not None:
            self.latest = _Drawn(reference, mode, spread, epoch)


class DrawnTruth(GaussianTruth):
    """The latest long chain. Between two, its draws move with the mode and narrow with the curvature."""

    ready = False  #: whether a reference has been drawn

    def __init__(self, tracker: ModeTracker, drawer: Drawer | None = None) -> None:
        super().__init__(tracker)
        self.drawer = drawer if drawer is not None else Drawer()
        self._drawn: _Drawn | None = None

    def _take(self) -> bool:
        """Take in the newest reference; whether it is another than before."""
        last, self._drawn = self._drawn, self.drawer.latest
        if self._drawn is last:
            return False
        reference, self.ready, self.epoch = self._drawn.reference, True, self._drawn.epoch
        self.ceiling_draws = reference.ceiling_draws
        self.draws = equivalent_draws(reference.ess)  # the smallest of the coordinates' would set the ceiling too low
        return True

    def add(self, *row: np.ndarray) -> None:
        """Take in the newest reference and order the next when the data have grown enough."""
        self._take()
        drawn = self._drawn
        if drawn is None or self._now - drawn.epoch + drawn.reference.t >= GROWTH * drawn.reference.t + 1:
            self._order()

    def refresh(self) -> bool:
        """While the run stands still: take in the newest reference, order one of this very epoch."""
        fresh = self._take()
        if self.epoch != self._now:
            self._order()
        return fresh

    @property
    def _now(self) -> int:
        """Present epoch: data that came."""
        return self.tracker.forgotten + self.tracker.t

    @property
    def busy(self) -> bool:
        """Whether a reference of this epoch is on its way, or ought to be."""
        return self.epoch != self._now and self.tracker.t > 0 and self.drawer.error is None

    def _order(self) -> None:
        if self.drawer.idle and self.tracker.t:
            self.drawer.order(self.tracker.posterior, self.tracker.mode.copy(), super().std, self._now)

    @property
    def words(self) -> str:
        """How the target is known."""
        if self.drawer.error is not None:
            return f"the reference failed: {self.drawer.error}"
        if not self.ready:
            return "being drawn"
        age = self._now - self.epoch
        when = "" if age == 0 else f", {abs(age):,} epochs {'old' if age > 0 else 'ahead'}, moved with the mode"
        return f"{self.draws:,.0f} effective draws at t = {self.epoch:,}{when}"

    @property
    def mean(self) -> np.ndarray:
        """(d,)."""
        drawn = self._drawn
        return self.tracker.mode + (drawn.reference.mean - drawn.mode) * self._scale()

    @property
    def std(self) -> np.ndarray:
        """(d,)."""
        return self._drawn.reference.std * self._scale()

    def uniforms(self, samples: np.ndarray) -> np.ndarray:
        """Marginal distribution functions, (n, d) -> (n, d)."""
        drawn = self._drawn
        return drawn.reference.cdf(drawn.mode + (samples - self.tracker.mode) / self._scale())

    def __deepcopy__(self, memo: dict) -> DrawnTruth:
        """Return the same truth on a copied tracker; the background thread and what it has drawn are shared."""
        other = copy.copy(self)
        other.tracker = copy.deepcopy(self.tracker, memo)
        return other

    def close(self) -> None:
        """Stop the background thread."""
        self.drawer.close()

    def _scale(self) -> np.ndarray:
        return super().std / self._drawn.spread
