"""The Offline page's wiring without a browser: what starts a run, what only changes the look, and what stays."""

import time

import numpy as np
import pytest

from app.offline.config import GAUSSIAN, LADDER, LIKELIHOOD, LadderConfig, OfflineConfig
from app.offline.own_file import OwnFile
from app.pages.offline import OfflinePage

SMALL = OfflineConfig(
    ladder=LadderConfig(terms=32, chains=24, i_max=60, speed=5),
    w2=OfflineConfig().w2.replace(n=100, anchor_batch=20, chains=30, passes=2.0),
    nll=OfflineConfig().nll.replace(n=120, anchor_batch=24, chains=2, passes=2.0, dim=2))


def until(page, condition, seconds=300):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, page.shell.state
        page._tick()
        time.sleep(0.005)


def settled(page):
    """Tick until the view in front has done all it was asked."""
    until(page, lambda: page.shell.state.get("done") == "1" and not page._due)


@pytest.fixture(name="page")
def small_page():
    page = OfflinePage(SMALL)
    yield page
    page.close()


def test_it_runs_what_is_in_front_and_plays_it_to_the_end(page):
    page.run(LADDER)
    settled(page)
    assert page.shell.state["frames"] == "361" and page.races[GAUSSIAN].race is None
    until(page, lambda: page.ladder.player.over)
    assert not page.ladder.card.playing and page.ladder.rungs.points.data["x"] == [1, 2, 3, 4, 5, 6]
    assert page.ladder.cost.now.data["x"][-1] == 6.0
    assert page.ladder.text.heading.startswith("The ladder ends")
    page.ladder.card.on_press("restart")
    page._tick()
    assert page.ladder.player.playing and page.ladder.player.frame < 361


def test_a_way_to_look_starts_no_run_and_a_knob_starts_one(page):
    page.run(LADDER)
    settled(page)
    number = page.ladder.number
    page.ladder.set_zoom("fixed")
    page.ladder.set_speed(0)
    assert page.config.ladder.zoom == "fixed" and page.query()["ospeed"] == "0.1" and not page._due
    assert page.sidebar._turn("ladder-chains", "abc") == "“abc” is not a number. Kept 24."
    assert page.ladder.number == number and not page._due
    assert page.sidebar._turn("ladder-chains", "40") == "" and LADDER in page._due
    settled(page)
    assert page.ladder.number == number + 1 and page.ladder.run.config.chains == 40


def test_a_cancelled_ladder_plays_what_there_is(page):
    page.change(page.config.replace(ladder=page.config.ladder.replace(terms=4096, chains=300, i_max=2000)))
    page.run(LADDER)
    until(page, lambda: page.ladder.run is not None and page.ladder.run.last > 10)
    page.ladder.background.cancel()
    settled(page)
    run = page.ladder.run
    assert 10 < run.last < run.total and page.ladder.buttons.words == "Cancelled: what was done stays."
    until(page, lambda: not page.ladder.player.playing)
    assert page.ladder.player.frame == run.last
    page.ladder.card.on_press("play")
    assert page.ladder.player.playing and page.ladder.player.frame == 0


def test_views_are_run_when_they_are_first_opened_and_keep_what_they_have(page):
    page.run(LADDER)
    page.sidebar._view(GAUSSIAN)
    settled(page)
    assert page.views.view == GAUSSIAN and page.shell.state["curves"] == "sgld,saga,svrg,plus"
    until(page, lambda: page.shell.state["table"] == "7")
    race = page.races[GAUSSIAN]
    assert len(race.table.rows) == 4 and race.text.heading and race.chart.points["sgld"].data["x"].size
    number = race.number
    page.sidebar._switch(GAUSSIAN, "saga", False)  # nothing to run: one curve less
    assert not page._due and len(race.chart.lines["saga"].data["x"]) == 0
    page.sidebar._switch(GAUSSIAN, "ula", True)
    settled(page)
    assert race.number == number + 1 and page.shell.state["curves"] == "sgld,svrg,plus,ula"
    page.sidebar._view(LADDER)
    page.sidebar._view(GAUSSIAN)
    page._tick()
    assert race.number == number + 1


def test_long_races_wait_for_the_button(page):
    page.run(GAUSSIAN)
    until(page, lambda: not page.races[GAUSSIAN].busy)
    page.sidebar._turn("w2-chains", "5000")
    page.sidebar._turn("w2-passes", "100")
    assert "press Run, about" in page.races[GAUSSIAN].buttons.words


def test_a_file_is_read_b_fitted_and_another_label_chosen(page, tmp_path):
    path = tmp_path / "own.csv"
    x = np.random.default_rng(0).standard_normal((40, 2))
    path.write_text("\n".join(["a,b,y", *(f"{u:.3f},{v:.3f},{i % 2}" for i, (u, v) in enumerate(x))]))
    page.change(page.config.replace(view=LIKELIHOOD))
    page.sidebar._got(path)
    settled(page)
    assert page.rows == 30 and page.config.nll.anchor_batch == 6 and page.config.nll.source == "file"
    assert page.sidebar.picker.words.startswith("40 rows") and page.sidebar.label.value == "2"
    assert "B must be at most n = 30" in page.sidebar._turn("nll-anchor_batch", "31")
    page.sidebar._relabel("0")
    settled(page)
    assert "different values" in page.sidebar.picker.error and page.races[LIKELIHOOD].buttons.error
    page.use_file(OwnFile(path, 2))
    settled(page)
    assert page.sidebar.picker.error == "" and page.races[LIKELIHOOD].buttons.error == ""
    page.sidebar._gone()
    settled(page)
    assert page.config.nll.source == "generated" and page.races[LIKELIHOOD].race.train == 120


def test_links_themes_and_closing(page):
    page.load({"oview": "w2", "ogn": "200"})
    assert page.config.view == GAUSSIAN and page.config.w2.n == 200
    page.dark(True)
    assert page.races[GAUSSIAN].chart.dark and page.ladder.cost.dark
    again = OfflinePage.from_query(page.query() | {"ogm": "0"}, dark=True)
    assert again.config.w2 == page.config.w2.replace(anchor_every=1)
    assert any("m = '0'" in words for words in again.notices.words)
    again.close()
    page.close()
    assert not page.ladder.background.running
