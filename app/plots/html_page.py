"""A figure as a file of its own.

===========================  ==========================================================================================
``save_page(figure, path)``  HTML that needs no other host: it hovers, has all its labels, in either theme; needs nothing
``hv.save(f, "x.html")``     HTML that fetches Bokeh and Panel from other hosts when it is opened
``hv.save(f, "x.png")``      needs selenium, and Firefox with geckodriver or Chromium with chromedriver on the path
SVG                          HoloViews refuses; ``bokeh.io.export_svg(to_plot(f).state)`` with the same drivers
PNG and SVG in the page      ``export.js`` (`EXPORT`), for buttons: as shown, in its theme and size; needs nothing
===========================  ==========================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from bokeh.embed import components
from bokeh.model import Model
from bokeh.resources import Resources

from app.plots.shown import to_plot
from app.release import RELEASE_JS
from app.theme import tokens
from sampler.version import MADE_WITH

EXPORT = RELEASE_JS + Path(__file__).with_name("export.js").read_text(encoding="utf-8")
"""Source of a module of the browser, with ``figuresIn(element)``, ``pngOf(views, heads)`` and ``svgOf(view)``."""


def save_page(figure, path: str | Path, dark: bool = False, width: int = 900, height: int = 420) -> None:
    """Write a figure as an HTML page that needs no other host when it is opened; it hovers and has all its labels.

    Parameters
    ----------
    figure : HoloViews object
    path : str or Path
        Of the file; its folder must exist.
    dark : bool
    width, height : int
        Of each figure in it, pixels.
    """
    options = {"width": width, "height": height, "responsive": False}
    sized = figure.options({"Lines": options, "Cells": options}, backend="bokeh")
    Path(path).write_text(html_page([to_plot(sized, dark).state], Path(path).stem, dark), encoding="utf-8")


def html_page(figures: Sequence[Model], title: str, dark: bool = False) -> str:
    """Return drawn figures, ``to_plot(figure).state``, one under the other as a page that needs no other host."""
    script, parts = components(tuple(figures))
    bokeh = "".join(Resources(mode="inline", components=["bokeh"]).js_raw)
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
            f'<meta name="generator" content="{MADE_WITH}">'
            '<meta name="viewport" content="width=device-width,initial-scale=1"><link rel="icon" href="data:,">'
            f"<style>body{{margin:0;background:{tokens(dark)['card']}}}</style><script>{bokeh}</script></head>"
            f"<body>{''.join(parts)}{script}</body></html>")
