"""The frame round the pages: header, tabs, theme and help in one Material page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import panel as pn
import panel_material_ui as pmui
from panel.util import edit_readonly

from app.components.header import Header
from app.components.help_dialog import help_dialog
from app.lessons.story import Story
from app.pages import PAGES
from app.theme import OWN_FIGURE_STYLE, theme_config

LOGO = Path(__file__).parent / "logo.svg"


class Frame:
    """Builds the document: the page named in the URL is made at once, the others when their tab is opened."""

    def __init__(self, query: dict[str, Any]) -> None:
        self._query = query
        self._dark = _text(query.get("theme")) == "dark"
        self._pages: dict[str, Any] = {}
        keys = [entry.key for entry in PAGES]
        asked = _text(query.get("page"))
        self._key = asked if asked in keys else keys[0]
        self._help = help_dialog()
        self._told: Any = None  # the story's page, when it is in front
        self._story = Story(self, keys)
        self._header = Header(self.choose, self.set_dark, self._open_help, self._open_lessons, page=self._key,
                              tabs=[[entry.key, entry.label] for entry in PAGES])
        self.page = pmui.Page(
            title="", meta_title="Exit-Time Lab", favicon=LOGO, header=[self._header],
            main=[], theme_config=theme_config(), theme_toggle=False,
            dark_theme=self._dark, busy_indicator=None, sidebar_variant="temporary",
            stylesheets=[".MuiLinearProgress-root{display:none!important}"],
            meta_description="Watch Online SAGA-LD sample a growing posterior.")
        with edit_readonly(self.page):
            self.page.busy = False  # a plain value unlinks it from the server's: no message a frame
        lesson = self._story.number(_text(query.get("lesson")))
        if lesson is None:
            self._bring(self._current())
        else:
            self._story.start(lesson)
        if pn.state.curdoc is not None:
            pn.state.curdoc.theme = OWN_FIGURE_STYLE

    def _current(self) -> Any:
        if self._key not in self._pages:
            entry = next(entry for entry in PAGES if entry.key == self._key)
            self._pages[self._key] = entry.build(self._query, self._dark)
        return self._pages[self._key]

    def choose(self, key: str) -> None:
        """Bring a page to the front."""
        if key == self._key or key not in [entry.key for entry in PAGES]:
            return
        self._pages[self._key].deactivate()
        self._key = self._header.page = key
        page = self._current()
        page.dark(self._dark)
        self.page.main = [page, self._help]
        page.activate()
        if pn.state.location is not None:
            pn.state.location.update_query(page=key)

    def set_dark(self, dark: bool) -> None:
        """Follow the theme the browser shows."""
        changed = dark != self._dark
        self._dark = dark
        self.page.dark_theme = dark
        self._pages[self._key].dark(dark)
        if pn.state.location is not None and (changed or "theme" in pn.state.location.query_params):
            pn.state.location.update_query(theme="dark" if dark else "light")

    def _open_help(self) -> None:
        self._help.open = True


def _text(value: Any) -> str:
    value = value[-1] if isinstance(value, list) and value else value
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")
