"""A figure as a file of its own.

===========================  ==========================================================================================
``save_page(figure, path)``  HTML that needs no other host: it hovers, has all its labels, in either theme; needs nothing
``hv.save(f, "x.html")``     HTML that fetches Bokeh and Panel from other hosts when it is opened
``hv.save(f, "x.png")``      needs selenium, and Firefox with geckodriver or Chromium with chromedriver on the path
SVG                          HoloViews refuses; ``bokeh.io.export_svg(to_plot(f).state)`` with the same drivers
PNG and SVG in the page      ``export.js``: as shown, in its theme and size; needs nothing
===========================  ==========================================================================================
"""

from __future__ import annotations

from pathlib import Path

from bokeh.embed import file_html
from bokeh.resources import INLINE

from app.plots.drawing import to_plot
from app.theme import tokens


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
    page = file_html(to_plot(sized, dark).state, INLINE, Path(path).stem)
    card = f"<style>html,body{{background:{tokens(dark)['card']}}}</style></head>"
    Path(path).write_text(page.replace("</head>", card, 1), encoding="utf-8")
