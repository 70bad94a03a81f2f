"""The layout of a page: bar, sidebar, a grid of cards, notices; one column when narrow, a sheet of knobs on a phone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import param
from panel.viewable import Child, Children

from app.glossary.browser import ELEMENTS, GIVEN, answer
from app.theme import css_variables
from app.widgets.component import LabComponent


class PageShell(LabComponent):
    """Places its children, and gives the browser what terms and formulas in them need.

    Parameters
    ----------
    cards
        Area -> card, in the order in which a narrow screen stacks them.
    layout
        Declarations of the grid on a wide screen, such as
        ``grid-template: "chart chart" 448px "table text" auto / 818fr 318fr``. ``var(--lab-room)`` is the room's height.
    narrow, phone
        The same where the page itself is narrower than 1200 pixels (a notebook's cell may be), and on a phone; without,
        the cards form one column, each as high as it is, where the window is.
    """

    _source = "shell"
    _scripts = (ELEMENTS, "menus.js")

    notices = Child()
    top = Child(doc="A bar across the page, such as the transport.")
    sidebar = Child()
    cards = Children()
    areas = param.List([], doc="Name of the grid area of each card.")
    layout = param.String("")
    narrow = param.String("")
    phone = param.String("")
    label = param.String("", doc="Name of the page for a screen reader.")
    foot = param.String("Knobs", doc="Words of the button that opens the sidebar on a phone; empty where `top` has one.")
    variables = param.String(css_variables(), doc="Style sheet that defines the colour variables.")
    framed = param.Boolean(True, doc="False in a notebook: a fixed height instead of the rest of the window.")

    def __init__(self, cards: dict[str, Any] | Sequence[Any], **params: Any) -> None:
        if isinstance(cards, dict):
            params["areas"], cards = list(cards), list(cards.values())
        params.setdefault("sizing_mode", "stretch_both" if params.get("framed", True) else "stretch_width")
        self._state: dict[str, str] = {}
        super().__init__(cards=cards, **params)

    @property
    def state(self) -> dict[str, str]:
        """What the page shows, as data attributes: for tests and scripts.

        Sent as a message: a parameter of a component this large has Panel walk the whole page, some 0.15 s.
        """
        return self._state

    @state.setter
    def state(self, state: dict[str, str]) -> None:
        if state != self._state:
            self._state = dict(state)
            self._send_msg({"state": self._state})

    def on_hello(self) -> None:
        """Tell a view that has just been drawn."""
        self._send_msg({"state": self._state})

    def on_glossary(self, what: str) -> None:
        """Send the definitions of all terms, or KaTeX; each is asked for once, when it is first needed."""
        if what in GIVEN:
            self._send_msg(answer(what))
