"""What a notebook cell shows of a page: a frame, and the script that finds the way to the kernel."""

from __future__ import annotations

import json
import secrets
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from app.notebook.kernel import kernel_shell, running_cell
from app.notebook.relay import open_relay
from app.notebook.server import KernelServer

EXECUTE = "application/vnd.holoviews_exec.v0+json"
"""With this kind in the bundle, Panel's extension of JupyterLab lends the script the kernel's connection."""
SCRIPT = Path(__file__).with_name("frame.js")


@cache
def _server() -> KernelServer:
    """Start the kernel's server; once."""
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
