"""Runs when a server starts (where it listens, heavy imports, harmless messages silenced, a class told) and ends."""

from __future__ import annotations

import logging
import signal
import sys
import threading
from functools import partial
from typing import Any

from tornado.ioloop import IOLoop, PeriodicCallback

from app.classroom.teacher_cookie import answer_teachers
from app.loopback import listen_here_by_default
from app.visits.browser_cookie import forget, give_visits_to_browsers, guard
from app.visits.log_in import ask_no_other_host
from app.visits.pings import ping_visits

_ARGV = tuple(sys.argv[1:])  # what stands after --args, while this file is read; later it is the server's own line


listen_here_by_default()  # while this file is read the server has no sockets yet
answer_teachers()
give_visits_to_browsers()
ping_visits()
ask_no_other_host()


class _ClosedTab(logging.Filter):
    """Drops what is logged when a tab is closed while a frame is on its way to it: a traceback, a line for each message."""

    LOGGERS = ("asyncio", "panel.io.document", "bokeh.server.views.ws")

    def filter(self, record: logging.LogRecord) -> bool:
        closed = record.exc_info and type(record.exc_info[1]).__name__ == "WebSocketClosedError"
        return not (closed or record.getMessage() == "Failed sending message as connection was closed")


def on_server_loaded(server_context: Any) -> None:
    """Import the pages and what they draw and measure with.

    No visit waits for it then; and two threads that import a large package at the same moment, one for a page's figure and
    one for its work, may find it half made.
    """
    for name in _ClosedTab.LOGGERS:
        logging.getLogger(name).addFilter(_ClosedTab())
    import arviz_stats.base  # noqa: F401
    import pandas  # noqa: F401

    import app.chrome.frame  # noqa: F401
    from app.classroom.open_room import announce
    from app.document_builder import build_aside
    from app.document_sender import write_aside
    from app.message_tables import look_up_models
    from app.page_resources import look_up_once
    from app.pages import PAGES
    from app.process_memory import OFTEN, give_back_what_has_grown, settle
    from app.server_arguments import read
    from app.steady_clock import keep_steady
    from app.turns import hand_over_quickly

    for page in PAGES:
        page.load()
    keep_steady(IOLoop.current())
    build_aside(server_context)
    write_aside()
    look_up_models()
    look_up_once()
    guard(server_context.application_context)
    hand_over_quickly()
    _count_outside_visits()
    settle()
    PeriodicCallback(lambda: give_back_what_has_grown(partial(_visits_there, server_context)), 1e3 * OFTEN).start()
    seats = read(_ARGV).classroom
    if seats is not None:
        announce(seats)


def _count_outside_visits() -> None:
    """Have Panel begin its count of what is busy here: begun within a visit, it would hold that visit for good."""
    import panel as pn

    begin = getattr(pn.state, "_schedule_busy_cleanup", None)
    if begin is not None:
        IOLoop.current().add_callback(begin)


def on_server_unloaded(server_context: Any) -> None:
    """End what would outlive the server: SIGTERM or Ctrl-C has ended its loop, not the visits' work.

    A second signal ends the process at once; Python would wait for the cells that workers are at.
    """
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
    from app.tune.running_sweeps import stop_all

    stop_all()


def on_session_destroyed(session_context: Any) -> None:
    """Give back what a visit took."""
    from app.process_memory import give_back_soon

    forget(session_context.id)
    give_back_soon(partial(_visits_there, session_context.server_context))


def _visits_there(server_context: Any) -> int:
    """How many visits somebody is at."""
    from app.visits.pings import somebody_there

    return sum(somebody_there(session) for session in tuple(server_context.application_context.sessions))
