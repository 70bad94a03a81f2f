"""What a lesson's card says of the run beneath it, in a few numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.live.snapshot import Snapshot


class Numbers:
    """Reads snapshots; the accuracy travels with few of them, so the last one is kept."""

    def __init__(self) -> None:
        self._accuracy = ""

    def clear(self) -> None:
        """Forget the run before."""
        self._accuracy = ""

    def rows(self, snapshot: Snapshot) -> list[list[str]]:
        """Return [label, text] of the accuracy and of three of the verdict's meters; empty while too early."""
        series = snapshot.series
        if series is not None and series.accuracy.size and series.known_from is not None:
            self._accuracy = f"{series.accuracy[-1]:.2f}"
        if not self._accuracy or snapshot.verdict is None or snapshot.verdict.kind == "waiting":
            return []
        meters = [[meter.label, meter.text] for meter in snapshot.meters if meter.key != "width"]
        return [["accuracy", self._accuracy], *meters]
