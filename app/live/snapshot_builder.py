"""`SnapshotBuilder`: from a run to the `Snapshot` of one frame."""

from __future__ import annotations

import numpy as np

from app.live.frame_pace import PACE
from app.live.ghost import Ghost, compare
from app.live.own_balls import OwnBalls
from app.live.plotted_plane import Geometry, View, float32
from app.live.run import LiveRun
from app.live.run_state import RunState
from app.live.slow_mode_step import StepPath
from app.live.snapshot import Arrows, Cloud, Comparison, Ellipse, Outline, Promise, Snapshot

CONTOUR_PAUSE = 0.1
"""Seconds between two computations of the target's contours while it plays."""


class SnapshotBuilder:
    """Builds snapshots of one run; keeps what changes rarely."""

    def __init__(self, number: int, first_frame: int) -> None:
        self.number, self.frame = number, first_frame
        self.view: View | None = None
        self.steps = StepPath()
        self._own_balls = OwnBalls()
        self._contours: tuple[np.ndarray, ...] = ()
        self._contour_key: tuple = ()
        self._contour_clock = self._series_clock = -1e9
        self._series_key: tuple = ()
        self._words: tuple = (None, (), ())
        self._promise: Promise | None = None
        self._comparison: Comparison | None = None

    def restart(self) -> None:
        """Begin a new run number: views clear their trails, the window is fitted and all is read anew."""
        self.number += 1
        self.view, self._contour_key, self._series_key = None, (), ()

    def build(
        self, run: LiveRun, now: float, playing: bool, busy: bool, notice: tuple, progress: float | None,
        ghost: Ghost | None = None,
    ) -> Snapshot:
        """Return a snapshot; while busy (playing or replaying) the series are read six times a second."""
        state = run.state
        geometry = Geometry(state.config, state.t, state.tracker.mode, state.tracker.covariance)
        if self.view is None:
            self.view = View(state.saga.dim)
        series = self._series(run, now, busy, ghost)
        cloud = self._cloud(run, geometry, now, busy, ghost)
        self.frame += 1
        words, kind = notice
        return Snapshot(
            run=self.number,
            frame=self.frame,
            playing=playing,
            config=state.config,
            t=state.t,
            step=state.step,
            run_length=state.run_length,
            step_size=state.step_size,
            horizon=state.data.length,
            furthest=max(state.t, run.history.t),
            cloud=cloud,
            series=series,
            verdict=self._words[0],
            meters=self._words[1],
            assumptions=self._words[2],
            notice=words,
            notice_kind=kind,
            progress=progress,
            reference=state.truth.words,
            promise=self._promise,
            moment=run.moment,
            ghost=ghost.series if ghost is not None else None,
            comparison=self._comparison,
        )

    def _series(self, run: LiveRun, now: float, playing: bool, ghost: Ghost | None):
        state = run.state
        key = (state.t, state.done, state.config, run.history.t, state.truth.words, id(ghost))
        if key == self._series_key or (playing and now - self._series_clock < PACE.charts):
            return None
        self._series_key, self._series_clock = key, now
        self._words, self._promise = run.verdict(), run.promise()
        self._comparison = compare(ghost, run) if ghost is not None else None
        upto = state.t if state.done else state.t - 1
        return run.history.series(max(upto, 0), run.timeline.events(state.position + 0.01))

    def _cloud(self, run: LiveRun, geometry: Geometry, now: float, playing: bool, ghost: Ghost | None) -> Cloud:
        view, state, effects = self.view, run.state, run.effects
        saga = state.saga
        first = 1 << max(geometry.t, 1).bit_length() - 1
        view.fit(geometry, run.constants.modes.get(first, geometry.mode))
        arrows = self._arrows(state, geometry)
        places = saga.checkpoints
        checkpoints = float32(view.points(geometry, places))
        balls = self._own_balls.rows(state, geometry, view, places)
        resets = [(k, *view.points(geometry, np.stack(ends)).ravel()) for k, *ends in effects.resets()]
        exits = [(k, *view.points(geometry, place[None])[0]) for k, place in effects.exits()]
        settings = saga.settings
        cloud = Cloud(
            positions=float32(view.points(geometry, saga.positions)),
            reset=effects.jumped.copy(),
            mode=float32(view.points(geometry, geometry.mode[None])[0]),
            contours=self._target(state, geometry, now, playing),
            checkpoint=checkpoints[state.chain],
            checkpoints=checkpoints,
            escape_distance=view.radius(geometry, geometry.config.escape_radius),
            acceptance_distance=view.radius(geometry, min(settings.acceptance_radius, 1e6)),
            acceptance_ball=None if balls is None else Ellipse.of(balls, state.chain, state.chain),
            acceptance_balls=balls,
            balls=view.balls(geometry, run.constants.modes),
            half_width=float(view.half_width),
            center=float32(view.center),
            resets=float32(np.array(resets).reshape(-1, 5)),
            exits=float32(np.array(exits).reshape(-1, 3)),
            axis_names=view.names,
            arrows=arrows,
            ghost=self._ghost(ghost, geometry),
        )
        effects.shown()
        return cloud

    def _ghost(self, ghost: Ghost | None, geometry: Geometry) -> Outline | None:
        """Two standard deviations of the ghost's chains at this epoch, round their mean."""
        found = ghost.outline(geometry.t, len(geometry.mode)) if ghost is not None else None
        if found is None:
            return None
        mean, covariance = found
        shape = self.view.shape(geometry, self.view.projection.T @ covariance @ self.view.projection)
        return Outline(float32(self.view.points(geometry, mean[None])[0]), float32(2.0 * shape))

    def _arrows(self, state: RunState, geometry: Geometry) -> Arrows | None:
        if not self.steps.shows(state.chain, state.t):
            self.view.leave_slow()
            return None
        ends, path = (float32(self.view.points(geometry, p)) for p in (self.steps.ends, self.steps.path))
        self.view.fit_slow(geometry, ends, state.t)
        return Arrows(*ends, path=path, batch_size=state.saga.settings.batch_size, t=state.t)

    def _target(self, state: RunState, geometry: Geometry, now: float, playing: bool) -> tuple[np.ndarray, ...]:
        key = (state.t, state.config, state.truth.words, id(self.view.projection))
        if key == self._contour_key or not np.isfinite(geometry.covariance).all():
            return self._contours
        same_view = self._contour_key[1:2] == key[1:2]
        if playing and same_view and now - self._contour_clock < max(CONTOUR_PAUSE, 2 * PACE.frame):
            return self._contours
        self._contour_key, self._contour_clock = key, now
        loops = state.truth.contours(self.view.projection)
        if geometry.config.rescaled:
            loops = tuple((loop - geometry.mode @ self.view.projection) * geometry.scale for loop in loops)
        self._contours = tuple(float32(loop) for loop in loops)
        return self._contours
