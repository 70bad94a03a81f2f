"""Messages to and from a browser find the models they name without Bokeh's table of all models, made anew for each.

The table is a step of Python for each of some 600 models: with 20 visits that was an eighth of the server's time.
"""

from __future__ import annotations

import sys
from collections import ChainMap
from collections.abc import Collection, Sequence
from typing import Any

from bokeh.core.serialization import Deserializer, Ref, Serializer
from bokeh.document import document
from bokeh.document.models import DocumentModelManager
from bokeh.model import Model
from bokeh.protocol.messages import patch_doc

from app.server_parts import replace

_writer = sys.modules[patch_doc.__module__]  # whose package has this class under its name


class LookingSerializer(Serializer):
    """Makes a reference to a model that the browser has when it meets the model, not to all of them beforehand."""

    def __init__(self, *, references: Collection[Model] = (), **more: Any) -> None:
        super().__init__(**more)
        self._known = set(map(id, references))

    def get_ref(self, obj: Any) -> Ref | None:
        """Return the reference to what the browser has, or None."""
        found = self._references.get(id(obj))
        return obj.ref if found is None and id(obj) in self._known else found

    def has_ref(self, obj: Any) -> bool:
        """Whether the browser has it, or will by this message."""
        return id(obj) in self._references or id(obj) in self._known


class LookingDeserializer(Deserializer):
    """Finds models in their document's own table, which stays as it was while a message is read: a change makes another."""

    def __init__(self, references: Sequence[Model] | None = None, **more: Any) -> None:
        super().__init__(**more)
        known = references[0].document.models._models if references else {}
        self._references = ChainMap({}, known)  # what the message brings goes into the first


class LookingModels(DocumentModelManager):
    """A document's models, of which those that the browser has are found without a step of Python for each."""

    @property
    def synced_references(self) -> set[Model]:
        """Models that the browser has."""
        return set(self._models.values()) - self._new_models


def look_up_models() -> None:
    """Have the documents and messages that are made from now on do so."""
    replace(document, "DocumentModelManager", LookingModels)
    replace(document, "Deserializer", LookingDeserializer)
    replace(_writer, "Serializer", LookingSerializer)
