"""Damaged checkpoints are detected and the previous one is used, bit for bit; a full disk is an error."""

import errno
import os
import shutil
import sqlite3
import stat
from contextlib import closing

import numpy as np
import pytest

from sampler import LogisticRegression, OnlineSagaLD, Settings, Sweep, Tuned
from sampler.algorithms.state_archive import damage_of, path_before, read_meta, share_name, sweep_shares, write_state
from sampler.atomic_file import atomic_file
from sampler.production import JsonLines, ParquetParts
from sampler.production import checkpoint_file as files
from sampler.tuning import Grid
from sampler.tuning.optuna_study import Study
from tests.sampler.replays import SETTINGS, after, finish, replay, run


def replay_in(folder, rows):
    """Return a replay that saves its state after each block and on a stop."""
    return replay(tuple(part[:120] for part in rows), output=JsonLines(str(folder / "out.jsonl")),
                  checkpoint=str(folder / "state.npz"), seconds=0.0)


def final_state(folder, rows):
    """Return the epoch of resumption, its message, the samples and the summaries."""
    run = replay_in(folder, rows)
    result = finish(run)
    return result.resumed_at, run.mended, result.samples, (folder / "out.jsonl").read_bytes()


@pytest.fixture(scope="module")
def interrupted(rows, tmp_path_factory):
    """A run stopped after epoch 60 with the states of epochs 50 and 60, and the result of an uninterrupted run."""
    folder = tmp_path_factory.mktemp("run")
    finish(replay_in(folder, rows), after(6))
    return folder, final_state(tmp_path_factory.mktemp("whole"), rows)


def damaged(interrupted, tmp_path, change):
    """Copy the run, change the bytes of its newest state and return its path."""
    shutil.copytree(interrupted[0], tmp_path, dirs_exist_ok=True)
    path = tmp_path / "state.npz"
    path.write_bytes(change(path.read_bytes()))
    return path


@pytest.mark.parametrize("part", [0, 1, 10, 19])
def test_a_truncated_file_is_replaced_by_the_previous_one(interrupted, tmp_path, part):
    path = damaged(interrupted, tmp_path, lambda whole: whole[:part * len(whole) // 20])
    words = files.recover(str(path))
    assert "is damaged" in words and "resumed from the previous one at epoch 50;" in words and "state.npz.damaged" in words
    assert path.read_bytes() == (tmp_path / "state.npz.before").read_bytes()
    assert files.recover(str(path)) == ""


def test_a_flipped_bit_anywhere_is_detected_or_harmless(interrupted, tmp_path):
    whole = (interrupted[0] / "state.npz").read_bytes()
    path, right = tmp_path / "state.npz", files.read(str(interrupted[0] / "state.npz"))
    detected = 0
    for at in np.random.default_rng(1).permutation(8 * len(whole))[:80]:
        changed = bytearray(whole)
        changed[at // 8] ^= 1 << at % 8
        path.write_bytes(changed)
        if damage_of(path):
            detected += 1
        else:  # in the name of the checksum
            assert at // 8 >= len(whole) - 40 and files.read(str(path))[0] == right[0]
    assert detected > 70


def test_the_run_equals_an_uninterrupted_one(rows, interrupted, tmp_path):
    damaged(interrupted, tmp_path, lambda whole: whole[:-4096] + bytes(4096))  # zeros at the end
    at, words, samples, lines = final_state(tmp_path, rows)
    assert at == 50 and "resumed from the previous one at epoch 50" in words
    np.testing.assert_array_equal(samples, interrupted[1][2])
    assert lines == interrupted[1][3]


def test_lost_rows_of_a_queue_are_reported(rows, tmp_path):
    path = tmp_path / "state.npz"
    queue = {"checkpoint": str(path), "seconds": 1e9, "goes_on": True}
    for at in (0, 20):
        run(tuple(column[at:at + 20] for column in rows), **queue)
    path.write_bytes(path.read_bytes()[:-100])
    again = replay([], **queue)
    assert again.resume() == 20 and "rows that came after it are missing" in again.mended


def test_damage_without_a_valid_previous_file_is_an_error(interrupted, tmp_path, rows):
    path = damaged(interrupted, tmp_path, lambda whole: whole[:-3000])
    (tmp_path / "state.npz.before").write_bytes(b"PK")
    kept = sorted((p.name, p.read_bytes()) for p in tmp_path.iterdir())
    with pytest.raises(ValueError, match="is damaged .* and so is .*state.npz.before.* start again with a new checkpoint"):
        replay_in(tmp_path, rows).resume()
    assert sorted((p.name, p.read_bytes()) for p in tmp_path.iterdir()) == kept
    (tmp_path / "state.npz.before").unlink()
    with pytest.raises(ValueError, match="is not a saved sampler, or is truncated"):
        replay_in(tmp_path, rows).resume()
    path.write_bytes((interrupted[0] / "state.npz").read_bytes().replace(b"chains_", b"chainz_", 1))
    with pytest.raises(ValueError, match="is damaged .its checksum"):
        replay_in(tmp_path, rows).resume()


def test_without_its_checkpoint_a_run_restarts_and_removes_the_older_one(rows, interrupted, tmp_path):
    shutil.copytree(interrupted[0], tmp_path, dirs_exist_ok=True)
    (tmp_path / "state.npz").unlink()
    run = replay_in(tmp_path, rows)
    assert finish(run, after(1)).resumed_at == 0 and run.mended == ""
    assert (tmp_path / "state.npz").exists() and not (tmp_path / "state.npz.before").exists()


def test_a_file_is_synced_before_it_is_renamed_and_its_folder_afterwards(tmp_path, monkeypatch):
    calls, sync, replace = [], os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda fd: (calls.append(stat.S_ISDIR(os.fstat(fd).st_mode)), sync(fd)))
    monkeypatch.setattr(os, "replace", lambda *names: (calls.append("named"), replace(*names)))
    with atomic_file(tmp_path / "a") as file:
        file.write(b"1")
    assert calls == [False, "named", True]


def test_a_file_keeps_its_mode_and_a_new_one_follows_the_umask(tmp_path):
    umask = os.umask(0o027)
    try:
        for mode in (0o640, 0o600, 0o664):
            if (tmp_path / "a").exists():
                (tmp_path / "a").chmod(mode)
            with atomic_file(tmp_path / "a") as file:
                file.write(b"1")
            assert (tmp_path / "a").stat().st_mode & 0o777 == mode
    finally:
        os.umask(umask)


def test_a_running_replay_overwrites_a_damaged_checkpoint(tmp_path):
    saga, path = OnlineSagaLD(LogisticRegression(3), SETTINGS, chains=2, seed=1), tmp_path / "state.npz"
    path.write_bytes(b"PK damaged")
    (tmp_path / "state.npz.before").write_bytes(b"PK damaged too")
    (tmp_path / "state.npz.shares").mkdir()
    files.write(str(path), saga, {"a": 1}, {}, False)
    sweep_shares(path)  # shares of the damaged file are unknown
    assert files.read(str(path))[0] == {"a": 1} and (tmp_path / "state.npz.shares").is_dir()


def test_a_damaged_share_and_a_read_error_count_as_damage(tmp_path, monkeypatch):
    saga, path = OnlineSagaLD(LogisticRegression(3), SETTINGS, chains=2, seed=1), tmp_path / "state.npz"
    share = tmp_path / "state.npz.shares" / share_name("0" * 32, 0, 1)
    share.parent.mkdir()
    saga.save(share)
    write_state(path, read_meta(share), {}, shares=[(0, 2, share.name)])
    shutil.copy(path, path_before(path))
    assert files.recover(str(path)) == ""
    whole = share.read_bytes()
    share.write_bytes(whole[:-300] + bytes([whole[-300] ^ 4]) + whole[-299:])
    with pytest.raises(ValueError, match="is damaged .*its checksum"):
        files.recover(str(path))

    def unreadable(path):
        raise OSError(errno.EIO, "Input/output error")
    monkeypatch.setattr(files.states, "damage_of", unreadable)
    with pytest.raises(ValueError, match="is damaged .Input/output error"):
        files.recover(str(path))


def disk_full(*args, **kwargs):
    raise OSError(errno.ENOSPC, "No space left on device")


def write_summary(out):
    out.resume(0)
    try:
        out.write({"t": 1, "mean": [0.5]})
        out.mark()
    finally:
        out.close()


WRITES = {"checkpoint": lambda saga, folder: files.write(str(folder / "state.npz"), saga, {}, {}, True),
          "sampler": lambda saga, folder: saga.save(folder / "saga.npz"),
          "settings": lambda saga, folder: Settings().save(folder / "settings.toml"),
          "tuned": lambda saga, folder: Tuned(Settings()).save(folder / "tuned.toml"),
          "lines": lambda saga, folder: write_summary(JsonLines(str(folder / "out.jsonl"))),
          "parts": lambda saga, folder: write_summary(ParquetParts(str(folder / "out.parquet"))),
          "draws": lambda saga, folder: saga.epoch().save_draws(folder / "draws.parquet")}


@pytest.mark.parametrize("name", WRITES)
def test_a_full_disk_is_an_error_and_keeps_the_older_file(name, tmp_path, monkeypatch):
    saga = OnlineSagaLD(LogisticRegression(3), SETTINGS, chains=6, seed=3)
    saga.observe(np.ones((1, 3)), np.ones(1))
    if name != "lines":  # restarts from the position in a checkpoint
        WRITES[name](saga, tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", disk_full)
        with pytest.raises((ValueError, OSError), match="cannot be written.*the disk is full: make room|No space left"):
            WRITES[name](saga, tmp_path)
    now = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert now == before or name in ("lines", "parts")  # appended at the position in a checkpoint
    WRITES[name](saga, tmp_path)


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
            database.executescript("PRAGMA max_page_count = 1; CREATE TABLE a (x)")  # a full SQLite database

    with monkeypatch.context() as patch:
        patch.setattr(Study, "tell", tell_once)
        with pytest.raises(ValueError, match="storage: .*sweep.db' cannot be written .the disk is full.*are kept"):
            sweep().run()
    kept = sweep().saved().cells
    assert len(kept) == 1
    outcome = sweep().run()
    assert outcome.ended == "finished" and len(outcome.cells) == 2 and kept[0] in outcome.cells
