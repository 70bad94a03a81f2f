"""What the engine's thread does: obeys commands and works in short slices. Not thread-safe, not a thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace

from app.compile_notice import Announcer
from app.error_words import error_words
from app.live import commands as do
from app.live.ghost import Ghost
from app.live.playback import Playback
from app.live.rewind import Recall, Replay, Rewind
from app.live.run import LiveRun
from app.live.run_handover import hand_over
from app.live.snapshot import Snapshot
from app.live.snapshot_builder import SnapshotBuilder
from app.live.waiting_commands import WaitingCommands
from app.live.waiting_picture import waiting_picture
from app.state.live import LiveConfig
from app.state.problem_menu import choice_of

SLICE = 0.015
"""Seconds of work between two looks at the commands, when no other visit works."""


class Worker:
    """The run with its player, its replay and its pictures."""

    def __init__(self, config: LiveConfig, playing: bool, announcer: Callable[[], Announcer]) -> None:
        self.playing, self.dirty = playing, True
        self._config, self._announcer = config, announcer
        self._run: LiveRun | None = None
        self._builder = SnapshotBuilder(-1, 0)
        self._playback = Playback(config.speed)
        self._replay: Replay | None = None
        self._arrived: float | None = None  #: position of the moment a link shows
        self._later = WaitingCommands()
        self._ghost: Ghost | None = None
        self._error: str | None = None
        self._shown: Snapshot | None = None
        self._good: Snapshot | None = None  #: the last picture before an error
        self._stopped = self._warm = False

    def stop(self) -> None:
        """Ask the work to end soon; may be called from another thread."""
        self._stopped = True

    def said(self) -> None:
        """Count a frame that somebody else has published."""
        self._builder.frame += 1

    def close(self) -> None:
        """Let go of the run."""
        if self._run is not None:
            self._run.close()
        self._run = self._replay = self._shown = self._good = self._ghost = None

    # time ---------------------------------------------------------------------------------------------------

    def wait(self, now: float) -> float | None:
        """Seconds until there is work; None: nothing to do until a command comes."""
        if self._error is not None:
            return None
        if self._run is None or self._replay is not None:
            return 0.0
        if self.playing:
            return self._playback.wait(self._run, now)
        return 1.0 if self._run.state.truth.busy else None

    @property
    def warm(self) -> bool:
        """Whether the samplers of this run are compiled."""
        return self._warm

    @property
    def paced(self) -> bool:
        """Whether it plays by the clock, or draws the last paths of a replay, so that work may wait for the next frame."""
        if self._replay is not None:
            return self._warm and self._replay.drawn
        return self.playing and self._warm and self._playback.paced(self._run)

    def work(self, seconds: float = SLICE) -> None:
        """Do what is due, for about so many seconds: then it is time to look at the commands."""
        if self._stopped or self._error is not None:
            return
        try:
            if self._run is None:
                self._begin(self._config)
            elif self._replay is not None:
                self._go_on(seconds)
            elif self.playing:
                self._play(seconds)
            elif self._run.state.truth.refresh():
                self.dirty = True
        except BaseException as error:  # the page must hear of it in words, not find a dead thread; user code may exit
            self._fail(error)
            self.dirty = True

    def _fail(self, error: BaseException) -> None:
        """Stand still, with words for the page and the whole fault in the server's log."""
        self.playing, self._replay = False, None
        self._error = error_words(error, stopped=True)

    def _begin(self, config: LiveConfig) -> None:
        if self._run is not None:
            self._run.close()
        self._config, self._run, self._error, self._replay, self._shown, self._good = config, None, None, None, None, None
        self._later.forget()
        self._builder = SnapshotBuilder(self._builder.number + 2, self._builder.frame)  # 1 between: the waiting picture's
        self._playback = Playback(config.speed)
        self._warm, self.dirty = False, True
        with self._announcer():
            self._run = LiveRun(config)

    def _play(self, seconds: float) -> None:
        run, moved = self._run, False
        if self._warm:
            moved = self._playback.play(run, time.monotonic() + seconds)
        elif not self.dirty:  # the picture of the start has been published: now it may take its time
            with self._announcer():
                moved, self._warm = self._playback.step(run), True
        self._after(moved)

    def _after(self, moved: bool) -> None:
        self.dirty = self.dirty or moved
        if self._run.state.ended or (self._run.state.done and self._run.state.halted):
            self.dirty = self.dirty or self.playing
            self._pause()

    def _pause(self) -> None:
        self.playing = False
        self._playback.stop()

    # commands -----------------------------------------------------------------------------------------------

    def obey(self, command: do.Command) -> None:
        """Carry out a command."""
        self.dirty = True
        try:
            if self._run is None:
                self._begin(normal(command.config) if isinstance(command, do.Configure) else self._config)
            if self._replay is not None and not self._interrupts(command):
                self._later.add(command)
                return
            if self._error is not None and isinstance(command, do.Play | do.Step | do.Epoch | do.Rewind | do.Revive):
                self._recover(command)  # a run that stopped within a step cannot go on from there
            else:
                _HANDLERS[type(command)](self, command)
        except BaseException as error:
            self._fail(error)

    def _interrupts(self, command: do.Command) -> bool:
        """Whether a command acts during a replay; the others wait for its end."""
        if isinstance(command, do.Configure):
            present = self._run.state.config
            settled = command.config.replace(present.settings, escape_radius=present.escape_radius)
            return command.config.restarts(present) or settled == command.config
        return isinstance(command, do.Rewind | do.Recall | do.Restart | do.Follow | do.Pause | do.LetGhostGo)

    def _do_play(self, command: do.Play) -> None:
        self.playing = not (self._run.state.ended or self._run.state.halted)

    def _do_pause(self, command: do.Pause) -> None:
        self._later.forget(do.Play)
        if self._replay is not None:
            self._replay.stop_here()
        self._pause()

    def _do_step(self, command: do.Step) -> None:
        self._pause()
        self._warmly(lambda: self._playback.step(self._run))

    def _do_epoch(self, command: do.Epoch) -> None:
        self._pause()
        self._warmly(lambda: self._playback.epoch(self._run, lambda: self._stopped))

    def _warmly(self, action: Callable[[], bool]) -> None:
        if self._warm:
            self._after(action())
            return
        with self._announcer():
            self._after(action())
            self._warm = True

    def _do_restart(self, command: do.Restart) -> None:
        self._begin(self._run.state.config)

    @property
    def _good_epoch(self) -> int:
        moment = None if self._good is None else self._good.moment
        return 0 if moment is None else moment.t

    def _do_recover(self, command: do.Recover) -> None:
        self._recover(do.Play())

    def _recover(self, command: do.Command) -> None:
        """Replay to the last picture before the error, then set what has been set since and obey a command."""
        good, present = self._good, self._run.state.config
        if self._good_epoch:
            self._do_recall(do.Recall(good.config, good.moment))
            self._good = good
            self._later.add(do.Configure(present))
            self._later.add(command)
        else:
            self._begin(present)
            _HANDLERS[type(command)](self, command)

    def _do_rewind(self, command: do.Rewind) -> None:
        self._pause()
        self._later.forget()
        target = max(0, min(int(command.t), self._run.history.t))
        if self._replay is None and self._run.state.done and target == self._run.state.t:
            return
        self._replay = Rewind(self._run, target)
        self._run.effects.wanted = False
        self._builder.restart()

    def _do_recall(self, command: do.Recall) -> None:
        settings, radius = command.moment.first
        self._begin(normal(command.config).replace(settings, escape_radius=radius))
        self._pause()
        self._replay = Recall(self._run, command.moment)
        self._run.effects.wanted = False

    def _do_configure(self, command: do.Configure) -> None:
        config, present = normal(command.config), self._run.state.config
        if config.restarts(present):
            self._begin(config)
            return
        if config.speed != present.speed:
            self._playback.set(config.speed)
        if config.rescaled != present.rescaled or config.axes != present.axes:
            self._builder.restart()
        self._run.configure(config)

    def _do_follow(self, command: do.Follow) -> None:
        self._run.configure(normal(self._run.state.config.replace(follow=command.chain)))

    def _do_hurry(self, command: do.Hurry) -> None:
        self._playback.hurry_to = command.t

    def _do_revive(self, command: do.Revive) -> None:
        if command.change:
            config = self._run.state.config
            self._run.configure(config.replace(settings=config.settings.replace(**command.change)))
        self._run.revive()
        self.playing = not self._run.state.ended

    def _do_keep_ghost(self, command: do.KeepGhost) -> None:
        if self._run.history.t:
            self._ghost = Ghost.of(self._run)

    def _do_let_ghost_go(self, command: do.LetGhostGo) -> None:
        self._ghost = None

    def _do_hand_over(self, command: do.HandOver) -> None:
        self._pause()
        state = hand_over(self._run) if self._warm else None
        if state is not None:
            command.take(state)

    # replay and frames --------------------------------------------------------------------------------------

    def _go_on(self, seconds: float) -> None:
        run, self.dirty = self._run, True
        if not self._warm:
            with self._announcer():
                self._replay.step(1)
            self._warm = True
        drawn = self._replay.drawn
        if not self._replay.run_for(seconds, self._playback.chunk()):
            if self._replay.drawn and not drawn:
                self._builder.restart()
            return
        self._arrived = run.state.position if isinstance(self._replay, Recall) else None
        self._replay, run.measures.pooling, run.effects.wanted = None, True, True
        run.effects.clear()
        run.measures.refresh(run.state)
        if not drawn:
            self._builder.restart()
        self._playback.stop()
        for command in self._later.take():
            self.obey(command)

    def snapshot(self) -> Snapshot | None:
        """Return the picture of now; if none can be made, the run's last one, or a waiting one, with words."""
        self.dirty = False
        try:
            if self._run is not None:
                with nullcontext() if self._warm else self._announcer():
                    self._shown = self._picture()
                self._good = self._good if self._error is not None else self._shown
        except BaseException as error:
            self._fail(error)
            self._shown = replace(self._shown, series=None) if self._shown is not None else None
        else:
            if self._run is not None or self._error is None:
                return self._shown
        self._builder.frame += 1
        if self._shown is None:
            self._shown = replace(waiting_picture(self._config, None, False, "Stopped", "The run has no picture: it stopped"
                                                  " before its first."), run=self._builder.number)
        self._shown = replace(self._shown, frame=self._builder.frame, playing=False, notice=self._stopped_words,
                              notice_kind="error", progress=None)
        return self._shown

    def _picture(self) -> Snapshot:
        notice, progress = self._notice()
        self._builder.steps = self._playback.path
        playing = self.playing or self._replay is not None
        return self._builder.build(self._run, time.monotonic(), self.playing, playing, notice, progress,
                                   self._ghost)

    def _notice(self) -> tuple[tuple[str | None, str | None], float | None]:
        run = self._run
        if self._error is not None:
            return (self._stopped_words, "error"), None
        if self._replay is not None:
            words = f"Replaying to epoch {self._replay.target:,}, exactly as it went"
            return (f"{words}: {self._replay.fraction:.0%}", "replaying"), self._replay.fraction
        if run.state.halted:
            verdict = run.verdict()[0]
            return (f"{verdict.sentence} {verdict.suggestion}", "diverged"), None
        if run.state.ended:
            why = "where your data end" if run.state.data.spent(run.state.t) else "so that its memory stays bounded"
            words = f"The run ends at epoch {run.state.t:,}, {why}. Restart it, or rewind."
            return (words, "ended"), None
        if not self.playing and self._arrived == run.state.position:
            changes = len(run.moment.way)
            way = f", with {changes} change{'s' if changes > 1 else ''} on the way" if changes else ""
            return (f"This is epoch {run.state.t:,} as it was shared{way}.", "arrived"), None
        return (None, None), None


    @property
    def _stopped_words(self) -> str:
        on = f"replays it to epoch {self._good_epoch:,}, the last one shown" if self._good_epoch else "begins it again"
        return (f"The run stopped: {(self._error or '').rstrip('.')}. Go on {on}; should it stop there again, Restart begins"
                " anew.")


def normal(config: LiveConfig) -> LiveConfig:
    """Return a configuration whose followed chain and axes exist."""
    dim = choice_of(config.problem, config.given).dim
    follow, axes = config.follow, config.axes
    if follow is not None and not 0 <= follow < config.chains:
        follow = None
    if axes != "principal" and not (len(set(axes)) == 2 and all(0 <= axis < dim for axis in axes)):
        axes = (0, 1)
    return config.replace(follow=follow, axes=axes)


_HANDLERS = {
    do.Play: Worker._do_play,
    do.Pause: Worker._do_pause,
    do.Step: Worker._do_step,
    do.Epoch: Worker._do_epoch,
    do.Restart: Worker._do_restart,
    do.Recover: Worker._do_recover,
    do.Rewind: Worker._do_rewind,
    do.Recall: Worker._do_recall,
    do.Configure: Worker._do_configure,
    do.Follow: Worker._do_follow,
    do.Hurry: Worker._do_hurry,
    do.Revive: Worker._do_revive,
    do.KeepGhost: Worker._do_keep_ghost,
    do.LetGhostGo: Worker._do_let_ghost_go,
    do.HandOver: Worker._do_hand_over,
}
