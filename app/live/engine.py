"""A session's worker thread: it runs, pauses, steps, changes, rewinds, and publishes the latest snapshot.

`Worker` is what the thread does: it obeys commands by their names, and works in short slices. `Engine` is the thread: a page
calls its `post`, `take` and `close` only; nothing here touches the page.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from app.error_words import error_words
from app.jobs.compute_slots import ComputeSlots, announced
from app.jobs.frame_rate import FrameRate
from app.live.page_words import fault_notice
from app.live.run import LiveRun
from app.live.run_commands import Session
from app.live.snapshot import Snapshot
from app.live.snapshot_builder import SnapshotBuilder, waiting_picture
from app.state.live import LiveConfig
from app.visit import SERVER, Server


class Worker(Session):
    """A session of `LiveRun`, which says when it compiles; after a fault its last picture stays, with words.

    Not thread-safe.
    """

    def __init__(self, config: LiveConfig, playing: bool, announcer: Callable[[], AbstractContextManager],
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


LISTENED = 0.1
"""Seconds between two snapshots, at most, while somebody listens and the page itself takes none (its tab is hidden)."""


class Engine:
    """One run of one session, on one thread.

    Parameters
    ----------
    config : LiveConfig
        What to run; it plays as soon as it is started unless `playing` is False.
    server : Server
        Whose visits share the cores and the frames.
    """

    def __init__(self, config: LiveConfig, playing: bool = True, server: Server = SERVER) -> None:
        self._slots, self._rate = server.part(ComputeSlots), server.part(FrameRate)
        self._worker = Worker(config, playing, lambda: announced(self._announce), self._rate)
        self._condition = threading.Condition()
        self._commands: list[tuple[str, tuple]] = []
        self._slot: Snapshot | None = None
        self._listener: Callable[[Snapshot], None] | None = None
        self._last: Snapshot | None = None
        self._wanted, self._superseded = config, False  #: what was asked for last; whether the worker has yet to hear of it
        self._closed = self._resting = self._at_work = False
        self._thread: threading.Thread | None = None
        self.published = 0  #: snapshots made so far
        self.notify: Callable[[], None] = lambda: None  #: called on the engine's thread when there is something to take

    @property
    def playing(self) -> bool:
        """Whether the run goes on by itself."""
        return self._worker.playing

    def start(self) -> None:
        """Start the thread, or start it again after `rest`."""
        with self._condition:
            self._resting = False
            if self._closed or self._at_work:
                return
            self._at_work = True
            self._thread = threading.Thread(target=self._work, name="exit-time-engine", daemon=True)
            self._thread.start()

    def post(self, command: str, *args: Any) -> None:
        """Hand over a command for `Worker.obey`, ``post("rewind", 12)``; it acts within about 15 ms. Never blocks.

        One that begins another run takes the picture of the old one away at once, whatever the thread is at.
        """
        with self._condition:
            if self._closed:
                return
            begins = command == "recall" or command == "configure" and args[0].restarts(self._wanted)
            self._wanted = args[0] if command in ("configure", "recall") else self._wanted
            self._superseded = self._superseded or begins
            self._commands.append((command, args))
            self._condition.notify()
            if begins:
                self._put(waiting_picture(args[0], self._last, self.playing))
        if begins:
            self._tell()

    def take(self) -> Snapshot | None:
        """Return the newest snapshot, or None if there is none since the last; makes room for the next."""
        with self._condition:
            snapshot, self._slot = self._slot, None
            if snapshot is not None:
                self._condition.notify()
            return snapshot

    def listen(self, listener: Callable[[Snapshot], None] | None) -> None:
        """Call `listener(snapshot)` with each snapshot from the last one on, on the engine's thread; None: nobody."""
        with self._condition:
            self._listener = listener
            self._condition.notify()
            last = self._last
        if listener is not None and last is not None:
            listener(last)

    def rest(self) -> None:
        """End the thread once it has obeyed the commands it was given; the run stays, for `start` to go on with."""
        with self._condition:
            self._resting = True
            self._condition.notify()

    def close(self) -> None:
        """End the thread soon and let go of the run. Never waits for that: other visits would wait, too."""
        with self._condition:
            self._closed, at_work = True, self._at_work
            self._slot = self._last = None
            self._condition.notify()
        self._worker.stop()
        if not at_work:  # else the thread lets go
            self._worker.close()

    # the thread ---------------------------------------------------------------------------------------------

    def _work(self) -> None:
        worker, next_frame, rests = self._worker, 0.0, False
        try:
            while True:
                now = time.monotonic()
                with self._condition:
                    held = worker.dirty and self._slot is not None  # a picture waits for the last to be taken
                    wait = self._patience(now, next_frame)
                    self._condition.wait_for(lambda held=held: self._called(held), wait)
                    if self._closed:
                        return
                    commands, self._superseded = list(self._commands), False
                    self._commands.clear()
                for command, args in commands:
                    worker.obey(command, *args)
                with self._condition:
                    if self._resting:
                        self._at_work, rests = False, True
                        return
                with self._slots.slot() if worker.warm else nullcontext():  # compiling keeps nobody waiting
                    if not commands:  # what a command changed is shown first: it waits neither for work nor for its frame
                        worker.work(self._slots.seconds)
                    now = time.monotonic()
                    if worker.dirty and (commands or now >= self._due(next_frame)):
                        next_frame = self._rate.next_due(next_frame, now)
                        snapshot = worker.snapshot()
                        if snapshot is not None:
                            self._publish(snapshot)
        finally:
            if not rests:
                with self._condition:
                    self._at_work = False
                worker.close()

    def _called(self, held: bool) -> bool:
        """Whether to wake before the time is up."""
        return self._closed or self._resting or bool(self._commands) or (held and self._slot is None)

    def _patience(self, now: float, next_frame: float) -> float | None:
        """Seconds the thread may sleep; None: until it is called."""
        wait, due = self._worker.wait(), self._due(next_frame)
        if wait is not None and self._worker.paced:  # nobody would see what is done before the next frame
            wait = max(wait, self._rate.frame if math.isinf(due) else min(next_frame - now, self._rate.frame))
        if self._worker.dirty and due < math.inf:
            frame = max(0.0, due - now)
            wait = frame if wait is None else min(wait, frame)
        return wait

    def _due(self, next_frame: float) -> float:
        """Return when a snapshot is due: in its turn once the last is taken; else only for a listener, and later."""
        if self._slot is None:
            return next_frame
        return math.inf if self._listener is None else next_frame - self._rate.frame + LISTENED

    def _publish(self, snapshot: Snapshot) -> None:
        """Show the worker's picture, unless the run that it is of has been replaced meanwhile."""
        with self._condition:
            if self._closed or self._superseded:
                return
            self._put(snapshot.replacing(self._slot))
        self._tell()

    def _announce(self, words: str) -> None:
        """Show the last picture with a notice, while the worker cannot."""
        with self._condition:
            if self._last is None or self._slot is not None or self._closed:
                return
            self._put(replace(self._last, series=None, notice=words, notice_kind="compiling", progress=None))
        self._tell()

    def _put(self, snapshot: Snapshot) -> None:
        """Number a picture and have it taken; called under the lock."""
        self.published += 1
        self._slot = self._last = replace(snapshot, frame=self.published)

    def _tell(self) -> None:
        """Tell whoever waits for a picture that there is one; called without the lock."""
        self.notify()
        listener, last = self._listener, self._last
        if listener is not None and last is not None:
            listener(last)
