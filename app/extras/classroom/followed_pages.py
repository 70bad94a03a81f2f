"""`FollowedLive` and `FollowedEpoch` (Exit time): pages of a student who follows the room, with a `FollowBar` on top."""

import time
from collections.abc import Callable
from typing import Any

import param
from panel.io.state import set_curdoc
from tornado.ioloop import IOLoop

from app.exit_time.job import ExitResult
from app.extras.classroom.room import Room, Seat, slice_of
from app.jobs.background_job import JobUpdate
from app.js.component import LabComponent
from app.live.frame_sender import FrameSender
from app.live.page_words import Titles
from app.live.snapshot import Series, Snapshot
from app.number_words import scientific
from app.pages.exit_time import ExitTimePage
from app.pages.live import LivePage
from app.state.user_data import UserData
from app.visit import Visit, served_document

ALL_EVERY = 2.5
"""Time between updates of a follower's whole page during a run, in seconds: figures and texts are expensive."""


MESSAGES = {
    "waiting": "Waiting for the teacher. This page starts automatically.",
    "here": "Following your teacher",
    "gone": "Your teacher’s page is closed or has lost its connection. Wait here, or continue alone from this epoch.",
}
COMING = "Your teacher is at Exit time. The page follows in a moment, for one student after another."


class FollowBar(LabComponent):
    """Status of the teacher, and a button that calls `go_alone()` for a run of the student's own."""

    words = param.String(MESSAGES["waiting"])
    warns = param.Boolean(False, doc="Whether the teacher is gone.")
    shown = param.Boolean(False, doc="Whether there is a snapshot to continue from.")
    readouts = param.Boolean(True, doc="Whether step size and playback are displayed.")
    size = param.String("…", doc="Step size.")
    plays = param.Boolean(False)

    def __init__(self, go_alone: Callable[[], None], **params: object) -> None:
        self._go_alone = go_alone
        super().__init__(sizing_mode="stretch_width", **params)

    def show_teacher(self, teacher: str, place: str, coming: bool = False) -> None:
        """Display the status of the teacher: waiting, here or gone.

        `place` is the label of a page that the room cannot see, else empty; `coming`: Exit time will open soon.
        """
        words = f"Your teacher is at {place}: look at the screen in front." if place else MESSAGES[teacher]
        words = COMING if coming and teacher == "here" else words
        self.param.update(words=words, warns=teacher == "gone")

    def show_readouts(self, snapshot: Snapshot) -> None:
        """Display the readouts of a snapshot."""
        self.param.update(size=scientific(snapshot.step_size), plays=snapshot.playing, shown=True)

    def on_alone(self) -> None:
        """Handle the button."""
        self._go_alone()


class FollowedEngine:
    """Replacement of `Engine` on a page that follows a room.

    `take` returns complete snapshots, periodically and when more than the positions has changed; `frame` returns those in
    between, for the chains only.

    Parameters
    ----------
    room
        Source of the snapshots.
    seat
        Seat whose chains are shown.
    """

    playing = False

    def __init__(self, room: Room, seat: Seat, clock: Callable[[], float] = time.monotonic) -> None:
        self._room, self.seat, self._clock = room, seat, clock
        self._follow: int | None = 0
        self._frame, self._at = -1, -1e9
        self._series: Series | None = None
        self._key: tuple | None = None

    def start(self) -> None:
        """Request a complete snapshot, as the page comes to the front."""
        self._key = self._series = None

    def rest(self) -> None:
        """Do nothing: nothing runs here."""

    def post(self, command: str, *args: Any) -> None:
        """Set the followed chain; ignore all other commands, which are the teacher's."""
        if command == "configure" and args[0].follow != self._follow:
            self._follow, self._key = args[0].follow, None

    def take(self) -> Snapshot | None:
        """Return a complete snapshot if one is due, else None."""
        snapshot = self._room.broadcast.latest()
        if snapshot is None:
            return None
        now = self._clock()
        key = (snapshot.run, snapshot.config, snapshot.playing, snapshot.cloud.axis_names, snapshot.notice_kind)
        late = now - self._at >= ALL_EVERY or not snapshot.playing
        if key == self._key and not (late and snapshot.frame != self._frame):
            return None
        measured = None if snapshot.series is self._series else snapshot.series
        self._key, self._frame, self._at, self._series = key, snapshot.frame, now, snapshot.series
        return self._slice(snapshot, measured)

    def frame(self, snapshot: Snapshot) -> Snapshot | None:
        """Return the chains of a snapshot; None if a complete snapshot must be shown first."""
        if self._key is None or (snapshot.run, snapshot.cloud.axis_names) != (self._key[0], self._key[3]):
            return None
        return self._slice(snapshot, None)

    def _slice(self, snapshot: Snapshot, series: Series | None) -> Snapshot:
        chains = self._room.chains(self.seat, snapshot.config.chains)
        if self._follow is not None and self._follow >= len(chains):
            self._follow = 0
        return slice_of(snapshot, chains, self._follow, series)


RUN_REFUSED = "The teacher controls this run. Take your own run to turn its knobs yourself."
EPOCH_REFUSED = "The teacher controls this page. Press “Turn its knobs yourself” for a page of your own."


class FollowedLive(LivePage):
    """Live page that shows the room's run; changed knobs are reset, with a message.

    Chains are updated at the room's rounds, everything else twice per second.

    Parameters
    ----------
    room, seat
        Room to follow, and the seat whose chains are shown.
    go_alone
        Called when the student starts their own run.
    poll_room
        Called twice per second to update from the room.
    """

    period = 500

    def __init__(self, room: Room, seat: Seat, go_alone: Callable[[], None], poll_room: Callable[[], None],
                 dark: bool = False) -> None:
        self._loading = False
        super().__init__(dark=dark, framed=True)
        self._room, self._poll_room = room, poll_room
        self.linked = False
        self.visit = Visit()  # a separate visit: its handover to other pages is ignored
        self.engine = FollowedEngine(room, seat)
        self.sender = FrameSender(self.engine.take, lambda: self.canvas.ready, self.show)
        self.canvas.answered = 8
        self._document: Any = None
        self.bar = FollowBar(go_alone)
        self.shell.top = self.bar

    def show(self, snapshot: Snapshot) -> None:
        """Show a snapshot of the room, after setting the knobs to the teacher's values."""
        if snapshot.config != self.config:
            self._load(snapshot.config)
        self.bar.show_readouts(snapshot)
        super().show(snapshot)

    def show_chains(self, snapshot: Snapshot) -> None:
        """Show the chains of a snapshot if the browser is ready; called on the server's thread without a lock."""
        frame = self.engine.frame(snapshot) if self.active and self.canvas.ready else None
        if frame is not None:
            with set_curdoc(self._document):
                follow, rescaled = frame.config.follow, frame.config.rescaled
                self.canvas.send(frame.cloud, frame.frame, frame.t, frame.run, follow, rescaled)

    def begin(self) -> None:
        """Handle coming to the front: subscribe to the room's snapshots."""
        self.sender.attach()
        self.engine.start()
        self._document = served_document()
        if self._document is not None:
            self._room.broadcast.add(self.show_chains, IOLoop.current())

    def leave(self) -> None:
        """Unsubscribe: the page is hidden, or the visit ends."""
        self._room.broadcast.remove(self.show_chains)

    end = leave

    def _painted(self) -> None:
        """Do nothing: the room sends the next frame."""

    def _load(self, config: Any) -> None:
        self._loading = True
        try:
            self.state.load(config)
        finally:
            self._loading = False

    def _changed(self, *events: Any) -> None:
        """Accept a change of the followed chain; reset all other parameters."""
        if self._loading:
            return
        if {event.name for event in events} <= {"follow"}:
            super()._changed(*events)
            return
        if RUN_REFUSED not in self.notices.words:
            self.notices.words = [*self.notices.words, RUN_REFUSED]
        if self._shown is not None:
            self._load(self._shown.config)

    def _press(self, name: str) -> None:
        """Do nothing: only the teacher plays and steps."""

    def _show_preset(self, key: str) -> None:
        """Refuse: only the teacher chooses presets."""
        self.notices.words = [RUN_REFUSED]

    def _take_file(self, user_data: UserData) -> None:
        """Refuse: only the teacher chooses data."""
        self.notices.words = [RUN_REFUSED]

    def _titles(self, snapshot: Snapshot) -> Titles:
        mine = self._room.chains(self.engine.seat, snapshot.config.chains)
        title = f"Your {len(mine)} chains" if len(mine) > 1 else "Your chain"
        numbers = f"{mine.start}–{mine.stop - 1}" if len(mine) > 1 else f"{mine.start}"
        return super()._titles(snapshot)._replace(chains=title, hint=f"{numbers} of the room’s {snapshot.config.chains}")

    def look(self) -> None:
        """Update from the room and show its latest state."""
        self._poll_room()
        self.sender.tick()

    def shared(self) -> tuple[dict[str, str], str]:
        """Return the link of the room's moment with new chains; it opens without the room."""
        return self._room.own_run() or self.query(), "a run of its own, from this epoch"


class FollowedEpoch(ExitTimePage):
    """Exit time page that shows the results of the teacher's page and computes nothing.

    Parameters
    ----------
    room
        Room to follow.
    go_alone
        Called with the link of this epoch when the student opens their own page.
    poll_room
        Called twice per second to update from the room.
    """

    period = 500

    def __init__(self, room: Room, go_alone: Callable[[dict[str, str]], None], poll_room: Callable[[], None],
                 dark: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._room, self._poll_room, self._clock = room, poll_room, clock
        self._shown_result: ExitResult | None = None
        self._at = -1e9
        super().__init__(dark=dark, framed=True)
        self.linked = False
        self.visit = Visit()  # a separate visit: its handover to other pages is ignored
        self._asked = self.config
        self.bar = FollowBar(lambda: go_alone(self.query()), readouts=False)
        self.shell.param.update(top=self.bar, foot="")  # on a phone, the bar opens the knobs

    def begin(self) -> None:
        """Handle coming to the front: show the complete result again."""
        self._shown_result, self._at = None, -1e9

    def look(self) -> None:
        """Update from the room and show its latest state."""
        self._poll_room()
        epoch = self._room.epoch
        result = None if epoch is None else epoch.result
        if result is None or result is self._shown_result or result.crowd is None:
            return
        if result.complete or self._clock() - self._at >= ALL_EVERY:
            self._shown_result, self._at, self.bar.shown = result, self._clock(), True
            self.show(JobUpdate(self.worker.requests, result, done=result.complete))

    def _compute(self) -> None:
        """Reset the changed knobs: only the teacher's page computes."""
        if EPOCH_REFUSED not in self.notices.words:
            self.notices.words = [*self.notices.words, EPOCH_REFUSED]
        if self.result is not None:
            self._asked = self.result.config
        self.state.load(self._asked)

    def show_preset(self, key: str) -> None:
        """Refuse: only the teacher chooses presets."""
        self._compute()

    def shared(self) -> tuple[dict[str, str], str]:
        """Return the link of this epoch: it opens without the room."""
        return self.query(), "this epoch, without the class"
