"""Benchmark page: each measured row with its run, and the cost that README promises."""

import importlib
import re
import tomllib
from dataclasses import replace
from datetime import datetime

import pytest

from tests.benchmarks.__main__ import GROUPS, main
from tests.benchmarks.timing import machine, row, skipped
from tests.benchmarks.written import DATA, cells, write
from tests.docs.pages import ROOT, page


def read(path=DATA):
    return tomllib.loads(path.read_text(encoding="utf-8"))


def test_the_page_has_every_row_and_its_run(hooks):
    text, data = hooks.on_page_markdown(page("reference/benchmarks.md")), read()
    assert "<!-- list" not in text
    for one in data["rows"]:
        assert text.count(f"{one['what']} | {one['measured']} | {one['target']} |") == 1 and one["run"] in text
        assert one["group"] in {*GROUPS, "memory"}
        assert re.fullmatch(r"\d+\.\d+(\.\d+, \d{4}-\d\d-\d\d( \d\d:\d\d)?)?", one["run"])
    assert {one["run"] for one in data["rows"]} == set(data["runs"])
    assert all("core" in run["machine"] and "Python" in run["software"] for run in data["runs"].values())


def test_the_promised_constant_cost_is_measured_and_met():
    promised = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert "at a cost per datum that does not grow with t" in promised
    one, = (one for one in read()["rows"] if one["what"].startswith("gradient evaluations an epoch"))
    assert float(re.match(r"[\d.]+", one["measured"])[0]) == pytest.approx(1, abs=0.02)


def test_writing_a_group_replaces_only_its_own_rows(tmp_path):
    path = tmp_path / "benchmarks.toml"
    path.write_text(DATA.read_text(encoding="utf-8"), encoding="utf-8")
    before = read(path)["rows"]
    rows = [replace(row("a", [1.0, 2.0, 3.0], at_least=4.0, note="5 us"), group="kernels"),
            replace(row("b", [1.0]), group="peers"), replace(skipped("c", "no jax"), group="peers")]
    run = write(rows, machine(), path, datetime(2030, 1, 2, 3, 4))
    after = read(path)["rows"]
    assert [one for one in after if one["group"] == "kernels"] == [
        {"group": "kernels", "what": "a", "measured": "2x (1 to 3); 5 us", "target": "≥ 4, missed", "run": run}]
    assert [one for one in after if one["group"] != "kernels"] == [one for one in before if one["group"] != "kernels"]
    assert run.endswith("2030-01-02 03:04") and "cores" in read(path)["runs"][run]["machine"]
    assert cells(row("a", [1.5], at_most=2.0)) == {"what": "a", "measured": "1.5x", "target": "≤ 2"}


@pytest.mark.parametrize("group", GROUPS)
def test_every_group_can_be_measured(group):
    assert callable(importlib.import_module(f"tests.benchmarks.{group}").measure)


def test_quick_measurements_are_not_written():
    with pytest.raises(SystemExit):
        main(["kernels", "--quick", "--write"])
