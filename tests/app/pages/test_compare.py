"""The Compare page as an object: effects of buttons and knobs on the jobs, the cards and the link."""


import numpy as np
import pytest

from app.compare.race_job import run_race, shipped_results
from app.coreset.result import CoresetPosterior
from app.pages.compare import ComparePage
from app.state.compare import CompareConfig
from sampler import GradientOracle
from tests.app.jobs.waiting import finish, until

QUICK = CompareConfig(problem="logistic2", t=100, eta0=1.0, batch_size=9, evaluations=2_000, chains=60,
                      samplers=("saga", "pg"))


def a_coreset():
    rng = np.random.default_rng(0)
    y, weights = rng.standard_normal((30, 2)), np.full(30, 10.0)
    problem = GradientOracle(lambda i, x: 2 * weights[i, None] * (x - y[i]), 2)
    return CoresetPosterior("Coreset, M = 30", problem, 30, y.mean(axis=0), np.full(2, 1 / np.sqrt(600)))


@pytest.fixture
def compare_page():
    made = ComparePage(QUICK)
    yield made
    made.close()


def finished(page):
    return until(page, lambda: page.shell.state.get("done") == "1" and not page.background.running)


def lines_of(card):
    return {line.key for line in card.views[0].figure.data} - {None}


def test_it_opens_on_the_shipped_results_and_starts_no_job():
    made = ComparePage()
    made.begin()
    made._tick()
    assert made.shell.state == made.shell.state | {"request": "0", "done": "1", "curves": "9", "costs": "9", "sets": "8"}
    assert not made.background.running and lines_of(made.race_card) == set(made.config.samplers)
    assert made.race_card.caption.startswith("Shipped result") and "the step makes the gap" in made.text.heading
    made.show_view("paper")
    made.show_view("tables")
    made.tables_card.on_choose("table", "fixed")
    before = made.map_card.spoken
    made.map_card.on_choose("dim", "2")
    assert made.map_card.chosen == {"dim": "2"} and made.map_card.spoken != before
    assert "d = 2," in made.map_card.views[0].figure.data[0].tooltip
    assert "method,regime,d,t,error" in made.map_card._acts["csv"]()
    assert made.background.requests == 0 and "Algorithm 3" in made.text.heading and len(made.table.rows) == 8
    made.close()


@pytest.mark.in_turn
@pytest.mark.journey  # repeats the races of three samplers
def test_the_shipped_results_are_reproduced_by_the_library():
    shipped = shipped_results()[0]
    race = finish(run_race, CompareConfig(samplers=("saga", "precond", "laplace"), evaluations=20_000), None).value
    assert race.facts.ceiling.mean == pytest.approx(shipped.facts.ceiling.mean, abs=1e-3)
    for key, curve in race.curves.items():
        same = np.isin(shipped.curves[key].evaluations.round(), curve.evaluations.round())
        assert same.sum() >= min(5, curve.evaluations.size)
        at = np.isin(curve.evaluations.round(), shipped.curves[key].evaluations.round())
        np.testing.assert_allclose(curve.accuracy[at], shipped.curves[key].accuracy[same], atol=2e-3)


def areas(page):
    return page.shell.layout.split("grid-template-areas: ")[1]


def test_another_race_waits_for_the_button_and_later_changes_run_only_missing_samplers(compare_page):
    compare_page.begin()
    assert compare_page.race is None and not compare_page.background.running
    assert "press Compare" in compare_page.race_card.empty
    assert areas(compare_page).startswith('"map') and compare_page.shell.areas[:2] == ["map", "which"]
    compare_page.race_card.on_press()
    assert compare_page.sidebar.buttons.running
    finished(compare_page)
    assert compare_page.race_card.empty == "" and compare_page.race.config.t == 100
    assert areas(compare_page).startswith('"chart') and areas(compare_page).rstrip().endswith('which"')
    assert [row[0] for row in compare_page.table.rows] == ["saga", "pg"]
    assert lines_of(compare_page.race_card) == {"saga", "pg"} and compare_page.text.heading.startswith("At T = 100")
    assert compare_page.shell.state["curves"] == "2" and compare_page.race_card.progress is None
    assert compare_page.text.links["live"].startswith("?page=live&")
    number = compare_page.background.requests
    compare_page.sidebar.samplers.on_turn("pg", False)
    assert [row[0] for row in compare_page.table.rows] == ["saga"] and lines_of(compare_page.race_card) == {"saga"}
    compare_page.sidebar.samplers.on_turn("pg", True)
    for name, value in (("against", "seconds"), ("scale", "linear"), ("against", "t"), ("scale", "log")):
        compare_page.race_card.on_choose(name, value)
    assert "Cost of an epoch" in compare_page.race_card.heads[0][0] and len(compare_page.table.rows) == 2
    compare_page.state.view = "paper"
    assert '"paper paper' in compare_page.shell.layout and compare_page.table.title == "Figure 1"
    compare_page._press("race")
    assert compare_page.config.view == "race" and '"chart chart' in compare_page.shell.layout
    compare_page.dark(True)
    assert compare_page.race_card.views[0].dark and compare_page.background.requests == number
    kept = compare_page.race.curves["saga"]
    compare_page.sidebar.samplers.on_turn("ula", True)
    finished(compare_page)
    assert [row[0] for row in compare_page.table.rows] == ["saga", "ula", "pg"] and compare_page.race.curves["saga"] is kept
    compare_page.sidebar.knobs["eta0"].on_typed("0.5")
    assert "press Compare" in compare_page.sidebar.buttons.words and len(compare_page.table.rows) == 3


def test_disabled_samplers_have_a_reason_and_cannot_be_switched(compare_page):
    compare_page.sidebar.problem.value = "linear2"
    rows = {row[0]: row[4] for row in compare_page.sidebar.samplers.rows}
    assert rows["pg"] == "Pólya-Gamma needs logistic labels." and rows["saga"] == ""
    compare_page.sidebar.samplers.on_turn("pg", False)
    assert "pg" in compare_page.config.samplers  # disabled, so it cannot be switched off
    assert compare_page.config.eta0 == 0.1 and compare_page.config.problem == "linear2"


def test_an_empty_selection_is_an_error_next_to_the_button(compare_page):
    compare_page.state.samplers = ()
    compare_page.start()
    assert "switch one on" in compare_page.sidebar.buttons.error and not compare_page.background.running
    compare_page.sidebar.samplers.on_turn("saga", True)
    assert compare_page.sidebar.buttons.error == ""


def test_a_coreset_of_the_visit_is_raced_from_a_link(compare_page):
    before, compare_page.visit.coreset = compare_page.visit.coreset, a_coreset()
    try:
        compare_page.load({"cproblem": "coreset", "cev": "1000", "cchains": "50", "csamplers": "saga,mala,laplace"})
        finished(compare_page)
        assert [row[0] for row in compare_page.table.rows] == ["saga", "laplace"]  # the oracle has no potential
        assert compare_page.config.eta0 != 0.1 and "coreset" in compare_page.race_card.heads[0][1]
        assert compare_page.race.curves["laplace"].accuracy[-1] > 0.75  # the coreset's posterior is the full one here
        assert "Coreset, M = 30" in compare_page.sidebar.problem.options
        compare_page.state.view = "tables"
        compare_page.start()
        assert "one fixed set" in compare_page.sidebar.buttons.error
    finally:
        compare_page.visit.coreset = before
