"""What a lesson's card says of the run beneath it, in a few numbers."""

from __future__ import annotations

from typing import Any


def measured(snapshot: Any) -> list[list[str]]:
    """Return [label, text] of the accuracy and of the verdict's meters; empty while there is nothing."""
    if snapshot.verdict is None or snapshot.verdict.kind == "waiting":
        return []
    rows = []
    series = snapshot.series
    if series is not None and len(series.t) and series.accuracy.size:
        rows.append(["accuracy", f"{series.accuracy[-1]:.2f}"])
    rows += [[meter.label, meter.text] for meter in snapshot.meters if meter.key != "width"]
    return rows
