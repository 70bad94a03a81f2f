"""Pages in a notebook: a cell that ends in a page displays it live, without requests to any other host.

Panel's notebook transport sends the text and each buffer of a message separately and does not report when one is painted.
The page is therefore served by a small server inside the kernel (`server`), as ``panel serve app`` serves it, and displayed
in an iframe, where it works as in the dashboard. The browser (`frame.js`) connects directly to the server if kernel and
browser are on one machine, and through the kernel's connection otherwise (`relay`).
"""

from app.notebook.display import ipywidget, mimebundle, setup, use_local_files

use_local_files()

__all__ = ["ipywidget", "mimebundle", "setup"]
