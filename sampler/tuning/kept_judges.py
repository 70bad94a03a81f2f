"""The truth of a sweep, kept in its SQLite file beside the trials: a sweep that goes on does not compute it again."""

import io
import sqlite3
import zipfile
from contextlib import closing
from typing import Any

import numpy as np

from sampler.tuning.cell_truth import NUMBERS, QUANTILES, JudgedEpoch, Judges, judged_epochs
from sampler.tuning.optuna_study import storage_url

LARGEST = 100_000_000
"""Bytes; a larger truth is computed again."""
PATIENCE = 30.0
"""Seconds to wait for another process that writes."""
_TABLE = "exit_time_lab_truth"
_KIND = f"{NUMBERS} {QUANTILES}"
_PARTS = ("mode", "mean", "sd", "quantiles")


def keep_judges(storage: str | None, name: str, judges: Judges) -> None:
    """Keep the truth of the study of this name; nothing where the storage is no SQLite file, or has no room for it."""
    path = _file_of(storage)
    if path is None:
        return
    epochs = judges.epochs
    arrays: dict[str, Any] = {part: np.array([getattr(epoch, part) for epoch in epochs.values()]) for part in _PARTS
                              if all(getattr(epoch, part) is not None for epoch in epochs.values())}
    if sum(part.nbytes for part in arrays.values()) > LARGEST:
        return
    file = io.BytesIO()
    np.savez(file, t=list(epochs), **arrays)
    row = name, _KIND, judges.method, judges.ess, judges.ceiling_draws, file.getvalue()
    try:
        with closing(sqlite3.connect(path, PATIENCE)) as base, base:
            base.execute(f"CREATE TABLE IF NOT EXISTS {_TABLE}"
                         " (study TEXT PRIMARY KEY, kind TEXT, method TEXT, ess INTEGER, ceiling INTEGER, arrays BLOB)")
            base.execute(f"INSERT OR REPLACE INTO {_TABLE} VALUES (?, ?, ?, ?, ?, ?)", row)  # noqa: S608 - a constant
    except sqlite3.Error:  # a full disk, a file that may only be read: the sweep itself goes on
        return


def kept_judges(storage: str | None, name: str, rungs: tuple[int, ...]) -> Judges | None:
    """Return what `keep_judges` kept for these rungs; None where there is nothing whole.

    The caller has made sure that the study is of the same data, model, seed and reference.
    """
    path = _file_of(storage)
    if path is None:
        return None
    try:
        with closing(sqlite3.connect(path, PATIENCE)) as base:
            found = base.execute(f"SELECT method, ess, ceiling, arrays FROM {_TABLE} WHERE study = ? AND kind = ?",  # noqa: S608
                                 (name, _KIND)).fetchone()
        if found is None:
            return None
        method, ess, ceiling, blob = found
        with np.load(io.BytesIO(blob), allow_pickle=False) as arrays:
            t, parts = arrays["t"], [arrays[part] if part in arrays else [None] * len(arrays["t"]) for part in _PARTS]
        epochs = {int(at): JudgedEpoch(int(at), *one) for at, *one in zip(t, *parts, strict=True)}
    except (sqlite3.Error, zipfile.BadZipFile, ValueError, KeyError, TypeError, OSError):  # none, or torn
        return None
    wanted = {t for rung in rungs for t in judged_epochs(rung)}
    return Judges(epochs, method, ess, ceiling) if set(epochs) == wanted else None


def _file_of(storage: str | None) -> str | None:
    url = storage_url(storage) or ""
    return url.removeprefix("sqlite:///") if url.startswith("sqlite:///") else None
