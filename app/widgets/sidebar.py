"""The sidebar of a page: sections with a heading each; on a phone a sheet that slides up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import param
from panel.viewable import Children

from app.widgets.component import LabComponent


class Section(LabComponent):
    """A heading over a column of knobs, menus and switches, with one link beside the heading if wanted."""

    _source = "section"

    heading = param.String("")
    items = Children()
    action = param.String("", doc="Words of the link beside the heading; empty for none.")
    active = param.Boolean(True, allow_refs=True, doc="Whether the link can be used.")
    hint = param.String("", doc="What the link does, on hover.")
    note = param.String("", allow_refs=True, doc="Words under the items.")
    hidden = param.Boolean(False, allow_refs=True)

    def __init__(self, heading: str, items: Sequence[Any], act: Callable[[], None] | None = None,
                 **params: Any) -> None:
        self._act = act
        super().__init__(heading=heading, items=list(items), sizing_mode="stretch_width", margin=0, **params)

    def on_action(self) -> None:
        """Take the link."""
        if self._act is not None:
            self._act()


class PageSidebar(LabComponent):
    """Only the frame: sections with a line between them."""

    _source = "sidebar"

    sections = Children()

    def __init__(self, sections: Sequence[Section], **params: Any) -> None:
        super().__init__(sections=list(sections), sizing_mode="stretch_both", **params)
