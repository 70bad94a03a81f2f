"""`AddressBar`: a page's state written to the browser's address bar, so that a reload or a sent link shows the same."""

from __future__ import annotations

import time
from collections.abc import Callable

import panel as pn

URL_EVERY = 0.4
"""Seconds between two writings of the state to the address bar."""


class AddressBar:
    """Writes a page's state to the address bar, now and then, once something has changed (`due`)."""

    def __init__(self) -> None:
        self.due, self._at = True, 0.0

    def follow(self, query: Callable[[], dict[str, str]]) -> None:
        """Write the state if it is time."""
        now = time.monotonic()
        if self.due and now - self._at > URL_EVERY and pn.state.location is not None:
            self.due, self._at = False, now
            pn.state.location.update_query(**query())
