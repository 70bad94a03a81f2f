import json
import sqlite3
import subprocess
import sys
from datetime import datetime

import numpy as np
import pytest
from pyarrow import dataset

from sampler import (
    DataStream,
    GaussianMean,
    GradientOracle,
    LogisticRegression,
    OnlineSagaLD,
    PoissonRegression,
    Replay,
    Settings,
    Tuned,
    chain_blocks,
)
from sampler.production import Gates, JsonLines, ParquetParts
from sampler.production.summaries import SCHEMA
from sampler.streams import SqlQuery, sql_reader

SETTINGS = Settings(eta0=0.5, batch_size=5, i_max=8, acceptance_radius=20.0)
PROBLEM = LogisticRegression(3)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    features = np.column_stack([rng.normal(size=(330, 2)), np.ones(330)])
    return features, (rng.random(330) < 1 / (1 + np.exp(-features @ [1.0, -1.0, 0.3]))).astype(float)


def batches(rows, size=37):
    for i in range(0, len(rows[0]), size):
        yield rows[0][i:i + size], rows[1][i:i + size]


def replay(rows, **options):
    options = {"chains": 6, "seed": 3, "every": 10, **options}
    return Replay(PROBLEM, SETTINGS, batches(rows) if isinstance(rows, tuple) else rows, **options)


class StopAfter:
    def __init__(self, n):
        self.left = n

    def __call__(self):
        self.left -= 1
        return self.left < 0


def test_it_is_the_sampler_itself_summarised(rows, tmp_path):
    output = JsonLines(str(tmp_path / "out.jsonl"))
    run = replay(rows, output=output)
    run.resume()
    result = run.run()
    output.close()
    saga = OnlineSagaLD(PROBLEM, SETTINGS, chains=6, seed=3)
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [line["t"] for line in lines] == list(range(10, 331, 10))
    for line in lines:
        epoch = saga.observe(rows[0][line["t"] - 10:line["t"]], rows[1][line["t"] - 10:line["t"]])
        np.testing.assert_array_equal(line["mean"], epoch.samples.mean(axis=0))
        np.testing.assert_array_equal(line["sd"], epoch.samples.std(axis=0))
        assert (line["gradient_evaluations"], line["resets"]) == (epoch.gradient_evaluations, epoch.resets)
    assert result.ended == "finished" and result.t == 330
    np.testing.assert_array_equal(result.samples, saga.positions)


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_stopped_anywhere_it_goes_on_and_writes_the_same(rows, tmp_path, form):
    def output(name):
        path = str(tmp_path / f"{name}.{form}")
        return ParquetParts(path) if form == "parquet" else JsonLines(path)

    whole = replay(rows, output=output("whole"), checkpoint=str(tmp_path / "whole.npz"), seconds=0.0)
    whole.resume()
    expected = whole.run()
    whole.output.close()
    at, turns = 0, 0
    while True:
        part = replay(rows, output=output("parts"), checkpoint=str(tmp_path / "state.npz"), seconds=1e9)
        assert part.resume() == at
        result = part.run(StopAfter(7))
        part.output.close()
        at, turns = result.t, turns + 1
        if result.ended == "finished":
            break
        assert result.ended == "stopped"
    assert turns >= 4
    np.testing.assert_array_equal(result.samples, expected.samples)
    assert result.watch.score == expected.watch.score and result.fingerprint == expected.fingerprint
    if form == "jsonl":
        assert (tmp_path / "parts.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    else:
        tables = [dataset.dataset(tmp_path / f"{name}.parquet", format="parquet").to_table() for name in
                  ("parts", "whole")]
        assert tables[0].equals(tables[1]) and tables[0].num_rows == 33


def test_a_checkpoint_made_on_one_thread_goes_on_on_three(rows, tmp_path, monkeypatch):
    monkeypatch.setattr(chain_blocks, "LEAST_WORK", 1e-3)  # any work is enough to share
    state, whole = str(tmp_path / "state.npz"), replay(rows, threads=1)
    whole.resume()
    for threads, look in ((1, StopAfter(7)), (3, lambda: False)):
        part = replay(rows, checkpoint=state, threads=threads)
        part.resume()
        assert part.saga.threads == threads
        result = part.run(look)
    np.testing.assert_array_equal(result.samples, whole.run().samples)


def test_summaries_after_the_last_checkpoint_are_cut_off(rows, tmp_path):
    path, state = tmp_path / "out.jsonl", str(tmp_path / "state.npz")
    run = replay(rows, output=JsonLines(str(path)), checkpoint=state, seconds=1e9)
    run.resume()
    run.run(StopAfter(10))
    run.output.close()
    kept = path.read_bytes()
    with open(path, "ab") as file:  # as a process killed later would have left it
        file.write(b'{"t": 110, "mea')
    (tmp_path / ".state.npz.half").write_bytes(b"half a checkpoint")
    again = replay(rows, output=JsonLines(str(path)), checkpoint=state)
    assert again.resume() == 100
    assert again.run(StopAfter(0)).t == 100
    again.output.close()
    assert path.read_bytes() == kept
    assert not (tmp_path / ".state.npz.half").exists()


@pytest.mark.parametrize(("change", "words"), [
    ({"rows": "other"}, "made from other data"), ({"rows": "fewer"}, "made from 100 rows, the data has 50"),
    ({"seed": 4}, "made with seed = 3, now it is 4"), ({"every": 20}, "every"), ({"chains": 7}, "chains"),
])
def test_a_checkpoint_of_something_else_is_refused_and_left_alone(rows, tmp_path, change, words):
    state = tmp_path / "state.npz"
    run = replay(rows, checkpoint=str(state))
    run.resume()
    run.run(StopAfter(10))
    before = state.read_bytes()
    data = rows
    if change.get("rows") == "other":
        data = (rows[0].copy(), rows[1])
        data[0][60, 1] += 1e-9
    elif change.get("rows") == "fewer":
        data = (rows[0][:50], rows[1][:50])
    options = {k: v for k, v in change.items() if k != "rows"}
    with pytest.raises(ValueError, match=words):
        replay(data, checkpoint=str(state), **options).resume()
    assert state.read_bytes() == before


def test_other_settings_or_no_replay_or_no_checkpoint_at_all_are_refused(rows, tmp_path):
    state = str(tmp_path / "state.npz")
    run = replay(rows, checkpoint=state)
    run.resume()
    run.run(StopAfter(2))
    with pytest.raises(ValueError, match="made with settings"):
        Replay(PROBLEM, SETTINGS.replace(eta0=0.4), batches(rows), 6, 3, 10, checkpoint=state).resume()
    OnlineSagaLD(PROBLEM, SETTINGS, chains=2).save(state)
    with pytest.raises(ValueError, match="of no replay"):
        replay(rows, checkpoint=state).resume()
    (tmp_path / "state.npz").write_bytes(b"nonsense")
    with pytest.raises(ValueError, match="not a saved sampler"):
        replay(rows, checkpoint=state).resume()


def test_an_output_that_is_gone_is_said(rows, tmp_path):
    path, state = tmp_path / "out.jsonl", str(tmp_path / "state.npz")
    run = replay(rows, output=JsonLines(str(path)), checkpoint=state)
    run.resume()
    run.run(StopAfter(10))
    run.output.close()
    path.unlink()
    with pytest.raises(ValueError, match="is shorter than at the checkpoint"):
        replay(rows, output=JsonLines(str(path)), checkpoint=state).resume()


def test_a_queue_goes_on_where_it_stopped_with_its_scale(rows, tmp_path):
    messages = [{"a": x[0] * 50 + 7, "b": x[1], "y": y} for x, y in zip(*rows, strict=True)]

    def run(source, state, stop):
        stream = DataStream(source, scale=True, classes=(0, 1))
        r = Replay(PROBLEM, SETTINGS, stream, 6, 3, 10, checkpoint=str(tmp_path / state), goes_on=True)
        r.resume()
        return r.run(stop)

    whole = run(iter(messages), "whole.npz", lambda: False)
    queue = iter(messages)  # cannot be read twice
    part = run(queue, "state.npz", StopAfter(12))
    rest = run(queue, "state.npz", lambda: False)
    assert 0 < part.t <= 120 and part.t % 10 == 0 and rest.t == 330  # asked once a block, and while rows are waited for
    np.testing.assert_array_equal(rest.samples, whole.samples)


def test_rows_a_stopped_queue_had_given_are_in_the_checkpoint(rows, tmp_path):
    """The stop comes while a block of ten rows is waited for, of which five are there."""
    def run(first, last, stop):
        r = Replay(PROBLEM, SETTINGS, [(rows[0][first:last], rows[1][first:last])], 6, 3, 10,
                   checkpoint=str(tmp_path / "state.npz"), goes_on=True)
        r.resume()
        return r.run(stop)

    assert run(0, 25, StopAfter(3)).t == 20
    with_file = replay([], checkpoint=str(tmp_path / "state.npz"), goes_on=True, rows_in=tmp_path)
    assert with_file.resume() == 20 and with_file.saga._rows.storage.folder == str(tmp_path)
    np.testing.assert_array_equal(with_file.saga.posterior.features, rows[0][:20])
    rest, whole = run(25, 330, lambda: False), replay(rows)
    whole.resume()
    assert rest.t == 330
    np.testing.assert_array_equal(rest.samples, whole.run().samples)


@pytest.mark.parametrize("source", ["query", "csv"])
def test_a_source_with_offsets_goes_on_after_the_last_row_used(rows, tmp_path, monkeypatch, source):
    """Rows come in chunks that end anywhere, a few cannot be used, and those before the offset are deleted in between."""
    monkeypatch.setattr(sql_reader, "ROWS", 37)
    table = [(k, x[0] * 50 + 7, x[1], y) if k % 40 else (k, None, None, None)
             for k, (x, y) in enumerate(zip(rows[0].tolist(), rows[1].tolist(), strict=True), 1)]
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE visits (id INTEGER PRIMARY KEY, a REAL, b REAL, y REAL)")
    connection.executemany("INSERT INTO visits VALUES (?, ?, ?, ?)", table)
    (tmp_path / "a.csv").write_text("a,b,y\n" + "".join(
        ",".join("" if cell is None else repr(cell) for cell in row[1:]) + "\n" for row in table))
    opened = {"query": SqlQuery(connection, "SELECT * FROM visits", "id"), "csv": tmp_path / "a.csv"}[source]

    def run(state, stop):
        stream = DataStream(opened, scale=True, classes=(0, 1))
        r = Replay(PROBLEM, SETTINGS, stream, 6, 3, 10, checkpoint=str(tmp_path / state), goes_on=True)
        r.resume()
        return r.run(stop), stream

    whole, _ = run("whole.npz", lambda: False)
    part, stream = run("state.npz", StopAfter(12))
    assert stream.offset["at"] > part.t == 120
    if source == "query":
        connection.execute("DELETE FROM visits WHERE id < ?", (stream.offset["at"],))
    rest, _ = run("state.npz", lambda: False)
    assert rest.t == 322 and rest.fingerprint == whole.fingerprint
    np.testing.assert_array_equal(rest.samples, whole.samples)
    connection.close()


def test_each_gate_ends_the_run_and_leaves_the_checkpoint_before_it(rows, tmp_path):
    state = tmp_path / "state.npz"
    for gates, name, t in [(Gates(min_predictive_score=0.0, warm_up=50), "min_predictive_score", 70),  # 20 rows after it
                           (Gates(max_seconds_per_epoch=1e-12, warm_up=50), "max_seconds_per_epoch", 50),
                           (Gates(max_reset_rate=0.0, warm_up=50), "max_reset_rate", 50)]:
        settings = SETTINGS.replace(acceptance_radius=0.5)
        run = Replay(PROBLEM, settings, batches(rows), 6, 3, 10, gates, checkpoint=str(state), seconds=1e9)
        run.resume()
        result = run.run()
        assert (result.ended, result.failure.gate, result.t) == ("gate", name, t)
        assert not state.exists()


def test_the_rhat_gate_hears_chains_that_do_not_mix(rows):
    settings = Settings(eta0=1e-7, batch_size=1, i_max=1)
    run = Replay(PROBLEM, settings, batches(rows), 6, 3, 2, Gates(max_rhat=1.2, warm_up=50))
    run.resume()
    result = run.run()
    assert result.failure is not None and result.failure.gate == "max_rhat"


def test_divergence_is_a_gate_or_is_revived_and_counted(rows, tmp_path):
    features = rows[0] * 3
    counts = np.full(330, 40.0)
    settings = Settings(eta0=200.0, batch_size=2, i_max=20)
    for gate in (True, False):
        output = JsonLines(str(tmp_path / "out.jsonl"))
        run = Replay(PoissonRegression(3), settings, [(features, counts)], 4, 0, 5, Gates(divergence=gate), output)
        run.resume()
        with np.errstate(all="ignore"):
            result = run.run(StopAfter(3))
        output.close()
        if gate:
            assert result.failure.gate == "divergence" and "gate divergence failed" in result.failure.words
        else:
            assert result.failure is None
            lines = (tmp_path / "out.jsonl").read_text().splitlines()
            assert sum(json.loads(line).get("revived", 0) for line in lines) > 0


def test_a_run_that_an_error_cut_short_is_not_gone_on_with_by_itself(rows, monkeypatch):
    run = replay(rows)
    run.resume()
    observe = run.saga.observe
    monkeypatch.setattr(run.saga, "observe", lambda *data: observe(*data) if run.saga.t < 20 else 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run.run()
    with pytest.raises(ValueError, match="run must not be called again, an error cut it short after epoch 20; make another"):
        run.run()


def test_a_gradient_and_a_mean_are_replayed_too(rows):
    x, y = rows

    def gradients(indices, theta):
        return (1 / (1 + np.exp(-x[indices] @ theta)) - y[indices])[:, None] * x[indices]

    own = GradientOracle(gradients, 3, lambda theta: theta)
    run = Replay(own, SETTINGS, [(np.zeros((25, 0)), None)], 2, 1, 10)
    run.resume()
    result = run.run()
    saga = OnlineSagaLD(own, SETTINGS, chains=2, seed=1)
    for _ in range(25):
        epoch = saga.observe()
    np.testing.assert_array_equal(result.samples, epoch.samples)
    assert result.watch.score is None
    run = Replay(GaussianMean(3), SETTINGS.replace(eta0=0.05), [(x, None)], 2, 1, 10)
    run.resume()
    assert run.run().t == 330


FULL_DISK = """
import resource, signal, sys
from sampler.cli.main import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (250_000, 250_000))
sys.exit(main(sys.argv[1:]))
"""


def test_a_full_disk_is_said_and_the_checkpoint_before_is_intact(rows, tmp_path):
    path, state = tmp_path / "data.csv", tmp_path / "state.npz"
    np.savetxt(path, np.column_stack([rows[0][:, :2], rows[1]])[:40], delimiter=",")
    Tuned(SETTINGS, chains=30, seed=1).save(tmp_path / "tuned.toml")
    arguments = ["replay", str(tmp_path / "tuned.toml"), str(path), "--checkpoint", str(state), "--json", "--quiet"]
    done = subprocess.run([sys.executable, "-c", FULL_DISK, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    before = state.read_bytes()
    assert len(before) < 250_000
    np.savetxt(path, np.column_stack([rows[0][:, :2], rows[1]]), delimiter=",")
    done = subprocess.run([sys.executable, "-c", FULL_DISK, *arguments], capture_output=True, text=True)
    assert done.returncode == 1
    assert "cannot be written at epoch 330" in done.stderr and "the checkpoint before it is intact" in done.stderr
    assert state.read_bytes() == before
    assert [p.name for p in tmp_path.glob(".state*")] == []


@pytest.mark.parametrize("timed", [False, True])
def test_a_summary_names_its_coefficients_its_schema_and_if_asked_its_time(rows, tmp_path, timed):
    table = [{"a": a, "b": b, "y": y} for (a, b, _), y in zip(*rows, strict=True)]
    stream = DataStream(table[:40], response="y", model="logistic")
    run = Replay(LogisticRegression(3), SETTINGS, stream, 6, every=20, output=JsonLines(str(tmp_path / "out")), timed=timed)
    run.resume()
    run.run()
    run.close()
    lines = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
    assert [line["t"] for line in lines] == [20, 40]
    for line in lines:
        assert line["schema"] == SCHEMA and line["names"] == list(stream.names) and len(line["mean"]) == len(line["names"])
        assert ("time" in line, "seconds_per_epoch" in line) == (timed, timed)
        if timed:
            assert datetime.fromisoformat(line["time"]).tzinfo and line["seconds_per_epoch"] > 0
