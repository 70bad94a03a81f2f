"""`Room`: one class of one server: its code, its seats with their answers, what its teacher shows. Safe from any thread."""

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
    """One student's place. `here` counts the pages that show it: one browser may have several."""

    key: str  #: random; the student's browser keeps it as a cookie, so that a reload gives the seat back
    number: int  #: from 0; it says which chains are hers
    here: int = 0
    answers: dict[str, int] = field(default_factory=dict)  #: question -> option chosen last


class Seats:
    """Seats of one room. May be called from any thread."""

    def __init__(self) -> None:
        self._seats: dict[str, Seat] = {}
        self._lock = threading.Lock()

    def take(self, key: str = "") -> Seat:
        """Return the seat of this key, or a new one with the lowest free number."""
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
        """Count a page of this seat that has gone; the seat is kept for a return."""
        with self._lock:
            seat.here = max(0, seat.here - 1)

    @property
    def present(self) -> int:
        """Students in the room now."""
        with self._lock:
            return sum(seat.here > 0 for seat in self._seats.values())

    def counts(self, question: str, options: int) -> list[int]:
        """Return how many seats have chosen each option."""
        with self._lock:
            chosen = Counter(seat.answers.get(question) for seat in self._seats.values())
        return [chosen[option] for option in range(options)]


def chains_of(number: int, chains: int, seats: int) -> range:
    """Return the chains of seat `number` where a run has `chains` of them for so many `seats`.

    Each seat has as many as fit, one at least. The first seats share none; with more students than slices the next
    one has the first slice again.
    """
    each = max(1, chains // seats)
    first = number % (chains // each) * each
    return range(first, first + each)


def slice_of(snapshot: Snapshot, chains: range, follow: int | None, series: Series | None) -> Snapshot:
    """Return a picture of some chains, renumbered from 0.

    Parameters
    ----------
    snapshot
        Picture of all chains.
    chains
        Consecutive chains of it.
    follow
        Which of them is followed, from 0; None: none.
    series
        What goes with it for the charts; None: nothing new.
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
"""Letters and digits that nobody takes for one another: no I, L or O, no 0 or 1."""
LENGTH = 6
"""31^6 codes, 887 million: with the wrong tries held to one a second, a guess takes years."""
WRONG_CODE = ("No class here has the code {}. A code has six letters and digits, never 0, O, 1, I or L: compare it with the"
              " teacher’s screen and type it again.")


def normal_code(typed: object) -> str:
    """Return what was typed as a code is written: capitals, without spaces and hyphens; at most 12 characters."""
    return "".join(letter for letter in str(typed)[:40].upper() if letter.isalnum())[:12]


def same(text: str, wanted: str) -> bool:
    """Whether two texts are equal, in a time that does not tell where they differ."""
    return secrets.compare_digest(text.encode("utf-8", "surrogatepass"), wanted.encode())


def question_key(lesson: Lesson, case: int) -> str:
    """Return what the question of a lesson, or of one of its cases, is called here."""
    return f"{lesson.key} {case}" if lesson.cases else lesson.key


EACH = 4
"""Chains of each student where the teacher has not chosen their number."""
OWN_CHAINS = 16
"""Of the run that a student takes along."""
TRIES, TRIES_A_SECOND = 60, 1.0
"""Wrong codes of all visitors together."""
CHANGES_A_SECOND = 4.0
"""Students that are brought to another page, beside the time that each takes."""
WAITING, HERE, GONE = "waiting", "here", "gone"


class Room:
    """What all pages of a class share.

    Parameters
    ----------
    seats : int
        Students that have chains of their own, where the run has as many.
    """

    def __init__(self, seats: int = 60, clock: Callable[[], float] = time.monotonic) -> None:
        self.size = seats
        self.code = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
        self.secret = secrets.token_urlsafe(18)  #: 144 random bits as text that a link can hold
        self.seats = Seats()
        self.revealed: set[str] = set()  #: questions whose right answer the room has been shown
        self.broadcast = Broadcast(clock=clock)
        self.lesson: str | None = None  #: value of `lesson` in the teacher's link
        self.case = 0  #: which case of it, where it has several
        self.place = ""  #: label of the teacher's page; empty for one that the room sees
        self.epoch: ExitTimePage | None = None  #: the teacher's Exit time page, while it is in front
        self.changes = Allowance(1, CHANGES_A_SECOND, clock)  #: of students' pages: not all in one moment
        self._tries = Allowance(TRIES, TRIES_A_SECOND, clock)
        self._leader: Connection | None = None
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

    def lead(self, leader: Connection) -> None:
        """Give the room to the connection of a page of the teacher's: the newest one has it."""
        with self._lock:
            self._leader = leader

    def leads(self, leader: Connection) -> bool:
        """Whether the room follows this page."""
        return self._leader is leader

    def show(self, leader: Connection, engine: Engine | None, place: str, epoch: ExitTimePage | None = None) -> None:
        """Follow this engine from now on, or what this Exit time page shows of one epoch.

        Neither: the teacher is at a page of that label, and the last run stays on show.
        """
        with self._lock:
            if self.leads(leader):
                self.epoch = epoch if engine is None else None
                self.place = "" if engine is not None or epoch is not None else place
                if engine is not None:
                    self.broadcast.follow(engine)

    def tell(self, leader: Connection, lesson: str | None, case: int = 0) -> None:
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
                engine.post("pause")
            return GONE

    def resumed(self) -> dict[str, str]:
        """Return the URL parameters of the very picture the room stands at; none before the first."""
        snapshot, epoch = self.broadcast.latest(), self.epoch
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
        snapshot = self.broadcast.latest()
        if snapshot is None:
            return {}
        follow = None if snapshot.config.follow is None else 0
        return _link(snapshot, snapshot.config.replace(chains=OWN_CHAINS, follow=follow))


def _link(snapshot: Snapshot, config: LiveConfig) -> dict[str, str]:
    moment = snapshot.moment
    way = moment.query(config) if moment is not None and moment.t else {}
    return LiveState.to_query(config) | way
