"""`ChainCanvas`: component that paints the chains, their target and their balls in the browser."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import param

from app.canvas.frame_bytes import encode
from app.js.component import LabComponent
from app.js.messages import is_whole
from app.theme import TOKENS

if TYPE_CHECKING:
    from app.canvas.frame_bytes import Cloud

MOST_IN_FLIGHT = 2
"""Number of sent, unpainted frames from which a sender should wait."""

PATIENCE = 2.0
"""Timeout in seconds: without an acknowledgement for this long, the frame or its answer is taken as lost."""


class ChainCanvas(LabComponent):
    """K chains with trails, target, balls and labels on one canvas.

    `send` packs a frame into one binary message; the browser acknowledges it once painted (`painted`), so a
    sender that respects `ready` never fills a queue. Contours and older balls are sent only when they change,
    and again when a view appears (late, reconnected or second). Set a height: the canvas fills its container.
    """

    palette = param.Dict(default={}, doc="Colours of the theme by token name; set by `dark`.")
    dark = param.Boolean(default=False, doc="Dark theme: selects the palette and the opacity of fills.")
    font = param.String(default="Roboto, Arial, sans-serif", doc="Font stack of the labels.")
    rungs = param.List(default=[], item_type=str, doc="Label of β for each rung of a temperature ladder, on which t is the"
                       " rung; empty without a ladder.")
    spoken = param.String(doc="Description for screen readers; empty: epoch, chains, exits and resets.")
    filename = param.String(doc="Name of the saved picture, without extension; empty: chains_t<epoch>.")
    axes = param.List(default=["θ₁", "θ₂"], item_type=str, doc="Names of the two axes; set by `send`.")
    answered = param.Integer(default=1, bounds=(1, None), doc="Frames per acknowledgement of the browser; one costs the"
                             " server as much as a frame.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._retheme()
        self._sent = self._acknowledged = self._coordinates = 0
        self._waiting_since = 0.0
        self._last: dict[str, Any] | None = None
        self._last_cloud: Cloud | None = None
        self.painted: Callable[[], None] = lambda: None  #: called after each painted frame, when the next can be sent
        self.followed: Callable[[int | None], None] = lambda chain: None
        """Called with the chain, from 0, that the user selects, or with None when the user deselects it. The picture marks
        the selection immediately; send frames with that `follow` to keep it."""
        self.param.watch(self._retheme, "dark")

    @property
    def in_flight(self) -> int:
        """Number of frames sent and not yet painted by any view."""
        return self._sent - self._acknowledged

    @property
    def ready(self) -> bool:
        """Whether to send the next frame now.

        True if fewer than `MOST_IN_FLIGHT` acknowledgements are pending, if nothing was painted for `PATIENCE`
        seconds (lost connection, hidden tab), or if no view exists.
        """
        return self.in_flight < MOST_IN_FLIGHT * self.answered or self._late or not self._models

    @property
    def _late(self) -> bool:
        return time.monotonic() - self._waiting_since > PATIENCE

    def send(
        self, cloud: Cloud, frame: int, t: int, run: int, follow: int | None = None, rescaled: bool = False
    ) -> None:
        """Display a frame.

        Parameters
        ----------
        cloud
            The chains and their surroundings, in the two plotted coordinates.
        frame, t, run
            Snapshot number, epoch (or rung, from 1), run number; trails are cleared when `run` changes.
        follow
            Chain for which trail, checkpoint and acceptance ball are drawn, or None.
        rescaled
            Whether positions are multiplied by sqrt(t + c): radii are then constants.
        """
        last, axes = self._last, list(cloud.axis_names)
        coordinates = self._coordinates + bool(last and (rescaled != last["rescaled"] or axes != self.axes))
        scenery = last is None or last["run"] != run or self._changed(cloud)
        now = {"frame": frame, "t": t, "run": run, "follow": follow, "rescaled": rescaled, "coordinates": coordinates}
        data = encode(cloud, sequence=self._sent + 1, scenery=scenery, **now)
        self._last, self._last_cloud, self._coordinates = now, cloud, coordinates
        self.axes = axes
        self._send_frame(data)

    def export_png(self) -> None:
        """Make the browser download the picture as a PNG, on the card's background."""
        self._send_msg({"save": True})

    def _changed(self, cloud: Cloud) -> bool:
        """Return whether contours or older balls differ from those sent last."""
        old = self._last_cloud
        if len(old.contours) != len(cloud.contours) or len(old.balls) != len(cloud.balls):
            return True
        loops = zip(old.contours, cloud.contours, strict=True)
        balls = zip(old.balls, cloud.balls, strict=True)
        return not (all(a is b or np.array_equal(a, b) for a, b in loops)
                    and all(a[0] == b[0] and a[2] == b[2] and np.array_equal(a[1], b[1]) for a, b in balls))

    def _send_frame(self, data: bytes) -> None:
        if self.in_flight == 0 or self._late:
            self._waiting_since = time.monotonic()
        self._sent += 1
        self._send_msg(data)

    def _handle_msg(self, data: Any) -> None:
        """Handle an acknowledgement (a number), a selected chain ({follow}) or the first message of a view ({hello})."""
        if isinstance(data, dict):
            if "hello" in data and self._last_cloud is not None:  # a new view starts without a frame
                self._send_frame(encode(self._last_cloud, sequence=self._sent + 1, **self._last))
            elif "follow" in data and (data["follow"] is None or is_whole(data["follow"])):
                self.followed(None if data["follow"] is None else int(data["follow"]))
            return
        if not is_whole(data):
            return
        # With two views, the faster acknowledgement counts; one for an older frame is ignored.
        self._acknowledged = max(self._acknowledged, min(int(data), self._sent))
        self._waiting_since = time.monotonic()
        self.painted()

    def _retheme(self, *_: Any) -> None:
        self.palette = TOKENS["dark" if self.dark else "light"]
