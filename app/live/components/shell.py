"""The Live page's layout: transport on top, sidebar, two columns of cards; one column on narrower screens."""

from __future__ import annotations

import param
from panel.viewable import Child

from app.theme import css_variables
from app.widgets.component import LabComponent


class Shell(LabComponent):
    """Places its children; all of the layout is in its style sheet."""

    _source = "shell"

    notices = Child()
    transport = Child()
    sidebar = Child()
    chains = Child()
    verdict = Child()
    charts = Child()
    variables = param.String(css_variables(), doc="Style sheet that defines the colour variables.")
    framed = param.Boolean(True, doc="False in a notebook: a fixed height instead of the rest of the window.")
