"""What the README says is so: its places and names are there, its examples run as they stand."""

import importlib
import json
import re
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import app.plots
import sampler
from sampler import Settings, Tuned, estimators
from tests.fuzz import calls

ROOT = Path(__file__).parents[1]


def places():
    """Yield (row, place) of the table; a name without a folder lies in the place named before it, or in its folder."""
    table = (ROOT / "README.md").read_text(encoding="utf-8").split("### Where a line lives")[1].split("\n\n")[1]
    for row in table.splitlines()[2:]:
        folder = ROOT
        for name in re.findall(r"`([^`]+)`", row.split("|")[2]):
            found = [path for base in (ROOT, folder, folder.parent) for end in ("", ".py") for path in base.glob(name + end)]
            yield row, name, found
            if "/" in name and found:
                folder = found[0] if found[0].is_dir() else found[0].parent


def test_every_place_is_there():
    named = list(places())
    assert len(named) > 40
    assert [(row, name) for row, name, found in named if not found] == []


def test_the_worked_example_for_contributors_works():
    """The measure and its test stand in the README; a change of what they use is noticed here."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").split("### A first change in ten minutes")[1].split("\n### ")[0]
    measure, proof, call = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    names: dict = {}
    exec(compile(measure, "jump.py", "exec"), names)  # noqa: S102 - our own words
    exec(compile(proof.replace("from sampler.metrics import mean_squared_jump\n", ""), "test_jump.py", "exec"), names)  # noqa: S102
    names["test_independent_draws_jump_by_twice_their_variance"]()
    given = vars(calls) | {"metrics": types.SimpleNamespace(mean_squared_jump=names["mean_squared_jump"])}
    (function, arguments), = eval(f"({call})", given)  # noqa: S307
    assert function(**arguments) == pytest.approx(calls.D)


def test_names_of_the_library_are_there():
    table = (ROOT / "README.md").read_text(encoding="utf-8").split("| in the library | names |")[1].split("\n\n")[0]
    rooms = [sampler, app.plots, estimators, *(importlib.import_module(f"sampler.{room}") for room in sampler._ROOMS)]
    named = {name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)(?:\(.*?\))?`", row.split("|")[2])}
    assert len(named) > 100
    assert {name for name in named if not any(hasattr(room, name) for room in rooms)} == {
        # arguments, methods, a command
        "offset", "go_on_after", "to_datatree", "to_dataframe", "save_draws", "check", "smoothness"}


def examples(heading):
    """Python of a part of the README, a block each."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def test_examples_of_the_library_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    stream, oracle = examples("The library")
    names: dict = {}
    exec(compile(stream, "stream", "exec"), names)  # noqa: S102 - our own words
    assert names["saga"].t == 100 and names["epoch"].samples.shape == (256, 21) and (tmp_path / "state.npz").exists()
    exec(compile(oracle, "oracle", "exec"), names)  # noqa: S102
    assert names["saga"].t == 10 and not names["saga"].diverged.any()


def test_the_example_of_predictions_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    example, estimator = examples("Predict")
    names: dict = {}
    exec(compile(example, "predict", "exec"), names)  # noqa: S102 - our own words
    exec(compile(estimator, "estimator", "exec"), names)  # noqa: S102
    assert names["model"].sampler_.t == 3
    assert names["found"].predict(names["new"])[[0, 2]].tolist() == ["yes", "no"] and names["best"] in (0, 1, 2)
    low, high = names["interval"].T
    assert np.all((low < names["chances"][:, 1]) & (names["chances"][:, 1] < high))


def test_the_example_of_a_queue_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = [{"bought": int(rng.random() < 0.5), "age": rng.normal(), "visits": rng.normal()} for _ in range(40)]
    messages = [types.SimpleNamespace(value=json.dumps(row), offset=k, partition=0) for k, row in enumerate(rows)]
    polls = iter([{0: messages[:15]}, {}, {0: messages[10:30]}, {0: messages[30:]}])  # 10 to 14 come again
    committed = []

    def poll(milliseconds):
        if (answer := next(polls, None)) is None:
            raise ConnectionError("the queue was closed")  # a queue has no end of its own
        return answer

    kafka = types.ModuleType("kafka")
    kafka.KafkaConsumer = lambda topic, group_id, enable_auto_commit: types.SimpleNamespace(poll=poll)
    monkeypatch.setitem(sys.modules, "kafka", kafka)
    Tuned(Settings(i_max=5, batch_size=8), {"kind": "logistic"}, chains=16).save("tuned.toml")
    (example,) = examples("From a file to production")
    names: dict = {"commit": lambda consumer, at: committed.append(at)}
    with pytest.raises(ConnectionError):
        exec(compile(example, "queue", "exec"), names)  # noqa: S102
    assert committed[-1] == {"0": len(rows) - 1}  # in the checkpoint, learnt or held back
    assert Path("state.npz").exists()
