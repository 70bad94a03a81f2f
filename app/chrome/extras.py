"""`Extra` and `VisitExtra`: hooks of the folders of `app/extras`, none of which the dashboard imports."""

from __future__ import annotations

import argparse
import functools
import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

from app.visit import Visit

FOLDERS = ("classroom", "lab_file")
"""Folders of `app/extras`, in the order of their hooks; missing folders are skipped."""

Notify = Callable[[dict[str, Any]], None]
"""Displays a note below Share; see `Header.note`."""


class Extra:
    """Hooks of a feature for the command line, the server and each visit; the defaults add nothing.

    The feature's folder has a module `extra` with an instance `EXTRA` of a subclass.
    """

    stay: tuple[str, ...] = ()  #: URL parameters kept across pages, which lead back to the same place

    def add_commands(self, commands: Any) -> None:
        """Add commands of ``python -m app``, each with a default `run(arguments)` that returns the exit code."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add arguments of ``panel serve app --args``; the `type` of one raises ArgumentTypeError outside its range."""

    def visits(self, options: argparse.Namespace) -> int:
        """Return the number of additional visits that a server must admit for this feature."""
        return 0

    def server_starts(self, options: argparse.Namespace) -> None:
        """Prepare the state shared by all visits of this process."""

    def join(self, visit: Visit, query: dict[str, Any], options: argparse.Namespace) -> VisitExtra | None:
        """Return the feature's part of a new visit, from its URL parameters; None for none."""
        return None


class VisitExtra:
    """Part of a feature in one visit; the defaults add nothing."""

    words: tuple[str, ...] = ()  #: messages displayed at first
    tool: Any = None  #: component in the header, before the buttons of the dashboard
    entry: tuple[str, str, str] | None = None  #: key, icon and label in the menu beside Share

    def query(self, query: dict[str, Any]) -> dict[str, Any]:
        """Return the URL parameters with which the visit opens."""
        return query

    def story(self, frame: Any) -> Any:
        """Return the guided story of this visit, an `app.lessons.story.Story`, or None for the default one."""
        return None

    def begin(self, dark: bool) -> bool:
        """Bring the feature's own page to the front and return True; False if it has none."""
        return False

    def front(self, page: Any, label: str) -> None:
        """Handle a change of the page in front."""

    def lesson(self, link: str | None) -> None:
        """Handle the opening of a lesson, by its URL parameter; None when it is closed."""

    def offers(self, page: Any) -> bool:
        """Return whether the entry beside Share is visible for a page."""
        return False

    def press(self, page: Any, choice: str, notify: Notify) -> None:
        """Handle the entry (`choice` is empty) or a button of its notes (`choice` is its key)."""


@functools.cache
def registered() -> tuple[Extra, ...]:
    """Return the extras whose folders exist."""
    modules = [f"app.extras.{folder}.extra" for folder in FOLDERS if importlib.util.find_spec(f"app.extras.{folder}")]
    return tuple(importlib.import_module(module).EXTRA for module in modules)


def staying() -> tuple[str, ...]:
    """Return the `stay` parameters of all extras."""
    return tuple(name for extra in registered() for name in extra.stay)
