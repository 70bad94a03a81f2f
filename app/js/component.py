"""LabComponent: a Panel component whose script is in the bundle of all components; its script sends messages."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, ClassVar

import panel as pn
from panel.custom import JSComponent

from app.js.bundles import bundle
from app.js.messages import handler_of


def in_order() -> AbstractContextManager:
    """Return a context in which the changes of the current document are kept, and sent in one message at its end.

    Outside of it there are two ways to the browser. Panel writes a changed parameter to the socket at once; Bokeh
    writes a model that was changed by hand when the callback is over. So a page that is taken away may overtake a
    change of one of its models, and the browser gets a message about a model that it has dropped.

    The changes are collected and not combined: Bokeh puts a combined change where the first one stood, before models
    that the last one brings or takes away. Contexts may be nested; the outermost sends.
    """
    return pn.io.hold(policy="collect")


class LabComponent(JSComponent):
    """A component of the page, drawn by the export of `lab.js` that bears the name of the class.

    Parameters travel from Python to the script. The script sends messages: objects with a `type`, which go to the
    method `on_<type>`; one that does not fit the annotations of its arguments is dropped.
    """

    _bundle: ClassVar[Any] = bundle("lab")

    __abstract = True

    def change(self, **values: Any) -> None:
        """Set parameters that differ; `param.update` costs a frame as much for values that are the same."""
        if news := {name: value for name, value in values.items() if getattr(self, name) != value}:
            self.param.update(**news)

    def _handle_msg(self, data: Any) -> None:
        """Answer a message; one that comes before the session is loaded waits: its effects would be lost."""
        handler = handler_of(self, data)
        if handler is not None:
            def answer() -> None:
                with in_order():
                    handler()

            pn.state.onload(answer)
