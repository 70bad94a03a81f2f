"""The card of the chain view: title, view choice, axes choice, picture export, and the canvas as a child."""

from __future__ import annotations

from collections.abc import Callable

import param
from panel.viewable import Child

from app.widgets.component import LabComponent


class ChainsCard(LabComponent):
    """Holds the animated canvas. `rescale(bool)` is called when the view is chosen."""

    _source = "chains_card"

    canvas = Child()
    axes = Child(doc="Choice of the plotted coordinates; hidden in two dimensions.")
    title = param.String("64 chains and their target")
    hint = param.String("click a chain to follow it")
    rescaled = param.Boolean(False, allow_refs=True)
    has_axes = param.Boolean(False)

    def __init__(self, rescale: Callable[[bool], None], **params: object) -> None:
        self._rescale = rescale
        super().__init__(sizing_mode="stretch_both", **params)

    def on_view(self, rescaled: bool) -> None:
        """Take the segmented control."""
        self._rescale(bool(rescaled))
