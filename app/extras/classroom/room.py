"""`Room`: the class of a server: its code, seats, answers and the teacher's state. Thread-safe."""

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from app.extras.classroom.broadcast import Broadcast
from app.lessons.lesson import Lesson
from app.live.engine import Engine
from app.live.snapshot import Series, Snapshot
from app.pages.exit_time import ExitTimePage
from app.state.live import LiveConfig, LiveState
from app.visit import Allowance, Connection


@dataclass
class Seat:
    """Seat of a student. `here` counts its open pages, as one browser may have several."""

    key: str  #: random; stored as a cookie in the student's browser, which restores the seat on a reload
    number: int  #: from 0; determines the seat's chains
    here: int = 0
    answers: dict[str, int] = field(default_factory=dict)  #: question -> latest chosen option


class Seats:
    """Seats of a room. Thread-safe."""

    def __init__(self) -> None:
        self._seats: dict[str, Seat] = {}
        self._lock = threading.Lock()

    def take(self, key: str = "") -> Seat:
        """Return the seat with this key, or a new one with the lowest free number."""
        with self._lock:
            seat = self._seats.pop(key, None) or Seat(secrets.token_urlsafe(12), -1)
            taken = {other.number for other in self._seats.values() if other.here}
            if seat.number < 0 or (not seat.here and seat.number in taken):
                numbers = {other.number for other in self._seats.values()}
                free = (number for number in range(len(self._seats) + 1) if number not in numbers)
                seat.number = next(free)
            seat.here += 1
            self._seats[seat.key] = seat
            return seat

    def leave(self, seat: Seat) -> None:
        """Record that a page of this seat was closed; the seat is kept for a return."""
        with self._lock:
            seat.here = max(0, seat.here - 1)

    @property
    def present(self) -> int:
        """Number of students in the room."""
        with self._lock:
            return sum(seat.here > 0 for seat in self._seats.values())

    def counts(self, question: str, options: int) -> list[int]:
        """Return the number of seats that chose each option."""
        with self._lock:
            chosen = Counter(seat.answers.get(question) for seat in self._seats.values())
        return [chosen[option] for option in range(options)]


def chains_of(number: int, chains: int, seats: int) -> range:
    """Return the chains of seat `number` in a run of `chains` chains for `seats` seats.

    All seats have the same number of chains, at least one. Seats beyond the last slice share the slices of the first
    seats.
    """
    each = max(1, chains // seats)
    first = number % (chains // each) * each
    return range(first, first + each)


def slice_of(snapshot: Snapshot, chains: range, follow: int | None, series: Series | None) -> Snapshot:
    """Return a snapshot of some chains, renumbered from 0.

    Parameters
    ----------
    snapshot
        Snapshot of all chains.
    chains
        Consecutive chains to select.
    follow
        Index of the followed chain among them; None for none.
    series
        New measurements for the charts; None for no change.
    """
    cloud, first, last = snapshot.cloud, chains.start, chains.stop
    balls = cloud.acceptance_balls
    mine = replace(
        cloud, positions=cloud.positions[first:last], reset=cloud.reset[first:last],
        checkpoints=cloud.checkpoints[first:last], acceptance_balls=None if balls is None else balls[first:last],
        resets=_of(cloud.resets, first, last), exits=_of(cloud.exits, first, last))
    return replace(snapshot, cloud=mine, series=series, config=snapshot.config.replace(follow=follow))


def _of(rows: np.ndarray, first: int, last: int) -> np.ndarray:
    """Return the rows of chains first to last - 1, renumbered; the first column is the chain."""
    mine = rows[(rows[:, 0] >= first) & (rows[:, 0] < last)].copy()
    mine[:, 0] -= first
    return mine


ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Letters and digits that are not easily confused: no I, L or O, no 0 or 1."""
LENGTH = 6
"""887 million (31^6) codes: at one wrong try per second, guessing one takes years."""
WRONG_CODE = ("No class here has the code {}. A code has six letters and digits, never 0, O, 1, I or L: compare it with the"
              " teacher’s screen and enter it again.")


def normal_code(typed: object) -> str:
    """Return a typed code in capitals, without spaces and hyphens, truncated to 12 characters."""
    return "".join(letter for letter in str(typed)[:40].upper() if letter.isalnum())[:12]


def equal_texts(text: str, expected: str) -> bool:
    """Return whether two texts are equal; the time taken does not reveal where they differ."""
    return secrets.compare_digest(text.encode("utf-8", "surrogatepass"), expected.encode())


def question_key(lesson: Lesson, case: int) -> str:
    """Return the key of the question of a lesson, or of one of its cases, in `Seat.answers`."""
    return f"{lesson.key} {case}" if lesson.cases else lesson.key


EACH = 4
"""Default number of chains per student."""
OWN_CHAINS = 16
"""Number of chains of a student's own run."""
TRIES, TRIES_A_SECOND = 60, 1.0
"""Wrong codes allowed for all visitors together: burst and rate per second."""
CHANGES_A_SECOND = 4.0
"""Maximum number of students per second who are moved to another page."""
WAITING, HERE, GONE = "waiting", "here", "gone"


class Room:
    """State shared by all pages of a class.

    Parameters
    ----------
    seats : int
        Number of students who have their own chains, if the run has enough.
    """

    def __init__(self, seats: int = 60, clock: Callable[[], float] = time.monotonic) -> None:
        self.size = seats
        self.code = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
        self.secret = secrets.token_urlsafe(18)  #: 144 random bits, URL-safe
        self.seats = Seats()
        self.revealed: set[str] = set()  #: questions with a revealed answer
        self.broadcast = Broadcast(clock=clock)
        self.lesson: str | None = None  #: value of `lesson` in the teacher's link
        self.case = 0  #: its case, if it has several
        self.place = ""  #: label of the teacher's page if the room cannot see it, else empty
        self.epoch: ExitTimePage | None = None  #: the teacher's Exit time page while it is in front
        self.changes = Allowance(1, CHANGES_A_SECOND, clock)  #: spreads the changes of students' pages
        self._tries = Allowance(TRIES, TRIES_A_SECOND, clock)
        self._leader: Connection | None = None
        self._lock = threading.RLock()

    # Entry ---------------------------------------------------------------------------------------------

    def refusal(self, typed: object) -> str:
        """Return why a code is refused, as a message; empty if it is this room's."""
        wait = self._tries.wait
        if wait:
            return f"Too many wrong codes have been tried. Wait {wait:.0f} s and try again." if wait > 1 else \
                "Too many wrong codes have been tried. Try again in a moment."
        code = normal_code(typed)
        if equal_texts(code, self.code):
            return ""
        self._tries.note()
        return WRONG_CODE.format(code or "you typed")

    def is_teacher(self, secret: object) -> bool:
        """Return whether this is the secret of the teacher's link."""
        return equal_texts(str(secret)[:100], self.secret)

    # The teacher ----------------------------------------------------------------------------------------------

    def lead(self, leader: Connection) -> None:
        """Let the connection of a teacher's page lead the room; the newest one leads."""
        with self._lock:
            self._leader = leader

    def leads(self, leader: Connection) -> bool:
        """Return whether the room follows this page."""
        return self._leader is leader

    def show(self, leader: Connection, engine: Engine | None, place: str, epoch: ExitTimePage | None = None) -> None:
        """Follow this engine, or the results of this Exit time page.

        Without either, the teacher is on the page with label `place` and the latest run stays visible.
        """
        with self._lock:
            if self.leads(leader):
                self.epoch = epoch if engine is None else None
                self.place = "" if engine is not None or epoch is not None else place
                if engine is not None:
                    self.broadcast.follow(engine)

    def set_lesson(self, leader: Connection, lesson: str | None, case: int = 0) -> None:
        """Store the teacher's open lesson with its step, and its case."""
        with self._lock:
            if self.leads(leader):
                self.lesson, self.case = lesson, case

    @property
    def teacher(self) -> str:
        """WAITING before the teacher's first visit, then HERE or GONE; GONE pauses the run."""
        with self._lock:
            leader = self._leader
            if leader is None:
                return WAITING
            if leader.here:
                return HERE
            engine = self.broadcast.engine
            if engine is not None and engine.playing:
                engine.post("pause")
            return GONE

    def resume_query(self) -> dict[str, str]:
        """Return the URL parameters of the room's current moment; empty before the first snapshot."""
        snapshot, epoch = self.broadcast.latest(), self.epoch
        run = {} if snapshot is None else _link(snapshot, snapshot.config)
        lesson = {} if self.lesson is None else {"lesson": self.lesson}
        if epoch is not None:
            return {"page": "exit"} | run | (lesson or epoch.query())
        return {"page": "live"} | lesson | run if run else {}

    # The students ---------------------------------------------------------------------------------------------

    def chains(self, seat: Seat, chains: int) -> range:
        """Return the chains of a seat."""
        return chains_of(seat.number, chains, self.size)

    def own_run(self) -> dict[str, str]:
        """Return the URL parameters of the room's moment for one student's run, with the same stream and knobs."""
        snapshot = self.broadcast.latest()
        if snapshot is None:
            return {}
        follow = None if snapshot.config.follow is None else 0
        return _link(snapshot, snapshot.config.replace(chains=OWN_CHAINS, follow=follow))


def _link(snapshot: Snapshot, config: LiveConfig) -> dict[str, str]:
    moment = snapshot.moment
    way = moment.query(config) if moment is not None and moment.t else {}
    return LiveState.to_query(config) | way
