"""The sidebar: knobs, switches, problem and stream, assumptions; on a phone a sheet that slides up."""

from __future__ import annotations

from collections.abc import Callable

import param
from panel.viewable import Child, Children

from app.widgets.component import LabComponent


class Sidebar(LabComponent):
    """Only the frame: everything in it is a child."""

    _source = "sidebar"

    sampler = Children(doc="Knobs of the sampler.")
    switches = Children()
    problem = Children(doc="Menus of problem and stream.")
    run = Children(doc="Chains and seed.")
    assumptions = Child()
    at_defaults = param.Boolean(True)

    def __init__(self, to_defaults: Callable[[], None], **params: object) -> None:
        self._to_defaults = to_defaults
        super().__init__(sizing_mode="stretch_both", **params)

    def on_defaults(self) -> None:
        """Take the link."""
        self._to_defaults()
