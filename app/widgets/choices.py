"""What a person chooses with a press: one of several, switches, presets, buttons that start and stop work."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import param

from app.js.component import LabComponent

if TYPE_CHECKING:
    from app.jobs.background_job import JobUpdate


class Segments(LabComponent):
    """`changed(value)` is called when the user chooses."""

    label = param.String("")
    spoken = param.String("", doc="Name for a screen reader, where the label says less.")
    options = param.List([], allow_refs=True, doc="[value, words] of each.")
    value = param.String("")
    refused = param.Dict({}, allow_refs=True, doc="Value -> why it cannot be chosen, a sentence.")

    def __init__(self, changed: Callable[[str], None], **params: Any) -> None:
        self._changed = changed
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def on_choose(self, value: str) -> None:
        """Take a choice."""
        if value in [option for option, _ in self.options] and value not in (self.value, *self.refused):
            self.value = value
            self._changed(value)


class Menu(LabComponent):
    """A drop-down menu, the browser's own, which keyboard and screen reader can open. `value` is one of `options`."""

    label = param.String("")
    small = param.Boolean(False, doc="Whether the label is for a screen reader alone.")
    words = param.List([], doc="Of the options, in their order.")
    chosen = param.Integer(-1, doc="Index of the option on show; -1: none.")
    options = param.Dict({}, doc="Words -> value.")
    value = param.Parameter(None, doc="Of the chosen option.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0} | params)
        self.param.watch(lambda *events: self._show(), ["options", "value"])
        self._show()

    def _show(self) -> None:
        values = list(self.options.values())
        self.param.update(words=list(self.options), chosen=values.index(self.value) if self.value in values else -1)

    def on_choose(self, index: int) -> None:
        """Take an option by its index."""
        values = list(self.options.values())
        if 0 <= index < len(values):
            self.value = values[int(index)]


class SwitchList(LabComponent):
    """`changed(key, on)` is called when the user turns a switch."""

    label = param.String("", doc="Name of the list for a screen reader.")
    rows = param.List([], allow_refs=True,
                      doc="[key, label, mark, token, reason] of each: why it is off limits, or empty; then help, and the"
                      " term of the glossary that the label is.")
    active = param.List([], allow_refs=True, doc="Keys that are on.")
    warns = param.List([], doc="Keys whose name stands out while they are off.")

    def __init__(self, changed: Callable[[str, bool], None], **params: Any) -> None:
        self._changed = changed
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def on_turn(self, key: str, on: bool) -> None:
        """Take a switch."""
        if any(row[0] == key and not row[4] for row in self.rows):
            self._changed(key, bool(on))


class PresetButtons(LabComponent):
    """`choose(key)` is called when a picture is chosen."""

    presets = param.List([], doc="[key, label, what it shows] of each.")
    chosen = param.String("", doc="Key of the present one.")
    says = param.String("", doc="What it shows.")

    def __init__(self, choose: Callable[[str], None], **params: object) -> None:
        self._choose = choose
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def on_choose(self, key: str) -> None:
        """Take a picture to try."""
        if key in [preset for preset, *_ in self.presets]:
            self._choose(key)


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
        self.start_run, self._cancel, self._other = run, cancel, other
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def show(self, update: JobUpdate, count: str = "") -> None:
        """Show how a background's work stands."""
        words = "Cancelled: what was done stays." if update.cancelled else update.words
        self.param.update(
            running=not update.done, fraction=None if update.fraction is None else round(update.fraction, 3),
            count=count, left=update.left, words=words, error=update.error)

    def on_run(self) -> None:
        """Take the primary button."""
        self.start_run()

    def on_cancel(self) -> None:
        """Take Cancel."""
        self._cancel()

    def on_other(self, key: str) -> None:
        """Take a further button."""
        if self._other is not None and key in [button for button, *_ in self.others]:
            self._other(key)
