"""`LabComponent`: a Panel component made of one script and one style sheet, with the icons all share."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Any, ClassVar

import panel as pn

from app.browser_messages import OneWayComponent, handler_of
from app.ordered_messages import in_order
from app.release import RELEASE_JS
from app.widgets.text_size import scaled_text, scaled_widths

FOLDER = Path(__file__).parent
SHARED_JS = RELEASE_JS + (FOLDER / "shared.js").read_text(encoding="utf-8")
"""Icons and small functions that every component's script may use."""
SHARED_CSS = scaled_text((FOLDER / "shared.css").read_text(encoding="utf-8"))
"""Buttons, cards and ranges as every component has them."""


class LabComponent(OneWayComponent):
    """Reads `<source>.js` and `<source>.css` beside its module; messages from the browser go to `on_<type>`.

    A subclass names its `_source`. Its script may use what `shared.js` defines, and what the files of `_scripts` do, of
    its module's folder, of this one or named by their whole path. Each message the script sends is an object with a
    `type`; one that does not fit the arguments of `on_<type>` and their types is dropped.
    """

    _source: ClassVar[str | None] = None
    _scripts: ClassVar[tuple[str | Path, ...]] = ()

    _esm: ClassVar[str] = "export function render() { return document.createElement('div') }"

    __abstract = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        source = cls.__dict__.get("_source")
        if source is not None:
            folder = Path(sys.modules[cls.__module__].__file__).parent
            homes = ((folder if (folder / name).exists() else FOLDER) / name for name in cls._scripts)
            more = "".join(script.read_text(encoding="utf-8") for script in homes)
            cls._esm = SHARED_JS + scaled_widths(more + (folder / f"{source}.js").read_text(encoding="utf-8"))
            cls._stylesheets = [SHARED_CSS + scaled_text((folder / f"{source}.css").read_text(encoding="utf-8"))]

    def _get_properties(self, doc: Any) -> dict[str, Any]:
        """Say that the script is plain JavaScript: with a bundle's name Panel does not translate it in the browser.

        It would translate it once for every slider and switch of a page; what bears one name is loaded once.
        """
        properties = super()._get_properties(doc)
        if "bundle" in properties and properties["bundle"] is None:
            properties["bundle"] = hashlib.sha256(properties["esm"].encode()).hexdigest()
        return properties

    @classmethod
    def _patch_datamodel_ref(cls, props: Any, ref: str) -> None:
        """Mark the component's own data as part of a page; its children mark theirs.

        Panel looks for data in everything below, at each change of a parameter: 30 ms for a card, 150 ms for a page.
        """
        data, tag = getattr(props, "data", props), f"__ref:{ref}"
        if tag not in data.tags:
            data.tags.append(tag)

    def _handle_msg(self, data: Any) -> None:
        """Answer a message; one that comes before the session is loaded waits: its effects would be lost."""
        handler = handler_of(self, data)
        if handler is not None:
            def answer() -> None:
                with in_order():
                    handler()

            pn.state.onload(answer)
