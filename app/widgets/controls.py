"""Controls made from the parameters of a page's state: menu, switch, segmented control, list of switches.

Each follows its parameter, and what the user does sets the parameter. A rule that lies between parameters belongs to the
state, as a method ``choose(name, value)`` or `PageState.put`; give it as `choose` and it is called instead.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param
from param.parameterized import resolve_value

from app.theme import FONT, STILL
from app.widgets.segments import Segments
from app.widgets.switch_list import SwitchList
from app.widgets.text_size import scaled_text

Choose = Callable[[Any], Any]

MENU_STYLE = scaled_text((Path(__file__).parent / "menu.css").read_text(encoding="utf-8"))
_SWITCH_SX = {
    **STILL,
    "width": "30px !important", "height": "16px !important", "padding": "0 !important", "overflow": "visible",
    "& .MuiSwitch-switchBase": {"p": "2px !important", "m": 0, "&.Mui-checked": {
        "transform": "translateX(14px) !important", "color": "var(--lab-on)",
        "& + .MuiSwitch-track": {"opacity": 0.95, "backgroundColor": "var(--lab-primary)"}}},
    "& .MuiSwitch-thumb": {"width": "12px !important", "height": "12px !important", "boxShadow": "none"},
    "& .MuiSwitch-switchBase:not(.Mui-checked)": {"color": "var(--lab-card)"},
    "& .MuiSwitch-track": {"borderRadius": "8px", "opacity": 1, "backgroundColor": "var(--lab-axis)"},
    "& .Mui-focusVisible + .MuiSwitch-track": {
        "outline": "2px solid var(--lab-primary)", "outlineOffset": "2px"},
}
_SWITCH_THEME = {"components": {"MuiFormControlLabel": {"styleOverrides": {"root": {
    "flexDirection": "row-reverse", "justifyContent": "space-between", "width": "100%", "height": 27,
    "margin": "0 !important", "color": "var(--lab-ink)",
    "& .MuiFormControlLabel-label": {"fontSize": "13px !important", "fontFamily": FONT},
    "&:has(input:not(:checked)) .MuiFormControlLabel-label": {
        "color": "var(--lab-hot)", "fontWeight": 700},
    "@media (pointer: coarse)": {"height": 36},
}}}}}


def menu(parameter: param.Parameter, options: Any = None, choose: Choose | None = None,
         **params: Any) -> pn.widgets.Select:
    """Return a drop-down menu of a parameter: the browser's own, which keyboard and screen reader can open.

    Parameters
    ----------
    parameter
        Of an instance, such as ``state.param.problem``.
    options
        Words -> value, or a reference to such a dictionary, such as ``pn.bind(streams, state.param.problem)``;
        by default what the parameter allows. While the value is not among them (options and value may change one after
        the other) the menu stays as it was.
    choose
        Called with what the user chose, instead of setting the parameter.
    """
    params = {"label": parameter.label, "sizing_mode": "stretch_width", "width": None, "margin": 0,
              "stylesheets": [MENU_STYLE]} | params
    options = dict(parameter.get_range()) if options is None else options
    widget = pn.widgets.Select(options=dict(resolve_value(options)), value=_value(parameter), **params)

    def show(value: Any, options: dict[str, Any]) -> None:
        if value in options.values():
            widget.param.update(options=dict(options), value=value)

    return _tied(widget, parameter, choose, show, options)


def switch(parameter: param.Parameter, choose: Choose | None = None, **params: Any) -> pmui.Switch:
    """Return a switch of a boolean parameter, with its label on the left."""
    params = {"label": parameter.label, "sx": _SWITCH_SX, "theme_config": _SWITCH_THEME, "css_classes": ["lab-switch"],
              "sizing_mode": "stretch_width", "margin": 0} | params
    widget = pmui.Switch(value=_value(parameter), **params)

    def show(value: bool) -> None:
        widget.value = value

    return _tied(widget, parameter, choose, show)


def segmented(parameter: param.Parameter, options: dict[str, str] | None = None, choose: Choose | None = None,
              **params: Any) -> Segments:
    """Return a segmented control (a radio group) of a parameter whose values are strings; `options` is words -> value."""
    found = dict(parameter.get_range()) if options is None else options
    params = {"label": parameter.label, "options": [[value, words] for words, value in found.items()]} | params
    widget = Segments(lambda value: None, value=_value(parameter), **params)

    def show(value: str) -> None:
        widget.value = value

    return _tied(widget, parameter, choose, show)


def switches(parameter: param.Parameter, rows: Any, choose: Callable[[str, bool], Any] | None = None,
             **params: Any) -> SwitchList:
    """Return a list of switches of a parameter that holds several names (`Choices`).

    `rows` is what `SwitchList` shows, or a reference to it; `choose(name, on)` is called instead of setting the parameter.
    """
    def turn(name: str, on: bool) -> None:
        setattr(parameter.owner, parameter.name, parameter.switched(_value(parameter), name, on))

    params = {"label": parameter.label} | params
    return SwitchList(choose or turn, rows=rows, active=pn.bind(list, parameter), **params)


def _value(parameter: param.Parameter) -> Any:
    return getattr(parameter.owner, parameter.name)


def _tied(widget: Any, parameter: param.Parameter, choose: Choose | None, show: Callable[..., None],
          *references: Any) -> Any:
    """Return the widget once it follows the parameter, and the parameter what the user chooses."""
    def take(event: param.parameterized.Event) -> None:
        if event.new != _value(parameter):
            (choose or partial(setattr, parameter.owner, parameter.name))(event.new)
            show(_value(parameter), *map(resolve_value, references))  # the state may have made something else of it

    widget.param.watch(take, "value")
    pn.bind(show, parameter, *references, watch=True)
    return widget
