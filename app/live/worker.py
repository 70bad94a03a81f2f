"""What the engine's thread does: obeys commands by their names, and works in short slices. Not thread-safe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from app.error_words import error_words
from app.jobs.compute_slots import Announcer
from app.jobs.frame_rate import FrameRate
from app.live.page_words import fault_notice
from app.live.run import LiveRun
from app.live.run_commands import Session
from app.live.snapshot import Snapshot
from app.live.snapshot_builder import SnapshotBuilder, waiting_picture
from app.state.live import LiveConfig


class Worker(Session):
    """A session of `LiveRun`, which says when it compiles; after a fault its last picture stays, with words."""

    def __init__(self, config: LiveConfig, playing: bool, announcer: Callable[[], Announcer],
                 rate: FrameRate | None = None) -> None:
        self._rate, self._announcer = rate or FrameRate(), announcer
        super().__init__(config, SnapshotBuilder(-1, self._rate), playing)
        self._held = False  #: whether playing waits until a browser shows the page
        self._shown: Snapshot | None = None  #: the last picture of the run

    def stop(self) -> None:
        """Ask the work to end soon; may be called from another thread."""
        self._stopped = True

    def close(self) -> None:
        """Let go of the run."""
        self._let_go()
        self._shown = self._ghost = None

    def begun(self, config: LiveConfig) -> LiveRun:
        """Return a run at epoch 0."""
        return LiveRun(config)

    def new_builder(self, builder: SnapshotBuilder) -> SnapshotBuilder:
        """Return what makes the pictures of a run that begins in the place of another."""
        self._shown = None
        return SnapshotBuilder(builder.number + 2, self._rate)  # 1 between: the waiting picture's

    def carefully(self, deed: Callable[[], Any]) -> Any:
        """End the run at a fault: the page must hear of it in words, not find a dead thread. User code may exit, too."""
        try:
            return deed()
        except BaseException as error:
            self.fail(error_words(error, stopped=True))

    def announced(self, deed: Callable[[], Any]) -> Any:
        """Do something; where it may compile, say that this takes its time."""
        if self.warm:
            return deed()
        with self._announcer():
            return deed()

    @property
    def warm(self) -> bool:
        """Whether the samplers of this run are compiled: it has gone on."""
        return self._run is not None and self._run.state.t > 0

    @property
    def plays(self) -> bool:
        """Whether the run goes on by itself now."""
        return self.playing and not self._held

    def _play(self, seconds: float) -> None:
        if self.warm:
            super()._play(seconds)
        elif not self.dirty:  # the picture of the start has been published: now it may take its time
            self.announced(lambda: self._after(self._playback.step(self._run)))

    # commands -----------------------------------------------------------------------------------------------

    def obey(self, name: str, *args: Any) -> None:
        """Do what the page asks for: `configure`, `hold`, or as `Session.obey` a command ``do_...``."""
        if name in ("configure", "hold"):
            getattr(self, name)(*args)
        else:
            super().obey(name, *args)

    def hold(self) -> None:
        """Make the first picture but play nothing before `appear`: only a browser knows whether its user wants motion."""
        self._held = True

    def do_appear(self, still: bool) -> None:
        """Play, now that a browser shows the page; pause if its user wants no motion. A replay goes on to its end."""
        self._held = False
        if still:
            self._later = [one for one in self._later if one[0] != "play"]
            self._pause()

    # pictures -----------------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot | None:
        """Return the picture of now, None before there is one; after a fault the last one, or a waiting one, with words."""
        self.dirty = False
        if self._run is not None:
            self._shown = self.carefully(lambda: self.announced(self._picture)) or self._shown
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
        return self._builder.build(self._run, self._run.clock(), self.playing, busy, self.notice, self._ghost)
