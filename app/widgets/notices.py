"""What the page has to say in words: a link that was wrong, compiling, replaying, the end."""

from __future__ import annotations

from collections.abc import Callable

import param

from app.widgets.component import LabComponent


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

    def show(self, notice: str, kind: str, progress: float | None = None, action: str = "") -> None:
        """Show a notice, with a part done in [0, 1] and the words of its button; empty words take it away."""
        news = {"notice": notice, "kind": kind, "progress": progress, "action": action}
        if any(getattr(self, name) != value for name, value in news.items()):
            self.param.update(**news)

    def show_error(self, what: str, error: str) -> None:
        """Say what stopped and why, with a button to try again; take the notice away where there is no error."""
        if error:
            self.show(f"{what}: {error}", "error", action="Try again")
        else:
            self.show("", "")

    def on_dismiss(self, index: int) -> None:
        """Take away one sentence."""
        self.words = [words for i, words in enumerate(self.words) if i != int(index)]

    def on_act(self) -> None:
        """Take the notice's button."""
        self._act(self.kind)
