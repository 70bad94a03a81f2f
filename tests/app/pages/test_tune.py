"""The Tune page as an object: what it shows, what is pressed, what it leaves for the Live page."""

import time

import numpy as np
import pytest

from app.handover import session
from app.pages.tune import TunePage
from app.tune.config import TuneConfig
from app.user_data import Given
from sampler import LogisticRegression

SMALL = TuneConfig(rows=64, eta0=(0.3, 3.0), i_max=(4, 4), batches=(4,), acceptance_radius=22.0, chains=8,
                   reference="laplace")


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EXIT_TIME_LAB_CACHE", str(tmp_path))
    monkeypatch.setattr("app.tune.job.WORKERS", 0)
    yield
    session().given, session().visit = None, None


@pytest.fixture
def open_():
    pages = []

    def make(config=SMALL, **options):
        page = TunePage(config, **options)
        page.job._workers = 0
        page.linked = False
        pages.append(page)
        page._start()
        return wait(page)

    yield make
    for page in pages:
        page.close()


def wait(page, true=lambda page: page._done == page._asked):
    deadline = time.monotonic() + 300
    while not true(page):
        assert time.monotonic() < deadline, page.shell.state
        page._tick()
        time.sleep(0.005)
    page._tick()
    return page


def test_the_formula_first_then_the_cells(open_):
    page = open_()
    assert "Start near" in page.taking.verdict.heading and page.panel.run.label == "Sweep" and page.picture.cells == {}
    assert page.sheet.map.cells.data["state"] == ["waiting"] * 5
    page.sweep()
    wait(page)
    assert page.shell.state["cells"] == "5" and page.panel.run.count == "5 of 5 cells" and not page.panel.run.running
    assert set(page.sheet.map.cells.data["state"]) <= {"done", "early", "diverged"}
    assert page.query()["tgo"] == "1" and len(page.sheet.slice.dots.data["x"]) >= 1
    wait(page, lambda p: p.shell.state["watched"] == "1")
    assert "Log score" in page.watcher.card.caption and len(page.sheet.score.mean.data["x"]) > 0


def test_a_click_on_a_cell_and_on_a_dot(open_):
    page = open_()
    page.sheet.map.cells.selected.indices = [4]
    assert page.picture.looked_at == (3.0, 4, 4) and page.sheet.map.ring.data["x"] == [4.5]
    page._step_cell(-1)
    assert page.picture.looked_at[0] == page.config.etas[3] and page.query()["tcell"].startswith("1.7,4,4")
    page.dark(True)
    assert page.sheet.dark and page.sheet.map.cells.data["state"] == ["waiting"] * 5


def test_bad_input_changes_nothing(open_):
    page = open_()
    before = page.config, page._asked
    assert "is not a number" in page.turn("chains", "x") and "must not be above" in page.turn_range("eta0", 3, 1)
    assert page.turn("rows", 5000) == "There are 512 rows. Kept 64."
    assert (page.config, page._asked) == before
    assert page.turn("chains", 16) == "" and wait(page).config.chains == 16


def test_data_that_cannot_be_had_are_said(open_):
    page = open_(TuneConfig(data="file-gone.csv"))
    assert "not kept here any more" in page.panel.run.error and page.picture is None
    page.choose("data", "linear2")
    wait(page)
    assert page.picture.loaded.kind == "linear" and page.panel.run.error == ""
    page.choose("kind", "poisson")
    wait(page)
    assert "Poisson regression needs counts" in page.panel.run.error and page.picture.loaded.kind == "linear"


def test_what_is_left_for_the_live_page(open_):
    visits = []
    session().visit = lambda key, query: visits.append((key, query))
    page = open_()
    page.taking.press("live")
    assert visits[0][0] == "live" and visits[0][1]["problem"] == "logistic2" and session().given is None
    page.choose("data", "paper21")
    wait(page)
    page.taking.press("live")
    assert visits[1][1]["problem"] == "given" and session().given.features.shape == (1000, 21)


def test_a_problem_given_from_outside_is_what_the_page_opens_on(open_):
    rng = np.random.default_rng(0)
    session().given = Given("mine", LogisticRegression(2), rng.normal(size=(80, 2)), (rng.random(80) < 0.5).astype(float))
    page = wait_for(TunePage())
    try:
        assert page.config.data == "given" and page.picture.loaded.label == "mine" and not page.config.going
    finally:
        page.close()
    assert TunePage.from_query({}).config.data == "given"
    assert TunePage.from_query({"tdata": "linear2"}).config.data == "linear2"


def wait_for(page):
    page.linked = False
    page._start()
    return wait(page)
