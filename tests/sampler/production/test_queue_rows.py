"""Queues deliver rows once: each is in a checkpoint before its commit, or is reported as missing."""

import gzip
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from sampler import DataStream
from sampler.production.resumable_replay import ResumableReplay
from sampler.streams.chunk import Chunk, RowNumbers
from tests.conftest import ROOT
from tests.sampler.replays import finish, replay

RNG = np.random.default_rng(0)
ROWS = [{"a": a, "b": b, "y": y, "offset": k} for k, (a, b, y) in enumerate(zip(
    *RNG.normal(size=(2, 300)).tolist(), (RNG.random(300) < 0.5).astype(float).tolist(), strict=True))]
MODES = ("by hand", "commits as it hands out", "numbered")


def run(folder, mode, quiet=None):
    """Replay a consumer that commits on delivery or in on_checkpoint; the broker is quiet from row ``quiet`` on."""
    committed = folder / f"{mode}.committed"

    def consume():
        for row in ROWS[int(committed.read_text()) if committed.exists() else 0:]:
            if row["offset"] == quiet:
                (folder / f"{mode}.quiet").touch()
                time.sleep(600)
            if mode != "by hand":
                committed.write_text(str(row["offset"] + 1))
            yield row

    def commit(taken, offset):
        if mode == "by hand":
            temporary = folder / f"{mode}.new"
            temporary.write_text(str(taken))
            temporary.replace(committed)

    stream = DataStream(consume(), features=["a", "b"], response="y", classes=(0, 1),
                        offset_column="offset" if mode == "numbered" else None)
    return finish(replay(stream, chains=2, checkpoint=str(folder / f"{mode}.npz"), seconds=1e9, goes_on=True,
                         on_checkpoint=commit))


KILLED = """
import sys, threading, time
from pathlib import Path
from tests.sampler.production.test_queue_rows import MODES, run

folder = Path(sys.argv[1])
for mode in MODES:
    threading.Thread(target=run, args=(folder, mode, 255)).start()
while not all((folder / f"{mode}.quiet").exists() for mode in MODES):
    time.sleep(0.01)
print("quiet", flush=True)
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """Folder of three runs killed after 255 rows, before the second checkpoint."""
    folder = tmp_path_factory.mktemp("killed")
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "quiet\n"
    process.kill()
    process.communicate()
    return folder


def test_a_consumer_that_commits_on_checkpoints_loses_nothing(killed, tmp_path):
    result = run(killed, "by hand")
    assert (result.resumed_at, result.t, result.rows_taken, len(result.warnings)) == (0, 300, 300, 1)
    np.testing.assert_array_equal(result.samples, run(tmp_path, "by hand").samples)
    assert not (killed / "by hand.npz.taken").exists()


def test_rows_committed_too_early_are_reported_as_missing(killed, caplog):
    result = run(killed, "commits as it hands out")
    more, kept = map(int, re.search(r"after it took (\d+) rows more than the (\d+) of", result.warnings[0]).groups())
    assert more + kept == 255 and 1 <= kept < 100 and result.t == kept + 45 and result.ended == "finished"
    assert "they are missing unless the stream delivers them again" in caplog.text
    assert result.to_dict()["warnings"][-1] == result.warnings[0]


def test_a_queue_with_offsets_reports_the_exact_gap(killed):
    result = run(killed, "numbered")
    gone, last = map(int, re.match(r"(\d+) rows are missing: after offset (\d+) came 255;", result.warnings[0]).groups())
    assert gone + last == 254 and result.t == last + 1 + 45


def stream_of(numbers, **options):
    rows = [{"x": float(k), "y": float(k % 2), "offset": k, "part": part} for part, k in numbers]
    return DataStream(rows, features=["x"], response="y", classes=(0, 1), offset_column="offset", partition_column="part",
                      **options)


def test_partitions_have_their_own_offsets_and_repeated_rows_are_dropped():
    stream = stream_of([(0, 7), (1, 3), (0, 8), (1, 4), (0, 7), (0, 11)])
    used = np.concatenate([x[:, 0] for x, _ in stream])
    assert used.tolist() == [7, 3, 8, 4, 11]
    assert stream.offset == {"key": "offset", "at": {"0": 11, "1": 4}}
    assert stream.warnings == ["2 rows are missing: after offset 8 of part 0 came 11; if the queue still has them, replay "
                               "it from there in a new run from an earlier checkpoint"]
    assert "repeated rows left out, by offset: 1" in stream.report().words()
    again = stream_of([(1, 4), (0, 12), (1, 5), (2, 0)])
    again.go_on_after(stream.offset)
    assert np.concatenate([x[:, 0] for x, _ in again]).tolist() == [12, 5, 0] and not again.warnings


@pytest.mark.parametrize(("options", "words"), [
    ({"offset_column": "at"}, "must be columns of the source, x, y; got 'at'"),
    ({"partition_column": "x"}, "must be left out without offset_column, got 'x'"),
    ({"offset_column": "x", "features": ["y"]}, r"offset_column: 'x' must hold whole numbers, row 1 has 0.5; choose"),
])
def test_bad_numbers(options, words):
    with pytest.raises(ValueError, match=words):
        list(DataStream([{"x": 0.5, "y": 1.0}], **{"model": "gaussian_mean", **options}))


def test_a_lost_count_of_rows_is_reported_as_unknown(tmp_path, monkeypatch):
    monkeypatch.setattr(ResumableReplay, "_save_state",
                        lambda self, ended=False, save=ResumableReplay._save_state: save(self, False))
    run(tmp_path, "by hand")  # as if interrupted after its last checkpoint
    monkeypatch.undo()
    (tmp_path / "by hand.npz.taken").unlink()
    (tmp_path / "by hand.committed").write_text("299")
    assert "it took an unknown number of rows more than the 300" in run(tmp_path, "by hand").warnings[0]


def test_a_checkpoint_of_release_0_6_1_resumes_bit_for_bit(tmp_path):
    """Release 0.6.1 processed 20 rows, held back five and ended the other 35 with these samples."""
    packed = Path(__file__).with_name("state_of_0_6_1.npz.gz").read_bytes()
    (tmp_path / "state.npz").write_bytes(gzip.decompress(packed))
    rng = np.random.default_rng(0)
    rows = [{"a": a * 50 + 7, "b": b, "y": float(u < 0.5)} for a, b, u in ((*rng.normal(size=2), rng.random())
                                                                         for _ in range(60))]

    def one(source, name):
        stream = DataStream(source, scale=True, classes=(0, 1))
        return replay(stream, chains=1, checkpoint=str(tmp_path / name), goes_on=True)

    again = one(iter(rows[25:]), "state.npz")
    at, taken, result = again.resume(), again.rows_taken, again.run()
    assert (at, taken, result.t, result.rows_taken, result.warnings) == (20, 25, 60, 60, ())
    assert (result.fingerprint, result.gradient_evaluations) == ("84e9526de8398b2e", 1181)
    np.testing.assert_array_equal(result.samples, one(iter(rows), "whole.npz").run().samples)
    np.testing.assert_allclose(result.samples, [[0.23734953487989088, -0.4680263655417761, 0.05655593928686008]], rtol=1e-12)


def test_an_unreadable_row_explains_exactly_one_gap():
    warnings = []
    numbers = RowNumbers("offset", None, warnings)
    numbers.new_rows(Chunk({"offset": [1, 3]}, 2, 1, skipped=((2, "text", ""),)))
    assert not warnings
    numbers.new_rows(Chunk({"offset": [5]}, 1, 4))
    assert len(warnings) == 1 and "1 row is missing: after offset 3 came 5" in warnings[0]
