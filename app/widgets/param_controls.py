"""Controls of parameters of a page's state: menu, switch, segmented control, list of switches, axes.

Each follows its parameter, and a user's choice sets the parameter. A rule that couples parameters belongs to the state, as
a method ``choose(name, value)`` or `PageState.put`; it is called instead if passed as `choose`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import panel as pn
import param
from param.parameterized import resolve_value

from app.widgets.choices import Menu, Segments, SwitchList

Choose = Callable[[Any], Any]

def menu(parameter: param.Parameter, options: Any, choose: Choose | None = None, **params: Any) -> Menu:
    """Return a drop-down menu of a parameter: a native select element, accessible by keyboard and screen reader.

    Parameters
    ----------
    parameter
        Parameter of an instance, such as ``state.param.problem``.
    options
        Label -> value, or a reference to such a dictionary, such as ``pn.bind(streams, state.param.problem)``. The menu
        does not change while the value is not among them: options and value may change one after the other.
    choose
        Called with the user's choice, instead of setting the parameter.
    """
    widget = Menu(**{"label": parameter.label, "options": dict(resolve_value(options)), "value": _value(parameter)} | params)

    def show(value: Any, options: dict[str, Any]) -> None:
        if value in options.values():
            widget.param.update(options=dict(options), value=value)

    return _tied(widget, parameter, choose, show, options)


def switch(parameter: param.Parameter, **params: Any) -> SwitchList:
    """Return a switch of a boolean parameter, with its label on the left."""
    name = parameter.name
    return SwitchList(partial(setattr, parameter.owner), label=parameter.label, rows=[[name, parameter.label, "", "", ""]],
                      warns=[name], active=pn.bind(lambda value: [name] if value else [], parameter), **params)


def segmented(parameter: param.Parameter, options: dict[str, str], choose: Choose | None = None, **params: Any) -> Segments:
    """Return a segmented control (a radio group) of a string parameter; `options` is label -> value."""
    params = {"label": parameter.label, "options": [[value, words] for words, value in options.items()]} | params
    widget = Segments(lambda value: None, value=_value(parameter), **params)
    return _tied(widget, parameter, choose, partial(setattr, widget, "value"))


def switches(parameter: param.Parameter, rows: Any, choose: Choose | None = None, **params: Any) -> SwitchList:
    """Return a list of switches of a `Choices` parameter, a list of names.

    `rows` are those of `SwitchList`, or a reference to them; `choose` is called with the new names instead of setting the
    parameter.
    """
    def turn(name: str, on: bool) -> None:
        (choose or partial(setattr, parameter.owner, parameter.name))(parameter.switched(_value(parameter), name, on))
        widget.param.trigger("active")  # resets a rejected switch

    widget = SwitchList(turn, rows=rows, active=pn.bind(list, parameter), **{"label": parameter.label} | params)
    return widget


def _value(parameter: param.Parameter) -> Any:
    return getattr(parameter.owner, parameter.name)


def _tied(widget: Any, parameter: param.Parameter, choose: Choose | None, show: Callable[..., None],
          *references: Any) -> Any:
    """Synchronise the widget and the parameter, and return the widget."""
    def take(event: param.parameterized.Event) -> None:
        if event.new != _value(parameter):
            (choose or partial(setattr, parameter.owner, parameter.name))(event.new)
            show(_value(parameter), *map(resolve_value, references))  # the state may have set another value

    widget.param.watch(take, "value")
    pn.bind(show, parameter, *references, watch=True)
    return widget


PRINCIPAL = "principal"


def axes_menu(parameter: param.Parameter, names: Any) -> pn.Row:
    """Return two menus of a parameter with a pair of coordinates, or "principal"; an empty row if there are only two.

    Parameters
    ----------
    parameter
        Parameter of an instance, such as ``state.param.axes``.
    names
        Names of the coordinates, or a reference to them.
    """
    first, second = (Menu(label=label, small=True, width=108, sizing_mode=None)
                     for label in ("coordinate across", "coordinate up"))
    row = pn.Row(margin=0, styles={"gap": "6px"})

    def show(axes: tuple[int, int] | str, names: Sequence[str]) -> None:
        coordinates = {name: k for k, name in enumerate(names)}
        across, up = (PRINCIPAL, second.value) if axes == PRINCIPAL else axes
        if axes != PRINCIPAL and max(axes) >= len(names):
            return  # names and axes change one after the other
        if bool(row.objects) != (len(names) > 2):
            row.objects = [first, second] if len(names) > 2 else []
        with param.parameterized.batch_call_watchers(first), param.parameterized.batch_call_watchers(second):
            first.param.update(options={"principal axes": PRINCIPAL, **coordinates}, value=across)
            second.param.update(options=coordinates, value=up if up in coordinates.values() else 0,
                                visible=axes != PRINCIPAL)

    def take(event: param.parameterized.Event) -> None:
        if first.value == PRINCIPAL:
            axes = PRINCIPAL
        elif first.value == second.value:
            other = int(first.value == 0)
            axes = (first.value, other) if event.obj is first else (other, second.value)
        else:
            axes = (first.value, second.value)
        if axes != _value(parameter):
            setattr(parameter.owner, parameter.name, axes)

    show(_value(parameter), resolve_value(names))
    for menu in (first, second):
        menu.param.watch(take, "value")
    pn.bind(show, parameter, names, watch=True)
    return row
