"""The Compare page as an object: what a press or a turn does to the work, the cards and the link."""

import time
from types import SimpleNamespace

import numpy as np
import pytest

from app.compare.config import CompareConfig
from app.pages.compare import ComparePage
from sampler import GradientOracle

QUICK = CompareConfig(problem="logistic2", t=100, eta0=1.0, batch_size=9, evaluations=2_000, chains=60,
                      samplers=("saga", "pg"))


@pytest.fixture
def compare_page():
    made = ComparePage(QUICK)
    yield made
    made.close()


def finished(page, seconds=60.0):
    """Look at the worker as the page does until its work is done."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        page._tick()
        if page.shell.state.get("done") == "1" and not page.background.running:
            return page
        time.sleep(0.01)
    raise TimeoutError("the work did not end")


def test_a_race_fills_chart_table_and_words(compare_page):
    compare_page.start()
    assert compare_page.sidebar.buttons.running
    finished(compare_page)
    assert [row[0] for row in compare_page.table.rows] == ["saga", "pg"]
    assert len(compare_page.chart.lines.data["xs"]) == 2 and compare_page.text.heading.startswith("At T = 100")
    assert compare_page.shell.state["curves"] == "2" and compare_page.chart_card.progress is None
    assert compare_page.text.links["live"].startswith("?page=live&")


def test_a_switch_hides_a_finished_sampler_and_runs_a_new_one(compare_page):
    compare_page.start()
    finished(compare_page)
    compare_page.sidebar.samplers.on_turn("pg", False)
    assert [row[0] for row in compare_page.table.rows] == ["saga"] and len(compare_page.chart.lines.data["xs"]) == 1
    compare_page.sidebar.samplers.on_turn("pg", True)
    assert len(compare_page.table.rows) == 2 and not compare_page.background.running  # nothing had to be run again
    kept = compare_page.race.curves["saga"]
    compare_page.sidebar.samplers.on_turn("ula", True)
    finished(compare_page)
    assert [row[0] for row in compare_page.table.rows] == ["saga", "ula", "pg"] and compare_page.race.curves["saga"] is kept


def test_greyed_out_samplers_say_why_and_cannot_be_turned(compare_page):
    compare_page.sidebar._choose_problem("linear2")
    rows = {row[0]: row[4] for row in compare_page.sidebar.samplers.rows}
    assert rows["pg"] == "Pólya-Gamma needs logistic labels." and rows["saga"] == ""
    compare_page.sidebar.samplers.on_turn("pg", False)
    assert "pg" in compare_page.config.samplers  # off limits either way
    assert compare_page.config.eta0 == 0.1 and compare_page.config.problem == "linear2"


def test_nothing_to_run_is_said_beside_the_button(compare_page):
    compare_page.set(compare_page.config.replace(samplers=()))
    compare_page.start()
    assert "switch one on" in compare_page.sidebar.buttons.error and not compare_page.background.running
    compare_page.sidebar.samplers.on_turn("saga", True)
    assert compare_page.sidebar.buttons.error == ""


def test_a_wrong_number_changes_nothing_and_says_the_range(compare_page):
    knob = compare_page.sidebar.knobs["t"]
    knob.on_typed("a million")
    assert "is not a number" in knob.error and compare_page.config.t == 100
    knob.on_typed("200")
    assert knob.error == "" and compare_page.config.t == 200
    compare_page.race = None
    assert compare_page.query()["cT"] == "200"


def test_changed_knobs_leave_the_picture_and_say_so(compare_page):
    compare_page.start()
    finished(compare_page)
    compare_page.sidebar.knobs["eta0"].on_typed("0.5")
    assert "press Compare" in compare_page.sidebar.buttons.words and len(compare_page.table.rows) == 2
    compare_page.start()
    finished(compare_page)
    assert compare_page.race.config.eta0 == 0.5 and "press Compare" not in compare_page.sidebar.buttons.words


def test_axes_scales_and_themes_only_redraw(compare_page):
    compare_page.start()
    finished(compare_page)
    number = compare_page._number
    for name, value in (("against", "seconds"), ("scale", "linear"), ("against", "t"), ("scale", "log")):
        compare_page.chart_card.on_choose(name, value)
    assert "Cost of an epoch" in compare_page.chart_card.heads[0][0] and compare_page._number == number
    compare_page.dark(True)
    assert compare_page.chart.dark


def test_views_bring_their_figure_to_the_top(compare_page):
    compare_page.start()
    finished(compare_page)
    compare_page.set(compare_page.config.replace(view="paper"))
    assert "'paper paper'" in compare_page.shell.layout and compare_page.table.title == "Figure 1"
    compare_page._press("race")
    assert compare_page.config.view == "race" and "'chart chart'" in compare_page.shell.layout
    assert len(compare_page.table.rows) == 2


def test_a_link_is_loaded_with_its_words():
    made = ComparePage.from_query({"cproblem": "logistic2", "cT": "7", "csamplers": "saga,nuts"})
    assert made.config.t == 20 and len(made.notices.words) == 2
    made.load({"cT": "90", "cproblem": "logistic2", "cev": "1000", "cchains": "50", "csamplers": "saga"})
    finished(made)
    assert made.race.config.t == 90
    made.close()


def test_a_closed_page_starts_nothing(compare_page):
    compare_page.close()
    compare_page.activate()
    assert compare_page._callback is None


def test_a_coreset_left_by_its_page_is_raced_on_from_a_link(compare_page):
    rng = np.random.default_rng(0)
    y, weights = rng.standard_normal((30, 2)), np.full(30, 10.0)
    problem = GradientOracle(lambda i, x: 2 * weights[i, None] * (x - y[i]), 2)
    left = SimpleNamespace(label="Coreset, M = 30", problem=problem, dim=2, terms=30, n=300, mean=y.mean(axis=0),
                           std=np.full(2, 1 / np.sqrt(600)))
    before, compare_page.session.coreset = compare_page.session.coreset, left
    try:
        compare_page.load({"cproblem": "coreset", "cev": "1000", "cchains": "50", "csamplers": "saga,mala,laplace"})
        finished(compare_page)
        assert [row[0] for row in compare_page.table.rows] == ["saga", "laplace"]  # the oracle has no potential
        assert compare_page.config.eta0 != 0.1 and "coreset" in compare_page.chart_card.heads[0][1]
        assert compare_page.race.curves["laplace"].accuracy[-1] > 0.75  # the coreset's posterior is the full one here
        assert "Coreset, M = 30" in compare_page.sidebar.problem.options
        compare_page.set(compare_page.config.replace(view="tables"))
        compare_page.start()
        assert "one fixed set" in compare_page.sidebar.buttons.error
    finally:
        compare_page.session.coreset = before
