"""`unlink_busy`: a page that does not show whether the server is busy, and costs other visits nothing for it."""

from __future__ import annotations

from typing import Any

import panel as pn
from panel.util import edit_readonly


def unlink_busy(page: Any) -> None:
    """Set a page's `busy` to a plain value and let the server forget the page.

    A `pmui.Page` follows `pn.state.busy`, which changes twice with every message of any visit. A plain value ends the
    link but not the watcher: each visit, those long gone among them, would make every message of all visits dearer.
    """
    with edit_readonly(page):
        page.busy = False
    for watcher in list(pn.state.param.watchers.get("busy", {}).get("value", ())):
        if getattr(getattr(watcher.fn, "__self__", None), "self", None) is page:
            pn.state.param.unwatch(watcher)
