"""LabComponent: a Panel component whose script is in the bundle of all components; its script sends messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cache, partial
from typing import Any, ClassVar

import panel as pn
import param
from bokeh.document import Document
from panel.custom import JSComponent
from panel.io.state import set_curdoc
from panel.viewable import Child, Children

from app.js.bundles import bundle
from app.js.messages import handler_of
from app.visit import served_document


def in_order() -> AbstractContextManager:
    """Return a context in which the changes of the current document are kept, and sent in one message at its end.

    Outside of it there are two ways to the browser. Panel writes a changed parameter to the socket at once; Bokeh
    writes a model that was changed by hand when the callback is over. So a page that is taken away may overtake a
    change of one of its models, and the browser gets a message about a model that it has dropped.

    The changes are collected and not combined: Bokeh puts a combined change where the first one stood, before models
    that the last one brings or takes away. Contexts may be nested; the outermost sends.
    """
    return pn.io.hold(policy="collect")


class _Kind(type(JSComponent)):
    """Makes the classes of components: those that a cell of a notebook imports belong to no page that plays meanwhile.

    Panel takes a class for news to the browser of the document that is current, and defines it there once more. That of a
    page made later has it twice then, and stays empty.
    """

    def __init__(cls, *arguments: Any) -> None:
        with set_curdoc(Document() if served_document() is None else None):
            super().__init__(*arguments)


class LabComponent(JSComponent, metaclass=_Kind):
    """A component of the page, drawn by the export of `lab.js` that bears the name of the class.

    Parameters travel from Python to the script. The script sends messages: objects with a `type`, which go to the
    method `on_<type>`; one that does not fit the annotations of its arguments is dropped.
    """

    _bundle: ClassVar[Any] = bundle("lab")
    holder: Callable[[Any], None] | None = None  #: takes its messages to the browser, where it is a part of another

    __abstract = True

    def send_msg(self, message: Any) -> None:
        """Send a message to the script."""
        if self.holder is None:
            self._send_msg(message)
        else:
            self.holder(message)

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


@cache
def _own(kind: type[LabComponent]) -> tuple[str, ...]:
    """Names of the parameters that a component's script reads."""
    return tuple(name for name, one in kind.param.objects("existing").items()
                 if issubclass(one.owner, LabComponent) and name != "name")


@cache
def _is_leaf(kind: type) -> bool:
    """Whether components of a class are ours and have no children."""
    return issubclass(kind, LabComponent) and not any(
        isinstance(one, Child | Children) for one in kind.param.objects("existing").values())


class Holder(LabComponent):
    """A component that draws others within itself, for which Panel would build two models each, in some 4 ms.

    Components that have children, and what is none of ours, are its children as in any other. The script has them all from
    `held.by`, in the order of `held`.
    """

    items = Children(doc="Of what is held, what Panel draws.")
    parts = param.List([], doc="Of each that is held, what is drawn at first; None: the next of `items`.")

    __abstract = True

    def __init__(self, held: Sequence[Any], **params: Any) -> None:
        self.held = list(held)
        self._parts = [one if _is_leaf(type(one)) else None for one in held]
        self._changes: list[dict[str, Any]] = [{} for _ in held]
        super().__init__(items=[one for one in held if not _is_leaf(type(one))],
                         parts=[_drawn(one) for one in self._parts], **params)
        for k, one in enumerate(self._parts):
            if one is not None:
                one.holder = partial(self._pass_on, k)
                one.param.watch(partial(self._changed, k), ["visible", *_own(type(one))])

    def _changed(self, k: int, *events: Any) -> None:
        values = {event.name: event.new for event in events}
        self._changes[k] |= values
        self.send_msg({"part": k, "values": values})

    def _pass_on(self, k: int, message: Any) -> None:
        self.send_msg({"part": k, "message": message})

    def on_hello(self) -> None:
        """Tell a view that has just been drawn what has changed since `parts` was."""
        for k, values in enumerate(self._changes):
            if values:
                self.send_msg({"part": k, "values": values})

    def on_part(self, part: int, message: Any) -> None:
        """Hand a part what its script says."""
        if 0 <= part < len(self._parts) and self._parts[part] is not None:
            self._parts[part]._handle_msg(message)


def _drawn(part: LabComponent | None) -> dict[str, Any] | None:
    """Return what the browser needs to draw a part."""
    if part is None:
        return None
    values = {name: getattr(part, name) for name in ("visible", *_own(type(part)))}
    return {"kind": type(part).__name__, "classes": " ".join(part.css_classes), "values": values}
