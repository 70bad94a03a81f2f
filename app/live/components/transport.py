"""The transport bar: play, step, epoch, restart, speed, rewind, and the readouts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import param

from app.number_words import scientific
from app.state.live import SPEEDS
from app.widgets.component import LabComponent

if TYPE_CHECKING:
    from app.live.snapshot import Snapshot


class Transport(LabComponent):
    """Sends `press(name)` for a button and `rewind(t)`; readouts arrive as one small message a frame."""

    _source = "transport"

    labels = param.List([label for label, _, _ in SPEEDS], doc="Words of each speed.")
    speed = param.Integer(0, allow_refs=True)
    playing = param.Boolean(False)
    step = param.List(["η<sub>t</sub>", "= η₀/(t + c)"], doc="HTML of the step's symbol, and what it is.", allow_refs=True)
    marks = param.List([], doc="Epochs of the events, ticked on the rewind slider.")

    def __init__(self, press: Callable[[str], None], set_speed: Callable[[int], None],
                 rewind: Callable[[int], None], **params: object) -> None:
        self._press, self._set_speed, self._rewind = press, set_speed, rewind
        self._last: list | None = None
        super().__init__(sizing_mode="stretch_width", **params)

    def show(self, snapshot: Snapshot) -> None:
        """Send the readouts that changed."""
        message = [snapshot.t, snapshot.step, snapshot.run_length, scientific(snapshot.step_size),
                   snapshot.furthest, snapshot.playing]
        if message != self._last:
            self._last = message
            self._send_msg(message)

    def resend(self) -> None:
        """Send the readouts again (a view has just been made)."""
        if self._last is not None:
            self._send_msg(self._last)

    def on_ready(self) -> None:
        """Answer a new view with the present readouts."""
        self.resend()

    def on_press(self, name: str) -> None:
        """Take a button or its key; the browser hears again how things stand, also where nothing comes of it."""
        self._last = None
        self._press(str(name))

    def on_speed(self, index: int) -> None:
        """Take the speed slider."""
        if 0 <= index < len(self.labels):
            self._set_speed(int(index))

    def on_rewind(self, t: float) -> None:
        """Take the rewind slider."""
        self._rewind(int(t))
