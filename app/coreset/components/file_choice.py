"""A file of the user's: taken, read in a thread of its own, read again when another column is wanted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import panel as pn
import param

from app.background_job import BackgroundJob
from app.coreset.models import SOURCES
from app.coreset.own_data import OwnData, choices, read
from app.widgets.controls import menu, switch
from app.widgets.file_picker import FilePicker

LARGEST = 50_000_000
"""Bytes a file may have here: a page draws at most some 200,000 rows of it."""

GUESSED = "by its name, or the last"


class FileChoice(param.Parameterized):
    """``took(own)`` is called once a file was read; what is wrong with one is said under the button.

    The runs go on meanwhile, and stay as they are when the file cannot be read.
    """

    model = param.String("gaussian", doc="Key of the model that files are read for.")
    own = param.Parameter(None, doc="The file that was read last.")
    wanted = param.Boolean(False, doc="Whether a file is run on or asked for.")
    response = param.String("", label="response", doc="Column to explain; empty: one called y, label, ..., or the last.")
    standardise = param.Boolean(True, label="Standardise features")

    def __init__(self, took: Callable[[OwnData], None], **params: Any) -> None:
        super().__init__(**params)
        self._took, self._number = took, 0
        self._file: Path | None = None
        self.worker = BackgroundJob("coreset-file")
        self.picker = FilePicker(self.take, self._away, LARGEST, "Take a part of it: a coreset wants no more rows.",
                                 accept=".csv,.tsv,.txt,.svm,.libsvm,.parquet,.xlsx,.xls",
                                 hint=pn.bind(lambda model: f"CSV, libsvm, Parquet: {SOURCES[model].wants}; 50 MB at most.",
                                              self.param.model))
        known = pn.bind(lambda own, model: own is not None and own.model_key == model != "gaussian"
                        and SOURCES[model].has_response and model != "bradley_terry", self.param.own, self.param.model)
        columns = pn.bind(lambda own: {GUESSED: ""} | {name: name for name in choices(own)}, self.param.own)
        self.view = pn.Column(self.picker, menu(self.param.response, columns, visible=known),
                              switch(self.param.standardise, visible=known), margin=0, sizing_mode="stretch_width",
                              visible=self.param.wanted)

    def take(self, path: Path) -> None:
        """Read a new file."""
        self._file = path
        with param.parameterized.discard_events(self):
            self.response = ""
        self.read()

    def _away(self) -> None:
        """Forget a file that was taken away; the runs on it stay."""
        self._file = None
        self.worker.cancel()

    @param.depends("response", "standardise", watch=True)
    def read(self) -> None:
        """Read the file, perhaps again."""
        if self._file is None:
            return
        path, self._number = self._file, self._number + 1
        number, model, response, standardise = self._number, self.model, self.response or None, self.standardise
        self.picker.param.update(words="Reading it.", error="")
        self.worker.start(lambda handle: read(path.name, path.read_bytes(), model, number, response, standardise,
                                              lambda: handle.stopped))

    def look(self) -> None:
        """Look whether a file was read."""
        update = self.worker.take()
        if update is None or not update.done:
            return
        self.picker.param.update(words="", error=update.error)
        if update.value is not None and not update.error:
            self.own = update.value
            self._took(update.value)

    def close(self) -> None:
        """End the worker thread and forget the file."""
        self._file = self.own = None
        self.worker.close()
        self.picker.close()
