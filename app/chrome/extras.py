"""`Extra` and `VisitExtra`: hooks by which the folders of `app/extras` add to the dashboard, which imports none of them."""

from __future__ import annotations

import argparse
import functools
import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

from app.visit import Visit

FOLDERS = ("classroom", "lab_file")
"""Folders of `app/extras`, in the order in which their hooks are called; a folder that does not exist is left out."""

Tell = Callable[[dict[str, Any]], None]
"""Shows a note below Share; see `Header.note`."""


class Extra:
    """What a feature adds to the command line, to a server and to each visit; by default nothing.

    Its folder has a module `extra` with an instance `EXTRA` of a subclass.
    """

    stay: tuple[str, ...] = ()  #: URL parameters that belong to no page and lead back to the same place

    def add_commands(self, commands: Any) -> None:
        """Add commands of ``python -m app``, each with a default `run`: it takes its arguments, returns the exit code."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add what ``panel serve app --args`` takes; the `type` of an argument raises ArgumentTypeError out of its range."""

    def visits(self, options: argparse.Namespace) -> int:
        """Return for how many visits at once a server must have room because of this feature."""
        return 0

    def server_starts(self, options: argparse.Namespace) -> None:
        """Prepare what all visits of this process share."""

    def join(self, visit: Visit, query: dict[str, Any], options: argparse.Namespace) -> VisitExtra | None:
        """Return what the feature adds to a new visit, whose URL has these parameters."""
        return None


class VisitExtra:
    """What a feature adds to one visit; by default nothing."""

    words: tuple[str, ...] = ()  #: sentences to show on arrival
    tool: Any = None  #: component in the header, before the buttons of the dashboard
    entry: tuple[str, str, str] | None = None  #: key, icon and label in the menu beside Share

    def query(self, query: dict[str, Any]) -> dict[str, Any]:
        """Return the URL parameters to open with."""
        return query

    def story(self, frame: Any) -> Any:
        """Return the guided story of this visit (an `app.lessons.story.Story`), or None: the usual one."""
        return None

    def begin(self, dark: bool) -> bool:
        """Bring a page of the feature's own to the front; False where it has none, and the visit's own page is shown."""
        return False

    def front(self, page: Any, label: str) -> None:
        """Take notice of the page that has come to the front."""

    def lesson(self, link: str | None) -> None:
        """Take notice of the lesson that has been opened, as the URL has it; None: closed."""

    def offers(self, page: Any) -> bool:
        """Return whether its entry beside Share is shown for a page."""
        return False

    def press(self, page: Any, choice: str, tell: Tell) -> None:
        """Take the entry (`choice` is empty) or, by its key, a button of its notes; their `action` is the entry's key."""


@functools.cache
def registered() -> tuple[Extra, ...]:
    """Return the extras whose folders exist."""
    modules = [f"app.extras.{folder}.extra" for folder in FOLDERS if importlib.util.find_spec(f"app.extras.{folder}")]
    return tuple(importlib.import_module(module).EXTRA for module in modules)


def staying() -> tuple[str, ...]:
    """Return the URL parameters of all extras that lead back to the same place."""
    return tuple(name for extra in registered() for name in extra.stay)
