"""From a run to the `Snapshot` of one frame."""

from __future__ import annotations

import numpy as np

from app.live.picture import Picture, Scene, float32
from app.live.run import LiveRun
from app.live.snapshot import Arrows, Cloud, Snapshot
from app.live.steps import StepPath

CONTOUR_PAUSE = 0.1
"""Seconds between two computations of the target's contours while it plays."""
SERIES_PAUSE = 0.17
"""Seconds between two readings of the series, the verdict, the meters and the assumptions."""


class Frames:
    """Builds snapshots of one run; keeps what changes rarely."""

    def __init__(self, number: int, first_frame: int) -> None:
        self.number, self.frame = number, first_frame
        self.picture: Picture | None = None
        self.steps = StepPath()
        self._contours: tuple[np.ndarray, ...] = ()
        self._contour_key: tuple = ()
        self._contour_clock = self._series_clock = -1e9
        self._series_key: tuple = ()
        self._words: tuple = (None, (), ())

    def restart(self) -> None:
        """Begin a new run number: views clear their trails, the window is fitted and all is read anew."""
        self.number += 1
        self.picture, self._contour_key, self._series_key = None, (), ()

    def build(
        self, run: LiveRun, now: float, playing: bool, busy: bool, notice: tuple, progress: float | None
    ) -> Snapshot:
        """Return a snapshot; while busy (playing or replaying) the series are read six times a second."""
        scene = Scene(run.config, run.t, run.tracker.mode, run.tracker.covariance)
        if self.picture is None:
            self.picture = Picture(run.saga.dim)
        series = self._series(run, now, busy)
        cloud = self._cloud(run, scene, now, busy)
        self.frame += 1
        words, kind = notice
        return Snapshot(
            run=self.number,
            frame=self.frame,
            playing=playing,
            config=run.config,
            t=run.t,
            step=run.step,
            run_length=run.run_length,
            step_size=run.saga.settings.eta0 / ((run.t + run.saga.settings.offset) or 1.0),
            horizon=run.data.length,
            furthest=max(run.t, run.history.t),
            cloud=cloud,
            series=series,
            verdict=self._words[0],
            meters=self._words[1],
            assumptions=self._words[2],
            notice=words,
            notice_kind=kind,
            progress=progress,
            reference=run.truth.words,
        )

    def _series(self, run: LiveRun, now: float, playing: bool):
        key = (run.t, run.done, run.config, run.history.t, run.truth.words)
        if key == self._series_key or (playing and now - self._series_clock < SERIES_PAUSE):
            return None
        self._series_key, self._series_clock = key, now
        self._words = run.measures.verdict(run)
        upto = run.t if run.done else run.t - 1
        return run.history.series(max(upto, 0), run.timeline.events(run.position + 0.01))

    def _cloud(self, run: LiveRun, scene: Scene, now: float, playing: bool) -> Cloud:
        picture, saga, effects = self.picture, run.saga, run.effects
        first = 1 << max(scene.t, 1).bit_length() - 1
        picture.fit(scene, run.constants.modes.get(first, scene.mode))
        arrows = self._arrows(run, scene)
        checkpoint = saga.checkpoints[run.chain]
        resets = [(k, *picture.points(scene, np.stack(ends)).ravel()) for k, *ends in effects.resets()]
        exits = [(k, *picture.points(scene, place[None])[0]) for k, place in effects.exits()]
        settings = saga.settings
        cloud = Cloud(
            positions=float32(picture.points(scene, saga.positions)),
            reset=effects.jumped.copy(),
            mode=float32(picture.points(scene, scene.mode[None])[0]),
            contours=self._target(run, scene, now, playing),
            checkpoint=float32(picture.points(scene, checkpoint[None])[0]),
            escape_distance=picture.radius(scene, scene.config.escape_radius),
            acceptance_distance=picture.radius(scene, min(settings.acceptance_radius, 1e6)),
            balls=picture.balls(scene, run.constants.modes),
            half_width=float(picture.half_width),
            center=float32(picture.center),
            resets=float32(np.array(resets).reshape(-1, 5)),
            exits=float32(np.array(exits).reshape(-1, 3)),
            axis_names=picture.names,
            arrows=arrows,
        )
        effects.shown()
        return cloud

    def _arrows(self, run: LiveRun, scene: Scene) -> Arrows | None:
        if not self.steps.shows(run.chain, run.t):
            self.picture.leave_slow()
            return None
        ends, path = (float32(self.picture.points(scene, p)) for p in (self.steps.ends, self.steps.path))
        self.picture.fit_slow(scene, ends, run.t)
        return Arrows(*ends, path=path, batch_size=run.saga.settings.batch_size, t=run.t)

    def _target(self, run: LiveRun, scene: Scene, now: float, playing: bool) -> tuple[np.ndarray, ...]:
        key = (run.t, run.config, run.truth.words, id(self.picture.projection))
        if key == self._contour_key or not np.isfinite(scene.covariance).all():
            return self._contours
        same_view = self._contour_key[1:2] == key[1:2]
        if playing and same_view and now - self._contour_clock < CONTOUR_PAUSE:
            return self._contours
        self._contour_key, self._contour_clock = key, now
        loops = run.truth.contours(self.picture.projection)
        if scene.config.rescaled:
            loops = tuple((loop - scene.mode @ self.picture.projection) * scene.scale for loop in loops)
        self._contours = tuple(float32(loop) for loop in loops)
        return self._contours
