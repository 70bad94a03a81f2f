"""Worker thread of a session: it executes commands, advances the run, and publishes the latest snapshot.

`Worker` is the work of the thread: it executes commands by name, and works in short slices. `Engine` is the thread: a page
calls only its `post`, `take` and `close`; nothing here accesses the page.
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
    """Session of a `LiveRun` that announces compilation; after a fault it shows the last snapshot with an error message.

    Not thread-safe.
    """

    def __init__(self, config: LiveConfig, playing: bool, announcer: Callable[[], AbstractContextManager],
                 rate: FrameRate | None = None) -> None:
        self._rate, self._announcer = rate or FrameRate(), announcer
        super().__init__(config, SnapshotBuilder(-1, self._rate), playing)
        self._held = False  #: whether playing waits until a browser displays the page
        self._shown: Snapshot | None = None  #: last snapshot of the run

    def stop(self) -> None:
        """Request the work to end soon; may be called from another thread."""
        self._stopped = True

    def close(self) -> None:
        """Release the run."""
        self._release_run()
        self._shown = self._ghost = None

    def new_run(self, config: LiveConfig) -> LiveRun:
        """Return a run at epoch 0."""
        return LiveRun(config)

    def new_builder(self, builder: SnapshotBuilder) -> SnapshotBuilder:
        """Return the snapshot builder of a new run, with the next free run number."""
        self._shown = None
        return SnapshotBuilder(builder.number + 2, self._rate)  # the number between is for the waiting picture

    def guarded(self, action: Callable[[], Any]) -> Any:
        """Call `action`; on any exception (user code may also exit) end the run with an error message for the page."""
        try:
            return action()
        except BaseException as error:
            self.fail(error_words(error, stopped=True))

    def announced(self, action: Callable[[], Any]) -> Any:
        """Call `action`, with a notice if it may compile."""
        if self.warm:
            return action()
        with self._announcer():
            return action()

    @property
    def warm(self) -> bool:
        """Whether the samplers of this run are compiled: it has reached epoch 1."""
        return self._run is not None and self._run.state.t > 0

    @property
    def plays(self) -> bool:
        """Whether the run currently advances automatically."""
        return self.playing and not self._held

    def _play(self, seconds: float) -> None:
        if self.warm:
            super()._play(seconds)
        elif not self.dirty:  # the first snapshot has been published: compilation may start
            self.announced(lambda: self._after_move(self._playback.step(self._run)))

    # commands -----------------------------------------------------------------------------------------------

    def execute(self, name: str, *args: Any) -> None:
        """Execute a command of the page: `configure`, `hold`, or one of the ``do_...`` of `Session.execute`."""
        if name in ("configure", "hold"):
            getattr(self, name)(*args)
        else:
            super().execute(name, *args)

    def hold(self) -> None:
        """Make the first snapshot but do not play before `appear`: the browser has the user's motion preference."""
        self._held = True

    def do_appear(self, still: bool) -> None:
        """Start playing after a browser displays the page, or pause if `still` (reduced motion). A replay is completed."""
        self._held = False
        if still:
            self._deferred = [one for one in self._deferred if one[0] != "play"]
            self._pause()

    # snapshots ----------------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot | None:
        """Return the current snapshot, None before the first; after a fault the last or a placeholder, with the error."""
        self.dirty = False
        if self._run is not None:
            self._shown = self.guarded(lambda: self.announced(self._picture)) or self._shown
        if self._error is None:
            return self._shown
        last, moment = self._shown, self._shown and self._shown.moment
        if last is None:
            last = replace(waiting_picture(self._config, None, False, "Stopped", "The run stopped before its first"
                                           " picture."), run=self._builder.number)
        words, kind, progress = fault_notice(self._error, moment.t if moment else 0)
        return replace(last, playing=False, series=None, notice=words, notice_kind=kind, progress=progress)

    def _picture(self) -> Snapshot:
        self._builder.steps = self._playback.path
        busy = self.playing or self._replay is not None
        return self._builder.build(self._run, self._run.clock(), self.playing, busy, self.notice, self._ghost)


LISTENER_INTERVAL = 0.1
"""Maximum seconds between two snapshots for a listener while the page takes none (its tab is hidden)."""


class Engine:
    """Thread of one session's run.

    Parameters
    ----------
    config : LiveConfig
        Configuration of the run; it plays after `start` unless `playing` is False.
    server : Server
        Server on which the visits share cores and frames.
    """

    def __init__(self, config: LiveConfig, playing: bool = True, server: Server = SERVER) -> None:
        self._slots, self._rate = server.part(ComputeSlots), server.part(FrameRate)
        self._worker = Worker(config, playing, lambda: announced(self._announce), self._rate)
        self._condition = threading.Condition()
        self._commands: list[tuple[str, tuple]] = []
        self._slot: Snapshot | None = None
        self._listener: Callable[[Snapshot], None] | None = None
        self._last: Snapshot | None = None
        self._requested, self._superseded = config, False  #: latest request; whether the worker has not received it yet
        self._closed = self._resting = self._running = False
        self._thread: threading.Thread | None = None
        self.published = 0  #: number of snapshots published
        self.notify: Callable[[], None] = lambda: None  #: called when a snapshot is available, on any thread

    @property
    def playing(self) -> bool:
        """Whether the run advances automatically."""
        return self._worker.playing

    def start(self) -> None:
        """Start the thread, or start it again after `rest`."""
        with self._condition:
            self._resting = False
            if self._closed or self._running:
                return
            self._running = True
            self._thread = threading.Thread(target=self._work, name="exit-time-engine", daemon=True)
            self._thread.start()

    def post(self, command: str, *args: Any) -> None:
        """Queue a command for `Worker.execute`, ``post("rewind", 12)``; it acts within about 15 ms. Never blocks.

        A command that starts another run immediately replaces the snapshot by a placeholder.
        """
        with self._condition:
            if self._closed:
                return
            begins = command == "recall" or command == "configure" and args[0].restarts(self._requested)
            self._requested = args[0] if command in ("configure", "recall") else self._requested
            self._superseded = self._superseded or begins
            self._commands.append((command, args))
            self._condition.notify()
            if begins:
                self._store(waiting_picture(args[0], self._last, self.playing))
        if begins:
            self._notify()

    def take(self) -> Snapshot | None:
        """Return the newest snapshot, or None if there is none since the last call, and free the slot for the next."""
        with self._condition:
            snapshot, self._slot = self._slot, None
            if snapshot is not None:
                self._condition.notify()
            return snapshot

    def listen(self, listener: Callable[[Snapshot], None] | None) -> None:
        """Set a listener, called with the last and all later snapshots on the thread that publishes; None removes it."""
        with self._condition:
            self._listener = listener
            self._condition.notify()
            last = self._last
        if listener is not None and last is not None:
            listener(last)

    def rest(self) -> None:
        """End the thread after the queued commands; the run is kept and `start` continues it."""
        with self._condition:
            self._resting = True
            self._condition.notify()

    def close(self) -> None:
        """Request the thread to end and release the run. Does not wait, which would block other visits."""
        with self._condition:
            self._closed, running = True, self._running
            self._slot = self._last = None
            self._condition.notify()
        self._worker.stop()
        if not running:  # else the thread releases the run
            self._worker.close()

    # thread -------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        worker, next_frame, rests = self._worker, 0.0, False
        try:
            while True:
                now = time.monotonic()
                with self._condition:
                    held = worker.dirty and self._slot is not None  # a snapshot waits for the previous one to be taken
                    wait = self._timeout(now, next_frame)
                    self._condition.wait_for(lambda held=held: self._should_wake(held), wait)
                    if self._closed:
                        return
                    commands, self._superseded = list(self._commands), False
                    self._commands.clear()
                for command, args in commands:
                    worker.execute(command, *args)
                with self._condition:
                    if self._resting:
                        self._running, rests = False, True
                        return
                with self._slots.slot() if worker.warm else nullcontext():  # compilation does not occupy a slot
                    if not commands:  # the effect of a command is published first, without waiting for work or a frame
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
                    self._running = False
                worker.close()

    def _should_wake(self, held: bool) -> bool:
        """Return whether to wake before the timeout."""
        return self._closed or self._resting or bool(self._commands) or (held and self._slot is None)

    def _timeout(self, now: float, next_frame: float) -> float | None:
        """Return the seconds for which the thread may sleep; None: until it is woken."""
        wait, due = self._worker.wait(), self._due(next_frame)
        if wait is not None and self._worker.paced:  # work before the next frame would not be visible
            wait = max(wait, self._rate.frame if math.isinf(due) else min(next_frame - now, self._rate.frame))
        if self._worker.dirty and due < math.inf:
            frame = max(0.0, due - now)
            wait = frame if wait is None else min(wait, frame)
        return wait

    def _due(self, next_frame: float) -> float:
        """Return the due time of a snapshot: `next_frame` once the last is taken; else later, and only for a listener."""
        if self._slot is None:
            return next_frame
        return math.inf if self._listener is None else next_frame - self._rate.frame + LISTENER_INTERVAL

    def _publish(self, snapshot: Snapshot) -> None:
        """Publish the worker's snapshot, unless its run has been replaced meanwhile."""
        with self._condition:
            if self._closed or self._superseded:
                return
            self._store(snapshot.replacing(self._slot))
        self._notify()

    def _announce(self, words: str) -> None:
        """Publish the last snapshot with a notice while the worker is busy."""
        with self._condition:
            if self._last is None or self._slot is not None or self._closed:
                return
            self._store(replace(self._last, series=None, notice=words, notice_kind="compiling", progress=None))
        self._notify()

    def _store(self, snapshot: Snapshot) -> None:
        """Number a snapshot and store it in the slot; called with the lock."""
        self.published += 1
        self._slot = self._last = replace(snapshot, frame=self.published)

    def _notify(self) -> None:
        """Notify the page and the listener of a snapshot; called without the lock."""
        self.notify()
        listener, last = self._listener, self._last
        if listener is not None and last is not None:
            listener(last)
