"""Unusable data: rejected before the first row, rows left out and counted, or the stream stops."""

import json

import numpy as np
import pytest

from sampler import DataStream
from sampler.__main__ import main
from sampler.production import JsonLines
from sampler.streams import LARGEST_UPLOAD
from sampler.streams.category_columns import levels_of
from sampler.streams.chunk import Chunk
from tests.sampler.replays import SETTINGS, replay
from tests.sampler.streams.reading import everything


def rows_of(text, **options):
    stream = DataStream(("f.csv", text.encode()), **options)
    features = [x for x, _ in stream]
    return stream, np.concatenate(features) if features else np.empty((0, stream.dim))


THREE, TWO = "x,z,y\n1,2,0\n3,4,1\n", "x,y\n1,0\n2,1\n"


@pytest.mark.parametrize(("text", "options", "words"), [
    ("", {}, "is empty"), ("x,y\n", {}, "no rows"), ("x\n1\n2\n", {}, "one column .* a response and one feature"),
    (THREE.replace(",", ";"), {"separator": ","}, "looks separated by semicolons, pass separator=';'"),
    (THREE, {"separator": "::"}, "one character"),
    (THREE, {"response": "label"}, "no column 'label'; the columns are x, z, y"),
    (THREE, {"response": "Y"}, "did you mean 'y'"), (THREE, {"features": ["w"]}, "no column 'w'"),
    (THREE, {"features": ["x", "y"]}, "without the response 'y'"),
    ("x,x,y\n1,2,0\n3,4,1\n", {}, "two columns named 'x'"),
    ("x,y\n1,0\n2,1\n3,2\n", {"model": "logistic"}, "two values for logistic regression, got 0.0, 1.0, 2.0"),
    ("x,y\n1,0\n2,1\n3,2\n", {}, "more than two values; pass 'linear' or, for counts, 'poisson'"),
    ("x,y\n1,red\n2,green\n3,blue\n", {}, "text of three values"), ("x,y\n1,4\n2,4\n", {}, "only the value 4.0"),
    ("x,y\nred,0\ngreen,1\n", {}, "must hold numbers, but x hold text"),
    ("x,z,y\nred,1,0\ngreen,2,1\n", {"features": ["x", "z"]}, "column 'x' holds text \\('red' in row 1 of f.csv\\)"),
    ("x;z;y\n1,5;2,5;0\n3,5;4,5;1\n", {"separator": ";", "decimal": "."}, "decimal comma"),
    (TWO, {"decimal": "x"}, "decimal must be"), (TWO, {"model": "gamma"}, "model must be one of"),
    (TWO, {"classes": (1, 1)}, "two different values"), (TWO, {"scale": True, "settle": 1}, "settle must be"),
    (TWO + "3,0\n" * 100 + "4,7\n", {"classes": (0, 1)}, "row 103 of f.csv has '7'"),
    ("x,y\n1,0\n2,3\n3,-1\n", {"model": "poisson"}, "a count 0, 1, 2, … for Poisson regression, row 3"),
    ("x,y\n1,0\n2,1.5\n", {"model": "poisson"}, "row 2"),
])
def test_unreadable_text_is_an_error(text, options, words):
    with pytest.raises(ValueError, match=words):
        rows_of(text, **options)


@pytest.mark.parametrize(("source", "words"), [
    ("/no/such/file.csv", "no file or folder"), (7, "a path or an iterable"), ([], "yielded no row"),
    (["1,2"], "parse it first"), ([{"a": 1, "y": 0}, {"a": 1}], "row 2 has no 'y'"),
    ([{"a": [1, 2], "y": [0]}], "same length"), ([(np.zeros((3, 2)), np.zeros(2))], "a pair must be"),
    (("big.csv", bytearray(LARGEST_UPLOAD + 1)), "0.2 GB, .* pass its path"),
    (("a.parquet", b"PAR1 but no end"), "is not a Parquet file"),
])
def test_a_wrong_source_is_an_error(source, words):
    with pytest.raises(ValueError, match=words):
        list(DataStream(source, model="linear"))


def test_bad_cells_drop_their_row_with_a_count_and_reason():
    text = "a;b;y\n1;2;0\n3;x;1\n;5;1\ninf;2;0\n1;2\n4;5;1\nnan;8;0\n-inf;2;1\n7;8;\n9;9;1\n1;2;3;4\n5;oops;1\n;;1\n"
    stream, features = rows_of(text)
    np.testing.assert_array_equal(features[:, :2], [[1, 2], [4, 5], [9, 9]])
    report = stream.report()
    assert (report.rows_read, report.rows) == (13, 3)
    assert set(report.dropped) == {  # each once, including the last
        "3 rows left out, missing or NaN in column 'a': row 3, row 7, row 13 of f.csv",
        "2 rows left out, infinite in column 'a': row 4, row 8 of f.csv",
        "2 rows left out, text in column 'b': row 2, row 12 of f.csv",
        "1 row left out, missing or NaN in column 'y': row 9 of f.csv",
        "1 row left out, 2 cells where 3 are expected: row 5 of f.csv",
        "1 row left out, 4 cells where 3 are expected: row 11 of f.csv",
    }
    assert any(line.startswith("3 of 13 rows used") for line in report.words())
    line, = rows_of("a,y\n1,0\n2,1\n" + ",1\n" * 1000)[0].report().dropped
    assert line.startswith("1,000 rows left out") and line.endswith("row 3, row 4, row 5, row 6, row 7 of f.csv, …")


def test_files_of_a_folder_are_named_and_must_have_the_same_columns(tmp_path):
    with pytest.raises(ValueError, match="has no .csv"):
        DataStream(tmp_path)
    (tmp_path / "1.csv").write_text("a,y\n1,0\n2,1\n")
    (tmp_path / "2.csv").write_text("a,y\n1,0\n,1\n")
    stream = DataStream(tmp_path)
    assert sum(len(x) for x, _ in stream) == 3 and "row 2 of 2.csv" in stream.report().dropped[0]
    with pytest.raises(ValueError, match="was already read"):
        list(stream)
    (tmp_path / "2.csv").write_text("b,y\n1,0\n")
    with pytest.raises(ValueError, match="'2.csv' has the columns b, y, the files before it a, y"):
        list(DataStream(tmp_path))


def test_constant_and_text_columns_are_reported():
    stream, features = rows_of("a,b,colour,y\n1,3,red,no\n2,3,green,yes\n4,3,red,yes\n")
    assert features.shape == (3, 3) and stream.classes == ("no", "yes") and stream.report().constant == ("b",)
    assert any("'b' never varies" in words for words in stream.report().words())
    assert stream.report().left_out == {"colour": "text, not numbers"}
    stream, features = rows_of("a,y\n1,1\n", model="logistic")  # one row is enough with a model
    assert len(features) == 1 and stream.classes == (0.0, 1.0)


def test_the_rest_of_a_chunk_starts_after_skipped_rows():
    chunk = Chunk({"x": [1.0, 2.0, 3.0]}, 3, 10, skipped=((2, "text", ""), (4, "text", "")))  # rows 10, 12, 14 of 10 to 14
    after = chunk.after(2)
    assert (after.columns["x"], after.n, after.first, after.skipped) == ([2.0, 3.0], 2, 12, ((2, "text", ""),))


def test_levels_are_those_of_the_first_rows_in_any_chunks():
    assert levels_of([["a", "a"], ["c", "c", "c"]], 3) == ("a", "c")
    assert levels_of([["a", "a"], ["c", "c", "c"]], 5) == ("c", "a")


RNG = np.random.default_rng(0)
MESSAGES = [json.dumps({"a": a, "b": b, "y": y}) for a, b, y in zip(*RNG.normal(size=(2, 40)).tolist(),
                                                                   (RNG.random(40) < 0.5).tolist(), strict=True)]
BAD = {"no JSON": ("{", "JSONDecodeError"), "no row": ("7", "an item must be a row or a batch, got int"),
       "no column": ('{"a": 1.0, "y": 1}', "it has no 'b'"),
       "a third class": ('{"a": 1.0, "b": 0.0, "y": 7}', "must be 0.0 or 1.0"),
       "ragged": ('{"a": [1.0, 2.0], "b": [0.0], "y": [1, 0]}', "must have the same length")}


def stream(messages, choice="stop"):
    return DataStream(iter(messages), classes=(0, 1), features=["a", "b"], response="y", parse=json.loads, on_bad_row=choice)


def queue(batches, folder, **options):
    one = replay(batches, chains=2, goes_on=True, checkpoint=str(folder / "state.npz"), seconds=1e9, **options)
    one.resume()
    return one


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    return queue(stream(MESSAGES), tmp_path_factory.mktemp("whole")).run().samples


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_message_stops_the_run_with_a_checkpoint_or_is_skipped(kind, tmp_path, samples):
    bad, why = BAD[kind]
    messages = [*MESSAGES[:25], bad, *MESSAGES[25:]]
    with pytest.raises(Exception, match=why.replace("JSONDecodeError", "Expecting").replace("it has", "row 26 has")):
        queue(stream(messages), tmp_path).run()
    output, rejected = JsonLines(str(tmp_path / "out.jsonl")), tmp_path / "rejected.jsonl"
    run = queue(stream(messages[25:], rejected), tmp_path, output=output)  # a queue repeats uncommitted messages
    assert (run.resumed_at, run.rows_taken) == (20, 25)
    result = run.run()
    run.close()
    assert (result.t, result.rows_taken, result.skipped, result.to_dict()["skipped"]) == (40, 41, 1, 1)
    np.testing.assert_array_equal(result.samples, samples)
    line, = map(json.loads, rejected.read_text().splitlines())
    assert why in line["reason"] and line["row"] == "row 1" and line["content"]
    assert [json.loads(row)["skipped"] for row in (tmp_path / "out.jsonl").read_text().splitlines()] == [1, 1]


def test_a_bad_first_message_and_missing_cells_are_counted_and_recorded(tmp_path, samples):
    path = tmp_path / "rejected.jsonl"
    data = stream(["{", *MESSAGES, '{"a": null, "b": 1, "y": 0}'], path)
    result = queue(data, tmp_path).run()
    np.testing.assert_array_equal(result.samples, samples)
    assert (result.rows_taken, result.skipped) == (42, 2) and data.report().rows_read == 42
    assert "1 row left out, missing or NaN in column 'a': row 42" in data.report().words()
    assert [json.loads(line)["row"] for line in path.read_text().splitlines()] == ["row 1", "row 42"]


def test_user_pairs_are_checked_before_use(tmp_path, samples):
    x, y = everything(stream(MESSAGES))
    x, y = np.insert(x, 25, np.nan, axis=0), np.insert(y, 25, 1.0)
    batches = [(x[:13], y[:13]), (x[13:], y[13:])]
    with pytest.raises(ValueError, match="finite"):
        queue(iter(batches), tmp_path).run()
    run = queue(iter([batches[1], "noise"]), tmp_path, on_bad_row=tmp_path / "rejected.jsonl")
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
