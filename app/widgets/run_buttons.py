"""The buttons that start and cancel work, its progress and its time left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param

from app.background_job import JobUpdate, time_left
from app.widgets.component import LabComponent


class RunButtons(LabComponent):
    """A primary button, Cancel while work is under way, more buttons below, progress in words and as a bar.

    Parameters
    ----------
    run
        Called when the primary button is pressed.
    cancel
        Called when Cancel is pressed.
    other
        Called with the key of another button.
    """

    _source = "run_buttons"

    label = param.String("Run")
    others = param.List([], doc="[key, label, what it does] of each further button.")
    pressed = param.String("", doc="Key of the further button that stands for what is shown.")
    running = param.Boolean(False)
    fraction = param.Number(None, allow_None=True, doc="In [0, 1]; None: no telling.")
    count = param.String("", doc='How far, such as "117 of 117 cells".')
    left = param.String("", doc="Time left.")
    words = param.String("", doc="What goes on, or how it ended.")
    error = param.String("", doc="Why it cannot run.")

    def __init__(self, run: Callable[[], None], cancel: Callable[[], None],
                 other: Callable[[str], None] | None = None, **params: Any) -> None:
        self._run, self._cancel, self._other = run, cancel, other
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def show(self, update: JobUpdate, count: str = "") -> None:
        """Show how a background's work stands."""
        words = "Cancelled: what was done stays." if update.cancelled else update.words
        self.param.update(
            running=not update.done, fraction=None if update.fraction is None else round(update.fraction, 3),
            count=count, left="" if update.done else time_left(update.seconds_left), words=words, error=update.error)

    def on_run(self) -> None:
        """Take the primary button."""
        self._run()

    def on_cancel(self) -> None:
        """Take Cancel."""
        self._cancel()

    def on_other(self, key: str) -> None:
        """Take a further button."""
        if self._other is not None and key in [known for known, *_ in self.others]:
            self._other(key)
