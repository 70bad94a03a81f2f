"""Our parts in Bokeh's and Panel's server: the one place that changes what is theirs. A release of either may move a name.

`tests/app/test_server_parts.py` says which one has moved, and reads that no other file changes any.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from bokeh.server.urls import per_app_patterns

SOCKETS = "/ws"
"""Bokeh's route of sockets."""
REPLACED = {
    "bokeh.document.document": ("DocumentModelManager", "Deserializer"),  # app/message_tables.py
    "bokeh.io.doc": ("_PATCHED_CURDOCS",),  # app/documents_by_thread.py
    "bokeh.protocol.messages.patch_doc": ("Serializer",),  # app/message_tables.py
    "bokeh.server.contexts": ("ServerSession",),  # app/document_sender.py
    "bokeh.server.server": ("bind_sockets",),  # app/loopback.py
    "panel.io.document": ("_garbage_collect",),  # app/process_memory.py
    "panel.io.server": ("bundle_resources",),  # app/page_resources.py
}
"""Modules, and the names in them that a part of ours stands for."""


def replace(module: ModuleType, name: str, ours: Any) -> None:
    """Have a part of ours stand for what a module of Bokeh's or Panel's has under a name, from now on.

    Raises
    ------
    ValueError
        The name is not among `REPLACED`, or the installed release does not have it.
    """
    if name not in REPLACED.get(module.__name__, ()):
        raise ValueError(f"{module.__name__}.{name} is not among app.server_parts.REPLACED; add it there")
    if not hasattr(module, name):
        raise ValueError(f"{module.__name__} has no {name} in this release: see where it went, or install an older one")
    setattr(module, name, ours)


def extend_handlers(part_of: Callable[[str, type], type | None]) -> None:
    """Have the servers made from now on answer by handlers that are Bokeh's with a part of ours before it, once.

    Parameters
    ----------
    part_of
        Returns the part for a route and its handler, or None.
    """
    for at, (route, handler, *more) in enumerate(per_app_patterns):
        part = part_of(route, handler)
        if part is not None and not issubclass(handler, part):
            per_app_patterns[at] = (route, type(f"{part.__name__}{handler.__name__}", (part, handler), {}), *more)


def answer_at(route: str, handler: type) -> None:
    """Have the servers made from now on answer at a route of ours too, below an application's address."""
    if all(known is not handler for _, known, *_ in per_app_patterns):
        per_app_patterns.insert(0, (route, handler))
