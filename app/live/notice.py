"""The one notice of a Live run: compiling, replaying, the moment of a link, the end of the stream, an error."""

from __future__ import annotations

from typing import Any

from app.live.snapshot import Snapshot

ACTIONS = {"ended": "Restart", "error": "Go on", "arrived": "Play on"}
"""Notice kind -> words of its button."""
ELSEWHERE = ("diverged",)
"""Notice kinds that the verdict says, with its own button."""


def notice_of(snapshot: Snapshot) -> dict[str, Any]:
    """Return what `Notices.show` takes."""
    kind = snapshot.notice_kind or ""
    if kind in ELSEWHERE or not kind:
        return {"notice": "", "kind": ""}
    progress = None if snapshot.progress is None else round(snapshot.progress, 2)
    return {"notice": snapshot.notice or "", "kind": kind, "progress": progress, "action": ACTIONS.get(kind, "")}
