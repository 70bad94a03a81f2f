"""Each parameter's own default in the reference: to all names of ``width, height : int`` griffe gives the first one's."""

from __future__ import annotations

from typing import Any

import griffe


class OwnDefaults(griffe.Extension):
    """Take the defaults of parameters from their signature, also where a line of choices would give its first one."""

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        """Correct the parsed docstring of a function or method, once all is loaded."""
        _correct(func)

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        """Correct that of a class, which has the parameters of its ``__init__``."""
        _correct(cls)


def _correct(part: griffe.Function | griffe.Class) -> None:
    for section in part.docstring.parsed if part.docstring else ():
        if section.kind is griffe.DocstringSectionKind.parameters:
            for one in section.value:
                if one.name in part.parameters:
                    one.value = part.parameters[one.name].default
