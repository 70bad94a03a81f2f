"""Drawing of a ladder's run: position of the animation, plane of the chains, figures of cost and accuracy."""

import math

import numpy as np

from app.canvas.contours import ellipses, thin_loop
from app.canvas.frame_bytes import Cloud, Rung
from app.offline.ladder_run import LadderRun, start_of
from app.plots import ladder, ladder_cost
from app.plots.lines import Lines
from app.state.live_menu import coordinate_names
from app.state.offline import LadderConfig


class Player:
    """Animation clock: a position in frames that moves at `rate` rungs per second, up to the last available frame."""

    def __init__(self, per_rung: int = 60, rungs: int = 1, rate: float = 0.5) -> None:
        self.per_rung, self.rungs, self.rate = per_rung, rungs, rate
        self.position = 0.0
        self.playing = True
        self._at: float | None = None

    @property
    def frame(self) -> int:
        """Index of the displayed frame."""
        return int(self.position)

    @property
    def end(self) -> int:
        """Index of the last frame of a complete run."""
        return self.per_rung * self.rungs

    @property
    def over(self) -> bool:
        """Whether the last frame is displayed."""
        return self.frame >= self.end

    def tick(self, now: float, available: int) -> int:
        """Advance to the time `now` in seconds, at most to the frame `available`; return the frame to display."""
        passed = 0.0 if self._at is None else min(now - self._at, 0.25)  # no jump after a stall of the browser
        self._at = now
        if self.playing:
            self.position += passed * self.rate * self.per_rung
        self.position = max(0.0, min(self.position, float(available), float(self.end)))
        self.playing = self.playing and not self.over
        return self.frame

    def play(self) -> None:
        """Resume playing."""
        self.playing, self._at = True, None

    def restart(self) -> None:
        """Play from the first frame."""
        self.position, self.playing, self._at = 0.0, True, None

    def step(self, available: int) -> None:
        """Pause at the next end of a rung."""
        self.seek((math.floor(self.position / self.per_rung + 1e-9) + 1) * self.per_rung, available)

    def seek(self, frame: int, available: int) -> None:
        """Pause at a frame."""
        self.playing = False
        self.position = float(max(0, min(frame, available, self.end)))


REACH = 3.5
"""Half-width of a window, in standard deviations of the widest target."""
PART = 0.62
"""Exponent of a target's contraction that the zoom compensates; the remainder stays visible."""


def plane_of(run: LadderRun, config: LadderConfig) -> tuple[np.ndarray, tuple[str, str]]:
    """Return the (d, 2) projection on the plane of the configuration, and the names of its two axes."""
    d = run.config.dim
    if config.axes == "principal" and d > 2:
        vectors = np.linalg.eigh(run.covariance)[1][:, ::-1][:, :2]
        signs = np.sign(vectors[np.abs(vectors).argmax(axis=0), [0, 1]])
        return vectors * signs, ("widest axis", "second axis")
    pair = config.axes if isinstance(config.axes, tuple) and max(config.axes) < d else (0, 1)
    names = coordinate_names(d, intercept=d > 2)
    return np.eye(d)[:, list(pair)], (names[pair[0]], names[pair[1]])


class PlaneView:
    """Contours and windows of one run in one plane; immutable apart from `run`, which may gain frames."""

    def __init__(self, run: LadderRun, config: LadderConfig) -> None:
        self.run, self.zoom = run, config.zoom
        projection, self.names = plane_of(run, config)
        self.projection = projection
        self.mode = run.mode @ projection
        covariance = projection.T @ run.covariance @ projection
        self._loops = [truth.contours(projection) for truth in run.truths]
        self.posterior = self._loops[-1] if len(self._loops) == run.rungs else tuple(
            thin_loop(loop) for loop in ellipses(self.mode, covariance))
        start = start_of(run.config)
        self.start = None if start is None else start @ projection
        self._means, self._spreads = self._sizes(projection, covariance)
        self._fit()

    def _sizes(self, projection: np.ndarray, laplace: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return centre (R, 2) and spread (R,) of each rung's target, Laplace's for targets not computed yet."""
        means, spreads = [], []
        for rung, beta in enumerate(self.run.betas):
            truth = self.run.truths[rung] if rung < len(self.run.truths) else None
            covariance = laplace / beta if truth is None else projection.T @ truth.covariance @ projection
            means.append(self.mode if truth is None else truth.mean @ projection)
            spreads.append(float(np.sqrt(np.linalg.eigvalsh(covariance)[-1])))
        return np.array(means), np.array(spreads)

    def _fit(self) -> None:
        """Set the window to contain the start and the widest target."""
        widest = int(self._spreads.argmax())
        reach = REACH * self._spreads[widest]
        low, high = self._means[widest] - reach, self._means[widest] + reach
        if widest < len(self._loops):  # far tails are not elliptical
            outer = self._loops[widest][-1]
            room = 0.06 * np.ptp(outer, axis=0)
            low, high = outer.min(axis=0) - room, outer.max(axis=0) + room
        if self.start is not None:
            low, high = np.minimum(low, self.start - 0.15 * reach), np.maximum(high, self.start + 0.15 * reach)
        self.center, self.half = (low + high) / 2, float((high - low).max()) / 2

    def window(self, rung: int) -> tuple[np.ndarray, float]:
        """Return the centre (2,) and half-width of the window during a rung."""
        if self.zoom == "fixed":
            return self.center, self.half
        shrunk = float((self._spreads[rung] / self._spreads[0]) ** PART) if self._spreads[0] > 0 else 1.0
        shrunk = min(1.0, shrunk)
        return self._means[-1] + (self.center - self._means[-1]) * shrunk**1.7, self.half * shrunk

    def cloud(self, position: float) -> Cloud:
        """Return the picture for the canvas.

        Parameters
        ----------
        position
            Position of the animation in frames; between two frames the chains are interpolated linearly.
        """
        frame, frames = int(position), self.run.frames
        places, part = frames[frame], position - frame
        if part > 0 and frame < self.run.last:
            places = places + np.float32(part) * (frames[frame + 1] - places)
        points = np.clip(places @ self.projection, -1e6, 1e6).astype(np.float32)
        rung = self.run.rung(frame)
        center, half = self.window(rung)
        last = rung == self.run.rungs - 1
        loops = self._loops[rung] if rung < len(self._loops) and not last else ()
        nowhere, none = np.full(2, np.nan, np.float32), np.empty(0, np.float32)
        return Cloud(
            positions=points, reset=np.zeros(len(points), bool), mode=nowhere, contours=self.posterior,
            escape_distance=np.nan, acceptance_distance=np.nan, balls=(), half_width=half, center=center, resets=none,
            exits=none, axis_names=self.names, rung=Rung(loops, self.start))


def cost_figure(run: LadderRun, frame: int) -> Lines:
    """Return the figure of one chain's gradient evaluations, pale beyond a frame."""
    config, f = run.config, run.per_rung
    corners = np.arange(run.rungs) * f  # a jump by the T gradients of a new table
    frames = np.unique(np.concatenate([np.linspace(0, run.total, 101).astype(int), corners, corners + 1]))
    rung = np.minimum(np.maximum(np.ceil(frames / f) - 1, 0), run.rungs - 1)
    steps = config.i_max * rung + (config.i_max * (frames - rung * f)) // f
    ours = np.where(frames > 0, (rung + 1) * config.terms, 0) + config.batch_size * steps
    return ladder_cost(frames / f, ours, config.terms * steps,
                       now=int(np.searchsorted(frames, frame, side="right")) - 1)


def rungs_figure(run: LadderRun, ended: int) -> Lines:
    """Return the figure of the accuracies of completed rungs, with the score of exact draws."""
    count = min(ended, len(run.accuracies))
    widths = [float(np.sqrt(np.var(run.end(k).astype(float), axis=0, ddof=1) / np.diagonal(run.truths[k].covariance)).max())
              for k in range(count)]
    return ladder(run.betas, run.accuracies[:count], [truth.ceiling for truth in run.truths],
                  [truth.ceiling_sd for truth in run.truths], plain=run.plain or None, widths=widths)
