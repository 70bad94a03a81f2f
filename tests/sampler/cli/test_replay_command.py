import argparse
import json
import re
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing

import numpy as np
import pytest
from pyarrow import dataset, parquet

from sampler import DataStream, LogisticRegression, OnlineSagaLD, Settings, Tuned
from sampler import threads as pool
from sampler.__main__ import main
from sampler.algorithms import stream_algorithm
from sampler.cli.options import add_reading, reading_of
from sampler.production import JsonLines
from tests.waiting import wait_for

SETTINGS = "[settings]\neta0 = 0.5\nbatch_size = 5\ni_max = 8\nacceptance_radius = 20.0\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Current folder with bare settings and data."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(250, 2))
    y = rng.random(250) < 1 / (1 + np.exp(-x @ [1.0, -1.0]))
    np.savetxt("data.csv", np.column_stack([x, y]), delimiter=",", header="a,b,y", comments="")
    (tmp_path / "tuned.toml").write_text(SETTINGS)
    return tmp_path


def table_of(path, database):
    """Write the rows of a file with columns a, b and a response to the SQLite table ``visits`` with key ``id``."""
    (_, _, response), *rows = (line.split(",") for line in path.read_text().splitlines())
    with closing(sqlite3.connect(database)) as table, table:
        table.execute(f"CREATE TABLE visits (id INTEGER PRIMARY KEY, a REAL, b REAL, {response} NUMERIC)")
        table.executemany(f"INSERT INTO visits (a, b, {response}) VALUES (?, NULLIF(?, ''), ?)", rows)


def run(capsys, *arguments):
    """Return exit code, stdout and stderr of ``replay tuned.toml ...``."""
    code = main(["replay", "tuned.toml", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize("name", ["laplace", "rvga", "ibis"])
def test_an_algorithm_without_knobs_runs_by_option_or_from_the_file(folder, capsys, name):
    code, out, err = run(capsys, "data.csv", "--chains", 5, "--algorithm", name)
    assert code == 0 and f"running {name} instead of saga-ld. no fit was measured" in err and "finished at epoch 250" in err
    (folder / "tuned.toml").write_text(f'algorithm = "{name}"\n{SETTINGS}')
    assert run(capsys, "data.csv", "--chains", 5)[:2] == (0, out)
    assert f"saga = {stream_algorithm(name).__name__}(LogisticRegression(" in Tuned.load("tuned.toml").snippet()


def test_metrics_are_served_while_it_runs_and_no_longer(folder, capsys):
    code, _, err = run(capsys, "data.csv", "--chains", 2, "--metrics", 0)
    port = int(re.search(r"metrics on http://127.0.0.1:(\d+)/metrics", err)[1])
    assert code == 0 and "finished at epoch 250" in err
    with pytest.raises(OSError), socket.create_connection(("127.0.0.1", port), timeout=30):
        pass
    assert run(capsys, "data.csv", "--metrics", 70_000)[0] == 1


@pytest.mark.parametrize(("options", "sd"), [([], 1), (["--prior-sd", "2"], 2), (["--prior-sd", "2,0.25,4"], [2, 0.25, 4])])
def test_a_bare_file_replays_as_logistic_regression_with_a_unit_or_custom_prior(folder, capsys, options, sd):
    code, out, err = run(capsys, "data.csv", "--chains", 5, "--every", 50, *options)
    assert code == 0 and "finished at epoch 250" in err
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["t"] for line in lines] == [50, 100, 150, 200, 250]
    saga = OnlineSagaLD(LogisticRegression(3, np.power(sd, -2.0)), Settings.load("tuned.toml"), chains=5, seed=0)
    for features, labels in DataStream("data.csv"):
        saga.observe(features, labels)
    np.testing.assert_array_equal(lines[-1]["mean"], saga.positions.mean(axis=0))
    _, out, _ = run(capsys, "data.csv", "--chains", 5, "--every", 50, "--on-drift", "always", "--window", 120)
    assert [json.loads(line)["rows_counted"] for line in out.splitlines()] == [50, 100, 120, 120, 120]


def test_json_result_summaries_in_out_and_signal_handlers(folder, capsys):
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    code, out, _ = run(capsys, "data.csv", "--chains", 5, "--json", "--out", "run.jsonl", "--quiet")
    end = json.loads(out)
    assert code == 0 and end["ended"] == "finished" and end["t"] == 250 and end["gate"] is None
    assert end["stream"]["rows"] == 250 and len((folder / "run.jsonl").read_text().splitlines()) == 3
    run(capsys, "data.csv", "--chains", 5, "--json", "--out", "run.parquet", "--quiet")
    assert dataset.dataset("run.parquet").to_table()["t"].to_pylist() == [100, 200, 250]
    assert run(capsys, "data.csv", "--every", 0)[0] == 1
    assert before == {number: signal.getsignal(number) for number in before}


def test_threads_change_no_number(folder, capsys, monkeypatch):
    monkeypatch.setattr(pool, "_default", None)
    monkeypatch.setattr(pool, "LEAST_WORK", 1e-3)  # share any amount of work
    requested, use_threads = [], pool.use_threads
    monkeypatch.setattr("sampler.__main__.use_threads", lambda threads: requested.append(threads) or use_threads(threads))
    options = ["data.csv", "--chains", 5, "--json", "--quiet"]
    ends = [json.loads(run(capsys, *options, "--threads", n)[1]) for n in (1, 3)]
    assert ends[0]["mean"] == ends[1]["mean"] and ends[0]["score"] == ends[1]["score"]
    assert requested == [1, None, 3, None]  # reset for callers of `main` as a function


def test_a_failed_gate_is_named_and_sets_the_exit_code(folder, capsys):
    (folder / "tuned.toml").write_text(SETTINGS + "[gates]\nmin_predictive_score = 0.0\nwarm_up = 100\n")
    code, out, err = run(capsys, "data.csv", "--chains", 5, "--json", "--quiet")
    assert code == 3 and json.loads(out)["gate"]["name"] == "min_predictive_score"
    assert "gate min_predictive_score failed at epoch 200" in err  # only rows after the warm-up count


@pytest.mark.parametrize(("tuned", "options", "words"), [
    (None, [], "there is no file 'tuned.toml'"),
    ("= 1", [], "is not a TOML file"), ("[other]\n", [], "has no table \\[settings\\]"),
    ("format = 3\n" + SETTINGS + "[versions]\nexit-time-lab = '9.1'\n", [],
     "format 3 and was written by release 9.1; this release reads up to format 2: upgrade"),
    ("algoritm = 'saga-ld'\n" + SETTINGS, [],
     "unknown key 'algoritm': the top level takes no algoritm; allowed there: format, algorithm"),
    ("run = 3\n" + SETTINGS, [], "has run = 3; it must be a table"),
    (SETTINGS, ["--response", "z"], "no column 'z'; the columns are a, b, y"),
    (SETTINGS, ["--rows-in", "nowhere"], "folder must exist"),
    (SETTINGS, ["--every", "0"], "every must be a whole number in \\[1, 1000000000\\], got 0"),
    (SETTINGS, ["--checkpoint", "none/s.npz"], "a file in an existing folder, 'none/s.npz' is in"),
    (SETTINGS, ["--checkpoint", "."], "'.' is a folder; make it, or choose another name"),
    (SETTINGS, ["--checkpoint-seconds", "nan"], "0 or more, got nan; it is the time between two"),
    (SETTINGS, ["--out", "none/o.jsonl"], "out: 'none/o.jsonl' cannot be written .No such file"),
    (SETTINGS, ["--out", "data.csv/o.parquet"], "out: 'data.csv/o.parquet' cannot be made"),
    (SETTINGS, ["--worker-timeout", "5"], "worker-timeout must be left out without --scheduler"),
    (SETTINGS, ["--sql", ""], "--sql is missing"),
    (SETTINGS, ["--prior-sd", "2,0,1"], "--prior-sd must be a number above 0, .* got '2,0,1'"),
    (SETTINGS, ["--prior-sd", "2,2"], "prior_precision must be in .*one number or 3 of them"),
    (SETTINGS, ["--threads", "0"], "threads must be a whole number in \\[1, 1024\\], got 0"),
])
def test_bad_input_is_an_error_with_exit_code_1(folder, capsys, tuned, options, words):
    (folder / "tuned.toml").unlink()
    if tuned is not None:
        (folder / "tuned.toml").write_text(tuned)
    code, out, err = run(capsys, "data.csv", "--json", *options)
    assert code == 1 and re.search(words, json.loads(out)["error"]) and "Traceback" not in err


def test_a_user_gradient_is_replayed(folder, capsys):
    (folder / "own_for_replay.py").write_text(
        "import numpy as np\nfrom sampler import GradientOracle, LinearRegression\n"
        "problem = GradientOracle(lambda i, x: np.tile(x, (len(i), 1)), 2, lambda x: x)\n"
        "linear = LinearRegression(3, prior_precision=2.0)\n")
    code, out, _ = run(capsys, "--problem", "own_for_replay:problem", "--terms", 60, "--chains", 2, "--json", "--quiet")
    end = json.loads(out)
    assert code == 0 and end["t"] == 60 and end["score"] is None
    assert run(capsys, "data.csv", "--problem", "own_for_replay:linear", "--chains", 2, "--json", "--quiet")[0] == 0
    for options, words in ((["--problem", "own_for_replay:problem"], "terms is missing"),
                           (["data.csv", "--problem", "own_for_replay:problem", "--terms", 9], "data must be left out"),
                           (["data.csv", "--no-intercept", "--problem", "own_for_replay:linear"], "dim 3, the data have 2"),
                           (["none.csv"], "no file or folder at 'none.csv'"), ([], "data is missing")):
        code, _, err = run(capsys, *options)
        assert code == 1 and words in err


def test_a_tuned_file_has_its_reading_and_warns_of_other_versions(folder, capsys):
    Tuned(Settings(i_max=5, batch_size=3), {"kind": "linear", "prior_precision": 2.0}, 4, 9,
          {"response": "a", "features": ["b"], "intercept": False}, versions={"numpy": "0.1"}).save("tuned.toml")
    code, out, err = run(capsys, "data.csv", "--json", "--quiet")
    end = json.loads(out)
    assert code == 0 and len(end["mean"]) == 1 and end["chains"] == 4 and end["stream"]["response"] == "a"
    assert "tuned with numpy 0.1" in err


def test_a_query_is_read_instead_of_a_file(folder, capsys):
    table_of(folder / "data.csv", folder / "shop.db")
    query = ["--sql", "shop.db", "--query", "SELECT * FROM visits", "--key", "id"]
    kept = ["--chains", 5, "--json", "--every", 10, "--quiet", "--goes-on", "--checkpoint", "s.npz", "--out"]
    end = json.loads(run(capsys, *query, *kept, "run.jsonl", "--draws", "draws.parquet")[1])
    draws = parquet.read_table(folder / "draws.parquet").to_pandas()
    assert list(draws.columns) == ["chain", "draw", "a", "b", "intercept"] and set(draws["draw"]) == {250}
    assert draws["a"].mean() == pytest.approx(end["mean"][0])
    assert json.loads(run(capsys, *query, *kept, "run.jsonl")[1])["resumed_at"] == 250
    whole = json.loads(run(capsys, "data.csv", "--out", "whole.jsonl", "--chains", 5, "--json", "--every", 10)[1])
    assert end["mean"] == whole["mean"] and (folder / "run.jsonl").read_bytes() == (folder / "whole.jsonl").read_bytes()
    for options, words in ((["data.csv", "--draws", "x.txt"], "path must end in .parquet"),
                           (["data.csv", "--draws", "none/x.parquet"], "there is no folder for")):
        code, _, err = run(capsys, *options)
        assert code == 1 and words in err


def lines_in(path):
    return path.read_text().count("\n") if path.exists() else 0


def test_a_followed_file_stops_on_sigterm_and_resumes(folder, capsys, monkeypatch):
    (folder / "grows.csv").write_text((folder / "data.csv").read_text())
    arguments = ["grows.csv", "--out", "run.jsonl", "--checkpoint", "s.npz", "--chains", 5, "--json", "--every", 10]
    write, written = JsonLines.write, []

    def stopped(self, summary):
        write(self, summary)
        written.append(summary)
        if len(written) == 2:
            signal.raise_signal(signal.SIGTERM)

    with monkeypatch.context() as patch:
        patch.setattr(JsonLines, "write", stopped)
        code, out, err = run(capsys, *arguments, "--follow")
    end = json.loads(out)
    assert code == 0 and end["ended"] == "stopped" and "stopped by a signal" in err
    assert end["t"] == 20 and (folder / "s.npz").exists()
    code, out, _ = run(capsys, *arguments, "--quiet")
    assert json.loads(out)["resumed_at"] == end["t"]
    whole = json.loads(run(capsys, "data.csv", "--out", "whole.jsonl", "--chains", 5, "--json", "--every", 10)[1])
    assert json.loads(out)["mean"] == whole["mean"]
    assert (folder / "run.jsonl").read_bytes() == (folder / "whole.jsonl").read_bytes()


def test_the_help_names_every_command(capsys):
    for arguments, code in ((["--help"], 0), ([], 2)):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == code
    shown = capsys.readouterr().out
    assert all(word in shown for word in ("replay", "tune", "check"))


def test_a_repeated_category_keeps_its_levels():
    parser = argparse.ArgumentParser()
    add_reading(parser)
    kept = {"categories": {"colour": ["red", "blue"], "size": ["s", "m"]}}
    reading = reading_of(parser.parse_args(["--categories", "colour,shape"]), kept)
    assert reading["categories"] == {"colour": ["red", "blue"], "shape": None}
    assert reading_of(parser.parse_args([]), kept) == kept


def test_a_quiet_pipe_is_flushed_and_saved_by_time_and_stops_on_sigterm(folder):
    lines = (folder / "data.csv").read_text().splitlines(keepends=True)
    command = ("replay tuned.toml - --chains 5 --every 10 --json --quiet --out run.jsonl --checkpoint s.npz --goes-on "
               "--checkpoint-seconds 0.2")
    process = subprocess.Popen([sys.executable, "-m", "sampler", *command.split()], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdin.writelines(lines[:58])
    process.stdin.flush()
    wait_for(lambda: lines_in(folder / "run.jsonl") == 5, look=lambda: process.poll() is None or pytest.fail("it ended"))
    process.send_signal(signal.SIGTERM)
    assert process.wait(240) == 0  # while its standard input is open
    end = json.loads(process.stdout.read())
    assert "stopped by a signal at epoch 50" in process.stderr.read()
    assert (end["ended"], end["t"], end["rows_taken"], end["skipped"]) == ("stopped", 50, 57, 0)
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()
    with np.load(folder / "s.npz") as state:
        assert len(state["extra_rest_features"]) == 7
