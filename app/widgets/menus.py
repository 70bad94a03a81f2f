"""Switches and menus: Material components, sized and coloured as the rest of the page."""

from __future__ import annotations

from collections.abc import Callable

import panel_material_ui as pmui

from app.theme import FONT

_SWITCH_SX = {
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

_FIELD = {
    "height": 38, "borderRadius": "6px", "backgroundColor": "var(--lab-card) !important",
    "overflow": "visible", "border": "1px solid var(--lab-line)", "fontSize": 13, "color": "var(--lab-ink)",
    "&:before, &:after": {"display": "none"}, "&:hover": {"borderColor": "var(--lab-axis)"},
    "&.Mui-focused": {"borderColor": "var(--lab-primary)"},
}
_SELECT_SX = {
    "& .MuiFilledInput-root": _FIELD, "&.MuiFilledInput-root": _FIELD,
    "& .MuiSelect-select": {
        "p": "15px 28px 2px 8px !important", "lineHeight": "17px", "minHeight": "17px !important",
        "fontSize": 13, "backgroundColor": "transparent !important"},
    "& .MuiSvgIcon-root": {"color": "var(--lab-ink3)", "fontSize": 20},
}
_SELECT_THEME = {"components": {
    "MuiInputLabel": {"styleOverrides": {"root": {
        "fontSize": "10.5px !important", "color": "var(--lab-ink2) !important", "zIndex": 1,
        "lineHeight": "13px", "transform": "translate(9px, 3px) !important",
        "&.Mui-focused": {"color": "var(--lab-primary) !important"}}}},
    "MuiFormControl": {"styleOverrides": {"root": {"margin": "0 !important", "width": "100%"}}},
}}
_SMALL_SX = {"height": 28, "fontSize": 12, "borderRadius": "6px", "color": "var(--lab-ink)",
             "& .MuiSelect-select": {"p": "3px 24px 3px 8px !important"},
             "& .MuiOutlinedInput-notchedOutline": {"borderColor": "var(--lab-line) !important"}}


def switch(label: str, help: str, value: bool, changed: Callable[[bool], None]) -> pmui.Switch:
    """Return a switch with its label on the left; `changed(bool)` is called when a person turns it."""
    widget = pmui.Switch(label=label, value=value, sx=_SWITCH_SX, theme_config=_SWITCH_THEME,
                         sizing_mode="stretch_width", margin=0, css_classes=["lab-switch"])
    widget.param.watch(lambda event: changed(event.new), "value")
    return widget


def menu(label: str, options: dict[str, str], value: str, changed: Callable[[str], None]) -> pmui.Select:
    """Return a menu of label -> key; `changed(key)` is called when a person chooses."""
    widget = pmui.Select(label=label, options=options, value=value, variant="filled", size="small",
                         sx=_SELECT_SX, theme_config=_SELECT_THEME, sizing_mode="stretch_width", margin=0)
    widget.param.watch(lambda event: changed(event.new), "value")
    return widget


class AxesMenu:
    """Which two coordinates are plotted: two small menus; the first also offers the principal axes."""

    def __init__(self, chosen: Callable[[tuple[int, int] | str], None]) -> None:
        self._chosen, self._quiet = chosen, False
        common = {"sx": _SMALL_SX, "size": "small", "variant": "outlined", "margin": 0, "width": 108,
                  "label": ""}
        self.first = pmui.Select(options={"θ₁": 0}, value=0, **common)
        self.second = pmui.Select(options={"θ₂": 1}, value=1, **common)
        self.view = pmui.Row(self.first, self.second, margin=0, sx={"gap": "6px"})
        for widget in (self.first, self.second):
            widget.param.watch(self._change, "value")

    def _change(self, event: object) -> None:
        if self._quiet:
            return
        first, second = self.first.value, self.second.value
        if first == "principal":
            self._chosen("principal")
        elif first == second:
            other = 0 if first != 0 else 1
            self._chosen((first, other) if event.obj is self.first else (other, second))
        else:
            self._chosen((first, second))

    def show(self, names: tuple[str, ...], axes: tuple[int, int] | str) -> None:
        """Offer these coordinates and mark the chosen ones."""
        self._quiet = True
        try:
            options = {name: i for i, name in enumerate(names)}
            if self.second.options != options:
                self.first.options = {"principal axes": "principal", **options}
                self.second.options = options
            if axes == "principal":
                self.first.value, self.second.visible = "principal", False
            else:
                self.first.value, self.second.value = axes
                self.second.visible = True
        finally:
            self._quiet = False
