"""`Page`: what every page does besides what it shows: it looks at its workers, follows the address bar, and ends."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from typing import Any

import panel as pn
from panel.viewable import Viewer

from app import notebook
from app.address_bar import AddressBar
from app.ordered_messages import in_order

LINK_COPIED = "Link copied"
NOT_SHOWN = ("An error in the program: what came last could not be shown, and what you see may be old. Load this page anew; "
             "the server's log says more.")
BEHIND = 200
"""Milliseconds between two looks at a page that is being saved behind another."""


class CellView(Viewer):
    """A page as a notebook's cell shows it: it rests while nobody watches, and ends when its cell is run again.

    A subclass has a `state` (a `PageState`) and says what a link describes (`read_link`).

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
    """

    _closed = False
    looked: Callable[[], None] | None = None  #: called after each look at the workers

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
    def read_link(cls, query: dict[str, Any]) -> tuple[Any, list[str]]:
        """Return what a link describes, and what was wrong with it in words."""
        raise NotImplementedError

    @classmethod
    def from_query(cls, query: dict[str, Any], dark: bool = False) -> CellView:
        """Return the page that a link describes; what was wrong with the link is shown in words."""
        config, said = cls.read_link(query)
        return cls(config, words=said, dark=dark, framed=True)

    def query(self) -> dict[str, str]:
        """Return the URL parameters of what is shown."""
        return self.state.to_query(self.config)

    def shared(self) -> tuple[dict[str, str], str]:
        """Return the URL parameters that Share copies, and what it says."""
        return self.query(), LINK_COPIED

    @property
    def closed(self) -> bool:
        """Whether it has ended for good."""
        return self._closed

    def rest(self) -> None:
        """Stand still while nobody watches; what is under way is finished."""
        self.deactivate()

    def wake(self) -> None:
        """Go on where `rest` stopped."""
        self.activate()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        return notebook.mimebundle(self) or super()._repr_mimebundle_(include, exclude)


class Page(CellView):
    """A page whose workers are looked at every `period` milliseconds while it is in front.

    A subclass makes its `shell` once, and says how it begins (`begin`, each time it comes to the front), what it
    looks at (`look`), how it shows a link (`load`), how it changes theme (`restyle`), what stops when it goes behind
    another page (`leave`) and when it ends (`end`). `address.due = True` has the link written again.
    """

    notices: Any  #: where it says what was wrong
    period = 40
    saving: Any = None  #: records what the page shows as a file that plays; None where nothing moves
    _dark = False

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.linked = True  #: whether the address bar follows the page
        self.address = AddressBar()
        self._callback: Any = None
        self._behind: Any = None  #: while it stands behind another page and is still being saved
        self._closed = False
        self._faults: set[tuple[type, str, int | None]] = set()  #: places in the program that have failed

    def begin(self) -> None:
        """Start what is to be shown, unless it has been."""

    def look(self) -> None:
        """Show what the workers have; called under the document's lock."""

    def leave(self) -> None:
        """Go behind another page: what is not to go on there stops."""

    def end(self) -> None:
        """Stop the workers."""

    @property
    def active(self) -> bool:
        """Whether it is in front."""
        return self._callback is not None

    def restyle(self, dark: bool) -> None:
        """Draw in another theme."""

    def dark(self, dark: bool) -> None:
        """Change theme."""
        if dark != self._dark:
            self._dark = dark
            with in_order():
                self.restyle(dark)

    def _tick(self) -> None:
        with in_order():
            try:
                self.look()
            except Exception as fault:
                self._not_shown(fault)
            if self.linked:
                self.address.follow(self.query)
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
        if self._closed or self.active:
            return
        self.begin()
        self.address.due = True
        self._callback = pn.io.PeriodicCallback(callback=self._tick, period=self.period, background=True, log=False)
        self._callback.start()

    def deactivate(self) -> None:
        """Go behind another page; what is under way is finished, and shown on return."""
        if self.active:
            self._stand_still()
            self.watch_saving()

    def rest(self) -> None:
        """Stand still while nobody is connected; a file that is finished meanwhile waits for the first look after."""
        self._stop_behind()
        if self.active:
            self._stand_still()

    def watch_saving(self) -> None:
        """Look at a file that is being saved although this page is behind another."""
        if not self.active and not self._closed and self.saving is not None and self.saving.going and self._behind is None:
            self._behind = pn.io.PeriodicCallback(callback=self._look_behind, period=BEHIND, background=True, log=False)
            self._behind.start()

    def _look_behind(self) -> None:
        """Say how far the saving is, and hand over the file, until it is done or this page is in front again."""
        with in_order():
            self.saving.look()
        if self.active or not self.saving.going:
            self._stop_behind()

    def _stop_behind(self) -> None:
        if self._behind is not None:
            self._behind.stop()
            self._behind = None

    def _stand_still(self) -> None:
        self._stop()
        self.leave()

    def _stop(self) -> None:
        if self.active:
            self._callback.stop()
            self._callback = None

    def close(self) -> None:
        """End for good."""
        if not self._closed:
            self._closed = True
            self._stop()
            self._stop_behind()
            self.end()

    def __panel__(self) -> Any:
        """Return the layout; the work starts once the browser has loaded it."""
        close_with_session(self.close)
        pn.state.onload(self.activate)
        return self.shell


def close_with_session(close: Callable[[], None]) -> None:
    """Call `close` when the visit ends, where there is one: a notebook has none."""
    document = pn.state.curdoc
    if document is not None and document.session_context is not None:
        pn.state.on_session_destroyed(lambda context: close())
