"""The ladder's card: a canvas of chains, and the transport that plays it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param
from panel.viewable import Child

from app.widgets.component import LabComponent


class LadderCard(LabComponent):
    """Holds the animated canvas; `acts` are called for play, step, restart, speed, seek, zoom, csv and png."""

    _source = "ladder_card"

    canvas = Child()
    title = param.String("")
    subtitle = param.String("")
    betas = param.List([], doc="Words of each rung's inverse temperature.")
    per_rung = param.Integer(1, doc="Frames a rung.")
    playing = param.Boolean(True)
    speed = param.Integer(0, allow_refs=True)
    speeds = param.List([], doc="Words of each speed.")
    zoom = param.String("follow", allow_refs=True)
    progress = param.Number(None, allow_None=True, doc="In [0, 1]; negative: no end in sight.")
    working = param.String("")
    empty = param.String("", doc="Words in place of the picture.")
    spoken = param.String("", doc="What the picture shows, for a screen reader.")
    filename = param.String("ladder")

    def __init__(self, acts: dict[str, Callable], **params: Any) -> None:
        self._acts = acts
        super().__init__(sizing_mode="stretch_both", **params)

    def tell(self, frame: int, rung: int, readouts: list[str]) -> None:
        """Show where the animation stands: rung, beta, step, gradients, full ones, in words."""
        self._send_msg({"frame": frame, "rung": rung, "readouts": readouts})

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

    def on_png(self) -> None:
        """Have the picture saved."""
        self._acts["png"]()

    def on_csv(self) -> None:
        """Send the rungs as CSV text."""
        text = self._acts["csv"]()
        if text:
            self._send_msg({"csv": text})
