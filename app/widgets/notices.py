"""What the page has to say in words: a link that was wrong, compiling, replaying, the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import param

from app.widgets.component import LabComponent

if TYPE_CHECKING:
    from app.live.snapshot import Snapshot

ACTIONS = {"ended": "Restart", "error": "Restart"}
"""Notice kind -> words of its button."""

ELSEWHERE = ("diverged",)
"""Notice kinds that the verdict says, with its own button."""


class Notices(LabComponent):
    """Dismissible words about the link, and one notice of the engine with its progress and its button."""

    _source = "notices"

    words = param.List([], doc="Sentences the user can dismiss.")
    notice = param.String("")
    kind = param.String("")
    progress = param.Number(default=None, allow_None=True)
    action = param.String("")

    def __init__(self, act: Callable[[str], None], **params: object) -> None:
        self._act = act
        super().__init__(sizing_mode="stretch_width", **params)

    def show(self, snapshot: Snapshot) -> None:
        """Show the engine's notice when it changed."""
        said = snapshot.notice_kind in ELSEWHERE
        kind = "" if said else snapshot.notice_kind or ""
        progress = None if snapshot.progress is None else round(snapshot.progress, 2)
        news = {"notice": "" if said else snapshot.notice or "", "kind": kind, "progress": progress,
                "action": ACTIONS.get(kind, "")}
        if any(getattr(self, name) != value for name, value in news.items()):
            self.param.update(**news)

    def show_error(self, what: str, error: str) -> None:
        """Say what stopped and why, with a button to try again; take the notice away where there is no error."""
        if error:
            self.param.update(notice=f"{what}: {error}", kind="error", action="Try again")
        elif self.kind:
            self.param.update(notice="", kind="", action="")

    def on_dismiss(self, index: int) -> None:
        """Take away one sentence."""
        self.words = [words for i, words in enumerate(self.words) if i != int(index)]

    def on_act(self) -> None:
        """Take the notice's button."""
        self._act(self.kind)
