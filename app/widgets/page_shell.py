"""A page's own frame: bar, sidebar with its sections, a grid of cards, notices; a sheet of knobs on a phone."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import param
from panel.viewable import Child

from app.glossary.browser import GIVEN
from app.js.component import Holder, LabComponent
from app.theme import css_variables

PURPOSES = tomllib.loads(Path(__file__).with_name("purposes.toml").read_text(encoding="utf-8"))
"""Label of a page -> what it is for and what to do first, in one sentence."""


class PageShell(Holder):
    """Places what it holds, and gives the browser what terms and formulas in them need.

    Parameters
    ----------
    cards
        Area -> card, in the order in which a narrow screen stacks them.
    layout
        Declarations of the grid on a wide screen, such as
        ``grid-template: "chart chart" 448px "table text" auto / 818fr 318fr``. ``var(--lab-room)`` is the room's height.
        A card whose area it does not name is hidden.
    narrow, phone
        The same where the page itself is narrower than 1200 pixels (a notebook's cell may be), and on a phone; without,
        the cards form one column, each as high as it is, where the window is.
    """

    top = Child(doc="A bar across the page, such as the transport.")
    sidebar = Child()
    areas = param.List([], doc="Name of the grid area of each card.")
    layout = param.String("", allow_refs=True)
    narrow = param.String("")
    phone = param.String("")
    label = param.String("", doc="Name of the page for a screen reader.")
    purpose = param.String("", doc="What the page is for and what to do first, one sentence at its top.")
    foot = param.String("Knobs", doc="Words of the button that opens the sidebar on a phone; empty where `top` has one.")
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
        """What the page shows, as data attributes: for tests and scripts.

        Sent as a message: a parameter of a component this large has Panel walk the whole page, some 0.15 s.
        """
        return self._state

    @state.setter
    def state(self, state: dict[str, str]) -> None:
        if state != self._state:
            self._state = dict(state)
            self.send_msg({"state": self._state})

    def on_hello(self) -> None:
        """Tell a view that has just been drawn."""
        super().on_hello()
        self.send_msg({"state": self._state})

    def on_glossary(self, what: str) -> None:
        """Send the definitions of all terms, or KaTeX; each is asked for once, when it is first needed."""
        if what in GIVEN:
            self.send_msg({"glossary": what, "given": GIVEN[what]()})


class Section(param.Parameterized):
    """A heading over a column of knobs, menus and switches, with one link beside the heading if wanted.

    A sidebar draws its sections: with a component each, opening a page takes Panel a tenth longer.
    """

    heading = param.String("")
    items = param.List([])
    more = param.List([], doc="Further items, behind a fold.")
    more_words = param.String("more", doc="Words of the fold.")
    unfolded = param.Boolean(False, doc="Whether the fold is open at first.")
    action = param.String("", doc="Words of the link beside the heading; empty for none.")
    active = param.Boolean(True, allow_refs=True, doc="Whether the link can be used.")
    hint = param.String("", doc="What the link does, on hover.")
    note = param.String("", allow_refs=True, doc="Words under the items.")
    hidden = param.Boolean(False, allow_refs=True)

    def __init__(self, heading: str, items: Sequence[Any], act: Callable[[], None] | None = None,
                 **params: Any) -> None:
        self.act = act
        super().__init__(heading=heading, items=list(items), **params)

    def drawn(self) -> dict[str, Any]:
        """Return what the browser draws; items and more as their numbers."""
        values = {name: value for name, value in self.param.values().items() if name != "name"}
        return values | {"items": len(self.items), "more": len(self.more)}


class PageSidebar(Holder):
    """Sections with a line between them. What changes in one is sent as a message, as the state of `PageShell` is."""

    sections = param.List([], doc="What is drawn of each section at first; see `Section.drawn`.")

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
        """Tell a view that has just been drawn."""
        super().on_hello()
        for k in range(len(self._sections)):
            self._show(k)

    def on_action(self, section: int) -> None:
        """Take the link of a section."""
        if 0 <= section < len(self._sections) and (act := self._sections[section].act) is not None:
            act()


class Notices(LabComponent):
    """Dismissible words about the link, and one notice of the engine with its progress and its button."""

    words = param.List([], doc="Sentences the user can dismiss.")
    notice = param.String("")
    kind = param.String("")
    progress = param.Number(default=None, allow_None=True)
    action = param.String("")

    def __init__(self, act: Callable[[str], None], **params: object) -> None:
        self._act = act
        super().__init__(sizing_mode="stretch_width", **params)

    def show(self, notice: str, kind: str, progress: float | None = None, action: str = "") -> None:
        """Show a notice, with a part done in [0, 1] and the words of its button; empty words take it away."""
        self.change(notice=notice, kind=kind, progress=progress, action=action)

    def show_error(self, what: str, error: str) -> None:
        """Say what stopped and why, with a button to try again; take the notice away where there is no error."""
        if error:
            self.show(f"{what}: {error}", "error", action="Try again")
        else:
            self.show("", "")

    def on_dismiss(self, index: int) -> None:
        """Take away one sentence."""
        self.words = [words for i, words in enumerate(self.words) if i != int(index)]

    def on_act(self) -> None:
        """Take the notice's button."""
        self._act(self.kind)
