"""`Connection`: whether the browser of the present session is there."""

from __future__ import annotations

import time
from collections.abc import Callable

import panel as pn

FIRST = 60.0
"""Seconds that a page may take to connect for the first time."""


class Connection:
    """Knows the session that is being made; outside a server there is always somebody."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        document = pn.state.curdoc
        self._context = None if document is None else document.session_context
        self._clock, self._made, self._met = clock, clock(), False

    @property
    def here(self) -> bool:
        """Whether a browser is connected, or may still connect."""
        if self._context is None:
            return True
        if self._context.destroyed:
            return False
        session = self._context.session
        if session is not None and session.connection_count:
            self._met = True
            return True
        return not self._met and self._clock() - self._made < FIRST
