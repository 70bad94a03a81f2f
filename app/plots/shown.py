"""A figure that is shown: drawn once, then changed in a few milliseconds; what a person taps in it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager

import holoviews as hv
import numpy as np
from bokeh.document import Document
from bokeh.models import FixedTicker, LogScale

from app.plots import style


def to_plot(figure, dark: bool | None = None):
    """Return a figure drawn, not yet shown: a pane takes it in place of the figure, `refresh` and `taps` ask for it.

    Parameters
    ----------
    figure : HoloViews object
    dark : bool, optional
        The theme it is born in; None is the one of the process (`use_theme`).

    Returns
    -------
    HoloViews plot
        Its ``state`` is the Bokeh figure.
    """
    renderer = hv.renderer("bokeh").instance(mode="server")  # takes a document
    with style.drawn_in(dark):
        return renderer.get_plot(figure, doc=Document())  # gives it a theme: the session's document keeps its own


def refresh(plot, figure, hold: Callable[[], AbstractContextManager] | None = None) -> None:
    """Show other results in a figure that is shown: columns, limits, ticks and axis labels that changed travel, in 3 ms.

    Parameters
    ----------
    plot : HoloViews plot
        From `to_plot`.
    figure : Lines, Cells or an overlay of them
        Of the same kinds in the same order as what is shown.
    hold : callable, optional
        Returns a context in which messages are kept together; None holds the document's.

    Raises
    ------
    ValueError
        If the figure has other parts than the one that is shown, or its axes another scale.
    """
    overlaid = isinstance(figure, hv.Overlay)
    shown = list(plot.subplots.values()) if isinstance(plot.subplots, dict) and plot.subplots else [plot]
    elements = list(figure) if overlaid else [figure]
    kinds = [one.hmap.type.__name__ if hasattr(one, "hmap") else "?" for one in shown]
    if kinds != [type(element).__name__ for element in elements]:
        raise ValueError(f"figure must have the parts that are shown, {' * '.join(kinds)}; got "
                         + " * ".join(type(element).__name__ for element in elements) + ": make another plot of it")
    options: dict = {}
    for element in ([*reversed(elements), figure] if overlaid else elements):
        options |= element.opts.get("plot", backend="bokeh").kwargs
    for side in "xy":
        log = isinstance(getattr(plot.state, f"{side}_scale"), LogScale)
        if bool(options.get(f"log{side}", False)) != log:
            raise ValueError(f"log{side} must be {log}, as it is shown; got {not log}: make another plot of it")
    with (hold or _holder(plot.state.document))():
        for part, element in zip(shown, elements, strict=True):
            for glyph, columns in part.columns(element).items():
                part.handles[f"{glyph}_source"].data = columns
        for k, side in enumerate("xy"):
            _fit_axis(plot.state, side, options, [element.dimension_values(k) for element in elements],
                      elements[0].kdims[k].label)


def _holder(document: Document | None) -> Callable[[], AbstractContextManager]:
    @contextmanager
    def held():
        if document is None or document.callbacks.hold_value is not None:
            yield
            return
        document.hold("combine")
        try:
            yield
        finally:
            document.unhold()

    return held


def _fit_axis(figure, side: str, options: dict, values: list[np.ndarray], label: str) -> None:
    """Set limits, ticks and label of one axis, sending only what changed."""
    axis, reach = getattr(figure, f"{side}axis")[0], getattr(figure, f"{side}_range")
    limits = options.get(f"{side}lim")
    if limits is None or None in limits:
        found = np.concatenate([np.empty(0), *values])
        found = found[np.isfinite(found) & ((found > 0) | (not options.get(f"log{side}", False)))]
        ends = (found.min(), found.max()) if found.size and found.min() < found.max() else (reach.start, reach.end)
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
        if not isinstance(axis.ticker, FixedTicker):  # the figure that was shown first had none of its own
            axis.ticker = FixedTicker(ticks=at)
        elif list(axis.ticker.ticks) != at:
            axis.ticker.ticks = at
        if axis.major_label_overrides != words:
            axis.major_label_overrides = words


def taps(plot, chosen: Callable[[object], None], hold: Callable[[], AbstractContextManager] | None = None) -> None:
    """Call `chosen` with the key of what is tapped, a `Line` or a `Cell`; what has no key is not heard.

    Parameters
    ----------
    plot : HoloViews plot
        From `to_plot`.
    chosen : callable
        Called under the document's lock.
    hold : callable, optional
        Returns a context in which messages are kept together; None holds the document's.
    """
    parts = list(plot.subplots.values()) if isinstance(plot.subplots, dict) and plot.subplots else [plot]
    for part in parts:
        for glyph in getattr(part, "pointed", ()):
            source = part.handles[f"{glyph}_source"]
            source.selected.on_change("indices", _taker(source, chosen, hold))


def _taker(source, chosen: Callable[[object], None], hold: Callable[[], AbstractContextManager] | None) -> Callable:
    def take(attr: str, old: list[int], new: list[int]) -> None:
        if new:
            with (hold or _holder(source.document))():
                source.selected.indices = []
                key = source.data["key"][new[-1]]
                if key is not None:
                    chosen(key)

    return take
