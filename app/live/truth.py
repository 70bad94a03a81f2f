"""Target of a Live run at every epoch: exact, on a grid, or by long chains sampled in the background."""

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
    """Gaussian target N(mode, Hessian^-1), exact if F_t is quadratic."""

    words = "exact"  #: description of the reference
    draws: float | None = None  #: effective sample size of a sampled reference; None, as the next two, if there is none
    ceiling_draws: int | None = None  #: number of independent draws with equally noisy histograms
    epoch: int | None = None  #: epoch of the reference

    def __init__(self, tracker: ModeTracker) -> None:
        self.tracker = tracker

    def add(self, *row: np.ndarray) -> None:
        """Add a datum, after the tracker, which has it already."""

    def forget(self, n: int) -> None:
        """Remove the n oldest data."""
        self.tracker.forget(n)

    @property
    def ready(self) -> bool:
        """Whether the target has a proper density."""
        return bool(np.isfinite(self.tracker.covariance).all())

    @property
    def mean(self) -> np.ndarray:
        """Mean, (d,)."""
        return self.tracker.mode

    @property
    def std(self) -> np.ndarray:
        """Standard deviations, (d,)."""
        return np.sqrt(np.diagonal(self.tracker.covariance))

    def uniforms(self, samples: np.ndarray) -> np.ndarray:
        """Evaluate the marginal distribution functions, (n, d) -> (n, d)."""
        return ndtr((samples - self.mean) / self.std)

    def contours(self, projection: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return contours of MASSES in the plane of the (d, 2) projection: ellipses of the Laplace approximation."""
        return ellipses(self.tracker.mode @ projection, projection.T @ self.tracker.covariance @ projection)

    busy = False  #: whether a background computation is running

    def refresh(self) -> bool:
        """Use the results of the background computation; return whether there were any."""
        return False

    def close(self) -> None:
        """Stop the background computation."""


class LaplaceTruth(GaussianTruth):
    """Laplace approximation, for targets with gradients only."""

    words = "Laplace (mode and curvature)"


class GridTruth(GaussianTruth):
    """Density on a grid in two dimensions, updated by one datum per epoch."""

    words = "grid"

    def __init__(self, tracker: ModeTracker) -> None:
        super().__init__(tracker)
        self.grid = GridReference(tracker.problem)

    def add(self, *row: np.ndarray) -> None:
        """Multiply the density by the datum's likelihood."""
        self.grid.add(*row)

    def forget(self, n: int) -> None:
        """Remove the n oldest data."""
        super().forget(n)
        self.grid.forget(n)

    @property
    def mean(self) -> np.ndarray:
        """Mean, (2,)."""
        return self.grid.mean

    @property
    def std(self) -> np.ndarray:
        """Standard deviations, (2,)."""
        return self.grid.std

    def uniforms(self, samples: np.ndarray) -> np.ndarray:
        """Evaluate the marginal distribution functions, (n, 2) -> (n, 2)."""
        return self.grid.cdf(samples)

    def contours(self, projection: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return level sets of the density; ellipses if a level leaves the grid."""
        loops = level_sets(self.grid)
        if not loops:
            return ellipses(self.mean @ projection, projection.T @ self.grid.covariance @ projection)
        return tuple(thin_loop(loop) @ projection for loop in loops)


GROWTH = 1.1
"""Growth factor of the data after which a new reference is sampled."""
DRAWS = 3000
EARLY, EARLY_DRAWS = 100, 1000  # with few data, the target changes fast and a reference must be quick
YIELD_SECONDS = 0.0005
_JOIN = 0.8


@dataclass(frozen=True, eq=False)
class _Drawn:
    reference: SampleReference
    mode: np.ndarray  # (d,), and `spread`: standard deviations (d,) of the Laplace approximation, at its epoch
    spread: np.ndarray
    epoch: int


class Drawer:
    """Sampler of references, one at a time, each on its own thread; stops immediately when closed."""

    def __init__(self, make: Callable[..., SampleReference | None] = long_chain_reference) -> None:
        self._make = make
        self._closed = False
        self._thread: threading.Thread | None = None
        self.latest: _Drawn | None = None
        self.error: str | None = None

    @property
    def idle(self) -> bool:
        """Whether a request would be accepted."""
        return not self._closed and self.error is None and (self._thread is None or not self._thread.is_alive())

    def request(self, posterior: object, mode: np.ndarray, spread: np.ndarray, epoch: int) -> None:
        """Start sampling a reference; ignored unless idle."""
        if self.idle:
            self._thread = threading.Thread(target=self._draw, args=(posterior, mode, spread, epoch), daemon=True,
                                            name="exit-time-reference")
            self._thread.start()

    def close(self) -> None:
        """Stop the thread and wait for it, at most 0.8 s."""
        self._closed = True
        if self._thread is not None:
            self._thread.join(_JOIN)

    def _should_stop(self) -> bool:
        """Yield the interpreter to other threads, then return whether to stop; called between two sweeps."""
        time.sleep(YIELD_SECONDS)
        return self._closed

    def _draw(self, posterior: object, mode: np.ndarray, spread: np.ndarray, epoch: int) -> None:
        draws = EARLY_DRAWS if posterior.t < EARLY else DRAWS
        try:
            reference = self._make(posterior, draws, seed=epoch, warm_start=mode, stop=self._should_stop)
        except Exception as error:  # a failing reference must not break the page
            self.error = f"{type(error).__name__}: {error}"
            return
        if reference is not None:
            self.latest = _Drawn(reference, mode, spread, epoch)


class DrawnTruth(GaussianTruth):
    """Latest long chain as reference. Until the next, its draws are shifted with the mode and scaled with the curvature."""

    ready = False  #: whether a reference has been sampled

    def __init__(self, tracker: ModeTracker, drawer: Drawer | None = None) -> None:
        super().__init__(tracker)
        self.drawer = drawer if drawer is not None else Drawer()
        self._drawn: _Drawn | None = None

    def _load_latest(self) -> bool:
        """Use the latest reference; return whether it is new."""
        last, self._drawn = self._drawn, self.drawer.latest
        if self._drawn is last:
            return False
        reference, self.ready, self.epoch = self._drawn.reference, True, self._drawn.epoch
        self.ceiling_draws = reference.ceiling_draws
        self.draws = equivalent_draws(reference.ess)  # the minimum over coordinates would give too low a ceiling
        return True

    def add(self, *row: np.ndarray) -> None:
        """Use the latest reference and request the next if the data have grown enough."""
        self._load_latest()
        drawn = self._drawn
        if drawn is None or self._now - drawn.epoch + drawn.reference.t >= GROWTH * drawn.reference.t + 1:
            self._request()

    def refresh(self) -> bool:
        """Use the latest reference and request one of the current epoch, while the run is paused."""
        fresh = self._load_latest()
        if self.epoch != self._now:
            self._request()
        return fresh

    @property
    def _now(self) -> int:
        """Current epoch: number of data that have arrived."""
        return self.tracker.forgotten + self.tracker.t

    @property
    def busy(self) -> bool:
        """Whether a reference of the current epoch is still missing and can be sampled."""
        return self.epoch != self._now and self.tracker.t > 0 and self.drawer.error is None

    def _request(self) -> None:
        if self.drawer.idle and self.tracker.t:
            self.drawer.request(self.tracker.posterior, self.tracker.mode.copy(), super().std, self._now)

    @property
    def words(self) -> str:
        """Description of the reference."""
        if self.drawer.error is not None:
            return f"the reference failed: {self.drawer.error}"
        if not self.ready:
            return "being drawn"
        age = self._now - self.epoch
        when = "" if age == 0 else f", {abs(age):,} epochs {'old' if age > 0 else 'ahead'}, moved with the mode"
        return f"{self.draws:,.0f} effective draws at t = {self.epoch:,}{when}"

    @property
    def mean(self) -> np.ndarray:
        """Mean, (d,)."""
        drawn = self._drawn
        return self.tracker.mode + (drawn.reference.mean - drawn.mode) * self._scale()

    @property
    def std(self) -> np.ndarray:
        """Standard deviations, (d,)."""
        return self._drawn.reference.std * self._scale()

    def uniforms(self, samples: np.ndarray) -> np.ndarray:
        """Evaluate the marginal distribution functions, (n, d) -> (n, d)."""
        drawn = self._drawn
        return drawn.reference.cdf(drawn.mode + (samples - self.tracker.mode) / self._scale())

    def __deepcopy__(self, memo: dict) -> DrawnTruth:
        """Return a copy with a copied tracker that shares the background thread and its reference."""
        other = copy.copy(self)
        other.tracker = copy.deepcopy(self.tracker, memo)
        return other

    def close(self) -> None:
        """Stop the background thread."""
        self.drawer.close()

    def _scale(self) -> np.ndarray:
        return super().std / self._drawn.spread
