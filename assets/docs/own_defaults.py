"""Each parameter's own default in the reference: to all names of ``width, height : int`` griffe gives the first one's."""

from __future__ import annotations

from typing import Any

import griffe


class OwnDefaults(griffe.Extension):
    """Take the defaults of a function's parameters from its signature."""

    def on_function_instance(self, *, func: griffe.Function, **_: Any) -> None:
        """Correct the parsed docstring of a function or method, once its signature is read."""
        for section in func.docstring.parsed if func.docstring else ():
            if section.kind is griffe.DocstringSectionKind.parameters:
                for one in section.value:
                    if one.name in func.parameters:
                        one.value = func.parameters[one.name].default
