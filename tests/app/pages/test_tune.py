"""The Tune page as an object: its display, its buttons, and the data it passes to the Live page."""

import numpy as np
import pytest

from app.pages.tune import TunePage
from app.state.tune import TuneConfig
from app.state.user_data import UserData
from app.tune.sidebar import FIRST
from app.visit import SERVER
from sampler import LogisticRegression
from sampler.tuning import CellKey
from tests.app.jobs.waiting import until

SMALL = TuneConfig(rows=64, eta0=(0.3, 3.0), i_max=(4, 4), batches=(4,), acceptance_radius=22.0, chains=8,
                   reference="laplace")


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EXIT_TIME_LAB_CACHE", str(tmp_path))
    yield
    SERVER.alone.user_data, SERVER.alone.open_page = None, None


@pytest.fixture
def open_():
    pages = []

    def make(config=SMALL, **options):
        page = config if isinstance(config, TunePage) else TunePage(config, **options)
        page.jobs._workers = 0
        page.linked = False
        pages.append(page)
        page.begin()
        return wait(page)

    yield make
    for page in pages:
        page.close()


def wait(page, true=lambda page: page._done == page.sweeps.requests):
    until(page, lambda: true(page))._tick()
    return page


def boxes(page, glyphs="quad_1"):
    """Return the data source of the map's cells, or of other glyphs."""
    (cells, *_) = page.maps.map_view.plot.subplots.values()
    return cells.handles[f"{glyphs}_source"]


def test_the_formula_is_shown_first_then_cells_that_a_click_selects(open_):
    page = open_()
    assert "Start near" in page.exports.verdict.heading and page.sidebar.run.others[0][1] == "Sweep"
    assert page.result.cells == {} and "Theorem 6.7" in page.exports.verdict.body
    assert [text.split("\n")[-1] for text in boxes(page).data["tooltip"]][:5] == ["not run yet"] * 5
    page.sweep()
    wait(page)
    assert page.shell.state["cells"] == "5" and page.sidebar.run.count == "5 of 5 cells" and not page.sidebar.run.running
    assert {page.result.state(key) for key in page.result.cells} <= {"done", "early", "diverged"}
    assert all(boxes(page, "text_1").data["text"][:5])
    assert not any("not run yet" in text for text in boxes(page).data["tooltip"])
    assert page.query()["tgo"] == "1"
    assert any(line.name == "measured" for line in page.maps.slice_view.figure.data)
    wait(page, lambda p: p.shell.state["watched"] == "1")
    assert "Log score" in page.rehearsals.card.caption
    rhat = page.rehearsals.rehearsal(page.result, page.result.looked_at).evidence["rhat"]
    assert ("chains differ from each other" in page.exports.verdict.body) == (rhat > 1.01)  # once the rehearsal is done
    assert any(len(line.x) for line in page.rehearsals.score.figure.data)
    boxes(page).selected.indices = [4]
    assert page.result.looked_at == CellKey(3.0, 4, 4) == page.state.chosen
    ring = boxes(page, "quad_2").data
    assert ring["left"][0] < 3.0 < ring["right"][0] and boxes(page).selected.indices == []
    page.maps.map.on_step(-1)
    assert page.result.looked_at[0] == page.config.etas_of("saga-ld")[3] and page.query()["tcell"].startswith("1.7,4,4")
    before = page.sweeps.requests
    page.dark(True)
    assert page.maps.map_view.dark and page.sweeps.requests == before


def test_one_button_runs_and_judges_the_advised_setting_and_a_sweep_continues_from_it(open_):
    page = open_()
    run = page.sidebar.run
    assert run.label == FIRST and [button for button, *_ in run.others] == ["sweep"]
    run.on_run()
    wait(page)
    runs, taken = page.result.runs, page.result.taken
    assert runs.over and page.state.chosen == page.result.looked_at == taken and page.result.ended == ""
    assert page.result.cells == {} and page.shell.state["runs"] == str(len(runs.cells)) == run.count.partition(" ")[0]
    assert "Start near" not in page.exports.verdict.heading and "The advised setting’s runs" in page.exports.verdict.body
    assert "A sweep tries other settings" in run.words and run.others[0][1] == "Sweep" and page.query()["tgo"] == "0"
    page.maps.map.on_step(1)  # from outside the map to one of its cells, and back
    assert page.result.looked_at in page.result.cell_forecasts
    page.exports.press("runs" if page.result.recommended is None else "best")
    assert page.result.looked_at == taken
    seconds, before = runs.cells[0].seconds, page.sweeps.requests
    run.on_run()  # the runs are not repeated
    wait(page, lambda page: page._done == page.sweeps.requests > before)
    assert page.result.runs.cells[0].seconds == seconds
    again = open_(TunePage.from_query(page.query()))  # a reload shows the runs
    assert again.result.looked_at == taken and again.result.runs.cells[0].seconds == seconds
    run.on_other("sweep")
    wait(page)
    assert page.result.ended == "finished" and len(page.result.cells) == 5
    assert page.state.chosen is None and page.result.looked_at == page.result.recommended


def test_a_reloaded_page_shows_its_sweep_before_it_is_served(open_, hold_sweeps):
    resume = hold_sweeps(2, seconds_left=70.0)
    page = open_()
    page.sweep()
    wait(page, lambda page: int(page.shell.state.get("cells", 0)) >= 2)
    again = TunePage.from_query(page.query())  # as built, before a browser loads it
    assert again.sidebar.run.count == page.sidebar.run.count and again.sidebar.run.left == "70 s left"
    assert again.sidebar.run.running and again.shell.state["cells"] == page.shell.state["cells"]
    assert list(boxes(again).data["tooltip"]) == list(boxes(page).data["tooltip"]) and not again.rehearsals.job.running
    assert again.maps.map.empty == ""
    resume.set()
    wait(page)
    again.jobs._workers = 0
    again.begin()
    assert wait(again).result.ended == "finished" and again.query() == page.query()
    again.close()


def test_controls_follow_the_state_and_default_to_the_advice(open_):
    page = open_(TuneConfig(data="linear2", chains=16))
    bar = page.sidebar
    assert bar.knobs["chains"].value == 16 and bar.knobs["chains"].default == 64 and bar.data.value == "linear2"
    assert bar.ranges["eta0"].value == list(page.config.eta0)
    assert bar.ranges["eta0"].count == str(len(page.config.etas_of("saga-ld")))
    assert bar.batches.swept == list(page.config.batches) and bar.kind.value == ""
    assert list(bar.kind.options)[1] == "linear, built in" and list(bar.kind.options.values())[1] == ""
    page.state.prune = False
    assert bar.early.active == [] and page.config.swept == page._asked


def test_data_and_settings_passed_to_the_live_page(open_):
    visits = []
    SERVER.alone.open_page = lambda key, query: visits.append((key, query))
    page = open_()
    page.exports.press("live")
    assert visits[0][0] == "live" and visits[0][1]["problem"] == "logistic2" and SERVER.alone.user_data is None
    page.state.choose("data", "paper21")
    assert page.result is None and all(card.empty for card in (page.maps.map, page.maps.slice, page.maps.cost))
    assert page.exports.verdict.buttons == []  # no result of the old data is displayed
    wait(page)
    page.exports.press("live")
    assert visits[1][1]["problem"] == "given" and SERVER.alone.user_data.features.shape == (1000, 21)


def test_the_page_opens_on_the_problem_of_the_command_line(open_):
    rng = np.random.default_rng(0)
    features, labels = rng.normal(size=(80, 2)), (rng.random(80) < 0.5).astype(float)
    SERVER.alone.user_data = UserData("mine", LogisticRegression(2), features, labels)
    page = open_(TunePage())
    assert page.config.data == "given" and page.result.stream.label == "mine" and not page.config.going
    for link, data in (({}, "given"), ({"tdata": "linear2"}, "linear2")):
        assert TunePage.read_link(link, SERVER.alone)[0].data == data
