"""`Page`: base class of the dashboard's pages: session, link, lifecycle, display in a notebook."""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

import panel as pn
from panel.viewable import Viewer

from app import notebook
from app.jobs.background_job import BackgroundJob
from app.jobs.compute_slots import ComputeSlots
from app.jobs.frame_rate import FrameRate
from app.js.component import in_order
from app.state.page_state import PageState
from app.visit import SERVER, Visit, served_document
from app.widgets.page_shell import Notices, PageShell

URL_EVERY = 0.4
"""Seconds between two updates of the address bar."""
NOT_SHOWN = ("Program error: the latest result could not be displayed, and the page may be out of date. Reload the page; "
             "the server's log has the details.")


class Page(Viewer):
    """A page of the dashboard, in a tab or as the last line of a notebook's cell.

    The active page polls its workers every `period` milliseconds. It pauses while no browser is connected, and closes with
    its visit or when its cell runs again. A subclass sets `state` (of class `State`), builds its `shell` once
    (`framed_shell`), and overrides `begin` (each activation), `look` (each poll), `load` (opens a link), `restyle` (theme),
    `leave` (deactivation) and `end` (closing). Set `unwritten = True` to update the link.

    Parameters
    ----------
    config
        Frozen copy of the initial state.
    words
        Messages to display at first, such as the faults of a link.
    dark
        Start in the dark theme.
    framed
        True in the dashboard, where the page fills a window under a header; False in a notebook.
    visit
        State shared with the other pages of the tab; by default with all pages outside a server.
    """

    State: type[PageState]  #: class of the state
    workers: Sequence[BackgroundJob] = ()  #: jobs of the page: displayed before each `look`, closed with the page
    period = 40
    in_frames = False  #: whether the page is drawn frame by frame, at its own rate
    _dark = False
    _shown_in: tuple[Any, int] | None = None  #: document that shows the page, and identity of the thread that built it
    looked: Callable[[], None] | None = None  #: called after each poll of the workers

    def __init__(self, visit: Visit | None = None, *, words: Sequence[str] = (), framed: bool = False,
                 **params: Any) -> None:
        super().__init__(**params)
        self.visit, self._framed = visit or SERVER.alone, framed
        self.notices = Notices(self.take_notice, words=list(words))  #: messages about errors
        self.linked = True  #: whether the address bar follows the page
        self.unwritten = True  #: whether the state has changed since the last update of the address bar
        self._written_at = 0.0
        self.closed = False
        self._callback: Any = None
        self._faults: set[tuple[type, str, int | None]] = set()  #: source lines that have raised in `_tick`
        self._rests_until = 0.0  #: leaves the serving thread to other pages until then
        self._undrawn: list[Callable[[], None]] = []
        self._drawing = False  #: whether figures are being drawn, one per turn of the event loop

    @property
    def going(self) -> bool:
        """Whether requested work is running that opening a link does not start."""
        return False

    def go_on(self) -> None:
        """Restart the work that was `going` when the link was made."""

    @property
    def settled(self) -> tuple[Any, ...]:
        """Content of the link without the progress of the work."""
        return self.going, self.config

    @property
    def returning(self) -> bool:
        """Whether the page is still catching up with the moment of a link."""
        return False

    @property
    def config(self) -> Any:
        """Frozen copy of the state."""
        return self.state.frozen()

    @classmethod
    def read_link(cls, query: dict[str, Any], visit: Visit) -> tuple[Any, list[str]]:
        """Return the configuration in a link's query and messages about its faults."""
        return cls.State.from_query(query)

    @classmethod
    def from_query(cls, query: dict[str, Any], dark: bool = False, visit: Visit | None = None) -> Page:
        """Return the page of a link; it displays messages about the link's faults."""
        config, sentences = cls.read_link(query, visit or SERVER.alone)
        return cls(config, words=sentences, dark=dark, framed=True, visit=visit)

    def framed_shell(self, cards: dict[str, Any], **params: Any) -> PageShell:
        """Return a `PageShell` of cards by area and the page's notices; `params` are those of `PageShell`.

        The figures of the cards are drawn in order, after a browser has loaded the page.
        """
        for card in cards.values():
            for view in getattr(card, "views", ()):
                view.later = self._draw_later
                self._draw_later(view.draw)
        return PageShell(cards, self.notices, framed=self._framed, **params)

    def _draw_later(self, draw: Callable[[], None]) -> None:
        self._undrawn.append(draw)
        if not self._drawing:
            self._drawing = True
            self.once_shown(self._draw_figures())

    def _draw_figures(self) -> Iterator[None]:
        try:
            while self._undrawn:
                self._undrawn.pop(0)()
                yield
        finally:
            self._drawing = False

    def once_shown(self, steps: Iterator[None]) -> None:
        """Run steps after a browser has loaded the document, one per turn of the event loop, so that other visits proceed.

        Outside a server they run immediately. Engines pause during a step, as during the building of a page.
        """
        document = served_document()

        def turn() -> None:
            with self.visit.server.part(ComputeSlots).held_back():
                left = next(steps, steps) is None
            if left:
                self.once_shown(steps)

        if document is None:
            turn()
        else:
            pn.state.onload(lambda: document.add_next_tick_callback(turn))

    def take_notice(self, kind: str) -> None:
        """Handle the button of a notice of this kind."""

    def query(self) -> dict[str, str]:
        """Return the URL parameters of the current state."""
        return self.state.to_query(self.config)

    def run_on_show(self) -> tuple[Any, Any] | None:
        """Return the configuration and the position of the displayed run; None for a page without a run."""
        return None

    def shared(self) -> tuple[dict[str, str], str]:
        """Return the URL parameters that Share copies, and a message if the link does not restore the page exactly."""
        return self.query(), ""

    def watch(self, changed: Callable[..., None], names: Sequence[str], state: Any = None) -> None:
        """Call `changed` with the events of these parameters of a state, the page's by default, under the document's lock.

        A page created in a notebook cell is served by another thread, and Bokeh accepts changes only there: an event from
        the cell's thread is scheduled on the server's.
        """
        maker = threading.get_ident()

        def call(*events: Any) -> None:
            if self._shown_in is not None and not self.closed and threading.get_ident() == maker != self._shown_in[1]:
                self._shown_in[0].add_next_tick_callback(partial(changed, *events))
            else:
                changed(*events)

        (self.state if state is None else state).param.watch(call, list(names))

    def note_document(self) -> None:
        """Record the document that shows the page; called while it is built."""
        document = served_document()
        if document is not None:
            self._shown_in = document, threading.get_ident()

    def rest(self) -> None:
        """Pause while no browser is connected; running jobs finish. `activate` resumes."""
        self.deactivate()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        return notebook.mimebundle(self) or super()._repr_mimebundle_(include, exclude)

    def begin(self) -> None:
        """Start the work of the page unless it has started."""

    def look(self) -> None:
        """Display the workers' latest results; called under the document's lock."""

    def leave(self) -> None:
        """Stop the work that must not continue behind another page."""

    def end(self) -> None:
        """Release resources other than the workers."""

    @property
    def active(self) -> bool:
        """Whether the page is in front."""
        return self._callback is not None

    def restyle(self, dark: bool) -> None:
        """Redraw the cards in another theme."""
        for card in self.shell.cards:
            if hasattr(card, "restyle"):
                card.restyle(dark)

    def dark(self, dark: bool) -> None:
        """Change theme."""
        if dark != self._dark:
            self._dark = dark
            with in_order():
                self.restyle(dark)

    def _tick(self) -> None:
        began = time.monotonic()
        if began < self._rests_until:
            return
        with in_order():
            try:
                for job in self.workers:
                    job.look()
                self.look()
            except Exception as fault:
                self._not_shown(fault)
            if not self.in_frames:
                now = time.monotonic()
                self._rests_until = now + self.visit.server.part(FrameRate).rest(now - began)
            if self.linked and self.unwritten and began - self._written_at > URL_EVERY:
                self.unwritten, self._written_at = False, began
                set_parameters(**self.query())
            if self.looked is not None:
                self.looked()

    def _not_shown(self, fault: Exception) -> None:
        """Display NOT_SHOWN and log the traceback, once per source line, since each poll may fail there."""
        at = traceback.extract_tb(fault.__traceback__)[-1]
        place = (type(fault), at.filename, at.lineno)
        if place not in self._faults:
            self._faults.add(place)
            logging.getLogger(__name__).error("A page could not display the result of a job", exc_info=fault)
            if NOT_SHOWN not in self.notices.words:
                self.notices.words = [*self.notices.words, NOT_SHOWN]

    def activate(self) -> None:
        """Bring the page to the front."""
        if self.closed or self.active:
            return
        self.begin()
        self.unwritten = True
        self._callback = pn.io.PeriodicCallback(callback=self._tick, period=self.period, background=True, log=False)
        self._callback.start()

    def deactivate(self) -> None:
        """Move the page behind another; running jobs finish, and their results are displayed on return."""
        if self.active:
            self._stop()
            self.leave()

    def _stop(self) -> None:
        if self.active:
            self._callback.stop()
            self._callback = None

    def close(self) -> None:
        """Close the page and its workers permanently."""
        if not self.closed:
            self.closed = True
            self._stop()
            for job in self.workers:
                job.close()
            self.end()

    def __panel__(self) -> Any:
        """Return the layout; work starts after the browser has loaded it."""
        self.note_document()
        close_with_session(self.close)
        pn.state.onload(self.activate)
        return self.shell


def set_parameters(**parameters: str | None) -> None:
    """Set URL parameters in the address bar, if the session has one; None removes a parameter."""
    location = pn.state.location
    if location is not None:
        query = {name: value for name, value in (location.query_params | parameters).items() if value is not None}
        location.search = "?" + urlencode(query) if query else ""


def close_with_session(close: Callable[[], None]) -> None:
    """Call `close` at the end of the session; do nothing in a notebook, which has none."""
    if served_document() is not None:
        pn.state.on_session_destroyed(lambda context: close())
