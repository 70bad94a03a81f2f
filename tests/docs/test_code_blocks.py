"""Every code block of README, site and .github runs in a test or is checked with the real parser."""

import doctest
import importlib
import json
import re
import shlex
import sys
import tomllib
import types
from pathlib import Path

import click
import numpy as np
import pytest

from app.plots import looks
from sampler import LogisticRegression, Settings, Tuned, long_chain_reference, synthetic_logistic
from sampler.__main__ import main
from sampler.racing import CONTESTANTS, contestants, prepare_race, race
from tests.docs import commands
from tests.docs.pages import MARKDOWN, PAGES, ROOT, blocks, name_of, page, prose
from tests.fuzz import calls

TESTED_SEPARATELY = ("contribute/first-change.md", "tutorials/hand-tune.md", "tutorials/production.md", *(
    f"how-to/{name}.md" for name in ("queue", "notebook", "library", "predict", "add-sampler", "add-problem")))
"""Pages with external requirements such as a queue, or with expected output; each has its own test below."""
LANGUAGES = {"python", "sh", "toml", "nginx", "text", ""}
PYTHON = [path for path in MARKDOWN if blocks(path.read_text(encoding="utf-8"), "python")
          and not name_of(path).endswith(TESTED_SEPARATELY)]


def run_page(path: Path, names: dict | None = None, languages: tuple[str, ...] = ("python",)) -> dict:
    """Run a page's blocks in order in the current folder; return the namespace.

    Of shell commands only ``python -m sampler`` runs; its exit codes are appended to ``codes``.
    """
    names = {} if names is None else names
    for block in blocks(path.read_text(encoding="utf-8"), *languages):
        if block.language == "python":
            exec(compile("\n" * (block.line - 1) + block.text, name_of(path), "exec"), names)  # noqa: S102 - trusted text
            continue
        for words in commands.commands_of(block.text):
            if words[:3] == ["python", "-m", "sampler"]:
                names.setdefault("codes", []).append(main(words[3:]))
    return names


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty current folder; references of sweeps and races have a quarter of their draws."""
    monkeypatch.chdir(tmp_path)
    for module in ("sampler.tuning.sweep_reference", "sampler.racing.race_setup"):
        monkeypatch.setattr(f"{module}.long_chain_reference", lambda posterior, draws, *rest, **more: long_chain_reference(
            posterior, draws // 4, *rest, **more))
    return tmp_path


@pytest.mark.parametrize("path", PYTHON, ids=name_of)
def test_python_runs(path, folder):
    run_page(path)


def test_the_gradient_check_of_the_page_runs(folder):
    assert run_page(PAGES / "how-to/add-problem.md", languages=("python", "sh"))["codes"] == [0, 0]


@pytest.mark.in_turn
@pytest.mark.journey
def test_the_production_tutorial_runs_to_the_end(folder, capsys):
    names = run_page(PAGES / "tutorials/production.md", languages=("python", "sh"))
    assert names["codes"][:2] == [0, 0] and names["codes"][2] in (0, 3)
    output = capsys.readouterr().err
    assert "finished at epoch 2,988" in output and "drift alarm at datum" in output
    tuned = Tuned.load("tuned.toml")
    assert tuned.evidence["verdict"] == "safe" and tuned.reading["response"] == "bought"
    assert json.loads((folder / "summaries.jsonl").read_text().splitlines()[-1])["t"] == 2988
    assert names["chances"][0, 1] > names["chances"][2, 1]  # a higher price lowers the probability


def test_docstring_examples():
    files = [path for path in (ROOT / "sampler").rglob("*.py") if ">>> " in path.read_text(encoding="utf-8")]
    modules = [importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts)) for path in files]
    results = {module.__name__: doctest.testmod(module) for module in modules}
    assert results and all(attempted and not failed for failed, attempted in results.values()), results


def test_the_library_page_ends_in_its_documented_state(folder):
    names = run_page(PAGES / "how-to/library.md")
    assert names["saga"].t == 100 and names["epoch"].samples.shape == (256, 21) and (folder / "state.npz").exists()


def test_predictions_are_those_of_the_page(folder):
    names = run_page(PAGES / "how-to/predict.md")
    assert names["model"].sampler_.t == 3
    assert names["predictive"].predict(names["new"])[[0, 2]].tolist() == ["yes", "no"] and names["best"] in (0, 1, 2)
    low, high = names["interval"].T
    assert np.all((low < names["chances"][:, 1]) & (names["chances"][:, 1] < high))
    for regret in names["regret"].values():  # 400 rounds at random: 53 in the mean, with a standard deviation of 1.5
        assert 0 < regret[-1] < 53 - 5 * 1.5


def test_hand_tuning_prints_the_text_of_the_page(folder, capsys):
    names = run_page(PAGES / "tutorials/hand-tune.md")
    output = capsys.readouterr().out
    shown, = (block.text for block in blocks(page("tutorials/hand-tune.md"), "text"))
    for line in shown.splitlines():
        start = re.match(r"eta0 = [\d.]+: [A-Z][a-z ]+\.", line)[0]
        assert start in output, output
    assert names["best"].eta0 == names["start"].eta0 == Tuned.load("tuned.toml").settings.eta0


def test_the_tamed_sampler_is_stable_and_races(folder, capsys, monkeypatch):
    monkeypatch.setitem(CONTESTANTS, "tamed", None)  # removes the page's entry after the test
    names = run_page(PAGES / "how-to/add-sampler.md", vars(contestants) | vars(looks))
    ula, tamed, *contestant_lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in contestant_lines] == ["tamed", "saga"]
    assert ula.startswith("ULA: eta0 must be small enough") and tamed.startswith("TamedULA: 0 of 16 diverged")

    *_, entry, look = (block.text for block in blocks(page("how-to/add-sampler.md"), "python"))
    (one,) = eval(f"({entry.strip()})", names)  # noqa: S307 - trusted text
    CONTESTANTS[one.key] = one
    setup = prepare_race(LogisticRegression(2), synthetic_logistic(60, dim=1, sparsity=1)[:2], Settings(i_max=20), 64)
    curves = race(setup, ["ula", one.key], evaluations=60 * 120)
    # same random numbers as ULA; a step differs by eta^2 |g|^2, a hundredth of |g| where that is L; measured 0.008
    assert curves["ula"].steps[-1] == curves[one.key].steps[-1] == 120
    assert curves[one.key].accuracy[-1] == pytest.approx(curves["ula"].accuracy[-1], abs=0.02)
    shown, = eval(look, names).values()  # noqa: S307
    assert (shown.role, shown.mark) not in {(other.role, other.mark) for other in looks.SAMPLER_LOOKS.values()}


def test_a_first_change_works():
    """Run the measure and its test from the page."""
    measure, proof, call = (block.text for block in blocks(page("contribute/first-change.md"), "python"))
    names: dict = {}
    exec(compile(measure, "jump.py", "exec"), names)  # noqa: S102 - trusted text
    exec(compile(proof.replace("from sampler.metrics import mean_squared_jump\n", ""), "test_jump.py", "exec"), names)  # noqa: S102
    names["test_independent_draws_jump_by_twice_their_variance"]()
    namespace = vars(calls) | {"metrics": types.SimpleNamespace(mean_squared_jump=names["mean_squared_jump"])}
    (function, arguments), = eval(f"({call.strip()})", namespace)  # noqa: S307
    assert function(**arguments) == pytest.approx(calls.D)


def test_the_queue_reader_of_the_page(folder, monkeypatch):
    rng = np.random.default_rng(0)
    rows = [{"bought": int(rng.random() < 0.5), "age": rng.normal(), "visits": rng.normal()} for _ in range(40)]
    messages = [types.SimpleNamespace(value=json.dumps(row), offset=k, partition=0) for k, row in enumerate(rows)]
    polls = iter([{0: messages[:15]}, {}, {0: messages[10:30]}, {0: messages[30:]}])  # 10 to 14 are repeated
    committed = []

    def poll(milliseconds):
        if (answer := next(polls, None)) is None:
            raise ConnectionError("the queue was closed")  # a queue has no end
        return answer

    kafka = types.ModuleType("kafka")
    kafka.KafkaConsumer = lambda topic, group_id, enable_auto_commit: types.SimpleNamespace(poll=poll)
    monkeypatch.setitem(sys.modules, "kafka", kafka)
    Tuned(Settings(i_max=5, batch_size=8), {"kind": "logistic"}, chains=16).save("tuned.toml")
    with pytest.raises(ConnectionError):
        run_page(PAGES / "how-to/queue.md", {"commit": lambda consumer, at: committed.append(at)})
    assert committed[-1] == {"0": len(rows) - 1}  # in the checkpoint, processed or held back
    assert Path("state.npz").exists()


def test_the_notebook_cell_creates_a_page(folder):
    page_ = run_page(PAGES / "how-to/notebook.md")["page"]
    try:
        page_.state.eta0 = 5
        assert page_.state.frozen().eta0 == 5
    finally:
        page_.close()


def test_toml_blocks_are_valid(folder):
    text, = (block.text for block in blocks(page("reference/tuned.md"), "toml"))
    Path("tuned.toml").write_text(text)
    tuned = Tuned.load("tuned.toml")
    tables = tomllib.loads(text)
    assert tuned.settings.to_dict() == tables["settings"] and tuned.gates.max_rhat == tables["gates"]["max_rhat"]
    assert tuned.problem(3).dim == 3 and tuned.reading == tables["reading"]
    for block in blocks(page("how-to/add-lesson.md"), "toml"):
        assert tomllib.loads(block.text)


INLINE = re.compile(r"`((?:panel serve|python -m sampler (?:tune|replay|check)|python -m(?! sampler| app)|pip install|"
                    r"pytest|exit-time-lab|mkdocs) [^\s`]+ [^`\n]*)`")
"""A command with arguments in running text; a program name alone does not match."""


@pytest.mark.parametrize("path", MARKDOWN, ids=name_of)
def test_commands_are_accepted_by_the_parsers(path, folder):
    text = path.read_text(encoding="utf-8")
    assert {block.language for block in blocks(text)} <= LANGUAGES
    shell = [block.text for block in blocks(text, "sh")]
    for words in (words for line in [*shell, *_inline(text)] for words in commands.commands_of(line)):
        commands.check(words)


def _inline(text: str) -> list[str]:
    """Return complete commands in running text, without an ellipsis or a placeholder in capitals or brackets."""
    open_ended = re.compile(r"\.\.\.|…|\[[a-z A-Z.]|\b[A-Z]{2,}\b")
    return [one for one in INLINE.findall(prose(text)) if not open_ended.search(one) and _is_complete(one)]


def _is_complete(text: str) -> bool:
    try:
        return bool(shlex.split(text))
    except ValueError:
        return False


def test_a_wrong_command_is_rejected(folder):
    for wrong in ("python -m sampler tune x.csv --bogus", "exit-time-lab export", "panel serve app --args --visits 0",
                  "panel serve app --bogus", "pip install -e '.[nothing]'", "pytest tests/nowhere",
                  "python -m tests.nothing", "dask worker tls://a:1 --bogus", "unheard of"):
        with pytest.raises((AssertionError, ModuleNotFoundError, click.UsageError)):
            for words in commands.commands_of(wrong):
                commands.check(words)
