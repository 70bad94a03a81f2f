import json
import sqlite3
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
    Settings,
)
from sampler import threads as pool
from sampler.algorithms import KNOBLESS
from sampler.production import Gates, JsonLines, ParquetParts
from sampler.production.summaries import SCHEMA
from sampler.streams import SqlQuery, sql_query
from tests.sampler.replays import SETTINGS, after, finish, replay, run

PROBLEM = LogisticRegression(3)


def summarised(tmp_path, rows, **options):
    """Return the result of a run and its summaries."""
    result = run(rows, output=JsonLines(str(tmp_path / "out.jsonl")), **options)
    return result, [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]


def test_summaries_are_those_of_the_sampler(rows, tmp_path):
    result, lines = summarised(tmp_path, rows)
    saga = OnlineSagaLD(PROBLEM, SETTINGS, chains=6, seed=3)
    assert [line["t"] for line in lines] == list(range(10, 331, 10))
    for line in lines:
        epoch = saga.observe(rows[0][line["t"] - 10:line["t"]], rows[1][line["t"] - 10:line["t"]])
        np.testing.assert_array_equal(line["mean"], epoch.samples.mean(axis=0))
        np.testing.assert_array_equal(line["sd"], epoch.samples.std(axis=0))
        assert (line["gradient_evaluations"], line["resets"]) == (epoch.gradient_evaluations, epoch.resets)
    assert result.ended == "finished" and result.t == 330
    np.testing.assert_array_equal(result.samples, saga.positions)


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_a_stopped_run_resumes_and_writes_the_same(rows, tmp_path, form, monkeypatch):
    monkeypatch.setattr(pool, "LEAST_WORK", 1e-3)  # share any amount of work

    def output(name):
        path = str(tmp_path / f"{name}.{form}")
        return ParquetParts(path) if form == "parquet" else JsonLines(path)

    expected = run(rows, output=output("whole"), checkpoint=str(tmp_path / "whole.npz"), seconds=0.0, threads=1)
    at, ended = 0, []
    while ended[-1:] != ["finished"]:
        part = replay(rows, output=output("parts"), checkpoint=str(tmp_path / "state.npz"), seconds=1e9, threads=1 + at % 3,
                      rows_in=tmp_path)
        result = finish(part, after(7))
        assert result.resumed_at == at
        assert part.saga.threads == 1 + at % 3 and part.saga._rows.folder == str(tmp_path)
        at, ended = result.t, [*ended, result.ended]
    assert len(ended) >= 4 and set(ended[:-1]) == {"stopped"}
    np.testing.assert_array_equal(result.samples, expected.samples)
    assert result.fingerprint == expected.fingerprint
    assert result.watch.measurements() | {"seconds_per_epoch": 0} == expected.watch.measurements() | {"seconds_per_epoch": 0}
    np.testing.assert_array_equal(result.watch.prequential.alarm.state(), expected.watch.prequential.alarm.state())
    if form == "jsonl":
        assert (tmp_path / "parts.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    else:
        tables = [dataset.dataset(tmp_path / f"{name}.parquet", format="parquet").to_table() for name in
                  ("parts", "whole")]
        assert tables[0].equals(tables[1]) and tables[0].num_rows == 33


def test_summaries_after_the_checkpoint_are_truncated_and_earlier_ones_required(rows, tmp_path):
    path, state = tmp_path / "out.jsonl", str(tmp_path / "state.npz")
    options = {"output": JsonLines(str(path)), "checkpoint": state, "seconds": 1e9}
    run(rows, after(10), **options)
    kept = path.read_bytes()
    with open(path, "ab") as file:  # as left by a process killed later
        file.write(b'{"t": 110, "mea')
    (tmp_path / ".state.npz.half").write_bytes(b"half a checkpoint")
    result = run(rows, after(0), **options)
    assert result.resumed_at == result.t == 100
    assert path.read_bytes() == kept and not (tmp_path / ".state.npz.half").exists()
    path.unlink()
    with pytest.raises(ValueError, match="is shorter than at the checkpoint"):
        replay(rows, **options).resume()


def other(rows):
    features = rows[0].copy()
    features[60, 1] += 1e-9
    return features, rows[1]


@pytest.mark.parametrize(("data", "change", "words"), [
    (other, {}, "made from other data"),
    (lambda rows: (rows[0][:50], rows[1][:50]), {}, "made from 100 rows, the data has 50"),
    (lambda rows: (rows[0][100:], rows[1][100:]), {"goes_on": True}, "made without goes_on .*stores none of its 100"),
    (tuple, {"seed": 4}, "made with seed = 3, now it is 4"), (tuple, {"every": 20}, "every"),
    (tuple, {"settings": SETTINGS.replace(eta0=0.4)}, "made with settings"),
])
def test_a_checkpoint_of_another_run_is_rejected_and_unchanged(rows, tmp_path, data, change, words):
    state = tmp_path / "state.npz"
    run(rows, after(10), checkpoint=str(state))
    before = state.read_bytes()
    with pytest.raises(ValueError, match=words):
        replay(data(rows), checkpoint=str(state), **change).resume()
    assert state.read_bytes() == before


def test_changed_columns_are_rejected(rows, tmp_path):
    table = {"a": rows[0][:, 0], "b": rows[0][:, 1], "y": rows[1]}
    options = {"checkpoint": str(tmp_path / "state.npz"), "goes_on": True}
    run(DataStream([table], response="y", features=["a", "b"]), **options)
    with pytest.raises(ValueError, match="was made with columns = .'a', 'b', .*, now it is .'b', 'a'"):
        run(DataStream([table], response="y", features=["b", "a"]), **options)


def test_a_sampler_file_is_not_a_checkpoint(rows, tmp_path):
    OnlineSagaLD(PROBLEM, SETTINGS, chains=2).save(tmp_path / "state.npz")
    with pytest.raises(ValueError, match="not a replay's checkpoint"):
        replay(rows, checkpoint=str(tmp_path / "state.npz")).resume()


def test_a_source_with_offsets_resumes_after_the_last_row_used(rows, tmp_path, monkeypatch):
    """Arbitrary chunks, some unusable rows; rows before the offset are deleted between the runs."""
    monkeypatch.setattr(sql_query, "ROWS", 37)
    table = [(k, x[0] * 50 + 7, x[1], y) if k % 40 else (k, None, None, None)
             for k, (x, y) in enumerate(zip(rows[0].tolist(), rows[1].tolist(), strict=True), 1)]
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE visits (id INTEGER PRIMARY KEY, a REAL, b REAL, y REAL)")
    connection.executemany("INSERT INTO visits VALUES (?, ?, ?, ?)", table)

    def query_run(state, stop):
        stream = DataStream(SqlQuery(connection, "SELECT * FROM visits", "id"), scale=True, classes=(0, 1))
        return run(stream, stop, checkpoint=str(tmp_path / state), goes_on=True), stream

    whole, _ = query_run("whole.npz", lambda: False)
    part, stream = query_run("state.npz", after(12))
    assert stream.offset["at"] > part.t == 120
    connection.execute("DELETE FROM visits WHERE id < ?", (stream.offset["at"],))
    rest, _ = query_run("state.npz", lambda: False)
    assert rest.t == 322 and rest.fingerprint == whole.fingerprint
    np.testing.assert_array_equal(rest.samples, whole.samples)
    connection.close()


def test_a_gate_ends_the_run_and_leaves_the_checkpoint_before_it(rows, tmp_path):
    state, gates = tmp_path / "state.npz", Gates(max_reset_rate=0.0, warm_up=50)
    result = run(rows, settings=SETTINGS.replace(acceptance_radius=0.5), gates=gates, checkpoint=str(state), seconds=1e9)
    assert (result.ended, result.failure.gate, result.t) == ("gate", "max_reset_rate", 50) and not state.exists()


def test_divergence_is_a_gate_or_is_revived_and_counted(rows, tmp_path):
    data = [(rows[0] * 3, np.full(330, 40.0))]
    hot = {"problem": PoissonRegression(3), "settings": Settings(eta0=200.0, batch_size=2, i_max=20), "every": 5}
    with np.errstate(all="ignore"):
        result = run(data, after(3), **hot)
        assert result.failure.gate == "divergence" and "gate divergence failed" in result.failure.words
        result, lines = summarised(tmp_path, data, stop=after(3), gates=Gates(divergence=False), **hot)
    assert result.failure is None and sum(line.get("revived", 0) for line in lines) > 0


def test_a_run_interrupted_by_an_error_cannot_be_resumed_in_memory(rows, monkeypatch):
    one = replay(rows)
    observe = one.saga.observe
    monkeypatch.setattr(one.saga, "observe", lambda *data: observe(*data) if one.saga.t < 20 else 1 / 0)
    with pytest.raises(ZeroDivisionError):
        one.run()
    with pytest.raises(ValueError, match="run must not be called again, an error interrupted it after epoch 20; make"):
        one.run()


def test_a_mean_is_replayed_and_forgotten_too(rows):
    mean = {"problem": GaussianMean(3), "settings": SETTINGS.replace(eta0=0.05)}
    assert run([(rows[0], None)], **mean).t == 330
    assert run([(rows[0], None)], **mean, on_drift="always", window=80).forgotten == 250


def test_a_summary_has_names_schema_and_optional_time(rows, tmp_path):
    table = [{"a": a, "b": b, "y": y} for (a, b, _), y in zip(*rows, strict=True)]
    for timed in (False, True):
        stream = DataStream(table[:40], response="y", model="logistic")
        _, lines = summarised(tmp_path, stream, every=20, timed=timed)
        assert [line["t"] for line in lines] == [20, 40]
        for line in lines:
            assert line["schema"] == SCHEMA and line["names"] == list(stream.names) and len(line["mean"]) == 3
            assert ("time" in line, "seconds_per_epoch" in line) == (timed, timed)
    assert datetime.fromisoformat(line["time"]).tzinfo and line["seconds_per_epoch"] > 0


def test_rows_that_are_held_back_are_not_skipped(tmp_path):
    """Batches of 8 and blocks of 5: three rows are held back after the first."""
    rng = np.random.default_rng(0)
    batches = [(rng.normal(size=(8, 2)), rng.integers(0, 2, 8)) for _ in range(2)]
    settings = Settings(eta0=0.1, i_max=3, batch_size=2)
    result, lines = summarised(tmp_path, batches, problem=LogisticRegression(2), settings=settings, every=5)
    assert (result.rows_taken, result.skipped, len(lines)) == (16, 0, 4) and not any("skipped" in line for line in lines)


def test_rows_of_a_block_that_diverges_are_not_skipped(tmp_path):
    def gradients(indices, theta):
        return np.where(np.asarray(indices) == 25, np.nan, 1.0)[:, None] * theta

    settings = Settings(eta0=0.1, i_max=3, batch_size=2)
    oracle, terms = GradientOracle(gradients, 1), [(np.zeros((40, 0)), None)]
    result, _ = summarised(tmp_path, terms, problem=oracle, settings=settings, every=10)
    assert (result.failure.gate, result.skipped) == ("divergence", 0)


@pytest.mark.parametrize("path", ["/dev/null", "."])
def test_summaries_go_to_a_regular_file(path, rows):
    with pytest.raises(ValueError, match=rf"^out must be a regular file, or - .*got {path!r}; leave it out"):
        finish(replay(rows, output=JsonLines(path)))


def test_a_summary_has_the_resets_and_the_score_of_all_its_epochs(tmp_path):
    """A block is processed in parts, from one look of the monitor to the next."""
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(64, 2)), rng.integers(0, 2, 64)
    problem, settings = LogisticRegression(2), Settings(eta0=1.0, i_max=10, batch_size=4, acceptance_radius=2.0)
    result, lines = summarised(tmp_path, (x, y), problem=problem, settings=settings, chains=4, seed=0, every=32)
    assert np.mean([line["score"] for line in lines]) == pytest.approx(result.watch.score)  # a mean over rows, not parts
    resets = [line["resets"] for line in lines]
    saga = OnlineSagaLD(problem, settings, chains=4, seed=0)
    assert resets == [sum(saga.observe(x[t], y[t]).resets for t in range(a, a + 32)) for a in (0, 32)] and min(resets) > 10


@pytest.mark.parametrize("name", KNOBLESS)
def test_an_algorithm_without_knobs_is_run_judged_and_resumed_bit_for_bit(rows, tmp_path, name):
    rows = tuple(part[:140] for part in rows)
    sampler = KNOBLESS[name](PROBLEM, SETTINGS, chains=40, seed=3)
    sampler.observe(*rows)
    whole = run(rows, algorithm=name, chains=40, gates=Gates(max_lag=9.0, max_width=9.0, warm_up=50))
    np.testing.assert_array_equal(whole.samples, sampler.positions)
    assert whole.ended == "finished" and whole.gradient_evaluations == sampler.gradient_evaluations
    assert whole.watch.worst["max_lag"] < 2  # its mean is the posterior's
    path = str(tmp_path / "state")
    assert run(rows, after(8), algorithm=name, chains=40, checkpoint=path).ended == "stopped"
    np.testing.assert_array_equal(run(rows, algorithm=name, chains=40, checkpoint=path).samples, whole.samples)
    with pytest.raises(ValueError, match="algorithm"):
        run(rows, chains=40, checkpoint=path)
