"""The frame round the pages: header, tabs, theme and help in one Material page."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import panel as pn
import panel_material_ui as pmui

from app.chrome.absence import Absence
from app.chrome.busy import unlink_busy
from app.chrome.connection_banner import BACK, RETURNED, VISIT, ConnectionBanner
from app.chrome.header import Header
from app.chrome.help_dialog import help_dialog
from app.chrome.page_template import PAGE_TEMPLATE
from app.classroom.entrance import member_of
from app.handover import session
from app.ordered_messages import in_order
from app.pages import PAGES
from app.server_arguments import read
from app.theme import OWN_FIGURE_STYLE, STILL, theme_config
from sampler.algorithms import use_threads

LOGO = Path(__file__).parent / "logo.svg"
LINK_EVERY, LINK_SOON = 2.0, 0.4
"""Seconds between two looks at the link that a page whose visit is gone comes back by: while its work goes on, and once the
user has changed something, so that a run that was paused is not found playing."""
STAY = ("class", "teacher")
"""URL parameters that belong to no page and lead back to the same place."""


class Frame:
    """Builds the document: the page named in the URL is made at once, the others when their tab is opened."""

    def __init__(self, query: dict[str, Any], argv: Sequence[str] = ()) -> None:
        told = read(tuple(argv))
        self._member = member_of(told.classroom, query)
        back = _text(query[BACK]) if BACK in query else None  # a class's member opens without it
        came = {name: _text(value) for name, value in query.items() if name != VISIT}
        self._query = query = self._member.query(query)
        self._dark = _text(query.get("theme")) == "dark"
        self._pages: dict[str, Any] = {}
        keys = [entry.key for entry in PAGES]
        asked = _text(query.get("page"))
        self._key = asked if asked in keys else keys[0]
        self._help = help_dialog()
        self._told: Any = None  # the story's page, when it is in front
        self._saver: Any = None  # the page that was last asked to save its run
        self._story = self._member.story(self, keys)
        here = session()
        here.visit, here.given, here.scheduler = self.visit, told.given, told.scheduler
        use_threads(told.threads)
        self._header = Header(self.choose, self.set_dark, self._open_help, self._open_lessons,
                              self._story.open_opening, self._shared,
                              self._save, self._stop_saving, page=self._key,
                              tool=self._member.panel, tabs=[[entry.key, entry.label] for entry in PAGES])
        self._banner = ConnectionBanner(self._met)
        self._absence = None
        self._noted, self._settled = 0.0, ()
        self._help.param.watch(lambda event: event.new or self._header.help_closed(), "open")
        self.page = pmui.Page(
            title="", meta_title="Exit-Time Lab", favicon=LOGO, header=[self._header, self._banner],
            main=[], theme_config=theme_config(), theme_toggle=False, template=PAGE_TEMPLATE,
            dark_theme=self._dark, busy_indicator=None, sidebar_variant="temporary", sx=STILL,
            stylesheets=[".MuiLinearProgress-root,.MuiToolbar-root h5{display:none!important}"],
            meta_description="Watch Online SAGA-LD sample a growing posterior.")
        unlink_busy(self.page)  # no message a frame
        lesson = self._story.asked(_text(query.get("lesson")))
        if self._member.begin(self._dark):
            pass  # the room is on show
        elif lesson is None:
            page = self._current()
            page.notices.words = [*told.words, *self._member.words, *page.notices.words]
            self._bring(page)
        else:
            self._story.start(*lesson, shown=self._query if "t" in self._query else None)
        if pn.state.curdoc is not None:
            pn.state.curdoc.theme = OWN_FIGURE_STYLE
            self._absence = Absence(pn.state.curdoc, self._rest, self._wake)
            self._banner.visit = getattr(pn.state.curdoc.session_context, "id", "")
        if back is not None:
            self._banner.words = RETURNED
            self._banner.show_link(came)  # until it is there again
            if back == "1":
                self._front.go_on()

    def _current(self) -> Any:
        if self._key not in self._pages:
            self._pages[self._key] = self._build(self._key, self._query)
        return self._pages[self._key]

    def _build(self, key: str, query: dict[str, Any]) -> Any:
        page = next(entry for entry in PAGES if entry.key == key).build(query, self._dark)
        page.looked = self._note_link
        return page

    def _note_link(self) -> None:
        """Keep in the browser, now and then, the link of what is on show: a page whose visit has ended comes back by it."""
        if self._front.returning:
            return
        now, settled = time.monotonic(), self._front.settled
        if now - self._noted < (LINK_EVERY if settled == self._settled else LINK_SOON):
            return
        self._noted, self._settled, location = now, settled, pn.state.location
        there = location.query_params if location is not None else {}
        self._banner.show_link({name: there[name] for name in STAY if name in there} | self._shared()[0]
                               | {BACK: "1" if self._front.going else "0"})

    def _met(self, anew: bool) -> None:
        """Take notice of a browser that is connected, or has just been; its address no longer says that it came back."""
        self._banner.words = ""  # the browser has said it
        location = pn.state.location
        if location is not None and BACK in location.query_params:
            gone = (VISIT, BACK, "t", "log")
            rest = {name: value for name, value in location.query_params.items() if name not in gone}
            location.search = "?" + urlencode(rest) if rest else ""
        if self._absence is not None:
            self._absence.end(anew)
        if anew:
            self._header.hand_over_again()

    def _rest(self) -> None:
        """Stand still: nobody is connected. A page behind another may be saving its run."""
        self._front.rest()
        if self._saver is not None:
            self._saver.rest()

    def _wake(self) -> None:
        """Go on."""
        self._front.wake()
        if self._saver is not None:
            self._saver.watch_saving()

    @property
    def _front(self) -> Any:
        return self._told or self._current()

    def _bring(self, page: Any) -> None:
        """Put a page in front."""
        page.dark(self._dark)
        self._header.savable = page.saving is not None
        self.page.main = [page, self._help, self._story.card]
        label = _label(self._header.page)
        self._header.turned(label)
        self._member.front(page, label)

    def choose(self, key: str) -> None:
        """Bring a page to the front; a story that is being told ends."""
        if key not in [entry.key for entry in PAGES]:
            return
        last, self._key = self._key, key
        with in_order():
            try:
                self._current()
            except Exception:  # a fault of ours: the others' pages go on
                self._key = last
                self._header.turned("")
                raise
            if self._story.open:
                self._story.close()  # this page comes back, not the one that stood behind the story
            elif key != last:
                self._pages[last].deactivate()
                self._return()
            else:
                self._header.turned(_label(key))  # it may have been asked for and left again
            if key != last and pn.state.location is not None:
                pn.state.location.update_query(page=key)

    def _return(self) -> None:
        """Bring the user's own page, made only now if it has not been, to the front."""
        page = self._current()
        self._header.page = self._key
        self._bring(page)
        page.activate()

    def visit(self, key: str, query: dict[str, Any]) -> None:
        """Bring a page to the front, showing what URL parameters describe: for links inside the pages."""
        document = pn.state.curdoc
        if key not in [entry.key for entry in PAGES]:
            return
        if document is None or document.session_context is None:
            self._visit(key, query)
        else:  # the browser says so before the page is built
            self._header.turn(_label(key))
            document.add_next_tick_callback(partial(self._visit, key, query))

    def _visit(self, key: str, query: dict[str, Any]) -> None:
        with in_order():
            if key not in self._pages:
                self._pages[key] = self._build(key, query)
                self.choose(key)
            else:
                self.choose(key)
                self._pages[key].load(query)

    def set_dark(self, dark: bool) -> None:
        """Follow the theme the browser shows."""
        changed = dark != self._dark
        self._dark = dark
        self.page.dark_theme = dark
        self._front.dark(dark)
        if pn.state.location is not None and (changed or "theme" in pn.state.location.query_params):
            pn.state.location.update_query(theme="dark" if dark else "light")

    def _save(self, sure: bool, names: bool) -> None:
        """Have the page in front saved as a file that plays; own data only once the user is sure."""
        page = self._front
        if page.saving is None:
            return
        if page.own_data and not sure:
            self._header.tell_saving({"state": "ask"})
        else:
            self._saver = page
            page.save(names, self._header.tell_saving)

    def _stop_saving(self) -> None:
        if self._saver is not None:  # it may have gone behind another page
            self._saver.saving.stop()

    def _shared(self) -> tuple[dict[str, str], str]:
        """Return the URL parameters of the very picture on show, and what to say once they are copied."""
        shown, words = self._front.shared()
        theme = {"theme": "dark"} if self._dark else {}
        return {"page": self._header.page} | self._story.query() | theme | shown, words

    # What the guided story asks of it

    def build_for_story(self, key: str, query: dict[str, Any]) -> Any:
        """Make a page that belongs to the story."""
        return self._build(key, query)

    def show_story(self, key: str, page: Any) -> None:
        """Bring the story's page to the front; the user's own stands still behind it."""
        if page is self._told:
            return
        last = self._told or self._pages.get(self._key)
        if last is not None:
            last.deactivate()
        self._told = page
        self._header.page = key
        self._bring(page)
        pn.state.onload(page.activate)  # what changes while the browser fetches the document would not be seen

    def end_story(self) -> None:
        """Bring the user's own page back as it was left."""
        if self._told is not None:
            if self._saver is not None and self._saver not in self._pages.values() and self._saver.saving.going:
                self._header.tell_saving({"state": "stopped"})  # it ends with the story
            self._told.deactivate()
            self._told = None
            self._return()

    def mark_lesson(self, key: str | None) -> None:
        """Say in the address bar which lesson is open."""
        self._member.lesson(key)
        location = pn.state.location
        if location is not None:
            query = location.query_params
            query.pop("lesson", None)
            if key is not None:
                query["lesson"] = key
            location.search = "?" + urlencode(query) if query else ""

    def _open_lessons(self) -> None:
        self._story.show_contents()

    def _open_help(self) -> None:
        self._help.open = True


def _label(key: str) -> str:
    return next(entry.label for entry in PAGES if entry.key == key)


def _text(value: Any) -> str:
    value = value[-1] if isinstance(value, list) and value else value
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")
