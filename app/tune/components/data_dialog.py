"""Bringing data: a file dropped on the page or chosen, looked at and settled in a dialog."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param

from app.tune.preview import Preview
from app.widgets.component import LabComponent
from sampler.streams import LARGEST_UPLOAD


class DataDialog(LabComponent):
    """A button in the sidebar, a dialog over the page, and a page that takes dropped files.

    Parameters
    ----------
    acts
        ``begin(name, size)``, ``piece(text, last)``, ``refuse(name, size)``, ``choose(field, value)``, ``use()`` and
        ``close()``.
    """

    _source = "data_dialog"

    open = param.Boolean(False)
    largest = param.Integer(LARGEST_UPLOAD)
    name_ = param.String("", doc="Of the file.")
    columns = param.List([])
    rows = param.List([])
    response = param.String("")
    features = param.List([])
    kind = param.String("")
    kinds = param.List([], doc="[key, words] of each gradient.")
    intercept = param.Boolean(True)
    scale = param.Boolean(False)
    says = param.List([], doc="Sentences about what became of the rows.")
    error = param.String("")
    progress = param.Number(None, allow_None=True, doc="Of an upload, in [0, 1].")

    def __init__(self, acts: dict[str, Callable], **params: Any) -> None:
        self._acts = acts
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def show(self, preview: Preview) -> None:
        """Show a file in the dialog."""
        self.param.update(
            open=True, progress=None, name_=preview.name, columns=list(preview.columns),
            rows=[list(row) for row in preview.rows], response=preview.response, features=list(preview.features),
            kind=preview.kind, intercept=preview.intercept, scale=preview.scale, says=preview.words, error=preview.error)

    def on_begin(self, name: str, size: int) -> None:
        """A file was dropped or chosen: its pieces are asked for one by one."""
        if self._acts["begin"](str(name), int(size)):
            self._send_msg({"more": True})

    def on_piece(self, text: str, last: bool) -> None:
        """Take a piece; ask for the next."""
        if self._acts["piece"](str(text), bool(last)) and not last:
            self._send_msg({"more": True})

    def on_refuse(self, name: str, size: int) -> None:
        """A file too large to be handed over."""
        self._acts["refuse"](str(name), int(size))

    def on_choose(self, field: str, value: Any) -> None:
        """Take a choice about the file."""
        self._acts["choose"](str(field), value)

    def on_use(self) -> None:
        """Take the data."""
        self._acts["use"]()

    def on_close(self) -> None:
        """Leave everything as it was."""
        self.open = False
        self._acts["close"]()
