"""A connection that leads nowhere is noticed by pings that nobody answers: its visit gives its place back."""

from __future__ import annotations

from bokeh.server.views.ws import WSHandler

PING_EVERY = 15.0
"""Seconds between two pings, and those for which an answer is waited: a network that broke without a word is known in 35 s.
A browser answers by itself, also for a tab in the background."""


def ping_visits() -> None:
    """Have the sockets that are opened from now on be pinged, and be closed where no answer comes."""
    WSHandler.ping_interval = WSHandler.ping_timeout = PING_EVERY
