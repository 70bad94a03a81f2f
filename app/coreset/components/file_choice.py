"""A file of the user's: taken, read in a thread of its own, read again when another column is wanted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import panel as pn
import param

from app.background_job import BackgroundJob, JobHandle
from app.coreset.models import SOURCES
from app.coreset.own_columns import OwnColumns, columns_of
from app.coreset.own_data import OwnData, read
from app.widgets.column_controls import class_menu, word_switches
from app.widgets.controls import menu, switch
from app.widgets.file_picker import FilePicker

LARGEST = 50_000_000
"""Bytes a file may have here: a page draws at most some 200,000 rows of it."""

GUESSED = "by its name, or the last"


class Reading(NamedTuple):
    """What the job knows of a file; `own` is None where it cannot be read as it is chosen."""

    columns: OwnColumns
    own: OwnData | None


class FileChoice(param.Parameterized):
    """``took(own)`` is called once a file was read; what is wrong with one is said under the button.

    The runs go on meanwhile, and stay as they are when the file cannot be read.
    """

    model = param.String("gaussian", doc="Key of the model that files are read for.")
    own = param.Parameter(None, doc="The file that was read last.")
    wanted = param.Boolean(False, doc="Whether a file is run on or asked for.")
    response = param.String("", label="response", doc="Column to explain; empty: one called y, label, ..., or the last.")
    positive = param.String("", doc="Value of the response that means 1, where all others mean 0; empty: none is chosen.")
    encoded = param.List([], doc="Columns of words that are columns of 0 and 1.")
    columns = param.Parameter(OwnColumns(), doc="What may be chosen of the file, an `OwnColumns`.")
    standardise = param.Boolean(True, label="Standardise features")

    def __init__(self, took: Callable[[OwnData], None], **params: Any) -> None:
        super().__init__(**params)
        self._took, self._number = took, 0
        self._file: Path | None = None
        self.worker = BackgroundJob("coreset-file")
        self.picker = FilePicker(self.take, self._away, LARGEST, "Take a part of it: a coreset wants no more rows.",
                                 accept=".csv,.tsv,.txt,.svm,.libsvm,.parquet,.xlsx,.xls,.gz,.bz2,.zst",
                                 hint=pn.bind(lambda model: f"CSV, libsvm, Parquet: {SOURCES[model].wants}; 50 MB at most.",
                                              self.param.model))
        columns = pn.bind(lambda columns, model: columns if columns.model_key == model else OwnColumns(),
                          self.param.columns, self.param.model)
        known = pn.bind(lambda columns: bool(columns.responses), columns)
        self.class_menu = class_menu(self.param.positive, pn.bind(lambda columns: columns.classes, columns))
        self.word_switches = word_switches(self.param.encoded, pn.bind(lambda columns: columns.words, columns), self._encode)
        self.view = pn.Column(
            self.picker, menu(self.param.response, pn.bind(_responses, columns), self._explain, visible=known),
            self.class_menu, self.word_switches, switch(self.param.standardise, visible=known), margin=0,
            sizing_mode="stretch_width", visible=self.param.wanted)

    def take(self, path: Path) -> None:
        """Read a new file."""
        self._file = None  # nothing is read while what was chosen of another file is forgotten
        self.param.update(response="", positive="", encoded=[])
        self._file = path
        self.read()

    def _away(self) -> None:
        """Forget a file that was taken away; the runs on it stay."""
        self._file = None
        self.worker.cancel()
        self.columns = OwnColumns()

    def _explain(self, response: str) -> None:
        """Take another response, none of its classes set against the others."""
        self.param.update(response=response, positive="")

    def _encode(self, column: str, on: bool) -> None:
        """Take a column of words as columns of 0 and 1, or leave it out."""
        self.encoded = [name for name in self.columns.words if (on if name == column else name in self.encoded)]

    @param.depends("response", "standardise", "positive", "encoded", watch=True)
    def read(self) -> None:
        """Read the file, perhaps again."""
        if self._file is None:
            return
        path, self._number = self._file, self._number + 1
        number, model, response, standardise = self._number, self.model, self.response or None, self.standardise
        categories, positive = tuple(self.encoded), self.positive or None

        def job(handle: JobHandle) -> Reading:
            data = path.read_bytes()
            columns = columns_of((path.name, data), model, response)
            handle.publish(Reading(columns, None))
            return Reading(columns, read(path.name, data, model, number, response, standardise, lambda: handle.stopped,
                                         categories=categories, positive=positive, columns=columns))

        self.picker.param.update(words="Reading it.", error="")
        self.worker.start(job)

    def look(self) -> None:
        """Look whether a file was read, or why it cannot be, and what may be chosen of it."""
        update = self.worker.take()
        if update is None or not update.done:
            return
        self.picker.param.update(words="", error=update.error)
        if update.value is None or self._file is None:
            return
        self.columns, own = update.value
        if own is not None and not update.error:
            self.own = own
            self._took(own)

    def close(self) -> None:
        """End the worker thread and forget the file."""
        self._file = self.own = None
        self.worker.close()
        self.picker.close()


def _responses(columns: OwnColumns) -> dict[str, str]:
    """Words -> value of the menu of responses."""
    return {GUESSED: ""} | {name: name for name in columns.responses}
