"""What the engine's thread does: obeys commands, which are methods, and works in short slices. Not thread-safe."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import wraps
from typing import Any

from app.error_words import error_words
from app.handover import LiveHandover
from app.jobs.compile_notice import Announcer
from app.jobs.frame_rate import FrameRate
from app.live.ghost import Ghost
from app.live.moment import Moment
from app.live.page_words import RunNotice, fault_notice, replay_notice, run_notice
from app.live.playback import Playback
from app.live.rewind import Recall, Replay, Rewind
from app.live.run import LiveRun
from app.live.run_handover import hand_over
from app.live.snapshot import Snapshot
from app.live.snapshot_builder import SnapshotBuilder, waiting_picture
from app.state.live import LiveConfig

SLICE = 0.015
"""Seconds of work between two looks at the commands, when no other visit works."""


def _command(in_replay: bool = False, after_fault: bool = False) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a method a command: something the page asks for. It acts on a run that has begun.

    Parameters
    ----------
    in_replay
        Whether it acts during a replay; the others wait for its end.
    after_fault
        Whether it acts after a fault; the others do nothing then.
    """
    def make(method: Callable[..., None]) -> Callable[..., None]:
        @wraps(method)
        def obey(self: Worker, *args: Any) -> None:
            self.dirty = True
            with self._faults_in_words():
                if self._error is None and self._run is None:
                    self._begin(self._config)
                if self._replay is not None and not in_replay:
                    self._later.append((obey, args))
                elif self._error is None or after_fault:
                    with self._announced():
                        method(self, *args)

        return obey

    return make


class Worker:
    """The run with its player, its replay and its pictures.

    A fault ends the run: its last picture stays, with words. Only what begins a run then acts: `restart`, `recall`, or
    `configure` with another problem.
    """

    def __init__(self, config: LiveConfig, playing: bool, announcer: Callable[[], Announcer],
                 rate: FrameRate | None = None) -> None:
        self.playing, self.dirty = playing, True
        self._held = False  #: whether playing waits until a browser shows the page
        self._config, self._announcer = config, announcer
        self._run: LiveRun | None = None
        self._rate = rate or FrameRate()
        self._builder = SnapshotBuilder(-1, self._rate)
        self._playback = Playback(config.speed)
        self._replay: Replay | None = None
        self._arrived: float | None = None  #: position of the moment a link shows
        self._later: list[tuple[Callable[..., None], tuple]] = []  #: commands that wait for the end of a replay
        self._ghost: Ghost | None = None
        self._error: str | None = None
        self._shown: Snapshot | None = None  #: the last picture of the run
        self._stopped = False

    def stop(self) -> None:
        """Ask the work to end soon; may be called from another thread."""
        self._stopped = True

    def close(self) -> None:
        """Let go of the run."""
        self._let_go()
        self._shown = self._ghost = None

    def _let_go(self) -> None:
        if self._run is not None:
            self._run.close()
        self._run = self._replay = None

    @contextmanager
    def _faults_in_words(self) -> Iterator[None]:
        """End the run at a fault: the page must hear of it in words, not find a dead thread. User code may exit, too."""
        try:
            yield
        except BaseException as error:
            self.playing, self._error = False, error_words(error, stopped=True)
            self._config = self._present
            self._let_go()

    def _announced(self) -> AbstractContextManager:
        """Return a context that says that compiling takes its time, where it may."""
        return nullcontext() if self.warm else self._announcer()

    @property
    def _present(self) -> LiveConfig:
        """What is run, or would be."""
        return self._config if self._run is None else self._run.state.config

    # time ---------------------------------------------------------------------------------------------------

    def wait(self) -> float | None:
        """Seconds until there is work; None: nothing to do until a command comes."""
        if self._error is not None:
            return None
        if self._run is None or self._replay is not None:
            return 0.0
        if self.playing and not self._held:
            return self._playback.wait(self._run)
        return 1.0 if self._run.state.truth.busy else None

    @property
    def warm(self) -> bool:
        """Whether the samplers of this run are compiled: it has gone on."""
        return self._run is not None and self._run.state.t > 0

    @property
    def paced(self) -> bool:
        """Whether it plays by the clock, or draws the last paths of a replay, so that work may wait for the next frame."""
        if self._replay is not None:
            return self.warm and self._replay.drawn
        return self.playing and not self._held and self.warm and self._playback.paced(self._run)

    def work(self, seconds: float = SLICE) -> None:
        """Do what is due, for about so many seconds: then it is time to look at the commands."""
        if self._stopped or self._error is not None:
            return
        with self._faults_in_words():
            if self._run is None:
                self._begin(self._config)
            elif self._replay is not None:
                self._go_on(seconds)
            elif self.playing and not self._held:
                self._play(seconds)
            elif self._run.state.truth.refresh():
                self.dirty = True
        self.dirty = self.dirty or self._error is not None

    def _begin(self, config: LiveConfig) -> None:
        self._let_go()
        self._config, self._error, self._shown = config, None, None
        self._later.clear()
        self._builder = SnapshotBuilder(self._builder.number + 2, self._rate)  # 1 between: the waiting picture's
        self._playback = Playback(config.speed)
        self.dirty = True
        with self._announced():
            self._run = LiveRun(config)

    def _play(self, seconds: float) -> None:
        if self.warm:
            self._after(self._playback.play(self._run, self._run.clock() + seconds))
        elif not self.dirty:  # the picture of the start has been published: now it may take its time
            with self._announced():
                self._after(self._playback.step(self._run))

    def _after(self, moved: bool) -> None:
        self.dirty = self.dirty or moved
        if self._run.state.ended or (self._run.state.done and self._run.state.halted):
            self.dirty = self.dirty or self.playing
            self._pause()

    def _pause(self) -> None:
        self.playing = False
        self._playback.stop()

    # commands -----------------------------------------------------------------------------------------------

    @_command()
    def play(self) -> None:
        """Go on at the chosen speed."""
        self.playing = not (self._run.state.ended or self._run.state.halted)

    def hold(self) -> None:
        """Make the first picture but play nothing before `appear`: only a browser knows whether its user wants motion."""
        self._held = True

    @_command(in_replay=True)
    def appear(self, still: bool) -> None:
        """Play, now that a browser shows the page; pause if its user wants no motion. A replay goes on to its end."""
        self._held = False
        if still:
            self._later = [one for one in self._later if one[0] is not Worker.play]
            self._pause()

    @_command(in_replay=True)
    def pause(self) -> None:
        """Stand still, in a replay at the end of the epoch under way; snapshots are made when something changes."""
        self._later = [one for one in self._later if one[0] is not Worker.play]
        if self._replay is not None:
            self._replay.stop_here()
        self._pause()

    @_command()
    def step(self) -> None:
        """Pause, then one step of every chain that has not finished its epoch (a new epoch when all have)."""
        self._pause()
        self._after(self._playback.step(self._run))

    @_command()
    def epoch(self) -> None:
        """Pause, then finish the epoch under way, or run a whole new one when none is."""
        self._pause()
        self._after(self._playback.epoch(self._run, lambda: self._stopped))

    @_command(in_replay=True, after_fault=True)
    def restart(self) -> None:
        """Go back to epoch 0 with the present knobs; the event log is cleared."""
        self._begin(self._present)

    @_command(in_replay=True)
    def rewind(self, t: int) -> None:
        """Pause and replay exactly to the end of epoch t (clamped to what has been reached); 0 is the start."""
        if isinstance(self._replay, Recall):  # there is nothing to go back to before its end
            self._later.append((Worker.rewind, (t,)))
            return
        self._pause()
        self._later.clear()
        target = max(0, min(int(t), self._run.history.t))
        if self._replay is None and self._run.state.done and target == self._run.state.t:
            return
        self._replay = Rewind(self._run, target)
        self._run.effects.enabled = False
        self._builder.restart()

    @_command(in_replay=True, after_fault=True)
    def recall(self, config: LiveConfig, moment: Moment) -> None:
        """Begin a new run and replay it to the moment a link shows, with every change on the way; it pauses there."""
        settings, radius = moment.first
        self._begin(config.replace(settings, escape_radius=radius))
        self._pause()
        self._replay = Recall(self._run, moment)
        self._run.effects.enabled = False

    def configure(self, config: LiveConfig) -> None:
        """Make `config` hold from now on: what `LiveConfig.restarts` names begins a new run, the rest acts at once."""
        self.dirty, present = True, self._present
        turns_knobs = (config.settings, config.escape_radius) != (present.settings, present.escape_radius)
        with self._faults_in_words():
            if config.restarts(present):
                self._begin(config)
            elif self._run is None:
                self._config = config
            elif self._replay is not None and turns_knobs:
                self._later.append((Worker.configure, (config,)))
            else:
                if config.speed != present.speed:
                    self._playback.set(config.speed)
                if config.rescaled != present.rescaled or config.axes != present.axes:
                    self._builder.restart()
                self._run.configure(config)

    @_command()
    def hurry(self, t: int) -> None:
        """Play as fast as it goes up to the end of epoch t, then at the chosen speed; a past epoch changes nothing."""
        self._playback.hurry_to = t

    @_command()
    def revive(self) -> None:
        """Put diverged chains back at their checkpoint, and play on."""
        self._run.revive()
        self.playing = not self._run.state.ended

    @_command()
    def keep_ghost(self) -> None:
        """Keep the run as it is recorded, its curves and the outline of its cloud, beside whatever runs from now on."""
        if self._run.history.t:
            self._ghost = Ghost.of(self._run)

    @_command(in_replay=True, after_fault=True)
    def let_ghost_go(self) -> None:
        """Forget the run that was kept."""
        self._ghost = None

    @_command()
    def hand_over(self, take: Callable[[LiveHandover], None]) -> None:
        """Pause at the end of the epoch under way and hand the state to `take`, on the engine's thread."""
        self._pause()
        state = hand_over(self._run)
        if state is not None:
            take(state)

    # replay and frames --------------------------------------------------------------------------------------

    def _go_on(self, seconds: float) -> None:
        run, self.dirty = self._run, True
        if not self.warm:
            with self._announced():
                self._replay.step(1)
        drawn = self._replay.drawn
        if not self._replay.run_for(seconds, self._playback.chunk()):
            if self._replay.drawn and not drawn:
                self._builder.restart()
            return
        self._arrived = run.state.position if isinstance(self._replay, Recall) else None
        self._replay, run.measures.pooling, run.effects.enabled = None, True, True
        run.effects.clear()
        run.measures.refresh(run.state)
        if not drawn:
            self._builder.restart()
        self._playback.stop()
        waiting, self._later = self._later, []
        for command, args in waiting:
            command(self, *args)

    def snapshot(self) -> Snapshot | None:
        """Return the picture of now, None before there is one; after a fault the last one, or a waiting one, with words."""
        self.dirty = False
        if self._run is not None:
            with self._faults_in_words(), self._announced():
                self._shown = self._picture()
        if self._error is None:
            return self._shown
        last, moment = self._shown, self._shown and self._shown.moment
        if last is None:
            last = replace(waiting_picture(self._config, None, False, "Stopped", "The run has no picture: it stopped before"
                                           " its first."), run=self._builder.number)
        words, kind, progress = fault_notice(self._error, moment.t if moment else 0)
        return replace(last, playing=False, series=None, notice=words, notice_kind=kind, progress=progress)

    def _picture(self) -> Snapshot:
        self._builder.steps = self._playback.path
        busy = self.playing or self._replay is not None
        return self._builder.build(self._run, self._run.clock(), self.playing, busy, self._notice(), self._ghost)

    def _notice(self) -> RunNotice:
        if self._replay is not None:
            return replay_notice(self._replay)
        return run_notice(self._run, not self.playing and self._arrived == self._run.state.position)
