"""`LabComponent`: Panel component with its script in the common bundle, which sends messages; `Holder`: a container."""

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
    """Return a context that collects the changes of the current document and sends them in order in one message.

    Outside it, Panel writes a changed parameter to the socket at once, but Bokeh writes a model changed directly at the end
    of the callback. The removal of a page may then overtake a change of one of its models, and the browser receives a
    message about a model that it has dropped.

    Changes are collected, not combined: Bokeh puts a combined change at the place of the first one, before models that the
    last one adds or removes. Contexts may be nested; the outermost sends.
    """
    return pn.io.hold(policy="collect")


class _Kind(type(JSComponent)):
    """Metaclass of components: a class imported by a notebook cell must not belong to the document of a running page.

    Panel defines a new class in the browser of the current document. A page created later would define it twice and stay
    empty.
    """

    def __init__(cls, *arguments: Any) -> None:
        with set_curdoc(Document() if served_document() is None else None):
            super().__init__(*arguments)


class LabComponent(JSComponent, metaclass=_Kind):
    """Component of a page, drawn by the export of `lab.js` with the name of the class.

    Parameters are sent from Python to the script. The script sends messages: objects with a `type`, passed to the method
    `on_<type>`; a message that does not match the annotations of its arguments is dropped.
    """

    _bundle: ClassVar[Any] = bundle("lab")
    holder: Callable[[Any], None] | None = None  #: sends messages to the browser for a part of a `Holder`

    __abstract = True

    def send_msg(self, message: Any) -> None:
        """Send a message to the script."""
        if self.holder is None:
            self._send_msg(message)
        else:
            self.holder(message)

    def change(self, **values: Any) -> None:
        """Set the parameters that differ: `param.update` costs as much for equal values."""
        if changed := {name: value for name, value in values.items() if getattr(self, name) != value}:
            self.param.update(**changed)

    def _handle_msg(self, data: Any) -> None:
        """Handle a message, after the session is loaded: earlier its effects would be lost."""
        handler = handler_of(self, data)
        if handler is not None:
            def answer() -> None:
                with in_order():
                    handler()

            pn.state.onload(answer)


@cache
def _own(kind: type[LabComponent]) -> tuple[str, ...]:
    """Return the names of the parameters that a component's script reads."""
    return tuple(name for name, one in kind.param.objects("existing").items()
                 if issubclass(one.owner, LabComponent) and name != "name")


@cache
def _is_leaf(kind: type) -> bool:
    """Return whether a class is a `LabComponent` without children."""
    return issubclass(kind, LabComponent) and not any(
        isinstance(one, Child | Children) for one in kind.param.objects("existing").values())


class Holder(LabComponent):
    """Container that draws leaf components itself: Panel would build two models for each, in about 4 ms.

    Components with children and other Panel objects are normal children. The script reads all of them, in the order of
    `held`, from `held.by`.
    """

    items = Children(doc="Held objects that Panel draws.")
    parts = param.List([], doc="Initial values of each held leaf, or None for the next of `items`.")

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
        """Send the changes since `parts` to a view that has just been drawn."""
        for k, values in enumerate(self._changes):
            if values:
                self.send_msg({"part": k, "values": values})

    def on_part(self, part: int, message: Any) -> None:
        """Pass a message of a part's script to the part."""
        if 0 <= part < len(self._parts) and self._parts[part] is not None:
            self._parts[part]._handle_msg(message)


def _drawn(part: LabComponent | None) -> dict[str, Any] | None:
    """Return the kind, classes and values with which the browser draws a part."""
    if part is None:
        return None
    values = {name: getattr(part, name) for name in ("visible", *_own(type(part)))}
    return {"kind": type(part).__name__, "classes": " ".join(part.css_classes), "values": values}
