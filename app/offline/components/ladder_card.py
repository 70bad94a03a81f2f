"""The ladder's card: a canvas of chains, and the transport that plays it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import param

from app.widgets.component import LabComponent

MOST_IN_FLIGHT = 3
PATIENCE = 1.0
"""Seconds after which a frame that was never painted is forgotten."""


class LadderCard(LabComponent):
    """Paints frames that `send` packs; `acts` are called for `press`, `speed`, `seek`, `zoom` and `csv`."""

    _source = "ladder_card"

    title = param.String("")
    subtitle = param.String("")
    names = param.List(["θ₁", "θ₂"], doc="Of the two axes.")
    betas = param.List([], doc="Words of each rung's inverse temperature.")
    per_rung = param.Integer(1, doc="Frames a rung.")
    reach = param.Integer(0, doc="Index of the last frame that can be shown.")
    playing = param.Boolean(True)
    speed = param.Integer(0)
    speeds = param.List([], doc="Words of each speed.")
    zoom = param.String("follow")
    progress = param.Number(None, allow_None=True, doc="In [0, 1]; negative: no end in sight.")
    working = param.String("")
    empty = param.String("", doc="Words in place of the picture.")
    spoken = param.String("", doc="What the picture shows, for a screen reader.")
    filename = param.String("ladder")

    def __init__(self, acts: dict[str, Callable], **params: Any) -> None:
        self._acts = acts
        self._sent = self._painted = 0
        self._since = 0.0
        super().__init__(sizing_mode="stretch_both", **params)

    @property
    def ready(self) -> bool:
        """Whether the browser can take another frame; a lost one is not waited for."""
        return self._sent - self._painted < MOST_IN_FLIGHT or time.monotonic() - self._since > PATIENCE

    def send(self, frame: bytes, readouts: list[str]) -> None:
        """Show a frame (see `Stage.message`) with its readouts: rung, beta, step, gradients, full ones."""
        if self._sent == self._painted:
            self._since = time.monotonic()
        self._sent += 1
        self._send_msg({"frame": frame, "readouts": readouts, "seq": self._sent})

    def on_painted(self, seq: int) -> None:
        """Take the browser's word that a frame is on the screen."""
        self._painted = max(self._painted, min(int(seq), self._sent))
        self._since = time.monotonic()

    def on_ready(self) -> None:
        """Take the greeting of a new view: it has no frame yet."""
        self._painted = self._sent
        self._acts["ready"]()

    def on_press(self, name: str) -> None:
        """Take a button: play, step or restart."""
        if name in ("play", "step", "restart"):
            self._acts[name]()

    def on_speed(self, index: int) -> None:
        """Take the speed slider."""
        self._acts["speed"](min(max(int(index), 0), len(self.speeds) - 1))

    def on_seek(self, frame: int) -> None:
        """Take the slider of frames."""
        self._acts["seek"](int(frame))

    def on_zoom(self, value: str) -> None:
        """Take the segmented control."""
        self._acts["zoom"](str(value))

    def on_csv(self) -> None:
        """Send the rungs as CSV text."""
        text = self._acts["csv"]()
        if text:
            self._send_msg({"csv": text})
