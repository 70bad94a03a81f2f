"""The header of every page with the help, and the banner that says whether the server is connected."""

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
    """Tabs and tools. `choose(key)`, `dark(bool)`, `lessons()` and `opening()` are called when they are used.

    `share()` returns the URL parameters of the very picture on show, and what to say when its link has been copied.
    `act(key, choice)` is called for an entry of the menu beside Share, and for the buttons of the `note` that it shows.
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
        self._sent: dict[str, object] | None = None  # a note with a file that the browser has not confirmed
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def on_tab(self, key: str) -> None:
        """Take a tab."""
        self._choose(str(key))

    def turn(self, label: str) -> None:
        """Show in the place of the page that is in front that another one is being built."""
        self.send_msg({"turn": {"label": label}})

    def turned(self, label: str) -> None:
        """Show the page that has been put in front; empty: it could not be built."""
        self.send_msg({"turned": {"label": label}})

    def on_theme(self, dark: bool) -> None:
        """Take the theme the browser shows."""
        self._dark(bool(dark))

    def on_lessons(self) -> None:
        """Open the guided story."""
        self._lessons()

    def on_share(self) -> None:
        """Answer with the link of the very picture on show; the browser copies it."""
        query, words = self._share()
        self.send_msg({"share": urlencode(query), "words": f"Link copied: {words}" if words else "Link copied"})

    def on_action(self, key: str, choice: str = "") -> None:
        """Take an entry of the menu beside Share; or `choice`, the key of a button of its note."""
        self._act(str(key), str(choice))

    def note(self, message: dict[str, object]) -> None:
        """Show a note below Share, in place of the one before.

        Parameters
        ----------
        message
            `action`, the key of the entry that it belongs to; `words`, empty to show no note; optional: `share`, how much of
            the work is done, in [0, 1]; `buttons`, [key, label, whether it is the main one] of each, of which "close" only
            closes the note; `file`, with `name` and `html`, which the browser saves.
        """
        self._sent = message if "file" in message else None
        self.send_msg({"note": message})

    def on_saved(self) -> None:
        """Let go of the file: the browser has it."""
        self._sent = None

    def hand_over_again(self) -> None:
        """Send the file once more to a page just loaded: the connection broke while it was on its way."""
        if self._sent is not None:
            self.send_msg({"note": self._sent})

    def on_opening(self) -> None:
        """Open the story's opening, for those who are new here."""
        self._opening()

    def on_help(self) -> None:
        """Send the text of the help, asked for once; the browser opens and closes it."""
        self.send_msg({"help": help_html()})


BACK = "back"
"""URL parameter of a page that comes back: 1 where work goes on, 0 where it stands."""
RETURNED = "Connected again: this page was made again from its link."


class ConnectionBanner(LabComponent):
    """A line at the foot of the window, empty while all is well.

    When the socket is closed, or has been silent although the server answers (a laptop that slept), the browser asks until
    the server answers, and then opens `link`: a new visit that shows the same. Until then nothing can be entered, so nothing
    entered is lost. Bokeh's own reconnection (`pn.config.reconnect`) fails on any document that holds an array: its client
    drops the buffers of the document that it asks for again.
    """

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
        self.send_msg({"here": int(number)})


_SECTIONS, _SIGNS = (tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
                     for name in ("help_texts.toml", "signs.toml"))
"""Title -> HTML with marks; the table of signs."""

_GLOSSARY = ("<p>Every word with a dotted line under it, on any page: point at it, reach it by tab, or tap it.</p>"
             '<div class="glossary"></div>')


SERVED = ("A class", "The lab as one file")
"""Sections about what only a served lab has."""


@cache
def help_html(served: bool = True) -> str:
    """Return the text with its table of contents, whose buttons scroll inside the dialog, and a place for the glossary.

    ``served``: whether it is the help of a served lab, which has more pages than the lab in one file.
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
    """Return the table of signs: what is seen, the knob to turn, the test that is next."""
    cells = [[marked(one[name]) for name in ("see", "turn", "test")] for one in _SIGNS["sign"]]
    rows = "".join(f"<tr><th scope='row'>{see}</th><td>{turn}</td><td>{test}</td></tr>" for see, turn, test in cells)
    return ("<p>None of these needs a truth to compare with. Take the first that you see.</p><table class='signs'><tr>"
            f"<th scope='col'>you see</th><th scope='col'>turn</th><th scope='col'>test next</th></tr>{rows}</table>")
