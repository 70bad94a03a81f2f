"""Reference pages: all public names, commands, options, link keys and ``tuned.toml`` keys; correct numbers."""

import importlib
import importlib.util
import re

import numpy as np
import pytest

import app.plots
import sampler
from app.compare.method_map import ENOUGH, shipped_map
from app.live.moment_link import moment_in
from app.server.arguments import read
from app.state.live import LiveState
from sampler.__main__ import parser as sampler_parser
from sampler.errata import ERRATA
from sampler.production.gates import LIMITS as GATES
from sampler.production.tuned import KEYS, TABLES
from sampler.settings import RANGES, SWITCHES
from sampler.tuning.verdicts.measurements import LIMITS, amount
from tests.docs.pages import PAGES, page


def test_every_subpackage_has_an_api_page():
    for room in sampler._ROOMS:
        module = importlib.import_module(f"sampler.{room}")
        hidden = [name for name in module.__all__ if importlib.util.find_spec(f"{module.__name__}.{name}")]  # by modules
        entries = re.findall(r"^::: (\S+)$", page(f"reference/api/{room}.md"), re.MULTILINE)
        assert entries == [module.__name__, *(f"{module.__name__}.{name}.{name}" for name in hidden)]
    assert "::: app.plots" in page("reference/api/plots.md") and app.plots.__all__
    homes = {getattr(sampler, name).__module__.split(".")[1] for name in sampler.__all__}
    modules_listed = set(re.findall(r"^::: sampler\.(\w+)", page("reference/api/sampler.md"), re.MULTILINE))
    assert homes <= {*sampler._ROOMS, *modules_listed}
    assert {file.stem for file in (PAGES / "reference/api").glob("*.md")} == {*sampler._ROOMS, "sampler", "plots"}


def test_every_command_and_option_is_in_the_reference(hooks, capsys):
    text = hooks.on_page_markdown(page("reference/commands.md"))
    for command in ("tune", "replay", "check"):
        section = text.split(f"### python -m sampler {command}")[1].split("\n### ")[0]
        with pytest.raises(SystemExit):
            sampler_parser().parse_args([command, "--help"])
        options = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", capsys.readouterr().out))
        assert len(options) > 4 and options == set(re.findall(r"(?<![\w-])--[a-z][\w-]*", section))
    assert "--served URL" in text and "usage: exit-time-lab export" in text
    usage, = read(("--bogus",)).words
    assert set(re.findall(r"--[a-z]+", usage)) - {"--bogus"} == set(re.findall(r"^\| `(--[a-z]+)", text, re.MULTILINE))


def test_every_key_of_a_link_is_in_the_reference(hooks):
    text = hooks.on_page_markdown(page("reference/links.md"))
    keys = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    assert {knob.key for knob in LiveState.linked().values()} <= set(keys) and len(set(keys)) > 100
    assert "| a whole number from 1 to 256 |" in text  # b
    sample, = re.findall(r"`(\d~[^`]*~end)`", text)
    moment, wrong = moment_in({"t": "200", "log": sample}, LiveState().frozen())
    assert not wrong and [change.t for change in moment.changes] == [180, 181]


def test_every_key_of_a_tuned_file_is_in_the_reference():
    text = page("reference/tuned.md")
    named = set(re.findall(r"`\[?(\w[\w-]*)\]?(?:[` =])", text)) | set(re.findall(r"`(\w+)_\*`", text))
    wanted = {*TABLES, *RANGES, *SWITCHES, *(key for keys in KEYS.values() for key in keys)}
    fits = {key for key in wanted if key.startswith(("laplace_", "rvga_", "ibis_"))}
    assert wanted - fits - named == set() and {key.split("_")[0] for key in fits} <= named
    assert set(GATES) <= set(re.findall(r"`(\w+)`", page("reference/production.md")))


def test_verdict_limits_match_the_library():
    rows = {name: [row for row in page("explanation/verdicts.md").splitlines() if row.startswith(f"| {verdict} ")]
            for verdict, name in (("too noisy", "noise"), ("resets too often", "resets"), ("lagging", "lag"),
                                  ("too hot", "width"), ("too cold", "memory"), ("too narrow", "narrowness"),
                                  ("stale", "stale"))}
    assert set(rows) == set(LIMITS)
    for name, (row,) in rows.items():
        assert f"| {amount(name, LIMITS[name]).removesuffix(' target widths')}" in row


def test_every_erratum_is_listed_with_its_numbers(hooks):
    text = hooks.on_page_markdown(page("explanation/papers.md"))
    kinds = [one.kind for one in ERRATA]
    words = "{} misprints, {} steps of proofs that do not hold, {} false statements, a bound that is loose".format(
        *map(kinds.count, ("misprint", "false step", "false statement")))
    assert " ".join(words.split()) in " ".join(text.split()) and kinds.count("loose bound") == 1
    assert text.count("\nExample, ") == len(ERRATA) and f"true value **{ERRATA[0].example().true:.6g}**" in text


def test_numbers_of_the_proof_match_the_figures(hooks):
    text = hooks.on_page_markdown(page("explanation/exit-time.md"))
    share = np.mean(hooks.figures.bowl().exit_steps > 0)
    assert 0.038 < share < 0.047 and f"{share:.1%} of all leave" in text  # 0.0425, four standard errors of 20,000 chains
    assert "it starts at 0.133" in text  # above the share, by Ville's inequality
    assert text.count('<figure class="made') == 4 and "nan" not in re.sub(r"\w*nan\w+|\w+nan\w*", "", text)
    assert len(set(re.findall(r'clipPath id="([^"]+)"', text))) == 4


def test_the_text_on_the_map_of_methods_matches_the_map():
    """Counts and largest errors on the page on alternatives to sampling."""
    text, table = " ".join(page("explanation/why-not.md").split()), shipped_map()
    row = {key: table.methods.index(key) for key in table.methods}

    def good(key, dim=None):
        at = [j for j, column in enumerate(table.columns) if dim in (None, column.dim)]
        return table.enough[row[key], at].sum(), len(at)

    def errors(key, *places):
        return [table.error[row[key], j] for j, column in enumerate(table.columns) if column in places]

    assert "good enough at {} of the {} posteriors measured".format(*good("warm_laplace")) in text
    assert ENOUGH == 0.75 and "a method must be good enough on three quarters of them" in text
    seeds, columns = table.runs.max(axis=0), [tuple(column) for column in table.columns]
    drifts, stands, heavy = "on four of them if the mode drifts", "on three otherwise", "on four of five streams"
    for regime, t, count, words in (("drift", 100, 4, drifts), ("gaussian", 100, 3, stands), ("collinear", 100, 3, stands),
                                    ("leverage", 1_000, 4, heavy)):
        assert table.good[row["warm_laplace"], columns.index((regime, 2, t))] == count and words in text
    assert set(seeds) == {5} and f"{len(seeds)} kinds of posteriors, each on five streams" in text
    assert seeds.sum() == table.made["measured"] == table.made["whole"]
    counts = [number for dim in (2, 11, 23) for number in good("ibis", dim)]
    assert good("ibis", 124)[0] == 0 and (
        "at {} of {} posteriors in d = 2, at {} of {} in d = 11, at {} of {} in d = 23 and at none of {} in d = 124".format(
            *counts, good("ibis", 124)[1]) in text)
    insufficient = [j for j, column in enumerate(table.columns) if not table.enough[row["warm_laplace"], j]]
    assert {table.methods[table.cheapest[j]] for j in insufficient if table.columns[j].dim < 23} == {"ibis", "rvga"}
    (by_filter,) = [j for j in insufficient if table.columns[j].dim < 23 and table.methods[table.cheapest[j]] == "rvga"]
    assert columns[by_filter] == ("collinear", 2, 100) and "IBIS; R-VGA if features are collinear" in text
    separable = table.good[row["warm_laplace"], columns.index(("separable", 2, 10_000))]
    assert separable == 3 and "on three of five streams with separable classes at t = 10,000" in text
    assert good("saga") == good("precond")
    assert "plain and preconditioned SAGA-LD at {} of {} each".format(*good("saga")) in text
    assert f"NUTS at {good('nuts_scratch')[0]}." in text
    where = table.enough[row["warm_laplace"]]
    assert {table.methods[i] for i in table.cheapest[where]} == {"warm_laplace", "rvga"}
    near = errors("warm_laplace", *(("gaussian", 11, t) for t in (100, 1_000, 10_000)))
    assert "{:.2f} sd at t = 100, {:.2f} at t = 1,000 (limit 0.16); {:.2f} at t = 10,000".format(*near) in text
    collinear = errors("warm_laplace", *(("collinear", d, t) for d in (11, 23, 124) for t in (100, 1_000)))
    assert f"{min(collinear):.2f} to {max(collinear):.2f} sd: good enough" in text
    others = [j for j in insufficient if columns[j][1] in (11, 23) and columns[j][:2] != ("gaussian", 11)]
    most = table.error[row["warm_laplace"], others]
    assert max(most) == errors("warm_laplace", ("rare", 23, 100))[0] and f"{min(most):.2f} to {max(most):.1f} sd" in text
    best = {(columns[j][0], columns[j][2]): table.methods[table.cheapest[j]] for j in insufficient if columns[j][1] == 23}
    assert best == {**dict.fromkeys((("gaussian", 100), ("gaussian", 1_000), ("separable", 100), ("drift", 100)), "precond"),
                    ("separable", 1_000): "ibis", ("drift", 1_000): "ibis", ("rare", 100): "mala", ("rare", 1_000): "mala",
                    ("leverage", 100): "pg", ("leverage", 1_000): "nuts_scratch"}
    assert ("preconditioned SAGA-LD; IBIS at t = 1,000 with separable classes or a drifting mode; MALA with one label in "
            "200; where a few rows dominate, Pólya-Gamma at t = 100, NUTS at t = 1,000") in text
    most = {j: table.cheapest[j] for j in insufficient if columns[j][1:] == (124, 1_000)}
    named = {columns[j][0]: table.methods[i] for j, i in most.items() if i >= 0}
    assert named == {"gaussian": "saga", "drift": "svrg"} and "near normal: SAGA-LD; drifting mode: SVRG-LD" in text
    assert all(table.enough[row["precond"], j] == (i >= 0) for j, i in most.items())
    off = [table.error[row["warm_laplace"], j] for j in most]
    assert f"| {min(off):.1f} to {max(off):.1f} sd, the largest with one label in 200 |" in text
    for key, place in (("warm_laplace", ("rare", 124, 1_000)), ("rvga", ("separable", 11, 10_000)),
                       ("online_laplace", ("separable", 11, 10_000))):
        assert np.nanmax(table.error[row[key]]) == errors(key, place)[0] and f"{errors(key, place)[0]:.1f}" in text
    allowed = table.limit.round(2)
    assert f"({allowed.min()} to {allowed.max()} sd in all)" in text
