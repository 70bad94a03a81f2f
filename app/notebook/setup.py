"""What figures of HoloViews and Panel need in a notebook, taken from this machine. A page needs none of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import panel as pn
from bokeh.models import UIElement
from panel.io.notebook import patch_inline_stylesheets

from app.notebook.kernel import kernel_shell

if TYPE_CHECKING:
    from bokeh.model import Model


def use_local_files() -> None:
    """Have `panel.extension()` take its files from this machine, in a kernel, where it would ask another host."""
    if kernel_shell() is not None:
        pn.config.inline = True


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

    use_local_files()
    hv.extension("bokeh", inline=True, logo=False)
    for name in ("render_model", "render_mimebundle"):
        draw = getattr(renderer, name)
        if draw.__module__ != __name__:
            setattr(renderer, name, with_own_styles(draw))
