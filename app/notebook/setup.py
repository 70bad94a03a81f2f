"""What figures of HoloViews and Panel need in a notebook, taken from this machine. A page needs none of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import panel as pn
from bokeh.models import UIElement
from panel.io.notebook import patch_inline_stylesheets
from panel.template import EditableTemplate

from app.notebook.kernel import kernel_shell

if TYPE_CHECKING:
    from bokeh.model import Model

HEIGHT = 340
"""Pixels of a figure in a notebook, where nothing else gives it a height."""


def use_local_files() -> None:
    """Ask no other host for files: in a kernel `panel.extension()` would, in ``panel serve x.ipynb`` the page around it."""
    if kernel_shell() is not None:
        pn.config.inline = True
    EditableTemplate._resources.get("css", {}).pop("lato", None)  # a font


def with_own_styles(draw: Callable[..., Any]) -> Callable[..., Any]:
    """Return a drawer of a model for a notebook that puts the model's style sheets in it in place of their addresses."""

    def draw_whole(model: Model, *args: Any, **named: Any) -> Any:
        for part in model.select({"type": UIElement}):
            patch_inline_stylesheets(part)
        return draw(model, *args, **named)

    return draw_whole


def setup() -> None:
    """Make HoloViews figures show in this notebook, with files of this machine.

    In place of ``holoviews.extension("bokeh")``, which asks another host for them and leaves cells blank without it.
    With ``inline=True`` it still asks for the style sheets of each figure, which Panel puts into its own figures only.
    """
    import holoviews as hv
    from holoviews.plotting import renderer

    from app.plots import use_theme

    use_local_files()
    use_theme(height=HEIGHT)
    pn.config.respect_explicit_sizing = True  # as in the dashboard; else figures side by side print a warning
    hv.extension("bokeh", inline=True, logo=False)
    hv.opts.defaults(hv.opts.Layout(toolbar=None))  # no figure has tools
    for name in ("render_model", "render_mimebundle"):
        draw = getattr(renderer, name)
        if draw.__module__ != __name__:
            setattr(renderer, name, with_own_styles(draw))
