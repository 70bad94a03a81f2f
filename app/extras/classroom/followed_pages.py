"""The pages on which a student sees the room, `FollowedLive` and `FollowedEpoch` (Exit time), with a `FollowBar` on top."""

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
"""Seconds between two updates of all of a follower's page while the work goes on: figures and words are its dearest part."""


WORDS = {
    "waiting": "The teacher has not come yet. This page begins by itself.",
    "here": "Following your teacher",
    "gone": "Your teacher’s page is closed or has lost its connection. Wait here, or go on alone from this epoch.",
}
COMING = "Your teacher is at Exit time. It comes here in a moment, to one student after another."


class FollowBar(LabComponent):
    """`go_alone()` is called when the student takes a run of her own."""

    words = param.String(WORDS["waiting"])
    warns = param.Boolean(False, doc="Whether the teacher is gone.")
    shown = param.Boolean(False, doc="Whether there is a picture to go on from.")
    readouts = param.Boolean(True, doc="Whether there is a run that plays.")
    size = param.String("…", doc="Step size.")
    plays = param.Boolean(False)

    def __init__(self, go_alone: Callable[[], None], **params: object) -> None:
        self._go_alone = go_alone
        super().__init__(sizing_mode="stretch_width", **params)

    def say(self, teacher: str, place: str, coming: bool = False) -> None:
        """Say where the teacher is: waiting, here (at a page of that label, or empty: one that the room sees), gone.

        ``coming``: Exit time is on its way.
        """
        words = f"Your teacher is at {place}: look at the screen in front." if place else WORDS[teacher]
        words = COMING if coming and teacher == "here" else words
        self.param.update(words=words, warns=teacher == "gone")

    def tell(self, snapshot: Snapshot) -> None:
        """Show the readouts of a picture."""
        self.param.update(size=scientific(snapshot.step_size), plays=snapshot.playing, shown=True)

    def on_alone(self) -> None:
        """Take the button."""
        self._go_alone()


class FollowedEngine:
    """Takes the place of `Engine` on a page that follows a room.

    `take` hands out whole pictures, when something has changed that more than the chains must show, and now and then;
    `frame` those between, for the chains alone.

    Parameters
    ----------
    room
        Whose pictures.
    seat
        Which chains of them.
    """

    playing = False

    def __init__(self, room: Room, seat: Seat, clock: Callable[[], float] = time.monotonic) -> None:
        self._room, self.seat, self._clock = room, seat, clock
        self._follow: int | None = 0
        self._frame, self._at = -1, -1e9
        self._series: Series | None = None
        self._key: tuple | None = None

    def start(self) -> None:
        """Show the whole picture again: the page has come to the front."""
        self._key = self._series = None

    def rest(self) -> None:
        """Nothing runs here."""

    def post(self, command: str, *args: Any) -> None:
        """Obey the choice of a followed chain; the rest is the teacher's."""
        if command == "configure" and args[0].follow != self._follow:
            self._follow, self._key = args[0].follow, None

    def take(self) -> Snapshot | None:
        """Return a whole picture if it is time for one, or None."""
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
        """Return the chains of a picture; None where the whole picture must be shown first."""
        if self._key is None or (snapshot.run, snapshot.cloud.axis_names) != (self._key[0], self._key[3]):
            return None
        return self._slice(snapshot, None)

    def _slice(self, snapshot: Snapshot, series: Series | None) -> Snapshot:
        chains = self._room.chains(self.seat, snapshot.config.chains)
        if self._follow is not None and self._follow >= len(chains):
            self._follow = 0
        return slice_of(snapshot, chains, self._follow, series)


RUN_REFUSED = "The teacher turns the knobs of this run. Take your own run to turn them yourself."
EPOCH_REFUSED = "The teacher turns the knobs of this page. Press “Turn its knobs yourself” to have it for yourself."


class FollowedLive(LivePage):
    """Shows what the room shows; a knob that is turned springs back, with words.

    The chains come with the room's rounds, the rest is looked after twice a second.

    Parameters
    ----------
    room, seat
        Whom it follows, and whose chains it shows.
    go_alone
        Called when the student takes a run of her own.
    look_up
        Called twice a second, to look what the room says.
    """

    period = 500

    def __init__(self, room: Room, seat: Seat, go_alone: Callable[[], None], look_up: Callable[[], None],
                 dark: bool = False) -> None:
        self._loading = False
        super().__init__(dark=dark, framed=True)
        self._room, self._look_up = room, look_up
        self.linked = False
        self.visit = Visit()  # what it leaves for other pages is nobody's
        self.engine = FollowedEngine(room, seat)
        self.sender = FrameSender(self.engine.take, lambda: self.canvas.ready, self.show)
        self.canvas.answered = 8
        self._document: Any = None
        self.bar = FollowBar(go_alone)
        self.shell.top = self.bar

    def show(self, snapshot: Snapshot) -> None:
        """Show one picture of the room, after the knobs as the teacher has them."""
        if snapshot.config != self.config:
            self._load(snapshot.config)
        self.bar.tell(snapshot)
        super().show(snapshot)

    def show_chains(self, picture: Snapshot) -> None:
        """Show the chains of one picture, if the browser can take it; called on the server's thread, without a lock."""
        frame = self.engine.frame(picture) if self.active and self.canvas.ready else None
        if frame is not None:
            with set_curdoc(self._document):
                follow, rescaled = frame.config.follow, frame.config.rescaled
                self.canvas.send(frame.cloud, frame.frame, frame.t, frame.run, follow, rescaled)

    def begin(self) -> None:
        """Come to the front: chains are shown here from now on."""
        self.sender.attach()
        self.engine.start()
        self._document = served_document()
        if self._document is not None:
            self._room.broadcast.add(self.show_chains, IOLoop.current())

    def leave(self) -> None:
        """Go behind a page of the student's own, or end with the visit."""
        self._room.broadcast.remove(self.show_chains)

    end = leave

    def _painted(self) -> None:
        """The next frame comes by itself."""

    def _load(self, config: Any) -> None:
        self._loading = True
        try:
            self.state.load(config)
        finally:
            self._loading = False

    def _changed(self, *events: Any) -> None:
        """Let the student choose her chain; put everything else back."""
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
        """Playing and stepping are the teacher's."""

    def _show_preset(self, key: str) -> None:
        """Presets are the teacher's."""
        self.notices.words = [RUN_REFUSED]

    def _take_file(self, user_data: UserData) -> None:
        """The rows are the teacher's."""
        self.notices.words = [RUN_REFUSED]

    def _titles(self, snapshot: Snapshot) -> Titles:
        mine = self._room.chains(self.engine.seat, snapshot.config.chains)
        whose = f"Your {len(mine)} chains" if len(mine) > 1 else "Your chain"
        numbers = f"{mine.start}–{mine.stop - 1}" if len(mine) > 1 else f"{mine.start}"
        return super()._titles(snapshot)._replace(chains=whose, hint=f"{numbers} of the room’s {snapshot.config.chains}")

    def look(self) -> None:
        """Look what the room says, then show its picture."""
        self._look_up()
        self.sender.tick()

    def shared(self) -> tuple[dict[str, str], str]:
        """Return the link of the room's moment with chains of one's own: it opens without the room."""
        return self._room.own_run() or self.query(), "a run of its own, from this epoch"


class FollowedEpoch(ExitTimePage):
    """Shows what the teacher's Exit time page has computed, and computes nothing itself.

    Parameters
    ----------
    room
        Whom it follows.
    go_alone
        Called with the link of this epoch when the student takes a page of their own.
    look_up
        Called twice a second, to look what the room says.
    """

    period = 500

    def __init__(self, room: Room, go_alone: Callable[[dict[str, str]], None], look_up: Callable[[], None],
                 dark: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._room, self._look_up, self._clock = room, look_up, clock
        self._seen: ExitResult | None = None
        self._at = -1e9
        super().__init__(dark=dark, framed=True)
        self.linked = False
        self.visit = Visit()  # what it leaves for other pages is nobody's
        self._asked = self.config
        self.bar = FollowBar(lambda: go_alone(self.query()), readouts=False)
        self.shell.param.update(top=self.bar, foot="")  # the bar opens the knobs on a phone

    def begin(self) -> None:
        """Come to the front: show the whole picture again."""
        self._seen, self._at = None, -1e9

    def look(self) -> None:
        """Look what the room says, then show its picture."""
        self._look_up()
        epoch = self._room.epoch
        result = None if epoch is None else epoch.result
        if result is None or result is self._seen or result.crowd is None:
            return
        if result.complete or self._clock() - self._at >= ALL_EVERY:
            self._seen, self._at, self.bar.shown = result, self._clock(), True
            self.show(JobUpdate(self.worker.requests, result, done=result.complete))

    def _compute(self) -> None:
        """Put back what the student turned: the room computes."""
        if EPOCH_REFUSED not in self.notices.words:
            self.notices.words = [*self.notices.words, EPOCH_REFUSED]
        if self.result is not None:
            self._asked = self.result.config
        self.state.load(self._asked)

    def show_preset(self, key: str) -> None:
        """Pictures to try are the teacher's."""
        self._compute()

    def shared(self) -> tuple[dict[str, str], str]:
        """Return the link of this epoch: it opens without the room."""
        return self.query(), "this epoch, without the class"
