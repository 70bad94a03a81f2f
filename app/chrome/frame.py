"""`Frame`: the dashboard around the pages (header, tabs, theme, help), and the template of its document."""

from __future__ import annotations

import time
from functools import partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, NamedTuple

import panel as pn
from jinja2 import Environment

from app.chrome.extras import registered, staying
from app.chrome.header import BACK, ICON, RETURNED, ConnectionBanner, Header
from app.js.bundles import bundle_text
from app.js.component import in_order
from app.lessons.story import Story
from app.page import set_parameters
from app.state.parameters.knob_values import url_text
from app.theme import css_variables
from app.visit import SERVER, Visit, served_document
from sampler.algorithms import use_threads

if TYPE_CHECKING:
    from app.server.arguments import Arguments


_PAGE = """{% extends base %}
{% block preamble %}
<meta name="viewport" content="width=device-width,initial-scale=1,viewport-fit=cover">
<meta name="description" content="Watch Online SAGA-LD sample a growing posterior.">
<link rel="icon" href="{{ lab_icon }}">
<style id="lab-variables">{{ lab_colours }}</style><script>{{ lab_script }}</script>
{% endblock %}
{% block contents %}<div id="loader"><div class="spinner"></div></div>{{ super() }}{% endblock %}
"""


PAGE_TEMPLATE = Environment().from_string(_PAGE, globals={
    "lab_icon": ICON, "lab_colours": css_variables(), "lab_script": bundle_text("loading")})
"""Template of a document with a `Frame`; the colours come first, so that the first paint has the right theme."""


class PageEntry(NamedTuple):
    """One page of the dashboard."""

    key: str  #: value of `page` in the URL
    label: str
    where: str  #: module and class, imported at the server's start or at the first display in a notebook

    def load(self) -> Any:
        """Import the page and return its class."""
        return resolve_name(self.where)


PAGES: dict[str, PageEntry] = {entry.key: entry for entry in (
    PageEntry("live", "Live", "app.pages.live:LivePage"),
    PageEntry("exit", "Exit time", "app.pages.exit_time:ExitTimePage"),
    PageEntry("tune", "Tune", "app.pages.tune:TunePage"),
    PageEntry("compare", "Compare", "app.pages.compare:ComparePage"),
    PageEntry("offline", "Offline", "app.pages.offline:OfflinePage"),
    PageEntry("coreset", "Coreset", "app.pages.coreset:CoresetPage"),
)}
"""Key -> page, in the order of tabs: a page is a `Viewer` with `dark(bool)`, `activate()`, `deactivate()` and `close()`."""


LINK_EVERY, LINK_SOON = 2.0, 0.4
"""Seconds between two updates of the link that restores a lost visit: while its work runs; after a user's change, so
that a paused run is not restored playing."""


class Frame:
    """Document of a visit: the page in the URL is built at once, the others when their tabs are opened.

    Parameters
    ----------
    query
        URL parameters, as text or as Bokeh's lists of bytes.
    arguments
        Arguments after ``--args`` on the server's command line.
    visit
        State shared by the pages; by default that of all pages outside a server.
    """

    def __init__(self, query: dict[str, Any], arguments: Arguments, visit: Visit | None = None) -> None:
        self.visit = visit or SERVER.alone
        joined = [extra.join(self.visit, query, arguments.options) for extra in registered()]
        self._extras = [one for one in joined if one is not None]
        back = url_text(query[BACK]) if BACK in query else None  # before an extra changes the query
        came = {name: url_text(value) for name, value in query.items()}
        for extra in self._extras:
            query = extra.query(query)
        self._query = query
        self._dark = url_text(query.get("theme")) == "dark"
        self._pages: dict[str, Any] = {}
        requested = url_text(query.get("page"))
        self._key = requested if requested in PAGES else next(iter(PAGES))
        self._story_page: Any = None  # page of the story while it is in front
        stories = (extra.story(self) for extra in self._extras)
        self._story = next((story for story in stories if story is not None), None) or Story(self)
        self.visit.open_page = self.open_page
        self.visit.user_data, self.visit.scheduler = arguments.user_data, arguments.scheduler
        use_threads(arguments.threads)
        self._header = Header(self.choose, self.set_dark, self._story.show_contents, self._story.open_opening, self._shared,
                              self._act, page=self._key,
                              tools=[one.tool for one in self._extras if one.tool is not None],
                              tabs=[[entry.key, entry.label] for entry in PAGES.values()])
        self._banner = ConnectionBanner(self._met)
        self._noted, self._settled = 0.0, ()
        self._front_place = pn.Column(sizing_mode="stretch_both", margin=0, min_height=0)
        # an element that moves in the document loses the focus: the card keeps its place when a page changes
        self.page = pn.Column(self._header, self._banner, self._front_place, self._story.card,
                              sizing_mode="stretch_both", margin=0)
        lesson = self._story.parse_link(url_text(query.get("lesson")))
        if any([extra.begin(self._dark) for extra in self._extras]):
            pass  # an extra's page is in front
        elif lesson is None:
            page = self._current()
            of_extras = [words for one in self._extras for words in one.words]
            page.notices.words = [*arguments.words, *of_extras, *page.notices.words]
            self._bring(page)
        else:
            self._story.show(*lesson, shown=self._query if "t" in self._query else None)
        document = pn.state.curdoc
        if document is not None:
            document.template = PAGE_TEMPLATE
        if back is not None:
            self._banner.words = RETURNED
            self._banner.show_link(came)  # until the visit is restored
            if back == "1":
                self._front.go_on()

    def _current(self) -> Any:
        if self._key not in self._pages:
            self._pages[self._key] = self.build(self._key, self._query)
        return self._pages[self._key]

    def build(self, key: str, query: dict[str, Any]) -> Any:
        """Build a page from URL parameters."""
        page = PAGES[key].load().from_query(query, dark=self._dark, visit=self.visit)
        page.looked = self._note_link
        return page

    def _note_link(self) -> None:
        """Send the browser the link of the current state from time to time; it restores a lost visit."""
        if self._front.returning:
            return
        now, settled = time.monotonic(), self._front.settled
        if now - self._noted < (LINK_EVERY if settled == self._settled else LINK_SOON):
            return
        self._noted, self._settled, location = now, settled, pn.state.location
        parameters = location.query_params if location is not None else {}
        self._banner.show_link({name: parameters[name] for name in staying() if name in parameters} | self._shared()[0]
                               | {BACK: "1" if self._front.going else "0"})

    def _met(self, first: bool) -> None:
        """Handle a message of a connected browser, its `first` or a later one: clear the marks of a restored visit."""
        self._banner.words = ""  # the browser has displayed it
        location = pn.state.location
        if location is not None and BACK in location.query_params:
            set_parameters(**dict.fromkeys((BACK, "t", "log")))
        if first:
            self._header.hand_over_again()

    @property
    def _front(self) -> Any:
        return self._story_page or self._current()

    def _bring(self, page: Any) -> None:
        """Display a page in front."""
        page.dark(self._dark)
        self._header.actions = [list(one.entry) for one in self._extras if one.offers(page)]
        self._front_place[:] = [page]
        label = PAGES[self._header.page].label
        self._header.turned(label)
        for extra in self._extras:
            extra.front(page, label)

    def choose(self, key: str) -> None:
        """Bring a page to the front and close an open story."""
        if key not in PAGES:
            return
        last, self._key = self._key, key
        with in_order():
            try:
                self._current()
            except Exception:  # a program error: stay on the last page
                self._key = last
                self._header.turned("")
                raise
            if self._story.open:
                self._story.close()  # returns to this page, not to the one behind the story
            elif key != last:
                self._pages[last].deactivate()
                self._return()
            else:
                self._header.turned(PAGES[key].label)  # another page may have been requested and abandoned
            if key != last:
                set_parameters(page=key)

    def _return(self) -> None:
        """Bring the user's own page to the front; build it first if necessary."""
        page = self._current()
        self._header.page = self._key
        self._bring(page)
        page.activate()

    def open_page(self, key: str, query: dict[str, Any]) -> None:
        """Bring a page to the front in the state of URL parameters: for links inside the pages."""
        document = served_document()
        if document is None:
            self._open_page(key, query)
        else:  # the browser announces the page before it is built
            self._header.turn(PAGES[key].label)
            document.add_next_tick_callback(partial(self._open_page, key, query))

    def _open_page(self, key: str, query: dict[str, Any]) -> None:
        with in_order():
            if key not in self._pages:
                self._pages[key] = self.build(key, query)
                self.choose(key)
            else:
                self.choose(key)
                self._pages[key].load(query)

    def set_dark(self, dark: bool) -> None:
        """Change to the browser's theme."""
        changed = dark != self._dark
        self._dark = dark
        self._front.dark(dark)
        if pn.state.location is not None and (changed or "theme" in pn.state.location.query_params):
            set_parameters(theme="dark" if dark else "light")

    def _act(self, key: str, choice: str) -> None:
        """Run the action of an entry beside Share, or of a button of its note, on the page in front."""
        for one in self._extras:
            if one.entry is not None and one.entry[0] == key and (choice or one.offers(self._front)):
                one.press(self._front, choice, self._header.note)

    def _shared(self) -> tuple[dict[str, str], str]:
        """Return the URL parameters of the current picture, and the message after copying its link."""
        shown, words = self._front.shared()
        theme = {"theme": "dark"} if self._dark else {}
        return {"page": self._header.page} | self._story.query() | theme | shown, words

    # Interface of the guided story

    def show_story(self, key: str, page: Any) -> None:
        """Bring the story's page to the front; the user's own pauses behind it."""
        if page is self._story_page:
            return
        last = self._story_page or self._pages.get(self._key)
        if last is not None:
            last.deactivate()
        self._story_page = page
        self._header.page = key
        self._bring(page)
        pn.state.onload(page.activate)  # changes while the browser loads the document would be lost

    def end_story(self) -> None:
        """Return to the user's own page in its last state."""
        if self._story_page is not None:
            self._story_page.deactivate()
            self._story_page = None
            self._return()

    def mark_lesson(self, key: str | None) -> None:
        """Write the open lesson into the address bar."""
        for extra in self._extras:
            extra.lesson(key)
        set_parameters(lesson=key)
