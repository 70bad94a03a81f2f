"""Pages in a notebook: a cell that ends in a page shows it, playing, without a word to any other host.

The page is not drawn by Panel's notebook transport, which sends a message's text and each of its buffers as messages
of their own and cannot say when one was painted. It is served, as ``panel serve app`` serves it, by a small server
inside the kernel (`server`), and shown in a frame: every part of it works as it does in the dashboard. The browser
chooses the way (`frame.js`): straight to the server where kernel and browser are on one machine; through the kernel's
own connection where they are not (`relay`).
"""

from app.notebook.display import ipywidget, mimebundle, setup, use_local_files

use_local_files()

__all__ = ["ipywidget", "mimebundle", "setup"]
