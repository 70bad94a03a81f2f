"""Displayed figures: drawing, updates in a few milliseconds, callbacks of taps, and export to HTML files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from html import escape
from pathlib import Path

import holoviews as hv
import numpy as np
from bokeh.document import Document
from bokeh.embed import components
from bokeh.model import Model
from bokeh.models import FixedTicker, LogScale
from bokeh.resources import Resources

from app.plots import style
from app.theme import tokens
from sampler.version import MADE_WITH


def to_plot(figure, dark: bool | None = None):
    """Return the drawn plot of a figure, for a pane, `refresh` and `taps`.

    Parameters
    ----------
    figure : HoloViews object
    dark : bool, optional
        Theme; None for the theme of the process (`use_theme`).

    Returns
    -------
    HoloViews plot
        Its ``state`` is the Bokeh figure.
    """
    renderer = hv.renderer("bokeh").instance(mode="server")  # accepts a document
    plot = renderer.get_plot(figure, doc=Document())  # sets a theme on it, so not the session's document
    if dark is not None:
        style.repaint(plot, dark)
    return plot


def refresh(plot, figure) -> None:
    """Update a displayed figure: send columns, and limits, ticks and axis labels that changed, in 3 ms.

    Parameters
    ----------
    plot : HoloViews plot
        From `to_plot`.
    figure : Lines, Cells or an overlay of them
        Same kinds of elements in the same order as in the plot.

    Raises
    ------
    ValueError
        If the figure differs from the plot in its elements or the scale of an axis.
    """
    overlaid = isinstance(figure, hv.Overlay)
    shown = _parts(plot)
    elements = list(figure) if overlaid else [figure]
    kinds = [one.hmap.type.__name__ if hasattr(one, "hmap") else "?" for one in shown]
    if kinds != [type(element).__name__ for element in elements]:
        raise ValueError(f"figure must have the elements of the plot, {' * '.join(kinds)}, got "
                         + " * ".join(type(element).__name__ for element in elements) + "; create a new plot with to_plot")
    options: dict = {}
    for element in ([*reversed(elements), figure] if overlaid else elements):
        options |= element.opts.get("plot", backend="bokeh").kwargs
    for side in "xy":
        log = isinstance(getattr(plot.state, f"{side}_scale"), LogScale)
        if bool(options.get(f"log{side}", False)) != log:
            raise ValueError(f"log{side} must be {log} as in the plot, got {not log}; create a new plot with to_plot")
    with _held(plot.state.document):
        for part, element in zip(shown, elements, strict=True):
            part.replace_columns(element)
        for k, side in enumerate("xy"):
            _fit_axis(plot.state, side, options, [element.dimension_values(k) for element in elements],
                      elements[0].kdims[k].label)


@contextmanager
def _held(document: Document | None) -> Iterator[None]:
    """Send the changes within the block in one message, unless the caller holds the document."""
    if document is None or document.callbacks.hold_value is not None:
        yield
        return
    document.hold("combine")
    try:
        yield
    finally:
        document.unhold()


def _fit_axis(figure, side: str, options: dict, values: list[np.ndarray], label: str) -> None:
    """Set the changed ones of the limits, ticks and label of one axis."""
    axis, reach = getattr(figure, f"{side}axis")[0], getattr(figure, f"{side}_range")
    limits = options.get(f"{side}lim")
    if limits is None or None in limits:
        drawn = np.concatenate([np.empty(0), *values])
        drawn = drawn[np.isfinite(drawn) & ((drawn > 0) | (not options.get(f"log{side}", False)))]
        ends = (drawn.min(), drawn.max()) if drawn.size and drawn.min() < drawn.max() else (reach.start, reach.end)
        limits = [end if limit is None else limit for limit, end in zip(limits or (None, None), ends, strict=True)]
    if (reach.start, reach.end) != tuple(limits):
        reach.update(start=limits[0], end=limits[1])
    label = options.get(f"{side}label") or label
    if axis.axis_label != label:
        axis.axis_label = label
    ticks = options.get(f"{side}ticks")
    if isinstance(ticks, list) and ticks:
        at = [tick[0] if isinstance(tick, tuple) else tick for tick in ticks]
        words = {tick[0]: tick[1] for tick in ticks if isinstance(tick, tuple)}
        if not isinstance(axis.ticker, FixedTicker):  # the first figure had no fixed ticks
            axis.ticker = FixedTicker(ticks=at)
        elif list(axis.ticker.ticks) != at:
            axis.ticker.ticks = at
        if axis.major_label_overrides != words:
            axis.major_label_overrides = words


def taps(plot, chosen: Callable[[object], None]) -> None:
    """Call `chosen` with the key of a tapped `Line` or `Cell` under the document's lock; keys None are ignored.

    Parameters
    ----------
    plot : HoloViews plot
        From `to_plot`.
    chosen : callable
    """
    for part in _parts(plot):
        for glyph in getattr(part, "interactive", ()):
            source = part.handles[f"{glyph}_source"]
            source.selected.on_change("indices", partial(_on_tap, source, chosen))


def _on_tap(source, chosen: Callable[[object], None], attr: str, old: list[int], new: list[int]) -> None:
    if new:
        source.selected.indices = []
        key = source.data["key"][new[-1]]
        if key is not None:
            chosen(key)


def _parts(plot) -> list:
    """Return the plots of an overlay's elements, or the plot itself."""
    return list(plot.subplots.values()) if isinstance(plot.subplots, dict) and plot.subplots else [plot]


def save_page(figure, path: str | Path, dark: bool = False, width: int = 900, height: int = 420) -> None:
    """Write a figure as a self-contained interactive HTML page with all labels.

    ``hv.save(figure, "x.html")`` writes a page that loads Bokeh and Panel from other hosts. ``hv.save(figure, "x.png")``
    needs selenium, and Firefox with geckodriver or Chromium with chromedriver on the path. HoloViews does not write SVG:
    ``bokeh.io.export_svg(to_plot(figure).state)`` does, with the same drivers.

    Parameters
    ----------
    figure : HoloViews object
    path : str or Path
        Output file; its folder must exist.
    dark : bool
    width, height : int
        Size of each figure in pixels.
    """
    options = {"width": width, "height": height, "responsive": False}
    sized = figure.options({"Lines": options, "Cells": options}, backend="bokeh")
    Path(path).write_text(html_page([to_plot(sized, dark).state], Path(path).stem, dark), encoding="utf-8")


def html_page(figures: Sequence[Model], title: str, dark: bool = False) -> str:
    """Return drawn figures, ``to_plot(figure).state``, one below the other as a self-contained HTML page."""
    script, parts = components(tuple(figures))
    bokeh = "".join(Resources(mode="inline", components=["bokeh"]).js_raw)
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
            f'<meta name="generator" content="{MADE_WITH}">'
            '<meta name="viewport" content="width=device-width,initial-scale=1"><link rel="icon" href="data:,">'
            f"<style>body{{margin:0;background:{tokens(dark)['card']}}}</style><script>{bokeh}</script></head>"
            f"<body>{''.join(parts)}{script}</body></html>")
