"""The pages of the dashboard, in the order of their tabs. A page's tab appears when the page works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class PageEntry(NamedTuple):
    """One tab. `build(query, dark)` makes the page from URL parameters when its tab is first opened."""

    key: str  #: value of `page` in the URL
    label: str
    build: Callable[[dict[str, Any], bool], Any]


def _live(query: dict[str, Any], dark: bool) -> Any:
    from app.pages.live import LivePage

    return LivePage.from_query(query, dark=dark)


def _exit_time(query: dict[str, Any], dark: bool) -> Any:
    from app.pages.exit_time import ExitTimePage

    return ExitTimePage.from_query(query, dark=dark)


def _tune(query: dict[str, Any], dark: bool) -> Any:
    from app.pages.tune import TunePage

    return TunePage.from_query(query, dark=dark)


def _offline(query: dict[str, Any], dark: bool) -> Any:
    from app.pages.offline import OfflinePage

    return OfflinePage.from_query(query, dark=dark)


def _compare(query: dict[str, Any], dark: bool) -> Any:
    from app.pages.compare import ComparePage

    return ComparePage.from_query(query, dark=dark)


def _coreset(query: dict[str, Any], dark: bool) -> Any:
    from app.pages.coreset import CoresetPage

    return CoresetPage.from_query(query, dark=dark)


PAGES: list[PageEntry] = [PageEntry("live", "Live", _live), PageEntry("exit", "Exit time", _exit_time),
                          PageEntry("tune", "Tune", _tune), PageEntry("compare", "Compare", _compare),
                          PageEntry("offline", "Offline", _offline),
                          PageEntry("coreset", "Coreset", _coreset)]
"""A page is a `Viewer` with `dark(bool)`, `activate()`, `deactivate()` and `close()`."""
