"""Which batches are swept, and which of them the map shows."""

from __future__ import annotations

from collections.abc import Callable

import panel as pn
import param

from app.state.tune import BATCHES, TuneState
from app.widgets.component import LabComponent

OFFERED = 3
"""Batches that can be added, at a time."""


class Batches(LabComponent):
    """Chips of the batches of a state.

    Parameters
    ----------
    state
        Whose batches these are.
    show
        Called with the b whose cells are to be shown.
    refused
        Called with the reason why a b was not added; empty when it was.
    """

    _source = "batches"

    swept = param.List([], allow_refs=True, doc="Batches in the sweep, rising.")
    offered = param.List([], allow_refs=True, doc="Batches that can be added.")
    shown = param.Integer(0, doc="The one the map shows.")

    def __init__(self, state: TuneState, show: Callable[[int], None], refused: Callable[[str], None],
                 **params: object) -> None:
        self._state, self._show, self._refused = state, show, refused
        batches = state.param.batches
        super().__init__(swept=pn.bind(lambda swept: list(swept or ()), batches),
                         offered=pn.bind(_offered, batches),
                         sizing_mode="stretch_width", margin=0, **params)

    def on_add(self, batch: int) -> None:
        """Sweep one more b."""
        try:
            self._state.add_batch(int(batch))
            self._refused("")
        except ValueError as wrong:
            self._refused(str(wrong))

    def on_remove(self, batch: int) -> None:
        """Leave a b out."""
        self._state.remove_batch(int(batch))
        self._refused("")

    def on_show(self, batch: int) -> None:
        """Show the cells of one b."""
        self._show(int(batch))


def _offered(swept: tuple[int, ...] | None) -> list[int]:
    """Return the first batches that are not swept yet; none before it is known what is."""
    return [b for b in BATCHES if b not in (swept or BATCHES)][:OFFERED]
