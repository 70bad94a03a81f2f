"""`FollowedPage`: Live as a student sees it: the teacher's knobs, lesson and epoch, and chains of her own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import panel as pn

from app.classroom.direct_frames import DirectFrames
from app.classroom.follow_bar import FollowBar
from app.classroom.followed_engine import FollowedEngine
from app.handover import Session
from app.live.components.pump import Pump
from app.page import LINK_COPIED
from app.pages.live import LivePage

if TYPE_CHECKING:
    from app.classroom.broadcast import Picture
    from app.classroom.room import Room
    from app.classroom.seats import Seat
    from app.live.snapshot import Snapshot

REFUSED = "The teacher turns the knobs of this run. Take your own run to turn them yourself."


class FollowedPage(LivePage):
    """Shows what the room shows; a knob that is turned springs back, with words.

    The chains come from the room's feed, the rest is looked after twice a second.

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
        self.session = Session()  # what it leaves for other pages is nobody's
        self.engine = FollowedEngine(room, seat)
        self.saving = None  # the run is the room's; one's own can be saved
        self.pump = Pump(self.engine.take, lambda: self.canvas.ready, self.show, paced=False)
        self.canvas.answered = 8
        self._frames = DirectFrames(self.canvas)
        self.bar = FollowBar(go_alone)
        self.shell.top = self.bar

    def show(self, snapshot: Snapshot) -> None:
        """Show one picture of the room, after the knobs as the teacher has them."""
        if snapshot.config != self.config:
            self._load(snapshot.config)
        self.bar.tell(snapshot)
        super().show(snapshot)

    def feed(self, picture: Picture) -> None:
        """Show the chains of one picture, if the browser can take it."""
        frame = self.engine.frame(picture) if self.active and self.canvas.ready and self._frames.open else None
        if frame is not None:
            follow, rescaled = frame.config.follow, frame.config.rescaled
            self._frames.send(self.canvas.pack(frame.cloud, frame.frame, frame.t, frame.run, follow, rescaled))

    def begin(self) -> None:
        """Come to the front: the feed counts on this page from now on."""
        self.pump.hurry()
        self.engine.start()
        loop = getattr(pn.state.curdoc.session_context.server_context.application_context, "io_loop", None)
        if loop is not None:
            self._room.feed.add(self, loop)

    def leave(self) -> None:
        """Go behind a page of the student's own."""
        self._room.feed.remove(self)

    def end(self) -> None:
        """The visit is over."""
        self._room.feed.remove(self)

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
        if REFUSED not in self.notices.words:
            self.notices.words = [*self.notices.words, REFUSED]
        if self._shown is not None:
            self._load(self._shown.config)

    def _press(self, name: str) -> None:
        """Playing and stepping are the teacher's."""

    def _show_preset(self, key: str) -> None:
        """Presets are the teacher's."""
        self.notices.words = [REFUSED]

    def _title(self, snapshot: Snapshot) -> None:
        super()._title(snapshot)
        mine = self._room.chains(self.engine.seat, snapshot.config.chains)
        whose = f"Your {len(mine)} chains" if len(mine) > 1 else "Your chain"
        numbers = f"{mine.start}–{mine.stop - 1}" if len(mine) > 1 else f"{mine.start}"
        self.chains.param.update(title=whose, hint=f"{numbers} of the room’s {snapshot.config.chains}")

    def look(self) -> None:
        """Look what the room says, then show its picture."""
        self._look_up()
        self.pump.tick()

    def shared(self) -> tuple[dict[str, str], str]:
        """Return the link of the room's moment with chains of one's own: it opens without the room."""
        return self._room.own_run() or self.query(), f"{LINK_COPIED}: a run of its own, from this epoch"
