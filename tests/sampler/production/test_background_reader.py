"""Timers, stops and errors during a quiet stream; the reader thread reads no more than requested, and ends."""

import shutil
import sqlite3
import threading
import traceback

import numpy as np
import pytest

from sampler import DataStream
from sampler.production import JsonLines
from tests.sampler.replays import replay
from tests.waiting import PATIENCE, wait_for

RNG = np.random.default_rng(0)
ROWS = [(float(a), float(b), float(y)) for a, b, y in zip(*RNG.normal(size=(2, 60)), RNG.random(60) < 0.5, strict=True)]


def queue(source, folder=None, name="state", **options):
    checkpoint = None if folder is None else str(folder / f"{name}.npz")
    run = replay(DataStream(source, classes=(0, 1)), chains=2, every=5, checkpoint=checkpoint, goes_on=True, **options)
    run.resume()
    return run


@pytest.fixture(autouse=True)
def no_thread_remains():
    yield
    wait_for(lambda: "rows of a replay" not in [thread.name for thread in threading.enumerate()], "a reader thread runs")


@pytest.fixture(scope="module")
def whole():
    return queue(ROWS).run()


def test_a_quiet_stream_is_saved_and_flushed_by_time(tmp_path, whole):
    saved, seen, output = threading.Event(), [], JsonLines(str(tmp_path / "out.jsonl"))

    def quiet():
        yield from ROWS[:17]
        assert saved.wait(PATIENCE)
        yield from ROWS[17:]

    def on_checkpoint(rows_taken, offset):
        seen.append((rows_taken, offset, (tmp_path / "out.jsonl").read_text().count("\n")))
        if rows_taken == 17:
            saved.set()

    run = queue(quiet(), tmp_path, output=output, seconds=0.05, on_checkpoint=on_checkpoint)
    result = run.run()
    run.close()
    assert 1 <= seen[0][0] <= 17 and seen[0][1:] == (None, 0) and seen[-1] == (60, None, 12)
    assert seen.count((17, None, 3)) == 1  # not written again without new rows
    np.testing.assert_array_equal(result.samples, whole.samples)


def test_a_stopped_quiet_stream_resumes_from_its_checkpoint_or_in_the_same_run(tmp_path, whole):
    started, go_on = threading.Event(), threading.Event()

    def quiet():
        yield from ROWS[:17]
        started.set()
        assert go_on.wait(PATIENCE)
        yield from ROWS[17:]

    run = queue(quiet(), tmp_path, seconds=1e9)
    result = run.run(started.is_set)
    assert (result.ended, result.t, result.rows_taken) == ("stopped", 15, 17)
    shutil.copy(tmp_path / "state.npz", tmp_path / "copy.npz")
    rest = queue(iter(ROWS[17:]), tmp_path, "copy").run()
    go_on.set()
    for result in (rest, run.run()):
        assert result.rows_taken == 60 and result.fingerprint == whole.fingerprint and not result.warnings
        np.testing.assert_array_equal(result.samples, whole.samples)


def test_an_error_of_the_source_is_raised_after_saving_the_preceding_rows(tmp_path, whole):
    def fails():
        yield from ROWS[:23]
        raise OSError("the broker is gone")

    with pytest.raises(OSError, match="the broker is gone") as raised:
        queue(fails(), tmp_path, seconds=1e9).run()
    assert traceback.extract_tb(raised.tb)[-1].name == "fails"
    again = queue(iter(ROWS[23:]), tmp_path)
    assert (again.resumed_at, again.rows_taken, again.warnings) == (20, 23, [])
    np.testing.assert_array_equal(again.run().samples, whole.samples)


def test_no_more_rows_are_read_than_requested():
    yielded, seen = [], []

    def rows():
        for row in ROWS:
            yielded.append(row)
            yield row

    queue(rows()).run(progress=lambda t: seen.append(len(yielded) - t))
    assert seen == [0] * 12


@pytest.mark.parametrize("kind", ["list", "cursor", "generator of a cursor", "by choice"])
def test_sources_bound_to_their_thread_are_read_in_it(kind, whole, monkeypatch):
    table = sqlite3.connect(":memory:")
    table.execute("CREATE TABLE visits (a REAL, b REAL, y REAL)")
    table.executemany("INSERT INTO visits VALUES (?, ?, ?)", ROWS)
    cursor = table.execute("SELECT * FROM visits ORDER BY rowid")
    source = {"list": ROWS, "cursor": cursor, "generator of a cursor": (row for row in cursor),
              "by choice": map(tuple, cursor)}
    run = queue(source[kind], **({"reader_thread": False} if kind == "by choice" else {}))
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", lambda self: pytest.fail("a thread was started"))
        np.testing.assert_array_equal(run.run().samples, whole.samples)
    if kind == "by choice":
        with pytest.raises(sqlite3.ProgrammingError) as raised:
            queue(map(tuple, table.execute("SELECT * FROM visits"))).run()
        assert "reader_thread=False" in raised.value.__notes__[0]
    table.close()


def test_a_source_that_yields_none_returns_control_in_the_same_thread(tmp_path, whole):
    """As for a polled consumer that is bound to one thread and commits."""
    checkpoints, used = [], set()

    def polled():
        for at, row in enumerate(ROWS):
            used.add(threading.get_ident())
            yield row
            while at == 16 and 17 not in checkpoints:
                yield None

    def on_checkpoint(rows_taken, offset):
        used.add(threading.get_ident())
        checkpoints.append(rows_taken)

    result = queue(polled(), tmp_path, seconds=0.0, reader_thread=False, on_checkpoint=on_checkpoint).run()
    assert used == {threading.get_ident()} and checkpoints[0] == 1 and 17 in checkpoints
    np.testing.assert_array_equal(result.samples, whole.samples)


def test_on_checkpoint_needs_a_checkpoint():
    with pytest.raises(ValueError, match="on_checkpoint must be a function .* with checkpoint=None; pass a file"):
        replay(ROWS, on_checkpoint=print)
