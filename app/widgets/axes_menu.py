"""`axes_menu`: which two coordinates are plotted, as two small menus; the first also offers the principal axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import panel as pn
import param
from param.parameterized import resolve_value

from app.widgets.controls import MENU_STYLE

PRINCIPAL = "principal"


def axes_menu(parameter: param.Parameter, names: Any) -> pn.Row:
    """Return the two menus of a parameter that holds a pair of coordinates, or "principal".

    Parameters
    ----------
    parameter
        Of an instance, such as ``state.param.axes``.
    names
        Of the coordinates, or a reference to them.
    """
    first, second = (pn.widgets.Select(label=label, width=108, margin=0, css_classes=["small"], stylesheets=[MENU_STYLE])
                     for label in ("coordinate across", "coordinate up"))

    def show(axes: tuple[int, int] | str, names: Sequence[str]) -> None:
        coordinates = {name: k for k, name in enumerate(names)}
        across, up = (PRINCIPAL, second.value) if axes == PRINCIPAL else axes
        if axes != PRINCIPAL and max(axes) >= len(names):
            return  # names and axes change one after the other
        with param.parameterized.batch_call_watchers(first), param.parameterized.batch_call_watchers(second):
            first.param.update(options={"principal axes": PRINCIPAL, **coordinates}, value=across)
            second.param.update(options=coordinates, value=up if up in coordinates.values() else 0,
                                visible=axes != PRINCIPAL)

    def take(event: param.parameterized.Event) -> None:
        present = getattr(parameter.owner, parameter.name)
        if first.value == PRINCIPAL:
            axes = PRINCIPAL
        elif first.value == second.value:
            other = int(first.value == 0)
            axes = (first.value, other) if event.obj is first else (other, second.value)
        else:
            axes = (first.value, second.value)
        if axes != present:
            setattr(parameter.owner, parameter.name, axes)

    show(getattr(parameter.owner, parameter.name), resolve_value(names))
    for menu in (first, second):
        menu.param.watch(take, "value")
    pn.bind(show, parameter, names, watch=True)
    return pn.Row(first, second, margin=0, styles={"gap": "6px"})
