"""What figures of HoloViews and Panel need in a notebook, taken from this machine. A page needs none of it."""

from __future__ import annotations

import panel as pn

from app.notebook.kernel import kernel_shell


def use_local_files() -> None:
    """Have `panel.extension()` take its files from this machine, in a kernel, where it would ask another host."""
    if kernel_shell() is not None:
        pn.config.inline = True


def setup() -> None:
    """Make HoloViews figures show in this notebook, with files of this machine.

    In place of ``holoviews.extension("bokeh")``, which asks another host for them and leaves cells blank without it.
    """
    import holoviews as hv

    use_local_files()
    hv.extension("bokeh", inline=True, logo=False)
