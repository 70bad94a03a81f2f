"""Runs once when the server starts: heavy imports before the first visitor, one harmless message silenced."""

from __future__ import annotations

import logging
from typing import Any


class _ClosedTab(logging.Filter):
    """Drops the traceback that asyncio logs when a tab is closed while a frame is on its way to it."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not (record.exc_info and type(record.exc_info[1]).__name__ == "WebSocketClosedError")


def on_server_loaded(server_context: Any) -> None:
    """Import the pages, so that the first session does not wait for it."""
    logging.getLogger("asyncio").addFilter(_ClosedTab())
    import app.chrome.frame
    import app.pages.live  # noqa: F401
