"""A card of controls: a title, words, and what stands under them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import param
from panel.viewable import Children

from app.widgets.component import LabComponent


class ControlCard(LabComponent):
    """Only the frame: its items are kit components."""

    _source = "control_card"

    title = param.String("")
    body = param.String("", doc="HTML above the items.")
    items = Children()

    def __init__(self, items: Sequence[Any], **params: Any) -> None:
        super().__init__(items=list(items), sizing_mode="stretch_both", **params)
