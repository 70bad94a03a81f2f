"""`Session`: commands to a run and their scheduling: play, step, replay, change. Plain Python, independent of the machine.

Subclasses: `app.live.engine.Worker` on the engine's thread, and in a browser `app/js/lab/run_commands.js`. Not thread-safe.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from app.live.ghost_run import Ghost
from app.live.page_words import RunNotice, replay_notice, run_notice
from app.live.playback import Playback
from app.live.rewind import Recall, Replay, Rewind
from app.live.run_handover import hand_over

if TYPE_CHECKING:
    from app.live.moment_link import Moment
    from app.live.run import Run
    from app.live.run_handover import LiveHandover
    from app.state.live import LiveConfig

IN_REPLAY = ("appear", "pause", "restart", "rewind", "recall", "let_ghost_go")
"""Commands executed during a replay; the others are deferred to its end."""
AFTER_FAULT = ("restart", "recall", "let_ghost_go")
"""Commands executed after a fault; the others are ignored."""


class Session:
    """A run with its playback, its replay and its snapshot builder.

    A fault ends the run. Afterwards only `AFTER_FAULT` and a `configure` that restarts the run are executed.

    Subclasses implement the machine-dependent parts: ``new_run(config)`` returns a run, ``new_builder(builder)`` the builder
    of its snapshots after that of another run, ``guarded(action)`` calls an action and, on an exception, `fail`.
    """

    def __init__(self, config: LiveConfig, builder: Any, playing: bool = True) -> None:
        self.playing, self.dirty = playing, True
        self._config, self._builder = config, builder
        self._run: Run | None = None
        self._playback = Playback(config.speed)
        self._replay: Replay | None = None
        self._arrived: float | None = None  #: position of a link's moment, after its replay
        self._deferred: list[tuple[str, tuple]] = []  #: commands to execute after a replay
        self._ghost: Ghost | None = None
        self._error: str | None = None
        self._stopped = False

    def announced(self, action: Callable[[], Any]) -> Any:
        """Call an action that may be slow; subclasses announce it."""
        return action()

    def fail(self, words: str) -> None:
        """End the run with an error message."""
        self.playing, self._error, self._config = False, words, self._present
        self._release_run()

    def _release_run(self) -> None:
        if self._run is not None:
            self._run.close()
        self._run = self._replay = None

    @property
    def _present(self) -> LiveConfig:
        """Configuration of the run, or the one to start."""
        return self._config if self._run is None else self._run.state.config

    # scheduling ---------------------------------------------------------------------------------------------

    @property
    def plays(self) -> bool:
        """Whether the run currently advances automatically."""
        return self.playing

    @property
    def warm(self) -> bool:
        """Whether the samplers of this run are compiled."""
        return self._run is not None

    def wait(self) -> float | None:
        """Return the seconds until there is work; None: no work until the next command."""
        if self._error is not None:
            return None
        if self._run is None or self._replay is not None:
            return 0.0
        if self.plays:
            return self._playback.wait(self._run)
        return 1.0 if self._run.state.truth.busy else None

    @property
    def paced(self) -> bool:
        """Whether work may wait for the next frame: the run plays by the clock, or a replay draws its last epochs."""
        if not self.warm:
            return False
        return self._replay.drawn if self._replay is not None else self.plays and self._playback.paced(self._run)

    def work(self, seconds: float) -> None:
        """Do the due work for about `seconds`, then return to check for commands."""
        if not self._stopped and self._error is None:
            self.guarded(lambda: self._work(seconds))
            self.dirty = self.dirty or self._error is not None

    def _work(self, seconds: float) -> None:
        if self._run is None:
            self._begin(self._config)
        elif self._replay is not None:
            self._continue_replay(seconds)
        elif self.plays:
            self._play(seconds)
        elif self._run.state.truth.refresh():
            self.dirty = True

    def _begin(self, config: LiveConfig) -> None:
        self._release_run()
        self._config, self._error, self._arrived, self._deferred = config, None, None, []
        self._builder = self.new_builder(self._builder)
        self._playback = Playback(config.speed)
        self.dirty = True
        self._run = self.announced(lambda: self.new_run(config))

    def _play(self, seconds: float) -> None:
        self._after_move(self._playback.play(self._run, self._run.clock() + seconds))

    def _after_move(self, moved: bool) -> None:
        self.dirty = self.dirty or moved
        if self._run.state.ended or (self._run.state.done and self._run.state.halted):
            self.dirty = self.dirty or self.playing
            self._pause()

    def _pause(self) -> None:
        self.playing = False
        self._playback.stop()

    # commands -----------------------------------------------------------------------------------------------

    def execute(self, name: str, *args: Any) -> None:
        """Execute a command, one of the methods ``do_...``, starting the run first if necessary."""
        self.dirty = True
        self.guarded(lambda: self._execute(name, args))

    def _execute(self, name: str, args: tuple) -> None:
        if self._error is None and self._run is None:
            self._begin(self._config)
        if self._replay is not None and name not in IN_REPLAY:
            self._deferred.append((name, args))
        elif self._error is None or name in AFTER_FAULT:
            self.announced(lambda: getattr(self, "do_" + name)(*args))

    def do_play(self) -> None:
        """Play at the selected speed."""
        self.playing = not (self._run.state.ended or self._run.state.halted)

    def do_pause(self) -> None:
        """Pause, during a replay at the end of the current epoch; snapshots are made only on changes."""
        self._deferred = [one for one in self._deferred if one[0] != "play"]
        if self._replay is not None:
            self._replay.stop_here()
        self._pause()

    def do_step(self) -> None:
        """Pause, then make one step of every chain with an unfinished epoch (of a new epoch if all have finished)."""
        self._pause()
        self._after_move(self._playback.step(self._run))

    def do_epoch(self) -> None:
        """Pause, then finish the current epoch, or run a whole new one if it is finished."""
        self._pause()
        self._after_move(self._playback.epoch(self._run, lambda: self._stopped))

    def do_restart(self) -> None:
        """Restart at epoch 0 with the current knobs; the event log is cleared."""
        self._begin(self._present)

    def do_rewind(self, t: int) -> None:
        """Pause and replay exactly to the end of epoch t (clamped to the recorded epochs); 0 is the start."""
        if isinstance(self._replay, Recall):  # history is not complete before its end
            self._deferred.append(("rewind", (t,)))
            return
        self._pause()
        self._deferred = []
        run, target = self._run, max(0, min(int(t), self._run.history.t))
        if self._replay is None and run.state.done and target == run.state.t:
            return
        self._replay, run.effects.enabled = Rewind(run, target), False
        self._builder.restart()

    def do_recall(self, config: LiveConfig, moment: Moment) -> None:
        """Start a new run, replay it to a link's moment with every change until then, and pause there."""
        self._begin(config.turned(moment.first))
        self._pause()
        self._replay, self._run.effects.enabled = Recall(self._run, moment), False

    def do_hand_over(self, take: Callable[[LiveHandover], None]) -> None:
        """Pause at the end of the current epoch and call `take` with the state, on the thread of the run."""
        self._pause()
        state = hand_over(self._run)
        if state is not None:
            take(state)

    def do_hurry(self, t: int) -> None:
        """Play at full speed up to the end of epoch t, then at the selected speed; a past epoch has no effect."""
        self._playback.hurry_to = t

    def do_revive(self) -> None:
        """Reset diverged chains to their checkpoints and continue to play."""
        self._run.revive()
        self.playing = not self._run.state.ended

    def do_keep_ghost(self) -> None:
        """Store the run as recorded, its curves and cloud outlines, as a ghost for comparison with later runs."""
        if self._run.history.t:
            self._ghost = Ghost.of(self._run)

    def do_let_ghost_go(self) -> None:
        """Remove the ghost run."""
        self._ghost = None

    def configure(self, config: LiveConfig) -> None:
        """Apply `config`: start a new run if `LiveConfig.restarts` requires it, else change the run immediately."""
        self.dirty = True
        self.guarded(lambda: self.do_configure(config))

    def do_configure(self, config: LiveConfig) -> None:
        """Apply `config` as `configure` does, without catching exceptions."""
        present = self._present
        if config.restarts(present):
            self._begin(config)
        elif self._run is None:
            self._config = config
        elif self._replay is not None and config.knobs != present.knobs:
            self._deferred.append(("configure", (config,)))
        else:
            if config.speed != present.speed:
                self._playback.set(config.speed)
            if config.rescaled != present.rescaled or config.axes != present.axes:
                self._builder.restart()
            self._run.configure(config)

    # replay and frames --------------------------------------------------------------------------------------

    def _continue_replay(self, seconds: float) -> None:
        self.dirty, run, replay = True, self._run, self._replay
        if not self.warm:
            self.announced(lambda: replay.step(1))
        drawn = replay.drawn
        if not replay.run_for(seconds, self._playback.chunk()):
            if replay.drawn and not drawn:
                self._builder.restart()
            return
        self._arrived = run.state.position if isinstance(replay, Recall) else None
        self._replay, run.measures.pooling, run.effects.enabled = None, True, True
        run.effects.clear()
        run.measures.refresh(run.state)
        if not drawn:
            self._builder.restart()
        self._playback.stop()
        waiting, self._deferred = self._deferred, []
        for name, args in waiting:
            self.execute(name, *args)

    @property
    def notice(self) -> RunNotice:
        """Notice to display: of the replay, or of the run."""
        if self._replay is not None:
            return replay_notice(self._replay)
        return run_notice(self._run, not self.playing and self._arrived == self._run.state.position)
