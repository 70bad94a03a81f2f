"""The Offline page's wiring without a browser: triggers of runs, changes of the display, and stored results."""

import numpy as np
import pytest

from app.pages.offline import NOT_RUN, SHIPPED, OfflinePage
from app.state.offline import LADDER, LadderConfig, OfflineConfig
from app.state.offline_races import GAUSSIAN, LIKELIHOOD
from tests.app.jobs.waiting import until

SMALL = OfflineConfig(
    ladder=LadderConfig(terms=32, chains=24, i_max=60, speed=5),
    w2=OfflineConfig().w2.replace(n=100, chains=30, passes=2.0).with_batch(20),
    nll=OfflineConfig().nll.replace(n=120, chains=2, passes=2.0, dim=2).with_batch(24))


def settled(page):
    """Tick until the front view has finished all requests."""
    until(page, lambda: page.shell.state.get("done") == "1" and not page._due)


def turn(page, view, name, value):
    """Type into a knob; return its error message."""
    slider = page.sidebar.knobs[f"{view}-{name}"]
    slider.on_typed(value)
    return slider.error


def drawn(view):
    """Return key or name -> line of a figure."""
    return {line.key or line.name: line for line in view.figure.data}


@pytest.fixture(name="page")
def small_page():
    page = OfflinePage(SMALL)
    yield page
    page.close()


def test_it_runs_the_front_view_plays_it_to_the_end_and_only_a_knob_runs_it_again(page):
    page.run(LADDER)
    settled(page)
    assert page.shell.state["frames"] == "361" and page.races[GAUSSIAN].race is None
    number = page.ladder.background.requests
    until(page, lambda: page.ladder.player.over)
    assert not page.ladder.card.playing and list(drawn(page.ladder.rungs)["chains"].x) == [1, 2, 3, 4, 5, 6]
    assert drawn(page.ladder.cost)["now"].x[-1] == 6.0
    assert page.ladder.text.heading.startswith("The ladder ends")
    page.ladder.card.on_press("restart")
    page._tick()
    assert page.ladder.player.playing and page.ladder.player.frame < 361
    page.ladder.card.on_zoom("fixed")
    page.ladder.card.on_speed(0)
    assert page.config.ladder.zoom == "fixed" and page.query()["ospeed"] == "0.1" and not page._due
    assert turn(page, LADDER, "chains", "abc") == "“abc” is not a number. Kept 24."
    assert page.ladder.background.requests == number and not page._due
    assert turn(page, LADDER, "chains", "40") == "" and LADDER in page._due
    settled(page)
    assert page.ladder.background.requests == number + 1 and page.ladder.run.config.chains == 40


def test_a_cancelled_ladder_plays_the_available_frames(page):
    page.state.ladder.param.update(terms=4096, chains=300, i_max=2000)
    page.run(LADDER)
    until(page, lambda: page.ladder.run is not None and page.ladder.run.last > 10)
    page.ladder.background.cancel()
    settled(page)
    run = page.ladder.run
    assert 10 < run.last < run.total and page.ladder.buttons.words == "Cancelled: the results so far are kept."
    until(page, lambda: not page.ladder.player.playing)
    assert page.ladder.player.frame == run.last
    page.ladder.card.on_press("play")
    assert page.ladder.player.playing and page.ladder.player.frame == 0


def test_opening_runs_nothing_and_shows_the_shipped_results():
    page = OfflinePage()
    page.begin()
    until(page, lambda: page.ladder.player.frame > 2)
    assert page.ladder.run.complete and page.ladder.buttons.words == SHIPPED
    for view in (GAUSSIAN, LIKELIHOOD):
        page.state.view = view
        page._tick()
        assert page.shell.state["curves"] == "sgld,saga,svrg,plus" and page.runs[view].buttons.words == SHIPPED
        assert page.runs[view].text.heading and drawn(page.runs[view].figure)["sgld"].x.size
    assert len(page.races[GAUSSIAN].best.rows) == 7
    assert page.shell.state["request"] == "0" and not page._due
    assert not any(run.background.running for run in page.runs.values())
    page.close()


def test_views_wait_for_the_button_unless_their_settings_have_shipped_results_and_keep_their_runs(page):
    page.begin()
    assert page.ladder.card.empty == NOT_RUN and page.shell.state["request"] == "0"
    page.state.view = GAUSSIAN
    page._tick()
    race = page.races[GAUSSIAN]
    assert race.card.empty == NOT_RUN and race.background.settled
    race.buttons.on_run()
    settled(page)
    assert race.card.empty == "" and page.shell.state["request"] == "1" and page.state.view == GAUSSIAN
    assert page.shell.state["curves"] == "sgld,saga,svrg,plus"
    until(page, lambda: page.shell.state["table"] == "7")
    assert len(race.table.rows) == 4 and race.text.heading
    assert any(line.key == "sgld" and line.bars and line.x.size for line in race.figure.figure.data)
    number = race.background.requests
    page.state.w2.samplers = ("sgld", "svrg", "plus")  # nothing to run: one curve less
    assert not page._due and "saga" not in drawn(race.figure)
    page.state.w2.samplers = ("sgld", "svrg", "plus", "ula")
    settled(page)
    assert race.background.requests == number + 1 and page.shell.state["curves"] == "sgld,svrg,plus,ula"
    page.state.view = LADDER
    page.state.view = GAUSSIAN
    page._tick()
    assert race.background.requests == number + 1
    turn(page, GAUSSIAN, "chains", "5000")
    turn(page, GAUSSIAN, "passes", "100")
    assert "press Run, about" in race.buttons.words  # a long race waits for it too


def test_a_file_is_read_b_fitted_and_another_label_chosen(page, tmp_path):
    path = tmp_path / "own.csv"
    x = np.random.default_rng(0).standard_normal((40, 2))
    path.write_text("\n".join(["a,b,y", *(f"{u:.3f},{v:.3f},{i % 2}" for i, (u, v) in enumerate(x))]))
    page.state.view = LIKELIHOOD
    page.sidebar._on_file(path)
    race = page.races[LIKELIHOOD]
    assert race.race is None and race.table.rows == [] and race.card.empty == "Waiting for the rows of own.csv."
    settled(page)
    assert race.card.empty == ""
    assert page.state.nll.rows == 30 and page.config.nll.anchor_batch == 6 and page.config.nll.source == "file"
    assert page.sidebar.picker.words.startswith("40 rows") and page.sidebar.columns.response == "y"
    assert "B must be at most n = 30" in turn(page, LIKELIHOOD, "anchor_batch", "31")
    page.sidebar.columns.response_menu.value = "a"
    settled(page)
    assert "different values" in page.sidebar.picker.error and page.races[LIKELIHOOD].buttons.error
    page.sidebar.columns.response_menu.value = "y"
    settled(page)
    assert page.sidebar.picker.error == "" and page.races[LIKELIHOOD].buttons.error == ""
    page.sidebar._on_removal()
    settled(page)
    assert page.config.nll.source == "generated" and page.races[LIKELIHOOD].race.train == 120


def test_links_themes_and_closing(page):
    page.load({"oview": "w2", "ogn": "200"})
    assert page.config.view == GAUSSIAN and page.config.w2.n == 200
    page.dark(True)
    assert page.races[GAUSSIAN].figure.dark and page.ladder.cost.dark and page.ladder.canvas.dark
    again = OfflinePage.from_query(page.query() | {"ogm": "0"}, dark=True)
    assert again.config.w2 == page.config.w2.replace(every="own", anchor_every=1)
    assert any("m = '0'" in words for words in again.notices.words)
    again.close()
    page.close()
    assert not page.ladder.background.running
