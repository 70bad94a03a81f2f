"""The room of this server process: opened once, told on the console."""

from __future__ import annotations

import argparse
import sys
import threading

from tornado.process import task_id

from app.classroom.room import Room

ONE_PROCESS = ("A class needs one process, because its students follow one run: start the server again without --num-procs,"
               " or with --num-procs 1.")
_lock = threading.Lock()
_rooms: list[Room] = []


def refused() -> str:
    """Return why this process can hold no class, in words; empty: it can."""
    return ONE_PROCESS if task_id() is not None else ""


def open_room(seats: int) -> Room:
    """Return the room of this process, opened at the first call.

    Raises
    ------
    ValueError
        In one of several server processes: each would have a room of its own.
    """
    if refused():
        raise ValueError(ONE_PROCESS)
    with _lock:
        if not _rooms:
            _rooms.append(Room(seats))
        return _rooms[0]


def room_here() -> Room | None:
    """Return the room of this process if it is open."""
    with _lock:
        return _rooms[0] if _rooms else None


def announce(seats: int) -> None:
    """Print the code, and the link that makes its visitor the teacher; or why there is no class."""
    try:
        room = open_room(seats)
    except ValueError as wrong:
        print(wrong, flush=True)
        return
    address = _address(sys.argv[1:])
    print(f"Class {room.code}, {room.size} seats. Students open {address}?class={room.code}, or type the code.\n"
          f"Teacher: {address}?teacher={room.secret} (keep this link to yourself)", flush=True)


def _address(argv: list[str]) -> str:
    """Return where `panel serve` shows the dashboard to this machine, as far as its command line says it."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--port", default="5006")
    parser.add_argument("--prefix", default="")
    known = parser.parse_known_args(argv)[0]
    prefix = f"/{known.prefix.strip('/')}" if known.prefix.strip("/") else ""
    return f"http://localhost:{known.port}{prefix}/app"
