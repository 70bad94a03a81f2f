"""`ConnectionBanner`: says that the server cannot be reached, and brings the page back when it can be again."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

import param

from app.widgets.component import LabComponent

VISIT, BACK = "bokeh-session-id", "back"
"""URL parameters of a page that comes back: the visit it was, if the server still has it, and else whether work went on."""
RETURNED = "Connected again. The server did not have this visit any more: this page was made again from its link."


class ConnectionBanner(LabComponent):
    """A line at the foot of the window, empty while all is well.

    When the socket is gone, or has been silent although the server answers, the browser asks until the server does, and
    then opens `link` with the visit's own name: a visit that the server still has is found as it was, any other is made
    again from the link. Until then nothing can be entered, so nothing entered is lost.
    """

    _source = "connection_banner"
    _scripts = ("server_answers.js",)

    visit = param.String("", doc="Name of the session.")
    link = param.String("", doc="URL parameters of what is on show; empty: those in the address bar.")
    words = param.String("", doc="What to say on arrival.")

    def __init__(self, met: Callable[[bool], None], **params: object) -> None:
        self._met = met
        super().__init__(sizing_mode="fixed", width=0, height=0, margin=0, styles={"position": "absolute"}, **params)

    def show_link(self, query: dict[str, str]) -> None:
        """Have the page come back to what these URL parameters describe."""
        self.link = urlencode(query)

    def on_here(self, number: int) -> None:
        """Answer a browser that asks whether anybody listens; its first question comes when it has connected."""
        self._met(int(number) == 1)
        self._send_msg({"here": int(number)})
