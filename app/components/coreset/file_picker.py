"""A button that takes a file from the person's disk, in parts, so that none is too long for a message."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable

import param

from app.components.base import LabComponent

LARGEST = 50_000_000
"""Bytes that are taken through the browser."""


class FilePicker(LabComponent):
    """`took(name, data)` is called when a whole file has come."""

    _source = "file_picker"

    label = param.String("Choose a file…")
    accept = param.String(".csv,.tsv,.txt,.parquet")
    name_shown = param.String("", doc="File in use.")
    wants = param.String("", doc="What it must hold.")
    error = param.String("", doc="What was wrong with it.")
    busy = param.Boolean(False)
    largest = param.Integer(LARGEST, doc="Bytes.")

    def __init__(self, took: Callable[[str, bytes], None], **params: object) -> None:
        self._took = took
        self._parts: list[bytes] = []
        self._coming = ""
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def on_part(self, name: str, at: int, last: bool, data: str) -> None:
        """Take one part; the first of a file forgets what came of another."""
        if int(at) == 0:
            self._parts, self._coming = [], str(name)
        if str(name) != self._coming:
            return
        try:
            self._parts.append(base64.b64decode(data, validate=True))
        except (binascii.Error, ValueError):
            self._parts, self._coming = [], ""
            self.error = f"{name} did not come through whole; choose it again."
            return
        if sum(map(len, self._parts)) > self.largest:
            self._parts, self._coming = [], ""
            self.error = f"{name} is larger than {self.largest / 1e6:,.0f} MB; take a part of it."
        elif last:
            data, self._parts, self._coming = b"".join(self._parts), [], ""
            self._took(str(name), data)
