"""`TeacherCookie`: the teacher's secret for the teacher's browser to keep, out of every script's reach."""

from __future__ import annotations

from typing import Any

from tornado.web import RequestHandler

from app.classroom.open_room import room_here
from app.server_parts import answer_at

COOKIE = "exit_time_lab_teacher"
"""Keeps the secret in the teacher's browser, so that a reload leads on."""
ROUTE = r"/teacher"
"""Below the page's address, which is where a browser then sends the cookie, and nowhere else."""


class TeacherCookie(RequestHandler):
    """Answers a page that was opened by the teacher's link, and sends the secret of it."""

    def initialize(self, **context: Any) -> None:
        """Take what Bokeh gives every handler of an app; nothing of it is needed."""

    def check_xsrf_cookie(self) -> None:
        """Ask for no token: another site does not know the secret that has to be sent, which protects better."""

    def post(self) -> None:
        """Set the cookie, for this path and same-site requests alone, if the secret is right; else 403."""
        room = room_here()
        if room is None or not room.is_teacher(self.request.body[:100].decode("utf-8", "replace")):
            self.send_error(403)
            return
        self.set_cookie(COOKIE, room.secret, path=None, httponly=True, samesite="Strict",
                        secure=self.request.protocol == "https")
        self.set_status(204)


def answer_teachers() -> None:
    """Have the servers made from now on answer at the route."""
    answer_at(ROUTE, TeacherCookie)
