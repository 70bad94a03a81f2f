"""`WaitingPage`: what a visitor sees while all places are taken. It lets itself in when its turn comes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import panel as pn
import panel_material_ui as pmui
import param

from app.chrome.busy import unlink_busy
from app.chrome.frame import LOGO
from app.chrome.page_template import PAGE_TEMPLATE
from app.theme import STILL, css_variables, theme_config
from app.widgets.component import LabComponent

if TYPE_CHECKING:
    from app.visits.places import Places

COOKIE = "exit_time_lab_place"
"""Keeps the ticket of a visit that was called while its page loads anew."""
LOOK_EVERY = 1000
"""Milliseconds between two looks at the line."""


class WaitingCard(LabComponent):
    """Says where in line one is; `enter` hands over a ticket, with which the page loads anew, at the same address."""

    _source = "waiting_card"
    _scripts = ("theme.js", "server_answers.js", "load_anew.js")

    heading = param.String("")
    position = param.String("")
    wait = param.String("")
    variables = param.String(css_variables())
    cookie = param.String(COOKIE)

    def __init__(self, look: Callable[[], None], **params: object) -> None:
        self._look = look
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def on_look(self) -> None:
        """Look at the line now."""
        self._look()

    def enter(self, ticket: str) -> None:
        """Have the browser come in."""
        self._send_msg({"enter": ticket})


class WaitingPage:
    """The whole document of a visit that waits.

    Parameters
    ----------
    places
        Of this server.
    present
        Whether somebody looks at it, or may do so soon.
    dark
        In the dark theme.
    """

    def __init__(self, places: Places, present: Callable[[], bool] = lambda: True, dark: bool = False) -> None:
        self._places, self._present, self.ticket = places, present, places.join(present)
        number = "The only place" if places.size == 1 else f"All {places.size} places"
        self.card = WaitingCard(self.look, heading=f"{number} of this server {'is' if places.size == 1 else 'are'} taken")
        self.page = pmui.Page(title="", meta_title="Exit-Time Lab", header=[], main=[self.card], theme_config=theme_config(),
                              template=PAGE_TEMPLATE, theme_toggle=False, dark_theme=dark, busy_indicator=None,
                              sidebar_variant="temporary", sx=STILL, favicon=LOGO,
                              stylesheets=[".MuiAppBar-root,.MuiLinearProgress-root{display:none!important}"])
        unlink_busy(self.page)
        self._asked = False
        self._say()  # a place is not kept before the browser can be told of it
        pn.state.onload(self._begin)

    def _begin(self) -> None:
        self._callback = pn.io.PeriodicCallback(callback=self.look, period=LOOK_EVERY, background=True, log=False)
        self._callback.start()

    def look(self) -> None:
        """Come in, or say how the line stands; nothing while the tab is closed or its network is gone."""
        if not self._present():
            return
        if self._places.called(self.ticket):
            if not self._asked:
                self._asked = True
                self.card.param.update(position="A place is free: you are coming in.", wait="")
                self.card.enter(self.ticket)
            return
        self._say()

    def _say(self) -> None:
        self.card.param.update(position=line_words(self._places.position(self.ticket)),
                               wait=wait_words(self._places.wait(self.ticket)))

    def close(self) -> None:
        """The tab is closed, or has come in."""
        self._places.give_up(self.ticket)


def line_words(position: int) -> str:
    """Return where in line somebody is, in words."""
    if position == 1:
        return "You are the next in line."
    return f"You are number {position} in line." if position else "This tab waited too long to come in: load it again."


def wait_words(seconds: float | None) -> str:
    """Return how long somebody waits, in words."""
    if seconds is None:
        return "How long it takes is not known yet: a place is free when somebody closes a tab."
    if seconds < 60:
        return "As places became free lately, it takes less than a minute."
    minutes = round(seconds / 60)
    return f"As places became free lately, it takes about {minutes} minute{'s' if minutes > 1 else ''}."
