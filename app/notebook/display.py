"""Display of a page in a notebook cell: an iframe with the script that connects to the kernel, or an ipywidget."""

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
    """Return the IPython shell, or None outside IPython."""
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return get_ipython()


def kernel_shell() -> Any:
    """Return the shell of a notebook kernel, or None outside one."""
    shell = notebook_shell()
    return shell if hasattr(shell, "kernel") else None


def running_cell(shell: Any) -> str:
    """Return the id of the running cell; empty if the notebook does not send it."""
    return str(shell.kernel.get_parent("shell").get("metadata", {}).get("cellId", ""))


HEIGHT = 340
"""Default height of a figure in a notebook, in pixels."""


def use_local_files() -> None:
    """Load no files from other hosts in a kernel, as ``panel.extension()`` would."""
    if kernel_shell() is not None:
        pn.config.inline = True


def setup() -> None:
    """Enable HoloViews figures in this notebook, with local files only.

    Replaces ``holoviews.extension("bokeh")``, which loads files from another host and leaves cells blank without it. Figures
    are displayed by Panel's panes, which include the style sheets that HoloViews requests even with ``inline=True``.
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
    """Return the MIME bundle of a figure."""
    return pn.pane.HoloViews(figure, linked_axes=False)._repr_mimebundle_(include, exclude)


EXECUTE = "application/vnd.holoviews_exec.v0+json"
"""MIME type for which Panel's JupyterLab extension passes the kernel's connection to the script."""
SCRIPT = Path(__file__).with_name("frame.js")


@cache
def _server() -> KernelServer:
    """Start the kernel's server and its first worker process, once per kernel."""
    from app.jobs.worker_processes import WorkerPool

    SERVER.part(WorkerPool).warm()
    server, shell = KernelServer(), kernel_shell()
    shell.kernel.comm_manager.register_target("exit-time-lab", lambda comm, message: open_relay(server, comm))
    shell.events.register("post_run_cell", lambda result: _drop_replaced(server, shell, result.execution_count))
    return server


def _drop_replaced(server: KernelServer, shell: Any, now: int) -> None:
    """Close the pages of the cell's previous run, unless another cell or a variable still refers to them."""
    cell = running_cell(shell)
    for shown in list(server.pages.values()):
        if shown.cells.get(cell, now) < now:
            del shown.cells[cell]
            named = any(value is shown.page for name, value in shell.user_ns.items() if not name.startswith("_"))
            if not shown.cells and not named:
                server.drop(shown)


def keep_for_cell(page: Any) -> tuple[KernelServer, dict[str, Any]]:
    """Serve a page for as long as the running cell displays it; return the server and the argument of `frame.js`."""
    shell, server = kernel_shell(), _server()
    shown, cell = server.keep(page), running_cell(shell)
    if cell:
        shown.cells[cell] = shell.execution_count
    return server, {"view": secrets.token_hex(8), "port": server.port, "path": server.address(shown),
                    "name": type(page).__name__}


def mimebundle(page: Any) -> tuple[dict[str, str], dict[str, Any]] | None:
    """Return the MIME bundle of a page, or None outside a notebook.

    Parameters
    ----------
    page
        A page. The cell displays this very object: changes from Python are visible, changes by the user are set on it.
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
    html = (f'<div id="{view}" style="width:100%"><p>{escape(name)}: run this cell to start it.</p></div>'
            f"<script>{SCRIPT.read_text(encoding='utf-8')}({json.dumps(where)})</script>")
    return {"text/plain": f"{name}: a live page in a notebook cell", "text/html": html, EXECUTE: ""}, {
        EXECUTE: {"id": view}}


MODULE = "export default {{render({{model, el}}) {{ ({script})(model.get('where'), model, el) }}}}"


@cache
def _kind() -> type:
    import anywidget
    import traitlets

    class PageWidget(anywidget.AnyWidget):
        """An iframe with a page."""

        _esm = MODULE.format(script=SCRIPT.read_text(encoding="utf-8").strip())
        where = traitlets.Dict().tag(sync=True)

    return PageWidget


def ipywidget(page: Any) -> Any:
    """Return a page as an ipywidget, for notebooks with no other connection to their kernel, such as remote ones in VS Code.

    The iframe is the same; its messages use ipywidgets' connection. ``panel.ipywidget`` draws the text and knobs of a page,
    but not its chains and figures: the browser side of jupyter_bokeh reads each buffer from the start of its message instead
    of its offset.

    Parameters
    ----------
    page
        A page, such as ``LivePage()``.

    Returns
    -------
    anywidget.AnyWidget
        For the last line of a cell, or a box of other widgets.

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
