"""The Exit time page's layout: sidebar, two columns of cards, a second row below; one column when narrow."""

from __future__ import annotations

import param
from panel.viewable import Child

from app.components.base import LabComponent
from app.theme import css_variables


class ExitShell(LabComponent):
    """Places its children; all of the layout is in its style sheet."""

    _source = "shell"

    notices = Child()
    sidebar = Child()
    crowd = Child()
    sums = Child()
    pushes = Child()
    price = Child()
    good = Child()
    variables = param.String(css_variables(), doc="Style sheet that defines the colour variables.")
    framed = param.Boolean(True, doc="False in a notebook: a fixed height instead of the rest of the window.")
    state = param.Dict({}, doc="What the page shows, as data attributes: for tests and scripts.")
