"""`ChainCanvas`: the chains, their target and their balls, painted in the browser."""

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
"""Frames sent and not yet painted, above which a sender should wait."""

PATIENCE = 2.0
"""Seconds without an acknowledgement after which waiting is over: the frame or its answer was lost."""


class ChainCanvas(LabComponent):
    """K chains with trails, target, balls and labels on one canvas.

    `send` packs a frame into one binary message; the browser answers once it is painted (`painted`), so a
    sender that respects `ready` never fills a queue. Contours and older balls travel only when they change,
    and again when a view appears (late, reconnected or second). Give it a height: it fills what it is given.
    """

    palette = param.Dict(default={}, doc="Colours of the theme by token name; set by `dark`.")
    dark = param.Boolean(default=False, doc="Dark theme: picks the palette and how strong fills are.")
    font = param.String(default="Roboto, Arial, sans-serif", doc="Font stack of the labels.")
    rungs = param.List(default=[], item_type=str, doc="Words of each rung's β, where the chains climb a ladder: t is the"
                       " rung then. Empty elsewhere.")
    spoken = param.String(doc="What the picture shows, for a screen reader; empty: epoch, chains, exits and resets.")
    filename = param.String(doc="Of the saved picture, without its ending; empty: chains_t<epoch>.")
    axes = param.List(default=["θ₁", "θ₂"], item_type=str, doc="Names of the two axes; set by `send`.")
    answered = param.Integer(default=1, bounds=(1, None), doc="The browser answers every frame, or every so many: an answer"
                             " costs the server as much as a frame.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._retheme()
        self._sent = self._acknowledged = self._coordinates = 0
        self._waiting_since = 0.0
        self._last: dict[str, Any] | None = None
        self._shown: Cloud | None = None
        self.painted: Callable[[], None] = lambda: None  #: called after each painted frame; a good moment to send the next
        self.followed: Callable[[int | None], None] = lambda chain: None
        """Called with the chain, from 0, that the user chooses, or with None when the user lets go of it. The picture marks
        the choice at once; send frames with that `follow` to keep it."""
        self.param.watch(self._retheme, "dark")

    @property
    def in_flight(self) -> int:
        """Frames sent and not yet painted by any view."""
        return self._sent - self._acknowledged

    @property
    def ready(self) -> bool:
        """Whether to send the next frame now.

        True when fewer than `MOST_IN_FLIGHT` answers are awaited, when nothing was painted for `PATIENCE`
        seconds (a lost connection, a hidden tab), and while no view is there to answer.
        """
        return self.in_flight < MOST_IN_FLIGHT * self.answered or self._late or not self._models

    @property
    def _late(self) -> bool:
        return time.monotonic() - self._waiting_since > PATIENCE

    def send(
        self, cloud: Cloud, frame: int, t: int, run: int, follow: int | None = None, rescaled: bool = False
    ) -> None:
        """Show a frame.

        Parameters
        ----------
        cloud
            The chains and what surrounds them, in the two plotted coordinates.
        frame, t, run
            Snapshot number, epoch (or rung, from 1), run number; trails begin anew when `run` changes.
        follow
            Chain whose trail, checkpoint and acceptance ball are shown, or None.
        rescaled
            Whether positions are multiplied by sqrt(t + c): radii are then constants.
        """
        last, axes = self._last, list(cloud.axis_names)
        coordinates = self._coordinates + bool(last and (rescaled != last["rescaled"] or axes != self.axes))
        scenery = last is None or last["run"] != run or self._changed(cloud)
        now = {"frame": frame, "t": t, "run": run, "follow": follow, "rescaled": rescaled, "coordinates": coordinates}
        data = encode(cloud, sequence=self._sent + 1, scenery=scenery, **now)
        self._last, self._shown, self._coordinates = now, cloud, coordinates
        self.axes = axes
        self._send_frame(data)

    def export_png(self) -> None:
        """Have the browser download the picture as a PNG, on the card's background."""
        self._send_msg({"save": True})

    def _changed(self, cloud: Cloud) -> bool:
        """Whether contours or older balls differ from those sent last."""
        old = self._shown
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
        """Take an acknowledgement (a number), a choice ({follow}) or the greeting of a new view ({hello})."""
        if isinstance(data, dict):
            if "hello" in data and self._shown is not None:  # that view has seen nothing yet
                self._send_frame(encode(self._shown, sequence=self._sent + 1, **self._last))
            elif "follow" in data and (data["follow"] is None or is_whole(data["follow"])):
                self.followed(None if data["follow"] is None else int(data["follow"]))
            return
        if not is_whole(data):
            return
        # Two views both answer: the faster one counts, and an answer to an older frame counts for nothing.
        self._acknowledged = max(self._acknowledged, min(int(data), self._sent))
        self._waiting_since = time.monotonic()
        self.painted()

    def _retheme(self, *_: Any) -> None:
        self.palette = TOKENS["dark" if self.dark else "light"]
