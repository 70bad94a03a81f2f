"""A disk without room, wherever something is written: words, and what stood there before is as it was."""

import errno
import os
import sqlite3
from contextlib import closing

import numpy as np
import pytest

from sampler import LogisticRegression, OnlineSagaLD, Settings, Sweep, Tuned
from sampler.production import JsonLines, ParquetParts
from sampler.production import checkpoint as files
from sampler.tuning import Grid
from sampler.tuning.optuna_study import Study


def no_room(*args, **kwargs):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture
def saga():
    return OnlineSagaLD(LogisticRegression(3), Settings(eta0=0.5, batch_size=5, i_max=8), chains=6, seed=3)


def writes(saga):
    """Name -> what writes a file into a folder."""
    summary = {"t": 1, "mean": [0.5]}

    def lines(folder):
        out = JsonLines(str(folder / "out.jsonl"))
        out.resume(0)
        try:
            out.write(summary)
            out.mark()
        finally:
            out.close()

    def parts(folder):
        out = ParquetParts(str(folder / "out.parquet"))
        out.resume(0)
        out.write(summary)
        out.mark()

    return {"checkpoint": lambda folder: files.write(str(folder / "state.npz"), saga, {}, {}, True),
            "sampler": lambda folder: saga.save(folder / "saga.npz"),
            "settings": lambda folder: Settings().save(folder / "settings.toml"),
            "tuned": lambda folder: Tuned(Settings()).save(folder / "tuned.toml"),
            "lines": lines, "parts": parts,
            "draws": lambda folder: saga.epoch().save_draws(folder / "draws.parquet")}


@pytest.mark.parametrize("name", ["checkpoint", "sampler", "settings", "tuned", "lines", "parts", "draws"])
def test_a_full_disk_is_an_error_and_the_older_file_stays_whole(saga, name, tmp_path, monkeypatch):
    saga.observe(np.ones((1, 3)), np.ones(1))
    write = writes(saga)[name]
    if name != "lines":  # which begins anew: a checkpoint says where it goes on
        write(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", no_room)
        with pytest.raises((ValueError, OSError), match="cannot be written.*the disk is full: make room|No space left"):
            write(tmp_path)
    now = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert now == before or name in ("lines", "parts")  # which grow where a checkpoint says
    write(tmp_path)


def test_a_full_disk_stops_a_sweep_and_its_database_keeps_finished_cells(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    features, labels = rng.normal(size=(64, 2)), (rng.random(64) < 0.5).astype(float)

    def sweep():
        return Sweep(LogisticRegression(2), features, labels, Grid((0.3, 1.0), (4,), (9,), (100.0,)), chains=16, workers=0,
                     seed=5, reference="laplace", storage=str(tmp_path / "sweep.db"), prune=False)

    tell, left = Study.tell, iter([True])

    def tell_once(self, *args):
        if next(left, False):
            return tell(self, *args)
        with closing(sqlite3.connect(":memory:")) as database:
            database.executescript("PRAGMA max_page_count = 1; CREATE TABLE a (x)")  # as where SQLite has no room

    with monkeypatch.context() as patch:
        patch.setattr(Study, "tell", tell_once)
        with pytest.raises(ValueError, match="storage: .*sweep.db' cannot be written .the disk is full.*are kept"):
            sweep().run()
    kept = sweep().finished()
    assert len(kept) == 1
    outcome = sweep().run()
    assert outcome.ended == "finished" and len(outcome.cells) == 2 and kept[0] in outcome.cells
