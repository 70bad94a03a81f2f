"""A page of the dashboard: its session, link, life, and what a notebook's cell shows of it."""

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
"""Seconds between two writings of the state to the address bar."""
NOT_SHOWN = ("An error in the program: what came last could not be shown, and what you see may be old. Load this page anew; "
             "the server's log says more.")


class Page(Viewer):
    """A page of the dashboard, in a tab or as the last line of a notebook's cell.

    Its workers are looked at every `period` milliseconds while it is in front; it rests while nobody watches, and ends with
    its visit, or when its cell is run again. A subclass has a `state`, of class `State`, makes its `shell` once
    (`framed_shell`), and says how it begins (`begin`, each time it comes to the front), what it looks at (`look`), how it
    shows a link (`load`), how it changes theme (`restyle`), what stops when it goes behind another page (`leave`) and when
    it ends (`end`). `unwritten = True` has the link written again.

    Parameters
    ----------
    config
        Frozen copy of what to show first.
    words
        Sentences to show on arrival, such as what was wrong with a link.
    dark
        Start in the dark theme.
    framed
        Whether the page fills a window under a header (the dashboard) or stands alone (a notebook).
    visit
        What it shares with the other pages of its tab; by default with all pages outside a server.
    """

    State: type[PageState]  #: class of its state
    workers: Sequence[BackgroundJob] = ()  #: its work: what is new is shown before each `look`, and it ends with the page
    period = 40
    in_frames = False  #: whether it is drawn frame by frame, at a rate of its own
    _dark = False
    _shown_in: tuple[Any, int] | None = None  #: document that shows the page, and identity of the thread that built it
    looked: Callable[[], None] | None = None  #: called after each look at the workers

    def __init__(self, visit: Visit | None = None, *, words: Sequence[str] = (), framed: bool = False,
                 **params: Any) -> None:
        super().__init__(**params)
        self.visit, self._framed = visit or SERVER.alone, framed
        self.notices = Notices(self.take_notice, words=list(words))  #: where it says what was wrong
        self.linked = True  #: whether the address bar follows the page
        self.unwritten = True  #: whether something has changed since it was written there
        self._written_at = 0.0
        self.closed = False  #: whether it has ended for good
        self._callback: Any = None
        self._faults: set[tuple[type, str, int | None]] = set()  #: places in the program that have failed
        self._rests_until = 0.0  #: for others to be drawn
        self._undrawn: list[Callable[[], None]] = []
        self._drawing = False  #: whether its figures are being drawn, one a turn of the loop

    @property
    def going(self) -> bool:
        """Whether work was asked for that a link does not begin by itself."""
        return False

    def go_on(self) -> None:
        """Begin again what was `going` when the link was made."""

    @property
    def settled(self) -> tuple[Any, ...]:
        """What its link says besides how far the work has come."""
        return self.going, self.config

    @property
    def returning(self) -> bool:
        """Whether it is still on its way to what a link shows."""
        return False

    @property
    def config(self) -> Any:
        """What the page is set to, frozen."""
        return self.state.frozen()

    @classmethod
    def read_link(cls, query: dict[str, Any], visit: Visit) -> tuple[Any, list[str]]:
        """Return what a link describes in a visit, and what was wrong with it in words."""
        return cls.State.from_query(query)

    @classmethod
    def from_query(cls, query: dict[str, Any], dark: bool = False, visit: Visit | None = None) -> Page:
        """Return the page that a link describes; what was wrong with the link is shown in words."""
        config, sentences = cls.read_link(query, visit or SERVER.alone)
        return cls(config, words=sentences, dark=dark, framed=True, visit=visit)

    def framed_shell(self, cards: dict[str, Any], **params: Any) -> PageShell:
        """Return the frame round cards by area, with the page's notices in it; `params` as for `PageShell`.

        Figures of cards are drawn once a browser has the page, from the first card to the last.
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
        """Take steps once a browser has the document, each in a turn of the server's loop of its own: others go on between.

        Outside of a server they are taken at once. No engine computes meanwhile, as while a page is built.
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
        """Take the button of a notice of this kind."""

    def query(self) -> dict[str, str]:
        """Return the URL parameters of what is shown."""
        return self.state.to_query(self.config)

    def run_on_show(self) -> tuple[Any, Any] | None:
        """Return the configuration and the moment of the run that is shown; None where the page plays no run of its own."""
        return None

    def shared(self) -> tuple[dict[str, str], str]:
        """Return the URL parameters that Share copies, and what its link leads to where that is not plain, in words."""
        return self.query(), ""

    def watch(self, changed: Callable[..., None], names: Sequence[str], state: Any = None) -> None:
        """Call `changed` with the events of these parameters of a state, the page's by default, under the document's lock.

        A page made in a cell of a notebook is shown by a server on another thread. Bokeh takes no change from the thread of
        the cells: the call is then scheduled on the server's.
        """
        maker = threading.get_ident()

        def call(*events: Any) -> None:
            if self._shown_in is not None and not self.closed and threading.get_ident() == maker != self._shown_in[1]:
                self._shown_in[0].add_next_tick_callback(partial(changed, *events))
            else:
                changed(*events)

        (self.state if state is None else state).param.watch(call, list(names))

    def note_document(self) -> None:
        """Note the document that shows the page; called while it is built."""
        document = served_document()
        if document is not None:
            self._shown_in = document, threading.get_ident()

    def rest(self) -> None:
        """Stand still while nobody watches; what is under way is finished. `activate` goes on where this stopped."""
        self.deactivate()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        return notebook.mimebundle(self) or super()._repr_mimebundle_(include, exclude)

    def begin(self) -> None:
        """Start what is to be shown, unless it has been."""

    def look(self) -> None:
        """Show what the workers have; called under the document's lock."""

    def leave(self) -> None:
        """Go behind another page: what is not to go on there stops."""

    def end(self) -> None:
        """End what goes on beside its workers."""

    @property
    def active(self) -> bool:
        """Whether it is in front."""
        return self._callback is not None

    def restyle(self, dark: bool) -> None:
        """Draw in another theme: each card that can be."""
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
        """Say that what has come could not be shown, and log where: once for each place, as the next look may fail alike."""
        at = traceback.extract_tb(fault.__traceback__)[-1]
        place = (type(fault), at.filename, at.lineno)
        if place not in self._faults:
            self._faults.add(place)
            logging.getLogger(__name__).error("A page could not show what its work has found", exc_info=fault)
            if NOT_SHOWN not in self.notices.words:
                self.notices.words = [*self.notices.words, NOT_SHOWN]

    def activate(self) -> None:
        """Come to the front."""
        if self.closed or self.active:
            return
        self.begin()
        self.unwritten = True
        self._callback = pn.io.PeriodicCallback(callback=self._tick, period=self.period, background=True, log=False)
        self._callback.start()

    def deactivate(self) -> None:
        """Go behind another page; what is under way is finished, and shown on return."""
        if self.active:
            self._stop()
            self.leave()

    def _stop(self) -> None:
        if self.active:
            self._callback.stop()
            self._callback = None

    def close(self) -> None:
        """End for good."""
        if not self.closed:
            self.closed = True
            self._stop()
            for job in self.workers:
                job.close()
            self.end()

    def __panel__(self) -> Any:
        """Return the layout; the work starts once the browser has loaded it."""
        self.note_document()
        close_with_session(self.close)
        pn.state.onload(self.activate)
        return self.shell


def set_parameters(**parameters: str | None) -> None:
    """Write URL parameters into the address bar, where there is one; None takes one away."""
    location = pn.state.location
    if location is not None:
        query = {name: value for name, value in (location.query_params | parameters).items() if value is not None}
        location.search = "?" + urlencode(query) if query else ""


def close_with_session(close: Callable[[], None]) -> None:
    """Call `close` when the visit ends, where there is one: a notebook has none."""
    if served_document() is not None:
        pn.state.on_session_destroyed(lambda context: close())
