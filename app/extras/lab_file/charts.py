"""`lab_charts`: Live's four charts as the lab file has them, which sets them as the served page does."""

from __future__ import annotations

from typing import Any

from bokeh.document import Document

from app.live.charts.panel_models import INKS
from app.live.charts.stack import ChartStack
from app.theme import TOKENS


def lab_charts() -> dict[str, Any]:
    """Return the figures for `app/js/lab/charts.js`.

    Returns
    -------
    dict
        ``document``: Bokeh's, as JSON; ``roots``: ids of its figures; ``models``: name that a `ChartView` has for a model ->
        its id; ``paint``: [id, property -> token or tokens] of what has another colour in the dark, ``tokens``: theme ->
        token -> colour; ``titles`` and ``terms`` of the card.
    """
    stack, document = ChartStack(), Document()
    for figure in stack.figures:
        figure.sizing_mode = "stretch_width"
        document.add_root(figure)
    inks = [stack.models.ink["transform"].id, {"palette": INKS}]
    return {"document": document.to_json(deferred=False) | {"defs": []},  # those are of all models of this process
            "roots": [figure.id for figure in stack.figures],
            "models": {name: model.id for name, model in stack.named.items()},
            "paint": [*([model.id, roles] for model, roles in stack.paint.strokes), inks],
            "tokens": TOKENS, "titles": stack.titles, "terms": stack.terms}
