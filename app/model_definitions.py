"""What a document's browser knows of Bokeh's models: a class that was made after the document was served must be sent."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from bokeh.core.has_props import is_DataModel
from bokeh.document import Document
from bokeh.model import Model

_known: WeakKeyDictionary[Document, set[type[Model]]] = WeakKeyDictionary()
"""Data models that each document has the definition of."""


def definitions_for(document: Document, model: type[Model]) -> list[type[Model]]:
    """Return what must travel with a component for the browser to know its data: the class itself, or nothing.

    Bokeh sends the definitions of all classes there are when it serves a document. A page that is imported only when
    its tab is opened brings new ones, which every other document that is open needs too, once each.
    """
    known = _known.get(document)
    if known is None:  # its first component: it is not served yet, and will be with these
        known = _known[document] = {cls for cls in Model.model_class_reverse_map.values() if is_DataModel(cls)}
    if model in known:
        return []
    known.add(model)
    return [model]
