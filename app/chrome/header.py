"""The header: logo and name, a tab for every page there is, share, light or dark, help."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

import param
from panel.viewable import Child

from app.theme import css_variables
from app.widgets.component import LabComponent


class Header(LabComponent):
    """Tabs and tools. `choose(key)`, `dark(bool)`, `help()`, `lessons()` and `opening()` are called when they are used.

    `share()` returns the URL parameters of the very picture on show, and what to say when its link has been copied.
    `save(sure, names)` records what is in front as a page and answers with `tell_saving`; `stop_saving()` gives it up.
    """

    _source = "header"
    _scripts = ("theme.js", "save_page.js")

    tabs = param.List([], doc="[key, label] of each page.")
    page = param.String("")
    variables = param.String(css_variables())
    savable = param.Boolean(False, doc="Whether what is in front can be saved as a page that plays.")
    tool = Child(doc="A further tool, before the others.")

    def __init__(self, choose: Callable[[str], None], dark: Callable[[bool], None],
                 help: Callable[[], None], lessons: Callable[[], None], opening: Callable[[], None],
                 share: Callable[[], tuple[dict[str, str], str]], save: Callable[[bool, bool], None],
                 stop_saving: Callable[[], None], **params: object) -> None:
        self._choose, self._dark, self._help, self._lessons, self._share = choose, dark, help, lessons, share
        self._opening, self._save, self._stop_saving = opening, save, stop_saving
        self._file: dict[str, object] | None = None  # handed over, and the browser has not said that it has it
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def on_tab(self, key: str) -> None:
        """Take a tab."""
        self._choose(str(key))

    def turn(self, label: str) -> None:
        """Show in the place of the page that is in front that another one is being built."""
        self._send_msg({"turn": {"label": label}})

    def turned(self, label: str) -> None:
        """Show the page that has been put in front; empty: it could not be built."""
        self._send_msg({"turned": {"label": label}})

    def on_theme(self, dark: bool) -> None:
        """Take the theme the browser shows."""
        self._dark(bool(dark))

    def on_lessons(self) -> None:
        """Open the guided story."""
        self._lessons()

    def on_share(self) -> None:
        """Answer with the link of the very picture on show; the browser copies it."""
        query, words = self._share()
        self._send_msg({"share": urlencode(query), "words": words})

    def on_save(self, sure: bool = False, names: bool = True) -> None:
        """Save what is in front as a page; `sure` once the user has been told that own data leave with it."""
        self._save(bool(sure), bool(names))

    def on_stop_saving(self) -> None:
        """Give up saving."""
        self._stop_saving()

    def tell_saving(self, message: dict[str, object]) -> None:
        """Show how far the saving is, or hand over the file: see `save_page.js`."""
        self._file = message if message["state"] == "done" else None
        self._send_msg({"saving": message})

    def on_saved(self) -> None:
        """Let go of the file: the browser has it."""
        self._file = None

    def hand_over_again(self) -> None:
        """Send the file once more to a page just loaded: the connection broke while it was on its way."""
        if self._file is not None:
            self._send_msg({"saving": self._file})

    def on_opening(self) -> None:
        """Open the story's opening, for those who are new here."""
        self._opening()

    def on_help(self) -> None:
        """Open the help."""
        self._help()

    def help_closed(self) -> None:
        """Give the focus back to what had it when the help was opened."""
        self._send_msg({"help": "closed"})
