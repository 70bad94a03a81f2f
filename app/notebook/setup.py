"""`setup`: HoloViews and Panel figures in a notebook from files on this machine."""

from __future__ import annotations


def setup() -> None:
    """Load what HoloViews and Panel figures need into the notebook, from this machine.

    A page needs none of it. `panel.extension()` and `holoviews.extension("bokeh")` would ask another host for the same
    files, and leave cells blank without it.
    """
    import holoviews as hv
    import panel as pn

    pn.config.inline = True
    hv.extension("bokeh", inline=True, logo=False)
