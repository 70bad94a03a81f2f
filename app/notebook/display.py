"""What a notebook cell shows of a page: a frame, and the script that finds the way to the kernel; or an ipywidget."""

from __future__ import annotations

import json
import secrets
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import panel as pn

from app.notebook.relay import Relay, open_relay
from app.notebook.server import KernelServer
from app.visit import SERVER


def notebook_shell() -> Any:
    """Return the shell that shows what cells end in, None outside of IPython."""
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return get_ipython()


def kernel_shell() -> Any:
    """Return the shell of a notebook's kernel, None outside of one."""
    shell = notebook_shell()
    return shell if hasattr(shell, "kernel") else None


def running_cell(shell: Any) -> str:
    """Return the number of the cell that is run; empty where the notebook does not say."""
    return str(shell.kernel.get_parent("shell").get("metadata", {}).get("cellId", ""))


HEIGHT = 340
"""Pixels of a figure in a notebook, where nothing else gives it a height."""


def use_local_files() -> None:
    """Ask no other host for files where the process is a kernel; ``panel.extension()`` would."""
    if kernel_shell() is not None:
        pn.config.inline = True


def setup() -> None:
    """Make HoloViews figures show in this notebook, with files of this machine.

    In place of ``holoviews.extension("bokeh")``, which asks another host for them and leaves cells blank without it. Figures
    show through Panel's panes: these bring the style sheets of a figure, which HoloViews asks for even with ``inline=True``.
    """
    import holoviews as hv

    from app.plots import use_theme

    use_theme(height=HEIGHT)
    pn.extension(inline=True)
    pn.config.respect_explicit_sizing = True  # as in the dashboard; else figures side by side print a warning
    hv.Store.set_current_backend("bokeh")
    hv.opts.defaults(hv.opts.Layout(toolbar=None))  # no figure has tools
    shell = notebook_shell()
    if shell is not None:
        shell.display_formatter.mimebundle_formatter.for_type(hv.core.Dimensioned, _pane_of)


def _pane_of(figure: Any, include: Any = None, exclude: Any = None) -> Any:
    """Return what a cell shows of a figure."""
    return pn.pane.HoloViews(figure, linked_axes=False)._repr_mimebundle_(include, exclude)


EXECUTE = "application/vnd.holoviews_exec.v0+json"
"""With this kind in the bundle, Panel's extension of JupyterLab lends the script the kernel's connection."""
SCRIPT = Path(__file__).with_name("frame.js")


@cache
def _server() -> KernelServer:
    """Start the kernel's server and its first worker process; once."""
    from app.jobs.worker_processes import WorkerPool

    SERVER.part(WorkerPool).warm()
    server, shell = KernelServer(), kernel_shell()
    shell.kernel.comm_manager.register_target("exit-time-lab", lambda comm, message: open_relay(server, comm))
    shell.events.register("post_run_cell", lambda result: _drop_replaced(server, shell, result.execution_count))
    return server


def _drop_replaced(server: KernelServer, shell: Any, now: int) -> None:
    """Close the pages that the cell showed when it was last run, unless another cell or a name still has them."""
    cell = running_cell(shell)
    for shown in list(server.pages.values()):
        if shown.cells.get(cell, now) < now:
            del shown.cells[cell]
            named = any(value is shown.page for name, value in shell.user_ns.items() if not name.startswith("_"))
            if not shown.cells and not named:
                server.drop(shown)


def keep_for_cell(page: Any) -> tuple[KernelServer, dict[str, Any]]:
    """Have a page served for as long as the cell that is run shows it; return the server, and what `frame.js` is told."""
    shell, server = kernel_shell(), _server()
    shown, cell = server.keep(page), running_cell(shell)
    if cell:
        shown.cells[cell] = shell.execution_count
    return server, {"view": secrets.token_hex(8), "port": server.port, "path": server.address(shown),
                    "name": type(page).__name__}


def mimebundle(page: Any) -> tuple[dict[str, str], dict[str, Any]] | None:
    """Return what a cell shows of a page, None outside a notebook.

    Parameters
    ----------
    page
        A page: it is the object that is shown, so what Python sets is seen, and what the user turns is set.
    """
    shell = kernel_shell()
    if shell is None:
        return None
    name = type(page).__name__
    if page.closed:
        words = f"This {name} has been closed, because its cell was run again. Make a new one: {name}()."
        return {"text/plain": words, "text/html": f"<p>{words}</p>"}, {}
    _, where = keep_for_cell(page)
    view = where["view"]
    html = (f'<div id="{view}" style="width:100%"><p>{escape(name)}: run this cell to bring it to life.</p></div>'
            f"<script>{SCRIPT.read_text(encoding='utf-8')}({json.dumps(where)})</script>")
    return {"text/plain": f"{name}: a page that lives in a notebook's cell", "text/html": html, EXECUTE: ""}, {
        EXECUTE: {"id": view}}


MODULE = "export default {{render({{model, el}}) {{ ({script})(model.get('where'), model, el) }}}}"


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

    The frame is the same, its messages are carried by ipywidgets' connection. ``panel.ipywidget`` draws a page's text and
    knobs, but neither its chains nor its figures: the browser's part of jupyter_bokeh reads each buffer of numbers from the
    beginning of the message that carries it, not from its place in it.

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
    relay = Relay(server, widget.send)
    widget.on_msg(lambda widget, data, buffers: server.loop.add_callback(relay.take, data, buffers))
    return widget
