"""Command line of the server: the user's problem, and errors in its specification."""

from argparse import Namespace
from dataclasses import replace

import numpy as np
import pytest

from app.server.arguments import Arguments, read
from app.visit import Visit

CODE = """
import numpy as np
from sampler import GradientOracle, LogisticRegression
targets = np.zeros((40, 2))
oracle = GradientOracle(lambda i, theta: 2 * (theta - targets[i]), 2)
counted = GradientOracle(lambda i, theta: 2 * (theta - targets[i]), 2)
counted.terms = 40
rows = LogisticRegression(2)
rows.features, rows.labels = np.ones((30, 2)), np.arange(30) % 2
bare = LogisticRegression(2)
wrong = LogisticRegression(2)
wrong.features, wrong.labels = np.ones((30, 3)), np.arange(30) % 2
def made():
    return counted
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / f"mine_{tmp_path.name}.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    read.cache_clear()
    return f"mine_{tmp_path.name}"


@pytest.mark.parametrize("name, more, terms, has_rows", [
    ("oracle", ("--terms", "25"), 25, False), ("counted", (), 40, False), ("made", (), 40, False), ("rows", (), 30, True)])
def test_a_problem_is_imported_from_the_current_folder(folder, name, more, terms, has_rows):
    parsed = read(("--problem", f"{folder}:{name}", *more))
    assert parsed.words == () and parsed.user_data.t == terms and (parsed.user_data.features is not None) == has_rows
    assert np.asarray(parsed.user_data.problem.dim) == 2


@pytest.mark.parametrize("argv, words", [
    (("--problem", "{}:oracle"), "add --terms N"), (("--problem", "{}:bare"), "without data"),
    (("--problem", "{}:nobody"), "has no 'nobody'"), (("--problem", "no_such_module:x"), "there is no module"),
    (("--problem", "{}:wrong"), "features must have shape"), (("--problem",), "expected one argument"),
    (("--terms", "many"), "invalid int value"),
    (("--threads", "0"), "threads must be a whole number"), (("--what",), "Known arguments: [--problem")])
def test_a_bad_argument_is_reported_and_the_pages_open_without_it(folder, argv, words):
    parsed = read(tuple(part.format(folder) for part in argv))
    assert parsed.user_data is None and len(parsed.words) == 1 and words in parsed.words[0]


def test_without_arguments_all_are_defaults():
    assert replace(read(()), options=Namespace()) == Arguments()
    assert read(("--scheduler", "tcp://127.0.0.1:9")).scheduler == "tcp://127.0.0.1:9"
    assert read(()).threads == 1 and read(("--threads", "2")).threads == 2


def test_live_opens_on_the_problem_and_still_offers_the_others(folder, frame):
    page = frame({}, read(("--problem", f"{folder}:counted")), Visit())._front
    assert page.query()["problem"] == page.sidebar.problem.value == "given"
    assert f"{folder}:counted" in page.sidebar.problem.options
    assert "needs a model whose curvature is known" in str(page.sidebar.algorithm.refused["preconditioned"])
    page.sidebar.problem.value = "gaussian2"
    assert page.query()["problem"] == "gaussian2"
