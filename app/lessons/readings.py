"""What a lesson's card says of the run beneath it: the very numbers that the page shows at that moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.pages.live import LivePage


def shown_numbers(page: LivePage) -> list[list[str]]:
    """Return [label, text] of the accuracy chart's last value and of the verdict's meters; empty while too early."""
    accuracy = page.stack.accuracy_shown
    if not accuracy or page.verdict.kind == "waiting":
        return []
    return [["accuracy", accuracy], *([label, text] for label, text, *_ in page.verdict.meters)]
