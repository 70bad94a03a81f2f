"""`PageResources`: the scripts and style sheets that a page asks for, looked up once; they are the same for each visit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bokeh.model import Model
from panel.config import panel_extension
from panel.io import resources as panel_resources
from panel.io import server
from panel.io.state import state

from app.server_parts import replace

MOST = 64
"""Lists that are kept: one for each path that the server is reached by, and for each class that is loaded late."""


class PageResources:
    """Stands for Panel's own look-up, which asks the disk 1,600 times whether a file is there.

    It runs on the thread that serves all pages, and each question lets go of the interpreter: with 20 visits at work it
    kept all of them waiting for longer than anything else at the opening of one more.

    Parameters
    ----------
    look_up
        Panel's `bundle_resources`.
    """

    def __init__(self, look_up: Callable[..., Any]) -> None:
        self._look_up = look_up
        self._found: dict[tuple[Any, ...], Any] = {}

    def __call__(self, roots: Any, resources: Any, *more: Any, **named: Any) -> Any:
        """Return what the head of a page asks for; asked otherwise than for a page, it is looked up each time."""
        if more or named:
            return self._look_up(roots, resources, *more, **named)
        formulas = bool(panel_resources._use_mathjax(roots) or panel_resources._panel_use_mathjax(roots)
                        or "mathjax" in panel_extension._loaded_extensions)
        extensions = None if state._extensions is None else tuple(sorted(state._extensions))
        key = (resources.mode, resources.root_url, getattr(resources, "absolute", False), state.rel_path, state.base_url,
               formulas, extensions, len(Model.model_class_reverse_map))
        if key not in self._found:
            if len(self._found) >= MOST:
                self._found.clear()
            self._found[key] = self._look_up(roots, resources, enable_mathjax=formulas)
        return self._found[key]


def look_up_once() -> None:
    """Have the pages of this process share what is looked up."""
    if not isinstance(server.bundle_resources, PageResources):
        replace(server, "bundle_resources", PageResources(server.bundle_resources))
