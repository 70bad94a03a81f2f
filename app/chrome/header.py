"""`Header` of every page, with the help; `ConnectionBanner`: state of the connection to the server."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from urllib.parse import urlencode

import param
from panel.viewable import Children

from app.chrome.errata_text import errata_html
from app.glossary import marked
from app.js.component import LabComponent
from app.widgets.page_shell import PURPOSES
from sampler.version import MADE_WITH

LOGO = Path(__file__).with_name("logo.svg").read_text(encoding="utf-8")
ICON = "data:image/svg+xml," + LOGO.replace("#", "%23").replace('"', "'")


class Header(LabComponent):
    """Tabs and tools, with the callbacks `choose(key)`, `dark(bool)`, `lessons()` and `opening()`.

    `share()` returns the URL parameters of the current picture and the message after copying its link. `act(key, choice)`
    is called for an entry of the menu beside Share and for the buttons of its `note`.
    """

    tabs = param.List([], doc="[key, label] of each page.")
    page = param.String("")
    actions = param.List([], doc="[key, icon, label] of each further entry of the menu beside Share.")
    tools = Children(default=[], doc="Further tools, before the others.")

    def __init__(self, choose: Callable[[str], None], dark: Callable[[bool], None],
                 lessons: Callable[[], None], opening: Callable[[], None],
                 share: Callable[[], tuple[dict[str, str], str]], act: Callable[[str, str], None],
                 **params: object) -> None:
        self._choose, self._dark, self._lessons, self._share = choose, dark, lessons, share
        self._opening, self._act = opening, act
        self._sent: dict[str, object] | None = None  # note with a file that the browser has not confirmed
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def on_tab(self, key: str) -> None:
        """Handle the choice of a tab."""
        self._choose(str(key))

    def turn(self, label: str) -> None:
        """Display, in place of the page in front, that another one is being built."""
        self.send_msg({"turn": {"label": label}})

    def turned(self, label: str) -> None:
        """Display the page that is now in front; an empty label if it could not be built."""
        self.send_msg({"turned": {"label": label}})

    def on_theme(self, dark: bool) -> None:
        """Handle a change of the browser's theme."""
        self._dark(bool(dark))

    def on_lessons(self) -> None:
        """Open the guided story."""
        self._lessons()

    def on_share(self) -> None:
        """Send the link of the current picture, which the browser copies."""
        query, words = self._share()
        self.send_msg({"share": urlencode(query), "words": f"Link copied: {words}" if words else "Link copied"})

    def on_action(self, key: str, choice: str = "") -> None:
        """Handle an entry of the menu beside Share, or the button `choice` of its note."""
        self._act(str(key), str(choice))

    def note(self, message: dict[str, object]) -> None:
        """Display a note below Share; it replaces the previous one.

        Parameters
        ----------
        message
            `action`, the key of its entry; `words`, empty to close the note; optional: `share`, the completed fraction in
            [0, 1]; `buttons`, a list of [key, label, whether primary], where "close" only closes the note; `file`, with
            `name` and `html`, which the browser saves.
        """
        self._sent = message if "file" in message else None
        self.send_msg({"note": message})

    def on_saved(self) -> None:
        """Release the file: the browser has received it."""
        self._sent = None

    def hand_over_again(self) -> None:
        """Send an unconfirmed file again to a page just loaded, after a loss of the connection."""
        if self._sent is not None:
            self.send_msg({"note": self._sent})

    def on_opening(self) -> None:
        """Open the story's introduction for new visitors."""
        self._opening()

    def on_help(self) -> None:
        """Send the text of the help, requested once; the browser opens and closes it."""
        self.send_msg({"help": help_html()})


BACK = "back"
"""URL parameter of a restored visit: 1 if its work was running, 0 if it was paused."""
RETURNED = "Reconnected: this page was restored from its link."


class ConnectionBanner(LabComponent):
    """Line at the foot of the window, empty while connected.

    When the socket is closed, or stays silent although the server answers (after a laptop's sleep), the browser polls the
    server until it answers and then opens `link`: a new visit in the same state. Until then input is blocked, so that none
    is lost. Bokeh's own reconnection (`pn.config.reconnect`) fails on documents with arrays: its client drops their buffers.
    """

    link = param.String("", doc="URL parameters of the current state; empty: those in the address bar.")
    words = param.String("", doc="Message displayed at first.")

    def __init__(self, met: Callable[[bool], None], **params: object) -> None:
        self._met = met
        super().__init__(sizing_mode="fixed", width=0, height=0, margin=0, styles={"position": "absolute"}, **params)

    def show_link(self, query: dict[str, str]) -> None:
        """Set the URL parameters from which a lost visit is restored."""
        self.link = urlencode(query)

    def on_here(self, number: int) -> None:
        """Answer a browser's ping; it sends the first after connecting."""
        self._met(int(number) == 1)
        self.send_msg({"here": int(number)})


_SECTIONS, _SIGNS = (tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
                     for name in ("help_texts.toml", "signs.toml"))
"""Help sections, title -> HTML with marked terms; the table of signs."""

_GLOSSARY = ("<p>All terms with a dotted underline on any page. Hover over one, focus it with Tab, or tap it.</p>"
             '<div class="glossary"></div>')


SERVED = ("A class", "The lab as one file")
"""Sections about features of the served lab only."""


@cache
def help_html(served: bool = True) -> str:
    """Return the HTML of the help: contents with buttons that scroll in the dialog, sections, a slot for the glossary.

    ``served``: True for the served lab, False for the lab in one file, which has fewer pages.
    """
    sections = {"The pages": _pages_html()} if served else {}
    sections |= {"Signs on your own data": _signs_html()}
    sections |= {title: marked(text) for title, text in _SECTIONS.items() if served or title not in SERVED}
    sections |= {"Glossary": _GLOSSARY, "Errata": errata_html()}
    links = "".join(f'<button data-to="{i}">{title}</button>' for i, title in enumerate(sections))
    body = "".join(f'<h3 data-section="{i}" tabindex="-1">{title}</h3>{text}'
                   for i, (title, text) in enumerate(sections.items()))
    release = f'<p class="release">{MADE_WITH}, MIT licence</p>'
    return f'<nav aria-label="Sections">{links}</nav>{body}{release}'


def _pages_html() -> str:
    return "".join(["<dl>", *(f"<dt>{label}</dt><dd>{words}</dd>" for label, words in PURPOSES.items()), "</dl>"])


def _signs_html() -> str:
    """Return the table of signs: symptom, knob to turn, next test."""
    cells = [[marked(one[name]) for name in ("see", "turn", "test")] for one in _SIGNS["sign"]]
    rows = "".join(f"<tr><th scope='row'>{see}</th><td>{turn}</td><td>{test}</td></tr>" for see, turn, test in cells)
    return ("<p>No sign needs the true posterior. Start with the first that applies.</p><table class='signs'><tr>"
            f"<th scope='col'>you see</th><th scope='col'>turn</th><th scope='col'>test next</th></tr>{rows}</table>")
