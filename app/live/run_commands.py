"""`Session`: what is asked of a run and when it is done: plays, steps, replays, changes. Plain Python, of any machine's run.

On the engine's thread it is `app.live.engine.Worker`, in a browser's worker `app/js/lab/run_commands.js`. Not thread-safe.
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
"""Commands that act during a replay; the others wait for its end."""
AFTER_FAULT = ("restart", "recall", "let_ghost_go")
"""Commands that act after a fault; the others do nothing then."""


class Session:
    """The run with its player, its replay and its pictures.

    A fault ends the run. Only what begins a run then acts: `AFTER_FAULT`, or `configure` with another problem.

    A subclass has what depends on the machine: ``begun(config)`` returns a run, ``new_builder(builder)`` what makes its
    pictures in the place of those of another, ``carefully(deed)`` does something and calls `fail` at a fault.
    """

    def __init__(self, config: LiveConfig, builder: Any, playing: bool = True) -> None:
        self.playing, self.dirty = playing, True
        self._config, self._builder = config, builder
        self._run: Run | None = None
        self._playback = Playback(config.speed)
        self._replay: Replay | None = None
        self._arrived: float | None = None  #: position of the moment a link shows
        self._later: list[tuple[str, tuple]] = []  #: commands that wait for the end of a replay
        self._ghost: Ghost | None = None
        self._error: str | None = None
        self._stopped = False

    def announced(self, deed: Callable[[], Any]) -> Any:
        """Do something that may take its time; where it does, a subclass says so."""
        return deed()

    def fail(self, words: str) -> None:
        """End the run at a fault."""
        self.playing, self._error, self._config = False, words, self._present
        self._let_go()

    def _let_go(self) -> None:
        if self._run is not None:
            self._run.close()
        self._run = self._replay = None

    @property
    def _present(self) -> LiveConfig:
        """What is run, or would be."""
        return self._config if self._run is None else self._run.state.config

    # time ---------------------------------------------------------------------------------------------------

    @property
    def plays(self) -> bool:
        """Whether the run goes on by itself now."""
        return self.playing

    @property
    def warm(self) -> bool:
        """Whether the samplers of this run are compiled."""
        return self._run is not None

    def wait(self) -> float | None:
        """Seconds until there is work; None: nothing to do until a command comes."""
        if self._error is not None:
            return None
        if self._run is None or self._replay is not None:
            return 0.0
        if self.plays:
            return self._playback.wait(self._run)
        return 1.0 if self._run.state.truth.busy else None

    @property
    def paced(self) -> bool:
        """Whether it plays by the clock, or draws the last paths of a replay, so that work may wait for the next frame."""
        if not self.warm:
            return False
        return self._replay.drawn if self._replay is not None else self.plays and self._playback.paced(self._run)

    def work(self, seconds: float) -> None:
        """Do what is due, for about so many seconds: then it is time to look at the commands."""
        if not self._stopped and self._error is None:
            self.carefully(lambda: self._work(seconds))
            self.dirty = self.dirty or self._error is not None

    def _work(self, seconds: float) -> None:
        if self._run is None:
            self._begin(self._config)
        elif self._replay is not None:
            self._go_on(seconds)
        elif self.plays:
            self._play(seconds)
        elif self._run.state.truth.refresh():
            self.dirty = True

    def _begin(self, config: LiveConfig) -> None:
        self._let_go()
        self._config, self._error, self._arrived, self._later = config, None, None, []
        self._builder = self.new_builder(self._builder)
        self._playback = Playback(config.speed)
        self.dirty = True
        self._run = self.announced(lambda: self.begun(config))

    def _play(self, seconds: float) -> None:
        self._after(self._playback.play(self._run, self._run.clock() + seconds))

    def _after(self, moved: bool) -> None:
        self.dirty = self.dirty or moved
        if self._run.state.ended or (self._run.state.done and self._run.state.halted):
            self.dirty = self.dirty or self.playing
            self._pause()

    def _pause(self) -> None:
        self.playing = False
        self._playback.stop()

    # commands -----------------------------------------------------------------------------------------------

    def obey(self, name: str, *args: Any) -> None:
        """Do what the page asks for: one of the commands ``do_...``, on a run that has begun."""
        self.dirty = True
        self.carefully(lambda: self._obey(name, args))

    def _obey(self, name: str, args: tuple) -> None:
        if self._error is None and self._run is None:
            self._begin(self._config)
        if self._replay is not None and name not in IN_REPLAY:
            self._later.append((name, args))
        elif self._error is None or name in AFTER_FAULT:
            self.announced(lambda: getattr(self, "do_" + name)(*args))

    def do_play(self) -> None:
        """Go on at the chosen speed."""
        self.playing = not (self._run.state.ended or self._run.state.halted)

    def do_pause(self) -> None:
        """Stand still, in a replay at the end of the epoch under way; snapshots are made when something changes."""
        self._later = [one for one in self._later if one[0] != "play"]
        if self._replay is not None:
            self._replay.stop_here()
        self._pause()

    def do_step(self) -> None:
        """Pause, then one step of every chain that has not finished its epoch (a new epoch when all have)."""
        self._pause()
        self._after(self._playback.step(self._run))

    def do_epoch(self) -> None:
        """Pause, then finish the epoch under way, or run a whole new one when none is."""
        self._pause()
        self._after(self._playback.epoch(self._run, lambda: self._stopped))

    def do_restart(self) -> None:
        """Go back to epoch 0 with the present knobs; the event log is cleared."""
        self._begin(self._present)

    def do_rewind(self, t: int) -> None:
        """Pause and replay exactly to the end of epoch t (clamped to what has been reached); 0 is the start."""
        if isinstance(self._replay, Recall):  # there is nothing to go back to before its end
            self._later.append(("rewind", (t,)))
            return
        self._pause()
        self._later = []
        run, target = self._run, max(0, min(int(t), self._run.history.t))
        if self._replay is None and run.state.done and target == run.state.t:
            return
        self._replay, run.effects.enabled = Rewind(run, target), False
        self._builder.restart()

    def do_recall(self, config: LiveConfig, moment: Moment) -> None:
        """Begin a new run and replay it to the moment a link shows, with every change on the way; it pauses there."""
        self._begin(config.turned(moment.first))
        self._pause()
        self._replay, self._run.effects.enabled = Recall(self._run, moment), False

    def do_hand_over(self, take: Callable[[LiveHandover], None]) -> None:
        """Pause at the end of the epoch under way and hand the state to `take`, on the thread of the run."""
        self._pause()
        state = hand_over(self._run)
        if state is not None:
            take(state)

    def do_hurry(self, t: int) -> None:
        """Play as fast as it goes up to the end of epoch t, then at the chosen speed; a past epoch changes nothing."""
        self._playback.hurry_to = t

    def do_revive(self) -> None:
        """Put diverged chains back at their checkpoint, and play on."""
        self._run.revive()
        self.playing = not self._run.state.ended

    def do_keep_ghost(self) -> None:
        """Keep the run as it is recorded, its curves and the outline of its cloud, beside whatever runs from now on."""
        if self._run.history.t:
            self._ghost = Ghost.of(self._run)

    def do_let_ghost_go(self) -> None:
        """Forget the run that was kept."""
        self._ghost = None

    def configure(self, config: LiveConfig) -> None:
        """Make `config` hold from now on: what `LiveConfig.restarts` names begins a new run, the rest acts at once."""
        self.dirty = True
        self.carefully(lambda: self.do_configure(config))

    def do_configure(self, config: LiveConfig) -> None:
        """As `configure`, where a fault is not expected."""
        present = self._present
        if config.restarts(present):
            self._begin(config)
        elif self._run is None:
            self._config = config
        elif self._replay is not None and config.knobs != present.knobs:
            self._later.append(("configure", (config,)))
        else:
            if config.speed != present.speed:
                self._playback.set(config.speed)
            if config.rescaled != present.rescaled or config.axes != present.axes:
                self._builder.restart()
            self._run.configure(config)

    # replay and frames --------------------------------------------------------------------------------------

    def _go_on(self, seconds: float) -> None:
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
        waiting, self._later = self._later, []
        for name, args in waiting:
            self.obey(name, *args)

    @property
    def notice(self) -> RunNotice:
        """The one notice beside the picture."""
        if self._replay is not None:
            return replay_notice(self._replay)
        return run_notice(self._run, not self.playing and self._arrived == self._run.state.position)
