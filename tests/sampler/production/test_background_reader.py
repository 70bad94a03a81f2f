"""Time, a stop and errors act while a stream is quiet; the thread that reads takes no more than is asked for, and ends."""

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
def no_thread_is_left():
    yield
    wait_for(lambda: "rows of a replay" not in [thread.name for thread in threading.enumerate()], "a reader is left")


@pytest.fixture(scope="module")
def whole():
    return queue(ROWS).run()


def test_a_quiet_stream_is_kept_and_flushed_by_time(tmp_path, whole):
    kept, seen, output = threading.Event(), [], JsonLines(str(tmp_path / "out.jsonl"))

    def quiet():
        yield from ROWS[:17]
        assert kept.wait(PATIENCE)
        yield from ROWS[17:]

    def on_checkpoint(rows_taken, offset):
        seen.append((rows_taken, offset, (tmp_path / "out.jsonl").read_text().count("\n")))
        if rows_taken == 17:
            kept.set()

    run = queue(quiet(), tmp_path, output=output, seconds=0.05, on_checkpoint=on_checkpoint)
    result = run.run()
    run.close()
    assert 1 <= seen[0][0] <= 17 and seen[0][1:] == (None, 0) and seen[-1] == (60, None, 12)
    assert seen.count((17, None, 3)) == 1  # and nothing new is not written again
    np.testing.assert_array_equal(result.samples, whole.samples)


def test_a_stop_ends_a_quiet_stream_which_goes_on_from_its_checkpoint_or_in_the_same_run(tmp_path, whole):
    asked, go_on = threading.Event(), threading.Event()

    def quiet():
        yield from ROWS[:17]
        asked.set()
        assert go_on.wait(PATIENCE)
        yield from ROWS[17:]

    run = queue(quiet(), tmp_path, seconds=1e9)
    result = run.run(asked.is_set)
    assert (result.ended, result.t, result.rows_taken) == ("stopped", 15, 17)
    shutil.copy(tmp_path / "state.npz", tmp_path / "copy.npz")
    rest = queue(iter(ROWS[17:]), tmp_path, "copy").run()
    go_on.set()
    for result in (rest, run.run()):
        assert result.rows_taken == 60 and result.fingerprint == whole.fingerprint and not result.warnings
        np.testing.assert_array_equal(result.samples, whole.samples)


def test_an_error_of_the_source_comes_with_its_traceback_after_the_rows_before_it_are_kept(tmp_path, whole):
    def fails():
        yield from ROWS[:23]
        raise OSError("the broker is gone")

    with pytest.raises(OSError, match="the broker is gone") as raised:
        queue(fails(), tmp_path, seconds=1e9).run()
    assert traceback.extract_tb(raised.tb)[-1].name == "fails"
    again = queue(iter(ROWS[23:]), tmp_path)
    assert (again.resumed_at, again.rows_taken, again.warnings) == (20, 23, [])
    np.testing.assert_array_equal(again.run().samples, whole.samples)


def test_no_more_rows_are_read_than_are_asked_for():
    handed_out, seen = [], []

    def rows():
        for row in ROWS:
            handed_out.append(row)
            yield row

    queue(rows()).run(progress=lambda t: seen.append(len(handed_out) - t))
    assert seen == [0] * 12


@pytest.mark.parametrize("kind", ["list", "cursor", "generator of a cursor", "by choice"])
def test_what_cannot_be_quiet_or_is_bound_to_its_thread_is_read_in_it(kind, whole, monkeypatch):
    table = sqlite3.connect(":memory:")
    table.execute("CREATE TABLE visits (a REAL, b REAL, y REAL)")
    table.executemany("INSERT INTO visits VALUES (?, ?, ?)", ROWS)
    cursor = table.execute("SELECT * FROM visits ORDER BY rowid")
    source = {"list": ROWS, "cursor": cursor, "generator of a cursor": (row for row in cursor),
              "by choice": map(tuple, cursor)}
    run = queue(source[kind], **({"reader_thread": False} if kind == "by choice" else {}))
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", lambda self: pytest.fail("a thread is begun"))
        np.testing.assert_array_equal(run.run().samples, whole.samples)
    if kind == "by choice":
        with pytest.raises(sqlite3.ProgrammingError) as raised:
            queue(map(tuple, table.execute("SELECT * FROM visits"))).run()
        assert "reader_thread=False" in raised.value.__notes__[0]
    table.close()


def test_a_source_that_gives_none_lets_the_run_look_up_in_the_same_thread(tmp_path, whole):
    """As a consumer is polled that one thread alone may use, and that commits."""
    left, used = [], set()

    def polled():
        for at, row in enumerate(ROWS):
            used.add(threading.get_ident())
            yield row
            while at == 16 and 17 not in left:
                yield None

    def on_checkpoint(rows_taken, offset):
        used.add(threading.get_ident())
        left.append(rows_taken)

    result = queue(polled(), tmp_path, seconds=0.0, reader_thread=False, on_checkpoint=on_checkpoint).run()
    assert used == {threading.get_ident()} and left[0] == 1 and 17 in left
    np.testing.assert_array_equal(result.samples, whole.samples)


def test_without_a_checkpoint_there_is_nothing_to_be_told_of():
    with pytest.raises(ValueError, match="on_checkpoint must be a function .* with checkpoint=None; pass a file"):
        replay(ROWS, on_checkpoint=print)
