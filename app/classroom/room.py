"""`Room`: one class of one server: its code, its seats, its answers, and what its teacher shows. Safe from any thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from app.allowance import Allowance
from app.classroom.answers import Answers
from app.classroom.broadcast import Broadcast
from app.classroom.code import WRONG_CODE, new_code, new_secret, normal_code, same
from app.classroom.feed import Feed
from app.classroom.seats import Seat, Seats, chains_of
from app.live.commands import Pause
from app.state.live import LiveState

if TYPE_CHECKING:
    from app.exit_time.result import ExitResult
    from app.live.engine import Engine
    from app.live.snapshot import Snapshot
    from app.state.live import LiveConfig

EACH = 4
"""Chains of each student where the teacher has not chosen their number."""
OWN_CHAINS = 16
"""Of the run that a student takes along."""
TRIES, TRIES_A_SECOND = 60, 1.0
"""Wrong codes of all visitors together."""
CHANGES_A_SECOND = 4.0
"""Students that are brought to another page, beside the time that each takes."""
WAITING, HERE, GONE = "waiting", "here", "gone"


class Leader(Protocol):
    """A page of the teacher's."""

    @property
    def here(self) -> bool:
        """Whether its browser is connected."""


class EpochShown(Protocol):
    """A page that shows one epoch of many chains."""

    @property
    def result(self) -> ExitResult | None:
        """What it shows, immutable; None before the first."""

    def query(self) -> dict[str, str]:
        """Return its URL parameters."""


class Room:
    """What all pages of a class share.

    Parameters
    ----------
    seats : int
        Students that have chains of their own, where the run has as many.
    """

    def __init__(self, seats: int = 60, clock: Callable[[], float] = time.monotonic) -> None:
        self.size, self.code, self.secret = seats, new_code(), new_secret()
        self.seats, self.answers = Seats(), Answers()
        self.broadcast = Broadcast(clock=clock)
        self.feed = Feed(self.broadcast)
        self.lesson: str | None = None  #: value of `lesson` in the teacher's link
        self.case = 0  #: which case of it, where it has several
        self.place = ""  #: label of the teacher's page; empty for one that the room sees
        self.epoch: EpochShown | None = None  #: the teacher's Exit time page, while it is in front
        self.changes = Allowance(1, CHANGES_A_SECOND, clock)  #: of students' pages: not all in one moment
        self._tries = Allowance(TRIES, TRIES_A_SECOND, clock)
        self._leader: Leader | None = None
        self._lock = threading.RLock()

    # The way in ---------------------------------------------------------------------------------------------

    def refusal(self, typed: object) -> str:
        """Return why a code opens nothing, in words; empty: it is this room's."""
        wait = self._tries.wait
        if wait:
            return f"Too many wrong codes have been tried. Wait {wait:.0f} s and try again." if wait > 1 else \
                "Too many wrong codes have been tried. Try again in a moment."
        code = normal_code(typed)
        if same(code, self.code):
            return ""
        self._tries.note()
        return WRONG_CODE.format(code or "you typed")

    def is_teacher(self, secret: object) -> bool:
        """Whether this is the secret of the teacher's link."""
        return same(str(secret)[:100], self.secret)

    # The teacher ----------------------------------------------------------------------------------------------

    def lead(self, leader: Leader) -> None:
        """Give the room to a page of the teacher's: the newest one has it."""
        with self._lock:
            self._leader = leader

    def leads(self, leader: Leader) -> bool:
        """Whether the room follows this page."""
        return self._leader is leader

    def show(self, leader: Leader, engine: Engine | None, place: str, epoch: EpochShown | None = None) -> None:
        """Follow this engine from now on, or what this Exit time page shows of one epoch.

        Neither: the teacher is at a page of that label, and the last run stays on show.
        """
        with self._lock:
            if self.leads(leader):
                self.epoch = epoch if engine is None else None
                self.place = "" if engine is not None or epoch is not None else place
                if engine is not None:
                    self.broadcast.follow(engine)

    def tell(self, leader: Leader, lesson: str | None, case: int = 0) -> None:
        """Say which lesson, step and case of it the teacher has open."""
        with self._lock:
            if self.leads(leader):
                self.lesson, self.case = lesson, case

    @property
    def teacher(self) -> str:
        """WAITING before the teacher has ever come, HERE, or GONE: the run then stands still."""
        with self._lock:
            leader = self._leader
            if leader is None:
                return WAITING
            if leader.here:
                return HERE
            engine = self.broadcast.engine
            if engine is not None and engine.playing:
                engine.post(Pause())
            return GONE

    def resumed(self) -> dict[str, str]:
        """Return the URL parameters of the very picture the room stands at; none before the first."""
        snapshot, epoch = self._snapshot(), self.epoch
        run = {} if snapshot is None else _link(snapshot, snapshot.config)
        lesson = {} if self.lesson is None else {"lesson": self.lesson}
        if epoch is not None:
            return {"page": "exit"} | run | (lesson or epoch.query())
        return {"page": "live"} | lesson | run if run else {}

    # The students ---------------------------------------------------------------------------------------------

    def chains(self, seat: Seat, chains: int) -> range:
        """Return which chains are this seat's."""
        return chains_of(seat.number, chains, self.size)

    def own_run(self) -> dict[str, str]:
        """Return the URL parameters of the room's moment with chains for one student: same stream, same knobs."""
        snapshot = self._snapshot()
        if snapshot is None:
            return {}
        follow = None if snapshot.config.follow is None else 0
        return _link(snapshot, snapshot.config.replace(chains=OWN_CHAINS, follow=follow))

    def _snapshot(self) -> Snapshot | None:
        picture = self.broadcast.latest()
        return None if picture is None else picture.snapshot


def _link(snapshot: Snapshot, config: LiveConfig) -> dict[str, str]:
    moment = snapshot.moment
    way = moment.query(config) if moment is not None and moment.t else {}
    return LiveState.to_query(config) | way
