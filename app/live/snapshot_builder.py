"""`SnapshotBuilder`: builds the `Snapshot` of a run for one frame; `waiting_picture`: placeholder before the first."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.canvas.frame_bytes import Arrows, Cloud, Outline
from app.jobs.frame_rate import FrameRate
from app.live.assumptions import not_measured
from app.live.epoch_measures import meters
from app.live.ghost_run import Ghost, compare, target_label
from app.live.history import History
from app.live.page_words import NOTHING, RunNotice
from app.live.playback import StepPath
from app.live.plotted_plane import LARGEST, OwnBalls, View, float32
from app.live.run import LiveRun
from app.live.run_state import RunState
from app.live.snapshot import Series, Snapshot
from app.state.live import LiveConfig
from app.state.live_menu import choice_of
from sampler.algorithms import PLAIN
from sampler.tuning import Measurements, Verdict

CONTOUR_PAUSE = 0.1
"""Minimum seconds between two computations of the target's contours while playing."""


class SnapshotBuilder:
    """Builder of snapshots of one run, with a cache of parts that change rarely."""

    def __init__(self, number: int, rate: FrameRate | None = None) -> None:
        self.number, self._rate = number, rate or FrameRate()
        self.view = View()
        self.steps = StepPath()
        self._own_balls = OwnBalls()
        self._contours: tuple[np.ndarray, ...] = ()
        self._contour_clock = self._series_clock = -1e9
        self._words: dict[str, Any] = {}  #: fields of the snapshot that are updated with the series
        self._contour_key: tuple = ()
        self._series_key: tuple = ()

    def restart(self) -> None:
        """Start a new run number: views clear their trails, the window is refitted and the series are reread."""
        self.number += 1
        self.view, self._contour_key, self._series_key = View(), (), ()

    def build(
        self, run: LiveRun, now: float, playing: bool, busy: bool, notice: RunNotice = NOTHING, ghost: Ghost | None = None
    ) -> Snapshot:
        """Return a snapshot; while busy (playing or replaying) the series are updated at most six times per second."""
        state = run.state
        mode = state.tracker.mode
        center = np.array(state.constants.last_mode(state.t, mode))
        coordinates = choice_of(state.config.problem, state.config.user_data).coordinates
        self.view.look(state.config, state.t, mode, state.tracker.covariance, center, coordinates, state.count)
        series = self._series(run, now, busy, ghost)
        cloud = self._cloud(run, now, busy, ghost)
        return Snapshot(
            run=self.number,
            playing=playing,
            config=state.config,
            t=state.t,
            step=state.step,
            run_length=state.run_length,
            step_size=state.step_size,
            furthest=max(state.t, run.history.t),
            cloud=cloud,
            series=series,
            notice=notice.words,
            notice_kind=notice.kind,
            progress=notice.progress,
            reference=state.truth.words,
            moment=run.moment,
            ghost=ghost.series if ghost is not None else None,
            **self._words,
        )

    def _series(self, run: LiveRun, now: float, busy: bool, ghost: Ghost | None) -> Series | None:
        """Return the series and update the texts; None if unchanged, or updated too recently."""
        state = run.state
        key = (state.t, state.done, state.config, run.history.t, state.truth.words, id(ghost))
        if key == self._series_key or (busy and now - self._series_clock < self._rate.charts):
            return None
        self._series_key, self._series_clock = key, now
        verdict, four_meters, assumptions = run.verdict()
        self._words = {"verdict": verdict, "meters": four_meters, "assumptions": assumptions, "promise": run.promise(),
                       "comparison": compare(ghost, run, target_label) if ghost is not None else None}
        upto = state.t if state.done else state.t - 1
        return run.history.series(max(upto, 0), run.timeline.events(state.position + 0.01))

    def _cloud(self, run: LiveRun, now: float, busy: bool, ghost: Ghost | None) -> Cloud:
        view, state, effects, saga = self.view, run.state, run.effects, run.state.saga
        resets = [(chain, *view.points(np.stack(ends)).ravel()) for chain, *ends in effects.resets()]
        exits = [(chain, *view.points(np.array([place]))[0]) for chain, place in effects.exits()]
        cloud = Cloud(
            positions=float32(view.points(saga.positions)),
            reset=np.isin(np.arange(saga.chains), [*effects.jumped]),
            mode=float32(view.points(view.mode[None])[0]),
            contours=self._target(state, now, busy),
            checkpoints=float32(view.points(saga.checkpoints)),
            escape_distance=view.radius(state.config.escape_radius),
            acceptance_distance=view.radius(min(saga.settings.acceptance_radius, LARGEST)),
            acceptance_balls=self._own_balls.rows(state, view, saga.checkpoints),
            balls=view.balls(state.constants.modes),
            half_width=float(view.half_width),
            center=float32(view.center),
            resets=float32(np.array(resets).reshape(-1, 5)),
            exits=float32(np.array(exits).reshape(-1, 3)),
            axis_names=view.names,
            arrows=self._arrows(state),
            ghost=self._ghost(ghost, state),
        )
        effects.mark_published()
        return cloud

    def _ghost(self, ghost: Ghost | None, state: RunState) -> Outline | None:
        """Return the ellipse of two standard deviations of the ghost's chains at this epoch; None without a ghost."""
        outline = ghost.outline(state.t, state.saga.dim) if ghost is not None else None
        if outline is None:
            return None
        mean, covariance = outline
        return Outline(float32(self.view.points(mean[None])[0]), float32(2.0 * self.view.shape(covariance)))

    def _arrows(self, state: RunState) -> Arrows | None:
        if not self.steps.shows(state.chain, state.t):
            return None
        ends, path = (float32(self.view.points(np.array(points))) for points in (self.steps.ends, self.steps.path))
        return Arrows(ends, path=path, batch_size=state.saga.settings.batch_size, t=state.t)

    def _target(self, state: RunState, now: float, busy: bool) -> tuple[np.ndarray, ...]:
        """Return the contours of the target; while playing in one view they are computed a few times per second."""
        key = (state.config, state.t, state.truth.words, id(self.view.projection))
        if key == self._contour_key or not self.view.bounded:
            return self._contours
        same_view = self._contour_key[:1] == key[:1]
        if busy and same_view and now - self._contour_clock < max(CONTOUR_PAUSE, 2 * self._rate.apart):
            return self._contours
        self._contour_key, self._contour_clock = key, now
        self._contours = self.view.loops(state.truth.contours(self.view.projection))
        return self._contours


PREPARED = "The run is being prepared; if its sampler must be compiled first, this takes half a minute, once."


def waiting_picture(config: LiveConfig, last: Snapshot | None, playing: bool, title: str = "Starting",
                    sentence: str = PREPARED) -> Snapshot:
    """Return the placeholder snapshot of a run before its first: its knobs, and nothing of the previous run.

    Parameters
    ----------
    config
        Configuration of the run.
    last
        Previous snapshot, the ghost of which is kept.
    playing
        Whether the run will play.
    title, sentence
        Text in place of a verdict.
    """
    no_chains, center = np.zeros((0, 2), np.float32), np.zeros(2, np.float32)
    cloud = Cloud(
        positions=no_chains, reset=np.zeros(0, bool), mode=center, contours=(), escape_distance=0.0,
        acceptance_distance=0.0, balls=(), half_width=1.0, center=center, resets=np.zeros((0, 5), np.float32),
        exits=np.zeros((0, 3), np.float32), axis_names=("", "") if last is None else last.cloud.axis_names)
    verdict = Verdict("waiting", title, choice_of(config.problem, config.user_data).label, sentence, "")
    return Snapshot(
        run=0 if last is None else last.run + 1, playing=playing, config=config, t=0, step=0,
        run_length=0, furthest=0, cloud=cloud, series=History().series(0, ()),
        step_size=config.eta0 / (config.offset or 1.0) if config.algorithm == PLAIN else config.eta0,
        verdict=verdict, meters=meters(Measurements(config.settings, 0, config.chains, 0, window=0)),
        assumptions=not_measured(), ghost=None if last is None else last.ghost)
