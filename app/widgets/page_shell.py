"""`PageShell`: layout of a page: bar, sidebar with sections, grid of cards, notices; on a phone a sheet of knobs."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import param
from panel.viewable import Child

from app.glossary.browser import RESOURCES
from app.js.component import Holder, LabComponent
from app.theme import css_variables

PURPOSES = tomllib.loads(Path(__file__).with_name("purposes.toml").read_text(encoding="utf-8"))
"""Label of a page -> one sentence with its purpose and the first step."""


class PageShell(Holder):
    """Layout of cards and notices; sends the browser the definitions of terms, and KaTeX for formulas.

    Parameters
    ----------
    cards
        Area -> card, in their order on a narrow screen.
    layout
        CSS declarations of the grid on a wide screen, such as
        ``grid-template: "chart chart" 448px "table text" auto / 818fr 318fr``. ``var(--lab-room)`` is the available height.
        A card is hidden if its area is not in the grid.
    narrow, phone
        The same for a page narrower than 1200 pixels, such as in a notebook cell, and for a phone; by default one column
        of cards with their natural heights, on a narrow window.
    """

    top = Child(doc="A bar across the page, such as the transport.")
    sidebar = Child()
    areas = param.List([], doc="Name of the grid area of each card.")
    layout = param.String("", allow_refs=True)
    narrow = param.String("")
    phone = param.String("")
    label = param.String("", doc="Name of the page for a screen reader.")
    purpose = param.String("", doc="Purpose of the page and first step: one sentence at its top.")
    foot = param.String("Knobs", doc="Label of the button that opens the sidebar on a phone; empty if `top` has one.")
    variables = param.String(css_variables(), doc="Style sheet that defines the colour variables.")
    framed = param.Boolean(True, doc="False in a notebook: a fixed height instead of the rest of the window.")

    def __init__(self, cards: dict[str, Any], notices: Notices, **params: Any) -> None:
        params.setdefault("sizing_mode", "stretch_both" if params.get("framed", True) else "stretch_width")
        params.setdefault("purpose", PURPOSES.get(params.get("label", ""), ""))
        self._state: dict[str, str] = {}
        self.cards = list(cards.values())
        super().__init__([notices, *self.cards], areas=list(cards), **params)

    @property
    def state(self) -> dict[str, str]:
        """State of the page as data attributes, for tests and scripts.

        Sent as a message: for a parameter of a component this large, Panel walks the whole page, in about 0.15 s.
        """
        return self._state

    @state.setter
    def state(self, state: dict[str, str]) -> None:
        if state != self._state:
            self._state = dict(state)
            self.send_msg({"state": self._state})

    def on_hello(self) -> None:
        """Send the state to a view that has just been drawn."""
        super().on_hello()
        self.send_msg({"state": self._state})

    def on_glossary(self, what: str) -> None:
        """Send the definitions of all terms, or KaTeX; the browser requests each once, on first use."""
        if what in RESOURCES:
            self.send_msg({"glossary": what, "given": RESOURCES[what]()})


class Section(param.Parameterized):
    """Heading over a column of knobs, menus and switches, with an optional link next to the heading.

    Drawn by its sidebar: as components of their own, sections would make a page open 10 % slower.
    """

    heading = param.String("")
    items = param.List([])
    more = param.List([], doc="Further items, in a fold.")
    more_words = param.String("more", doc="Label of the fold.")
    unfolded = param.Boolean(False, doc="Whether the fold is open at first.")
    action = param.String("", doc="Label of the link next to the heading; empty for none.")
    active = param.Boolean(True, allow_refs=True, doc="Whether the link is enabled.")
    hint = param.String("", doc="Tooltip of the link.")
    note = param.String("", allow_refs=True, doc="Note under the items.")
    hidden = param.Boolean(False, allow_refs=True)

    def __init__(self, heading: str, items: Sequence[Any], act: Callable[[], None] | None = None,
                 **params: Any) -> None:
        self.act = act
        super().__init__(heading=heading, items=list(items), **params)

    def drawn(self) -> dict[str, Any]:
        """Return the values that the browser draws; `items` and `more` as their lengths."""
        values = {name: value for name, value in self.param.values().items() if name != "name"}
        return values | {"items": len(self.items), "more": len(self.more)}


class PageSidebar(Holder):
    """Sections with separators. Changes of a section are sent as messages, as the state of `PageShell` is."""

    sections = param.List([], doc="Initial values of each section; see `Section.drawn`.")

    def __init__(self, sections: Sequence[Section], **params: Any) -> None:
        self._sections = list(sections)
        super().__init__([item for section in sections for item in (*section.items, *section.more)],
                         sections=[section.drawn() for section in sections], sizing_mode="stretch_both", **params)
        for k, section in enumerate(self._sections):
            section.param.watch(partial(self._show, k), ["active", "note", "hidden"])

    def _show(self, k: int, *events: Any) -> None:
        section = self._sections[k]
        self.send_msg({"section": k, "active": section.active, "note": section.note, "hidden": section.hidden})

    def on_hello(self) -> None:
        """Send the sections to a view that has just been drawn."""
        super().on_hello()
        for k in range(len(self._sections)):
            self._show(k)

    def on_action(self, section: int) -> None:
        """Handle the link of a section."""
        if 0 <= section < len(self._sections) and (act := self._sections[section].act) is not None:
            act()


class Notices(LabComponent):
    """Dismissible messages, and one notice of the engine with progress and a button."""

    words = param.List([], doc="Dismissible messages.")
    notice = param.String("")
    kind = param.String("")
    progress = param.Number(default=None, allow_None=True)
    action = param.String("")

    def __init__(self, act: Callable[[str], None], **params: object) -> None:
        self._act = act
        super().__init__(sizing_mode="stretch_width", **params)

    def show(self, notice: str, kind: str, progress: float | None = None, action: str = "") -> None:
        """Display a notice with its completed fraction in [0, 1] and the label of its button; remove it if empty."""
        self.change(notice=notice, kind=kind, progress=progress, action=action)

    def show_error(self, what: str, error: str) -> None:
        """Display an error with a button to try again; remove the notice if `error` is empty."""
        if error:
            self.show(f"{what}: {error}", "error", action="Try again")
        else:
            self.show("", "")

    def on_dismiss(self, index: int) -> None:
        """Remove one message."""
        self.words = [words for i, words in enumerate(self.words) if i != int(index)]

    def on_act(self) -> None:
        """Handle the notice's button."""
        self._act(self.kind)
