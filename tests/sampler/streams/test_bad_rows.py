"""A row that cannot be used stops the stream, is left out, or written down with the reason; the rest is kept."""

import json

import numpy as np
import pytest

from sampler import DataStream, LogisticRegression, Replay, Settings
from sampler.cli.main import main
from sampler.production import JsonLines

SETTINGS = Settings(eta0=0.5, batch_size=5, i_max=8, acceptance_radius=20.0)
RNG = np.random.default_rng(0)
MESSAGES = [json.dumps({"a": a, "b": b, "y": y}) for a, b, y in zip(*RNG.normal(size=(2, 40)).tolist(),
                                                                   (RNG.random(40) < 0.5).tolist(), strict=True)]
BAD = {"no JSON": ("{", "JSONDecodeError"), "no row": ("7", "an item must be a row or a batch, got int"),
       "no column": ('{"a": 1.0, "y": 1}', "it has no 'b'"),
       "a third class": ('{"a": 1.0, "b": 0.0, "y": 7}', "must be 0.0 or 1.0"),
       "ragged": ('{"a": [1.0, 2.0], "b": [0.0], "y": [1, 0]}', "must have the same length")}


def stream(messages, choice="stop"):
    return DataStream(iter(messages), classes=(0, 1), features=["a", "b"], response="y", parse=json.loads, on_bad_row=choice)


def replay(batches, folder, **options):
    run = Replay(LogisticRegression(3), SETTINGS, batches, 2, 3, 10, goes_on=True, checkpoint=str(folder / "state.npz"),
                 seconds=1e9, **options)
    run.resume()
    return run


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    return replay(stream(MESSAGES), tmp_path_factory.mktemp("whole")).run().samples


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_message_stops_the_run_with_a_checkpoint_or_is_left_out(kind, tmp_path, samples):
    bad, why = BAD[kind]
    messages = [*MESSAGES[:25], bad, *MESSAGES[25:]]
    with pytest.raises(Exception, match=why.replace("JSONDecodeError", "Expecting").replace("it has", "row 26 has")):
        replay(stream(messages), tmp_path).run()
    output, rejected = JsonLines(str(tmp_path / "out.jsonl")), tmp_path / "rejected.jsonl"
    run = replay(stream(messages[25:], rejected), tmp_path, output=output)  # as a queue gives again what was not committed
    assert (run.resumed_at, run.rows_taken) == (20, 25)
    result = run.run()
    run.close()
    assert (result.t, result.rows_taken, result.skipped, result.to_dict()["skipped"]) == (40, 41, 1, 1)
    np.testing.assert_array_equal(result.samples, samples)
    line, = map(json.loads, rejected.read_text().splitlines())
    assert why in line["reason"] and line["row"] == "row 1" and line["content"]
    assert [json.loads(row)["skipped"] for row in (tmp_path / "out.jsonl").read_text().splitlines()] == [1, 1]


def test_a_bad_first_message_and_rows_with_holes_are_counted_and_written_down(tmp_path, samples):
    path = tmp_path / "rejected.jsonl"
    data = stream(["{", *MESSAGES, '{"a": null, "b": 1, "y": 0}'], path)
    result = replay(data, tmp_path).run()
    np.testing.assert_array_equal(result.samples, samples)
    assert (result.rows_taken, result.skipped) == (42, 2) and data.report().rows_read == 42
    assert "1 row left out, missing or NaN in column 'a': row 42" in data.report().words()
    assert [json.loads(line)["row"] for line in path.read_text().splitlines()] == ["row 1", "row 42"]


def test_pairs_of_ones_own_are_looked_at_before_they_are_learnt(tmp_path, samples):
    x, y = map(np.concatenate, zip(*stream(MESSAGES), strict=True))
    x, y = np.insert(x, 25, np.nan, axis=0), np.insert(y, 25, 1.0)
    batches = [(x[:13], y[:13]), (x[13:], y[13:])]
    with pytest.raises(ValueError, match="finite"):
        replay(iter(batches), tmp_path).run()
    run = replay(iter([batches[1], "noise"]), tmp_path, on_bad_row=tmp_path / "rejected.jsonl")
    assert run.rows_taken == 13
    result = run.run()
    np.testing.assert_array_equal(result.samples, samples)
    assert (result.rows_taken, result.skipped) == (42, 2)
    assert [json.loads(line)["row"] for line in (tmp_path / "rejected.jsonl").read_text().splitlines()] == [
        "row 13 of a batch", "a batch"]


@pytest.mark.parametrize("choice", ["stop", "skip", "rejected.jsonl"])
def test_the_command(choice, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [list(json.loads(message).values()) for message in MESSAGES]
    rows.insert(30, [1.0, 2.0, 7])
    (tmp_path / "data.csv").write_text("a,b,y\n" + "".join(",".join(map(str, map(float, row))) + "\n" for row in rows))
    SETTINGS.save("tuned.toml")
    code = main(["replay", "tuned.toml", "data.csv", "--classes", "0,1", "--chains", "2", "--every", "10", "--json",
                 "--quiet", "--checkpoint", "s.npz", "--on-bad-row", choice])
    end = json.loads(capsys.readouterr().out)
    if choice == "stop":
        assert code == 1 and "row 31 of data.csv has '7.0'; choose another" in end["error"] and (tmp_path / "s.npz").exists()
    else:
        assert code == 0 and (end["t"], end["skipped"], end["stream"]["rows_read"]) == (40, 1, 41)
    assert (tmp_path / "rejected.jsonl").exists() == (choice == "rejected.jsonl")


@pytest.mark.parametrize(("choice", "words"), [(7, "must be 'stop', 'skip' or a path, got 7"), ("", "must be 'stop'"),
                                               ("none/x.jsonl", "'none/x.jsonl' cannot be written")])
def test_bad_choices(choice, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=f"on_bad_row.* {words}"):
        stream(MESSAGES, choice)
