"""A page as an ipywidget: the same frame, its messages carried by ipywidgets' connection instead of Panel's.

``panel.ipywidget`` draws a page's text and knobs, but neither its chains nor its figures: the browser's part of
jupyter_bokeh reads each buffer of numbers from the beginning of the message that carries it, not from its place in it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from app.notebook.display import SCRIPT, keep_for_cell
from app.notebook.kernel import kernel_shell
from app.notebook.relay import open_relay

MODULE = "export default {{render({{model, el}}) {{ ({script})(model.get('where'), model, el) }}}}"


class WidgetComm:
    """What a relay needs of a connection, made of a widget."""

    def __init__(self, widget: Any) -> None:
        self._widget = widget

    def send(self, data: dict[str, Any], buffers: list[bytes]) -> None:
        """Send a message to each view of the widget."""
        self._widget.send(data, buffers)

    def on_msg(self, take: Any) -> None:
        """Have a view's messages taken."""
        self._widget.on_msg(lambda widget, data, buffers: take({"content": {"data": data}, "buffers": buffers}))

    def on_close(self, close: Any) -> None:
        """Have the end taken: a widget ends with its kernel."""


@cache
def _kind() -> type:
    import anywidget
    import traitlets

    class PageWidget(anywidget.AnyWidget):
        """A frame that shows a page."""

        _esm = MODULE.format(script=SCRIPT.read_text(encoding="utf-8").strip())
        where = traitlets.Dict().tag(sync=True)

    return PageWidget


def ipywidget(page: Any) -> Any:
    """Return a page as an ipywidget, for notebooks that reach their kernel in no other way: VS Code's with a remote one.

    Parameters
    ----------
    page
        A page, such as ``LivePage()``.

    Returns
    -------
    anywidget.AnyWidget
        Shown as the last line of a cell; it may stand in a box of other widgets.

    Raises
    ------
    ValueError
        If the page has been closed, or outside a notebook.
    """
    if kernel_shell() is None:
        raise ValueError("ipywidget(page) must be called in a notebook's kernel; elsewhere serve the page: panel serve app")
    if page.closed:
        raise ValueError(f"page must be open; this {type(page).__name__} has been closed, because its cell was run again. "
                         f"Make a new one: {type(page).__name__}()")
    server, where = keep_for_cell(page)
    widget = _kind()(where=where, layout={"width": "100%"})
    open_relay(server, WidgetComm(widget))
    return widget
