"""`ClassroomExtra`: the class of a server process, and the role of each visit: teacher, student, visitor or none."""

import argparse
import sys
import threading
from typing import Any

import panel as pn
from tornado.process import task_id

from app.chrome.extras import Extra, VisitExtra
from app.extras.classroom.room import Room, normal_code
from app.extras.classroom.teacher_and_student import ClassPanel, Student, Teacher
from app.state.parameters.knob_values import url_text
from app.visit import Allowance, Visit

SEATS, MOST_SEATS = 60, 512
"""Seats of a class: default and maximum, the maximum number of chains of Live."""
TRIES, TRIES_A_SECOND = 5, 0.2
"""Wrong codes allowed per visit: burst and rate per second."""
TEACHER, SEAT = "exit_time_lab_teacher", "exit_time_lab_seat"
"""Cookies set by the page to survive a reload: the secret of the teacher's link and the key of a seat."""
NO_CLASS = ("This server has no class. Ask your teacher for the address again; a teacher starts a class with panel serve app"
            " --args --classroom.")
WRONG_LINK = ("This is not the teacher’s link of this class; the server may have been restarted. Use the link printed on its"
              " console.")
ONE_PROCESS = ("A class needs a single server process, because its students follow one run: restart the server without"
               " --num-procs, or with --num-procs 1.")


class ClassroomExtra(Extra):
    """Hooks of the classroom; the room of this process is opened at server start or by the first visit."""

    stay = ("class", "teacher")

    def __init__(self) -> None:
        self.room: Room | None = None
        self._lock = threading.Lock()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add ``--classroom [SEATS]``: open a class in which this many students have their own chains."""
        parser.add_argument("--classroom", type=_seats, nargs="?", const=SEATS, metavar="SEATS")

    def visits(self, options: argparse.Namespace) -> int:
        """Return the number of seats."""
        return getattr(options, "classroom", None) or 0

    def open_room(self, seats: int) -> Room:
        """Return the room of this process; open it at the first call.

        Raises
        ------
        ValueError
            With several server processes, since each would have its own room.
        """
        if task_id() is not None:
            raise ValueError(ONE_PROCESS)
        with self._lock:
            self.room = self.room or Room(seats)
            return self.room

    def server_starts(self, options: argparse.Namespace) -> None:
        """Print the code and the teacher's link of the class, or the reason why this process cannot have one."""
        seats = getattr(options, "classroom", None)
        if seats is None:
            return
        try:
            room = self.open_room(seats)
        except ValueError as wrong:
            print(wrong, flush=True)
            return
        address = _address(sys.argv[1:])
        print(f"Class {room.code}, {room.size} seats. Students open {address}?class={room.code}, or type the code.\n"
              f"Teacher: {address}?teacher={room.secret} (keep this link to yourself)", flush=True)

    def join(self, visit: Visit, query: dict[str, Any], options: argparse.Namespace) -> VisitExtra | None:
        """Return the role of the visit, from the code in the URL's `class` or the teacher's secret in `teacher`."""
        seats = getattr(options, "classroom", None)
        code, secret, cookies = url_text(query.get("class")), url_text(query.get("teacher")), pn.state.cookies or {}
        if seats is None:
            return _with_message(NO_CLASS) if code or secret else None
        try:
            room = self.open_room(seats)
        except ValueError as wrong:
            return _with_message(str(wrong))
        if normal_code(code):
            refusal = room.refusal(code)
            return Visitor(room, refusal) if refusal else Student(room, cookies.get(SEAT, ""))
        if secret:
            return Teacher(room, visit, by_link=True) if room.is_teacher(secret) else Visitor(room, WRONG_LINK)
        return Teacher(room, visit) if room.is_teacher(cookies.get(TEACHER, "")) else Visitor(room)


EXTRA = ClassroomExtra()


class Visitor(VisitExtra):
    """Visit without a valid code; `words` is the reason why the code or link was refused."""

    def __init__(self, room: Room, words: str = "") -> None:
        self._room, self._tries = room, Allowance(TRIES, TRIES_A_SECOND)
        self.tool = ClassPanel(role="visitor", join=self._join, words=words)

    def _join(self, typed: str) -> str:
        """Return why a typed code was refused; empty if it is valid."""
        wait = self._tries.wait
        if wait:
            return f"Too many wrong codes. Wait {max(1, round(wait))} s and try again."
        refusal = self._room.refusal(typed)
        if refusal:
            self._tries.note()
        return refusal


def _seats(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_SEATS:
        raise argparse.ArgumentTypeError(f"must be a whole number of seats from 1 to {MOST_SEATS}, or absent for {SEATS};"
                                         f" got {text}")
    return int(text)


def _with_message(message: str) -> VisitExtra:
    visit = VisitExtra()
    visit.words = (message,)
    return visit


EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104 - compared, not bound
"""Addresses that are not a host name: none, and those of all interfaces."""


def _address(argv: list[str]) -> str:
    """Return the URL of the dashboard, derived from the command line of `panel serve`.

    The host is the first allowed websocket origin, else the address of the server, else localhost. A proxy or a certificate
    implies https.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--port", default="5006")
    parser.add_argument("--prefix", default="")
    parser.add_argument("--address", default="")
    parser.add_argument("--allow-websocket-origin", action="append", default=[])
    parser.add_argument("--use-xheaders", action="store_true")
    parser.add_argument("--ssl-certfile")
    options = parser.parse_known_args(argv)[0]
    typed = [origin for origin in options.allow_websocket_origin if "*" not in origin]
    address = "localhost" if options.address in EVERYWHERE else options.address
    host = typed[0] if typed else f"[{address}]:{options.port}" if ":" in address else f"{address}:{options.port}"
    scheme = "https" if options.use_xheaders or options.ssl_certfile else "http"
    prefix = f"/{options.prefix.strip('/')}" if options.prefix.strip("/") else ""
    return f"{scheme}://{host}{prefix}/app"
