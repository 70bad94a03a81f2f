"""The pages of the dashboard, in the order of their tabs; each is named by its module and imported when it is built."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import Any, NamedTuple


class PageEntry(NamedTuple):
    """One page of the dashboard."""

    key: str  #: value of `page` in the URL
    label: str
    where: str  #: module and class, imported when a server starts, or a notebook first shows the page

    def load(self) -> Any:
        """Import the page, and return its class."""
        return resolve_name(self.where)


PAGES: dict[str, PageEntry] = {entry.key: entry for entry in (
    PageEntry("live", "Live", "app.pages.live:LivePage"),
    PageEntry("exit", "Exit time", "app.pages.exit_time:ExitTimePage"),
    PageEntry("tune", "Tune", "app.pages.tune:TunePage"),
    PageEntry("compare", "Compare", "app.pages.compare:ComparePage"),
    PageEntry("offline", "Offline", "app.pages.offline:OfflinePage"),
    PageEntry("coreset", "Coreset", "app.pages.coreset:CoresetPage"),
)}
"""Key -> page: a page is a `Viewer` with `dark(bool)`, `activate()`, `deactivate()` and `close()`."""
