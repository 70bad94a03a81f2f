"""Defaults of parameters in the API reference: for ``width, height : int`` griffe assigns the first one's to all."""

from __future__ import annotations

from typing import Any

import griffe


class OwnDefaults(griffe.Extension):
    """Griffe extension that takes parameter defaults from the signature, also if the docstring lists choices."""

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        """Correct the defaults in the parsed docstring of a function or method."""
        _correct(func)

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        """Correct the defaults in a class docstring, from the parameters of its ``__init__``."""
        _correct(cls)


def _correct(part: griffe.Function | griffe.Class) -> None:
    for section in part.docstring.parsed if part.docstring else ():
        if section.kind is griffe.DocstringSectionKind.parameters:
            for one in section.value:
                if one.name in part.parameters:
                    one.value = part.parameters[one.name].default
