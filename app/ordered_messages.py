"""`in_order`: what a callback changes travels to the browser in one message, in the order in which it happened."""

from __future__ import annotations

from contextlib import AbstractContextManager

import panel as pn


def in_order() -> AbstractContextManager:
    """Return a context in which the changes of the current document are kept, and sent in one message at its end.

    Outside of it there are two ways to the browser. Panel writes a changed parameter to the socket at once; Bokeh
    writes a model that was changed by hand when the callback is over. So a page that is taken away may overtake a
    change of one of its models, and the browser gets a message about a model that it has dropped.

    The changes are collected and not combined: Bokeh puts a combined change where the first one stood, before models
    that the last one brings or takes away. Contexts may be nested; the outermost sends.
    """
    return pn.io.hold(policy="collect")
