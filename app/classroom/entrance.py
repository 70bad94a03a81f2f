"""Who a visit is: the teacher, a student, or somebody who has not typed the code."""

from __future__ import annotations

from typing import Any

import panel as pn

from app.classroom.code import normal_code
from app.classroom.member import Member
from app.classroom.open_room import open_room
from app.classroom.student import Student
from app.classroom.teacher import Teacher
from app.classroom.teacher_cookie import COOKIE
from app.classroom.visitor import Visitor

NO_CLASS = ("This server holds no class. Ask your teacher for the address again; a teacher starts one with panel serve app"
            " --args --classroom.")
WRONG_LINK = ("This is not the teacher’s link of this class: the server may have been started again. The link stands on its"
              " console.")


def member_of(seats: int | None, query: dict[str, Any]) -> Member:
    """Return what the present visit is to the class of this server.

    Parameters
    ----------
    seats
        Of the class; None: the server holds none.
    query
        URL parameters: `class` holds a code, `teacher` the teacher's secret.
    """
    code, secret = _text(query.get("class")), _text(query.get("teacher"))
    if seats is None:
        return Member((NO_CLASS,) if code or secret else ())
    try:
        room = open_room(seats)
    except ValueError as wrong:
        return Member((str(wrong),))
    if normal_code(code):
        wrong = room.refusal(code)
        return Visitor(room, wrong) if wrong else Student(room)
    if secret:
        return Teacher(room, by_link=True) if room.is_teacher(secret) else Visitor(room, WRONG_LINK)
    return Teacher(room) if room.is_teacher((pn.state.cookies or {}).get(COOKIE, "")) else Visitor(room)


def _text(value: Any) -> str:
    value = value[-1] if isinstance(value, list) and value else value
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")
