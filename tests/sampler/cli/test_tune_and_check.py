"""Commands `tune` and `check`: from data to settings with evidence, and to a replay."""

import io
import json
import re
import shutil
import signal
import tomllib
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from sampler import Settings, Tuned, advise, long_chain_reference
from sampler.__main__ import main, parser
from sampler.cli.options import shell_source, source_record
from sampler.tuning.optuna_study import Study
from tests.sampler.cli.test_replay_command import table_of


@pytest.fixture(scope="module", autouse=True)
def fewer_draws():
    """References of 2,000 draws and 32 chains in production; measurements are tested in `tests/sampler/tuning`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sampler.cli.tuning_rows.Tuned", partial(Tuned, chains=32))
        patch.setattr("sampler.tuning.sweep_reference.long_chain_reference",
                      lambda posterior, draws, **more: long_chain_reference(posterior, draws // 8, **more))
        yield


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder with a table with one missing cell, and user gradients."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(240, 2)) * [1, 30] + [0, 100]
    y = rng.random(240) < 1 / (1 + np.exp(-(x - [0, 100]) @ [1.0, -0.03]))
    rows = [f"{p!r},{q!r},{'yes' if r else 'no'}\n" for (p, q), r in zip(x.tolist(), y, strict=True)]
    rows[7] = "1.0,,yes\n"
    (folder / "data.csv").write_text("a,b,answer\n" + "".join(rows))
    (folder / "own_to_tune.py").write_text(
        "import numpy as np\nfrom sampler import GradientOracle\n"
        "X = np.random.default_rng(0).normal(size=(80, 2))\n"
        "def right(i, x):\n    return x - X[i]\n"
        "def potential(k, x):\n    return 0.5 * ((x - X[k]) ** 2).sum()\n"
        "problem = GradientOracle(right, 2, lambda x: x)\n"
        "wrong = GradientOracle(lambda i, x: X[i] - x, 2)\n")
    return folder


@pytest.fixture
def folder(data, tmp_path, monkeypatch):
    """A copy of `data` as the current folder."""
    shutil.copytree(data, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(capsys, *arguments):
    code = main(list(map(str, arguments)))
    out, err = capsys.readouterr()
    return code, out, err


BARE = ["--workers", 0, "--chains", 16]
WRITTEN = [*BARE, "--accept-verdict", "--overwrite"]
ONE = [*WRITTEN, "--i-max", 40, "--eta0", 0.8]
QUICK = [*WRITTEN, "--i-max", "10,40", "--eta0", "0.2,0.8"]


@pytest.fixture(scope="module")
def swept(data, tmp_path_factory):
    """A folder with a sweep of four settings and its file, with stdout and stderr of the command."""
    folder, out, err = tmp_path_factory.mktemp("swept") / "here", io.StringIO(), io.StringIO()
    shutil.copytree(data, folder)
    with chdir(folder), redirect_stdout(out), redirect_stderr(err):
        assert main(list(map(str, ["tune", "data.csv", "--scale", *QUICK, "--json"]))) == 0
    return folder, out.getvalue(), err.getvalue()


@pytest.fixture
def tuned(swept, folder):
    """A copy of the swept folder as the current folder."""
    return shutil.copytree(swept[0], folder, dirs_exist_ok=True)


def test_from_a_file_to_a_setting_to_production(tuned, swept, capsys, monkeypatch):
    _, out, err = swept
    answer = json.loads(out)
    assert "1 row left out, missing or NaN in column 'b': row 8" in err and "advised setting: eta0" in err
    assert "hint: --algorithm both" in err
    assert len(answer["cells"]) == 4 and answer["settings"]["eta0"] in (0.2, 0.8)
    tables = tomllib.loads((tuned / "tuned.toml").read_text())
    assert set(tables) == {"format", "algorithm", "settings", "run", "model", "reading", "data", "gates", "evidence",
                           "versions"}
    assert tables["algorithm"] == "saga-ld"
    assert tables["data"] == {"name": "data.csv", "rows": 239, "fingerprint": tables["data"]["fingerprint"]}
    assert tables["reading"]["classes"] == ["no", "yes"] and tables["reading"]["features"] == ["a", "b"]
    assert tables["evidence"]["verdict"] in ("safe", "cold")
    words = tables["evidence"]["fits_words"]
    assert words.startswith("A Laplace approximation refitted as data grow is") and "; R-VGA is" in words
    assert 0 < tables["evidence"]["laplace_lag"] < 1 and 0.5 < tables["evidence"]["rvga_narrowest"] < 1.5
    assert Settings.load("tuned.toml").to_dict() == answer["settings"]
    names = {}
    exec(compile(Tuned.load("tuned.toml").snippet(), "snippet", "exec"), names)  # noqa: S102 - trusted text
    end = json.loads(call(capsys, "replay", "tuned.toml", "data.csv", "--json", "--quiet", "--accept-verdict")[1])
    assert end["t"] == 239 and end["gate"] is None
    assert end["stream"]["fingerprint"] == tables["data"]["fingerprint"]
    np.testing.assert_array_equal(names["epoch"].samples.mean(axis=0), end["mean"])
    # A repeated sweep is read, not run, and one of other data rejected.
    with monkeypatch.context() as patch:
        patch.setattr("sampler.tuning.workers.run_cell", lambda *_: pytest.fail("run again"))
        code, out, _ = call(capsys, "tune", "data.csv", "--scale", *QUICK, "--quiet", "--storage", "tuned.db", "--out",
                            "b.toml")
    assert code == 0 and "written to b.toml; 4 settings in" in out
    assert words in out  # printed from the stored reference
    assert "next: python -m sampler replay b.toml data.csv" in out
    code, _, err = call(capsys, "tune", "data.csv", *QUICK)
    assert code == 1 and "stores a sweep with data =" in err


def test_cells_of_another_algorithm_in_the_same_file_are_ignored(tuned, capsys):
    """SAGA-LD's take about 40 gradients per epoch and this one more than 200: theirs would be the best."""
    code, out, err = call(capsys, "tune", "data.csv", "--scale", *WRITTEN, "--algorithm", "preconditioned", "--i-max", 100,
                          "--eta0", 0.1, "--json")
    assert code == 0, err
    answer = json.loads(out)
    assert answer["algorithm"] == "preconditioned" and [cell["algorithm"] for cell in answer["cells"]] == ["preconditioned"]


def test_a_time_limit_ends_with_a_verdict_on_the_advised_setting(folder, capsys):
    code, _, err = call(capsys, "tune", "data.csv", "--scale", *QUICK, "--seconds", 0.01)
    assert code == 0 and "running the advised setting: eta0 = " in err and "\naccuracy 0.8" in err
    evidence = tomllib.loads((folder / "tuned.toml").read_text())["evidence"]
    assert evidence["verdict"] and evidence["accuracy"] > 0.85
    assert (evidence["sweep"], evidence["settings_tried"]) == ("out of time", 1)


def test_the_advised_setting_is_run_and_written_without_a_sweep(folder, capsys):
    command = ["tune", "data.csv", "--scale", *BARE]
    code, out, err = call(capsys, *command)
    evidence = tomllib.loads((folder / "tuned.toml").read_text())["evidence"]
    assert code == 0 and "running the advised setting: eta0 = " in err and not (folder / "tuned.db").exists()
    tried = re.findall(r"^eta0 = .*$", err, re.MULTILINE)
    assert evidence["verdict"] == "safe" and evidence["settings_tried"] == len(tried) > 1 and "sweep" not in evidence
    taken = re.search(r"^chosen: (.*)\. Run . is chosen: ", err, re.MULTILINE)[1]
    assert [line.startswith(f"{taken}: safe, ") for line in tried].count(True) == 1 and not tried[0].startswith(taken)
    reasons = re.findall("^  next, because (its memory is|a width of) .*i_max = ", err, re.MULTILINE)
    assert len(reasons) == len(tried) - 1
    assert evidence["chains"] == 16 and evidence["rows"] == 239 and "fits_words" in evidence
    assert "the advised setting and variants of it, in" in out and "--sweep tries others" in out
    answer = json.loads(call(capsys, *command, "--overwrite", "--json", "--quiet")[1])
    cells, advised = answer["cells"], answer["advice"]["settings"]
    assert len(cells) == len(tried) and (cells[0]["eta0"], cells[0]["i_max"]) == (advised["eta0"], advised["i_max"])
    assert answer["settings"]["i_max"] < advised["i_max"] and evidence["gradients_an_epoch"] < cells[0]["cost"]


def test_an_unsafe_advised_setting_or_the_sweep_option_starts_a_sweep(folder, capsys, monkeypatch):
    few = ["tune", "data.csv", "--scale", *BARE, "--rows", 64, "--accept-verdict", "--overwrite"]
    monkeypatch.setattr("sampler.cli.tune.ETAS", {"saga-ld": (0.5, 1)})
    monkeypatch.setattr("sampler.cli.tune.LENGTHS", (1,))
    code, out, err = call(capsys, *few, "--sweep")
    assert code == 0 and "running the advised setting" not in err and "; 2 settings in" in out
    (folder / "tuned.db").unlink()
    advised = advise

    def hot(forecast):
        advice = advised(forecast)
        return replace(advice, settings=advice.settings.replace(eta0=6 * advice.settings.eta0))

    monkeypatch.setattr("sampler.cli.tune.advise", hot)
    code, out, err = call(capsys, *few)
    assert code == 0 and "not safe but " in err and ": trying settings around it" in err
    assert "; 2 settings in" in out
    again = call(capsys, *few)  # the stored sweep is read: the advised setting is not run again
    assert again[0] == 0 and "running the advised setting" not in again[2]


def test_a_too_short_time_limit_is_rejected_with_a_sufficient_one(folder, capsys, monkeypatch):
    monkeypatch.setattr("sampler.tuning.advised_setting.AT_LEAST", 0.0)
    code, _, err = call(capsys, "tune", "data.csv", "--scale", *QUICK, "--seconds", 0.01)
    assert code == 1 and "error: seconds must be " in err and "for a quarter of the rows on 16 chains" in err
    assert not (folder / "tuned.toml").exists()


def test_a_constant_column_is_left_out_and_unequal_columns_give_a_hint(folder, capsys):
    lines = (folder / "data.csv").read_text().splitlines()
    (folder / "twin.csv").write_text("\n".join(["one," + lines[0], *("3," + line for line in lines[1:])]) + "\n")
    code, _, err = call(capsys, "tune", "twin.csv", "--rows", 64, *ONE)
    assert code == 0 and "left out as redundant with the intercept: 'one'" in err
    assert "hint: the spreads of two columns differ" in err and "try --scale" in err
    assert Tuned.load("tuned.toml").reading["features"] == ["a", "b"]


def test_a_query_is_tuned_on_like_a_file(tuned, capsys):
    table_of(tuned / "data.csv", tuned / "shop.db")
    query = ["--sql", tuned / "shop.db", "--query", "SELECT * FROM visits", "--key", "id"]
    code, out, err = call(capsys, "tune", *query, "--scale", *QUICK, "--quiet", "--storage", "tuned.db", "--out", "sql.toml")
    assert code == 0, err  # the same cells, read not run
    assert f"replay sql.toml --sql {tuned / 'shop.db'} --query 'SELECT * FROM visits' --key id --checkpoint" in out
    of_table, of_file = Tuned.load("sql.toml"), Tuned.load("tuned.toml")
    assert of_table.settings == of_file.settings and of_table.reading == of_file.reading
    assert of_table.data == {**of_file.data, "name": "shop.db", "query": "SELECT * FROM visits", "key": "id"}
    assert "SqlQuery('shop.db', 'SELECT * FROM visits', 'id')" in of_table.snippet()
    assert call(capsys, "replay", "sql.toml", *query, "--quiet", "--json", "--accept-verdict")[0] == 0
    for options, words in ((query[:4], "--key is missing"), (["data.csv", *query], "data must be left out with"),
                           (["--sql", "none.db", *query[2:]], "there is no file"), ([], "or a query with --sql"),
                           ([*query[:5], "b"], "column 'b' is NULL in some row")):
        code, _, err = call(capsys, "tune", *options, *QUICK)
        assert code == 1 and words in err


def test_a_password_of_a_database_is_not_written_down():
    options = parser().parse_args(["tune", "--sql", "postgresql://me:secret@db.example/shop?sslmode=require", "--query",
                                   "SELECT * FROM visits", "--key", "id"])
    assert source_record(options) == {"name": "postgresql://db.example/shop", "query": "SELECT * FROM visits", "key": "id"}
    assert "secret" not in shell_source(options)
    options.sql = "postgresql:///shop?user=me&password=secret"
    assert source_record(options)["name"] == "postgresql:///shop" and "secret" not in shell_source(options)
    options.sql = "/data/@shop/shop.db"
    assert "--sql /data/@shop/shop.db --query" in shell_source(options)


def test_a_user_gradient_is_tuned(folder, capsys):
    code, out, _ = call(capsys, "tune", "--problem", "own_to_tune:problem", "--terms", 20, *ONE, "--json", "--quiet")
    assert code == 0 and json.loads(out)["evidence"]["rows"] == 20
    tuned = Tuned.load("tuned.toml")
    assert tuned.model == {"problem": "own_to_tune:problem", "terms": 20}
    assert "from own_to_tune import problem" in tuned.snippet()
    assert call(capsys, "replay", "tuned.toml", "--json", "--quiet", "--accept-verdict")[0] == 0


@pytest.mark.parametrize(("text", "options", "words"), [
    ("a,y\n1,0\n", [], "only the value 0.0 in the only row"),
    ("a,y\n1,0\n", ["--model", "linear"], "1 usable row; 16 or more are needed"),
    ("a,y\n" + "1,0\n2,1\n" * 5, [], "10 usable rows; 16 or more"),
    ("a,y\n" + "1,0\n" * 40 + "2,1\n", ["--rows", 30], "model cannot be inferred|same class"),
    ("a,y\n" + "1,0\n2,1\n" * 20, ["--rows", 3], "rows must be a whole number in \\[16"),
    ("a,y\n", ["--chains", 0], "chains must be a whole number in \\[4, 100000\\], got 0"),
    ("a,y\n" + "1,0\n2,1\n" * 20, ["--eta0", "x"], "eta0 must be values"),
    (None, ["--algorithm", "preconditioned", "--prior-precision", 0], "prior_precision must be above 0 in every coordinate"),
    (None, ["--algorithm", "both", "--prior-precision", 0], "algorithm: 'both' is not available here"),
    (None, ["--algorithm", "both", "--eta0", "0.1"], "eta0 must be left out with --algorithm both, got '0.1'"),
    (None, ["--algorithm", "both", "--radius", "9"], "radius must be left out"),
    ("", ["--problem", "own_to_tune:problem", "--terms", 80, "--algorithm", "preconditioned"],
     "must be a model whose curvature is known"),
])
def test_unusable_data_are_an_error(folder, capsys, text, options, words):
    if text is not None:
        (folder / "data.csv").write_text(text)
    code, out, err = call(capsys, "tune", "data.csv", "--workers", 0, *options, "--json")
    assert code == 1 and re.search(words, json.loads(out)["error"]) and not (folder / "tuned.toml").exists()


def test_check_passes_a_correct_gradient_and_fails_a_wrong_one(folder, capsys):
    code, out, _ = call(capsys, "check", "own_to_tune:problem", "--terms", 80, "--potential", "own_to_tune:potential")
    assert code == 0 and "correct; checked against differences of the potential" in out
    assert "saga-ld: possible" in out and "preconditioned: problem must be a model whose curvature is known" in out
    code, out, _ = call(capsys, "check", "own_to_tune:wrong", "--terms", 80, "--json")
    answer = json.loads(out)
    assert code == 3 and not answer["ok"] and "not convex" in answer["faults"][0] and answer["algorithms"] == ["saga-ld"]
    code, _, err = call(capsys, "check", "nowhere:problem", "--terms", 80)
    assert code == 1 and "there is no module" in err


def test_a_file_is_not_overwritten_without_confirmation(folder, capsys, monkeypatch):
    (folder / "tuned.toml").write_text("keep me")
    command = ["tune", "data.csv", "--scale", *BARE, "--quiet", "--rows", 64, "--i-max", 40, "--eta0", 0.2]
    code, out, err = call(capsys, *command)
    assert code == 1 and "'tuned.toml' exists" in err and "--overwrite" in err
    assert (folder / "tuned.toml").read_text() == "keep me" and not (folder / "tuned.db").exists()
    for answer, kept in (("n\n", True), ("y\n", False)):
        monkeypatch.setattr("sampler.cli.tune.confirmed", lambda question, answer=answer: answer == "y\n")
        code, _, _ = call(capsys, *command)
        assert ((folder / "tuned.toml").read_text() == "keep me") == kept and code == (1 if kept else 0)


def test_an_unsafe_setting_is_written_and_run_only_if_accepted(folder, capsys):
    # Two steps of a hundredth of the advised length: nearly full memory of the start.
    cold = ["tune", "data.csv", "--scale", *BARE, "--quiet", "--i-max", 2, "--eta0", 0.005]
    code, out, err = call(capsys, *cold, "--json")
    assert code == 3 and json.loads(out)["out"] is None and not (folder / "tuned.toml").exists()
    assert "not written" in err and "--accept-verdict" in err
    code, _, _ = call(capsys, *cold, "--accept-verdict")
    kind = Tuned.load("tuned.toml").evidence["verdict"]
    assert code == 0 and kind != "safe"
    code, out, err = call(capsys, "replay", "tuned.toml", "data.csv", "--json", "--quiet")
    assert code == 3 and json.loads(out)["gate"]["name"] == "verdict" and json.loads(out)["t"] == 0
    assert f"tuned verdict: {kind}." in err and f"judged {kind} when it was tuned" in err
    code, out, err = call(capsys, "replay", "tuned.toml", "data.csv", "--json", "--quiet", "--accept-verdict", "--every", 30)
    end = json.loads(out)
    assert code == 0 and end["gate"] is None and end["t"] == 239 and f"tuned verdict: {kind}." in err
    assert end["rhat"] is not None and end["why_no_rhat"] is None  # 8 blocks: computed at the end


def test_a_gate_can_be_disabled_and_a_bare_file_has_no_verdict(folder, capsys):
    Tuned(Settings(eta0=0.2), evidence={"verdict": "hot", "verdict_words": "Too wide."}).save("hot.toml")
    (folder / "open.toml").write_text((folder / "hot.toml").read_text().replace("verdict = true", "verdict = false"))
    code, out, err = call(capsys, "replay", "open.toml", "data.csv", "--out", "s.jsonl", "--chains", 4)
    assert code == 0 and "tuned verdict: hot. Too wide." in err and "no R-hat: computed every 50 blocks" in err
    lines = [json.loads(line) for line in (folder / "s.jsonl").read_text().splitlines()]
    assert all(line["rhat"] is None and "this is block" in line["why_no_rhat"] for line in lines)
    (folder / "bare.toml").write_text("[settings]\neta0 = 0.2\n")
    code, _, err = call(capsys, "replay", "bare.toml", "data.csv", "--out", "b.jsonl", "--chains", 4)
    assert code == 0 and "no verdict is stored" in err


def test_both_algorithms_are_tuned_and_the_file_names_the_better_one(folder, capsys, monkeypatch):
    monkeypatch.setattr("sampler.cli.tune.ETAS", {"saga-ld": (0.5, 1), "preconditioned": (0.5, 1)})
    code, out, err = call(capsys, "tune", "data.csv", "--scale", "--algorithm", "both", *WRITTEN, "--rows", 64, "--i-max",
                          "4,12", "--json", "--quiet")
    assert code == 0, err
    answer = json.loads(out)
    assert {cell["algorithm"] for cell in answer["cells"]} == {"saga-ld", "preconditioned"} == set(answer["best"])
    tuned = Tuned.load("tuned.toml")
    assert tuned.algorithm == answer["algorithm"] and tuned.settings.to_dict() == answer["settings"]
    assert answer["settings"]["eta0"] == answer["best"][answer["algorithm"]]["eta0"]


def test_a_signal_stops_a_sweep_and_the_same_command_resumes_it(folder, capsys, monkeypatch):
    tell, two = Study.tell, ["tune", "data.csv", "--scale", *ONE, "--rows", 64, "--eta0", "0.2,0.8"]

    def stopped(self, trial, *result):
        tell(self, trial, *result)
        if result:  # not for cells cancelled by the signal: a second one ends the process
            signal.raise_signal(signal.SIGTERM)

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    with monkeypatch.context() as patch:
        patch.setattr(Study, "tell", stopped)
        code, _, err = call(capsys, *two)
    assert before == {number: signal.getsignal(number) for number in before}
    assert code == 128 + signal.SIGTERM and "stopped by a signal" in err and ": 1 settings are saved in" in err
    assert not (folder / "tuned.toml").exists()
    answer = json.loads(call(capsys, *two, "--json")[1])
    assert len(answer["cells"]) == 2 and (folder / "tuned.toml").exists()
