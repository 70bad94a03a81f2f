"""Style of all figures: the table of roles, the frame options, and the colours of both themes.

The *role* of a line determines its colour: a quantity has the same role on every page and in every notebook. The colours
are tokens of `app.theme`.
"""

from __future__ import annotations

from pathlib import Path

import holoviews as hv
from bokeh.document import Document
from bokeh.models import (
    CategoricalColorMapper,
    CustomJS,
    CustomJSTickFormatter,
    HoverTool,
    LinearColorMapper,
    LogAxis,
    NoOverlap,
    Plot,
)
from bokeh.palettes import interp_palette

from app.theme import FONT, tokens

FRAME_CODE = (Path(__file__).parent / "frame.js").read_text(encoding="utf-8")
TICK = 'return (Number(tick.toFixed(4)) || 0).toLocaleString("en-US", {maximumFractionDigits: 4}).replace("-", "−")'
"""JavaScript formatter of linear-axis ticks: grouped digits, at most four decimals, and a true minus sign."""

ROLES = {  # role: token of lines, dots and bands; token of text
    "ours": ("chain", "chain"),  # Online SAGA-LD, its chains and their measurements
    "rival": ("sgld", "sgldtx"),  # SGLD
    "kin": ("acc", "acctx"),  # SVRG and other samplers with variance reduction
    "exit": ("esc", "esctx"),  # the escape line, chains that left, failures
    "bound": ("bound", "bound"),  # proved bounds
    "truth": ("mode", "ink"),  # exact samplers, predictions, exact formulas
    "reference": ("ref", "ink2"),  # a comparison: free walk, full gradient
    "ceiling": ("ref", "ink2"),  # score of exact draws
    "cold": ("cold", "cold"),  # steps too small
    "safe": ("ok", "ok"),
    "hot": ("hot", "hot"),  # steps too large
    "axis": ("axis", "ink2"),  # zero lines, guides
    "faint": ("line", "ink3"),  # pending values
    "card": ("card", "card"),
    "middle": ("ink|on", "ink|on"),  # text on the middle of the ramp, which is light in one theme only
    "over": ("on", "on"),  # text on the strong end of the ramp
}
"""Role -> token of `app.theme.TOKENS` for lines, dots and bands, and for text (contrast 5 : 1 or more); a | b are the
tokens of the light and the dark theme."""

RAMP = (("#fafbfc", "#dee9f4", "#abcae6", "#609acf", "#1b5faa"), ("#181d23", "#21364e", "#2f5882", "#508cc8", "#80c5ff"))
"""Colour stops of maps in the light and the dark theme: one hue; the best value contrasts most with the card."""

ON_CARD = "on a card"
"""Tag of a figure with a transparent background: its card takes the browser's theme before the server knows it."""

_dark = False


def use_theme(dark: bool = False, height: int | None = None) -> None:
    """Set the theme of figures drawn by this process, for notebooks and files; pages set it per figure.

    Parameters
    ----------
    dark : bool
    height : int, optional
        Minimum height of a figure in pixels; a notebook sets none otherwise.
    """
    global _dark
    _dark = bool(dark)
    if height is not None:
        registered = hv.Store.options("bokeh")
        for element in ("Lines", "Cells"):
            setattr(registered, element, hv.Options("plot", min_height=int(height)))


def colours(dark: bool = False, words: bool = False) -> dict[str, str]:
    """Return role -> colour of lines, dots and bands, or of text if `words`."""
    palette, marks = tokens(dark), {role: pair[words] for role, pair in ROLES.items()}
    return {role: palette[mark.split("|")[dark and "|" in mark]] for role, mark in marks.items()}


def ramp(dark: bool = False, count: int = 64) -> list[str]:
    """Return `count` colours of the ramp, that of the worst value first."""
    return list(interp_palette(RAMP[dark], count))


def mapper(kind: str) -> CategoricalColorMapper | LinearColorMapper:
    """Return a new colour mapper for roles ("lines", "words") or for numbers in [0, 1] ("ramp")."""
    if kind == "ramp":
        return LinearColorMapper(palette=ramp(_dark), low=0, high=1, nan_color="#00000000", tags=[kind])
    table = colours(_dark, kind == "words")
    return CategoricalColorMapper(factors=list(table), palette=list(table.values()), tags=[kind, "roles"])


def repaint(shown: object, dark: bool) -> None:
    """Apply the colours of a theme to existing figures of `app.plots`; other figures are unchanged.

    Parameters
    ----------
    shown : Document or HoloViews plot
        Container of the figures; a document with four of them takes some 10 ms.
    dark : bool
    """
    where = shown if isinstance(shown, Document) else shown.state
    for figure in where.select({"type": Plot}):
        if "plots" in figure.tags:
            paint(figure, dark)


def paint(figure: Plot, dark: bool) -> None:
    """Apply the colours of a theme to one figure."""
    _paint_frame(figure, dark)
    table = {"lines": list(colours(dark).values()), "words": list(colours(dark, True).values()), "ramp": ramp(dark)}
    for one in figure.select({"type": (CategoricalColorMapper, LinearColorMapper)}):
        for kind in table.keys() & one.tags:
            one.palette = table[kind]
    for tool in figure.tools:
        if isinstance(tool, HoverTool) and "plots tooltip" in tool.tags:
            tool.tooltips = tooltip(dark)


def _paint_frame(figure: Plot, dark: bool) -> None:
    """Colour card, axes and grid."""
    palette = tokens(dark)
    figure.css_variables = {"--plots-card": palette["card"], "--plots-ink": palette["ink"], "--plots-line": palette["line"]}
    behind = "transparent" if ON_CARD in figure.tags else palette["card"]
    figure.styles = {**figure.styles, "background-color": behind}
    for axis in (*figure.xaxis, *figure.yaxis):
        axis.update(major_label_text_color=palette["ink2"], axis_label_text_color=palette["ink2"])
    for axis in figure.xaxis:
        axis.update(axis_line_color=palette["axis"], major_tick_line_color=palette["axis"])
    for grid in figure.grid:
        grid.grid_line_color = palette["grid"]


def tooltip(dark: bool | None = None) -> str:
    """Return the HTML template of tooltips in a theme's colours: the lines of @tooltip, the first in bold."""
    dark = _dark if dark is None else dark
    card, ink, edge = (tokens(dark)[name] for name in ("card", "ink", "line"))
    return (f'<div><style>:host{{--tooltip-color:{card};--tooltip-text:{ink};--tooltip-border:{edge};'
            f"--tooltip-arrow-color:{edge};--tooltip-arrow-inner-color:{card};background-color:{card};color:{ink}}}"
            f".tooltip{{white-space:pre-line;font:12px/1.4 {FONT};color:{ink}}}"
            ".tooltip::first-line{font-weight:bold}</style>"
            '<div class="tooltip">@tooltip{custom}</div></div>')


def tidy(plot, element) -> None:
    """Set the properties of a new figure that no option covers; models are created here, as documents cannot share them."""
    figure = plot.state
    if "plots" in figure.tags:
        return
    figure.update(tags=[*figure.tags, "plots"], output_backend="canvas", outline_line_color=None, min_border_left=44,
                  min_border_right=14, min_border_top=10, background_fill_color=None, border_fill_color=None,
                  html_attributes={"role": "img", "aria-label": spoken(element)})
    sized = CustomJS(args={"figure": figure}, code=FRAME_CODE)
    figure.js_on_change("inner_width", sized)
    figure.js_on_change("inner_height", sized)
    apart, ticked = NoOverlap(min_distance=6), CustomJSTickFormatter(code=TICK)
    for axis in (figure.xaxis[0], figure.yaxis[0]):
        axis.update(major_label_text_font=FONT, axis_label_text_font=FONT, axis_label_text_font_style="normal",
                    axis_label_standoff=5, major_tick_in=0, minor_tick_line_color=None, major_label_policy=apart)
        if not isinstance(axis, LogAxis):
            axis.formatter = ticked
    figure.xaxis[0].update(major_tick_out=5, major_label_standoff=4)
    figure.yaxis[0].update(axis_line_color=None, major_tick_line_color=None, major_tick_out=0, major_label_standoff=8)
    for grid in figure.grid:
        grid.visible = grid.visible and grid.grid_line_color is not None
    _paint_frame(figure, _dark)


def spoken(element) -> str:
    """Return the description of a figure for screen readers: its axes and the names of its lines."""
    parts = list(element) if isinstance(element, hv.Overlay) else [element]
    first = parts[0]
    x, y = (dimension.label for dimension in first.kdims[:2])
    return chart_words(x, y, [getattr(line, "name", "") for part in parts for line in part.data])


def chart_words(x: str, y: str, drawn: list[str]) -> str:
    """Return the description of a chart for screen readers: its axes and the names `drawn`."""
    names: list[str] = []
    for name in drawn:
        if name and name not in names:
            names.append(name)
    listed = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    return f"Chart of {y} against {x}" + (f": {listed}" if listed else "")


FRAME = {
    "responsive": True, "min_height": 220, "padding": 0, "toolbar": None, "default_tools": [], "show_legend": False,
    "show_frame": False, "shared_axes": False, "show_grid": True, "gridstyle": {"xgrid_visible": False},
    "fontsize": {"labels": "12px", "ticks": "11px"}, "hooks": [tidy],
}
"""Options of every figure: responsive width, no toolbar, and a grid for y only."""
