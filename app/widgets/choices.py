"""Segmented controls, menus, switches, presets, and buttons that start and stop work."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import param

from app.js.component import LabComponent

if TYPE_CHECKING:
    from app.jobs.background_job import JobUpdate


class Segments(LabComponent):
    """Segmented control; `changed(value)` is called when the user chooses."""

    label = param.String("")
    spoken = param.String("", doc="Name for screen readers, if the label is not enough.")
    options = param.List([], allow_refs=True, doc="[value, label] of each option.")
    value = param.String("")
    refused = param.Dict({}, allow_refs=True, doc="Disabled value -> reason, a sentence.")

    def __init__(self, changed: Callable[[str], None], **params: Any) -> None:
        self._changed = changed
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def on_choose(self, value: str) -> None:
        """Handle a choice."""
        if value in [option for option, _ in self.options] and value not in (self.value, *self.refused):
            self.value = value
            self._changed(value)


class Menu(LabComponent):
    """Drop-down menu: a native select element, accessible by keyboard and screen reader. `value` is one of `options`."""

    label = param.String("")
    small = param.Boolean(False, doc="Whether the label is for screen readers only.")
    words = param.List([], doc="Labels of the options.")
    chosen = param.Integer(-1, doc="Index of the selected option; -1 for none.")
    options = param.Dict({}, doc="Label -> value.")
    value = param.Parameter(None, doc="Value of the selected option.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0} | params)
        self.param.watch(lambda *events: self._show(), ["options", "value"])
        self._show()

    def _show(self) -> None:
        values = list(self.options.values())
        self.param.update(words=list(self.options), chosen=values.index(self.value) if self.value in values else -1)

    def on_choose(self, index: int) -> None:
        """Handle the choice of an option by its index."""
        values = list(self.options.values())
        if 0 <= index < len(values):
            self.value = values[int(index)]


class SwitchList(LabComponent):
    """List of switches; `changed(key, on)` is called when the user turns one."""

    label = param.String("", doc="Name of the list for screen readers.")
    rows = param.List([], allow_refs=True,
                      doc="[key, label, mark, token, reason] of each, where reason says why it is disabled; then optionally"
                      " help and the label's glossary term.")
    active = param.List([], allow_refs=True, doc="Keys of the switches that are on.")
    warns = param.List([], doc="Keys with a highlighted label while off.")

    def __init__(self, changed: Callable[[str, bool], None], **params: Any) -> None:
        self._changed = changed
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def on_turn(self, key: str, on: bool) -> None:
        """Handle a switch."""
        if any(row[0] == key and not row[4] for row in self.rows):
            self._changed(key, bool(on))


class PresetButtons(LabComponent):
    """Buttons of presets; `choose(key)` is called when one is chosen."""

    presets = param.List([], doc="[key, label, description] of each.")
    chosen = param.String("", doc="Key of the current preset.")
    says = param.String("", doc="Description of the current preset.")

    def __init__(self, choose: Callable[[str], None], **params: object) -> None:
        self._choose = choose
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def on_choose(self, key: str) -> None:
        """Handle the choice of a preset."""
        if key in [preset for preset, *_ in self.presets]:
            self._choose(key)


class RunButtons(LabComponent):
    """Primary button, Cancel while work is running, further buttons below, progress as text and as a bar.

    Parameters
    ----------
    run
        Callback of the primary button.
    cancel
        Callback of Cancel.
    other
        Callback of a further button, with its key.
    """

    label = param.String("Run")
    others = param.List([], doc="[key, label, tooltip] of each further button.")
    pressed = param.String("", doc="Key of the further button of the displayed result.")
    running = param.Boolean(False)
    fraction = param.Number(None, allow_None=True, doc="Completed fraction in [0, 1]; None if unknown.")
    count = param.String("", doc='Progress, such as "117 of 117 cells".')
    left = param.String("", doc="Remaining time.")
    words = param.String("", doc="Current activity, or outcome.")
    error = param.String("", doc="Error message.")

    def __init__(self, run: Callable[[], None], cancel: Callable[[], None],
                 other: Callable[[str], None] | None = None, **params: Any) -> None:
        self.start_run, self._cancel, self._other = run, cancel, other
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def show(self, update: JobUpdate, count: str = "") -> None:
        """Display the state of a job."""
        words = "Cancelled: the results so far are kept." if update.cancelled else update.words
        self.param.update(
            running=not update.done, fraction=None if update.fraction is None else round(update.fraction, 3),
            count=count, left=update.left, words=words, error=update.error)

    def on_run(self) -> None:
        """Handle the primary button."""
        self.start_run()

    def on_cancel(self) -> None:
        """Handle Cancel."""
        self._cancel()

    def on_other(self, key: str) -> None:
        """Handle a further button."""
        if self._other is not None and key in [button for button, *_ in self.others]:
            self._other(key)
