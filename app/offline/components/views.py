"""Several grids of cards in one place, one of them in front."""

from __future__ import annotations

from typing import Any

import param
from panel.viewable import Children

from app.widgets.component import LabComponent


class Views(LabComponent):
    """Places its children; each belongs to one view and one area of that view's grid.

    Parameters
    ----------
    views
        View -> (layout, {area: card}); the layout is a style of the grid on a wide screen.
    """

    _source = "views"

    cards = Children()
    places = param.List([], doc="[view, area] of each card.")
    layouts = param.Dict({}, doc="View -> declarations of its grid on a wide screen.")
    view = param.String("", allow_refs=True, doc="The one in front.")

    def __init__(self, views: dict[str, tuple[str, dict[str, Any]]], **params: Any) -> None:
        cards = [(view, area, card) for view, (_, areas) in views.items() for area, card in areas.items()]
        super().__init__(cards=[card for _, _, card in cards], places=[[view, area] for view, area, _ in cards],
                         layouts={view: layout for view, (layout, _) in views.items()}, sizing_mode="stretch_width",
                         **params)
