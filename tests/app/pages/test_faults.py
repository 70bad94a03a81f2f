"""Every page: a failed job and an invalid link show a message on the page; one press restarts the job."""

import pytest

from app.pages.compare import ComparePage
from app.pages.coreset import CoresetPage
from app.pages.exit_time import ExitTimePage
from app.pages.live import LivePage
from app.pages.offline import OfflinePage
from app.pages.tune import TunePage
from app.state.offline_races import GAUSSIAN, LIKELIHOOD
from app.visit import SERVER
from tests.app.jobs.waiting import until

PAGES = {  # name -> page, its job, its message, its button
    "exit time": (ExitTimePage, lambda p: p.worker, lambda p: p.notices.notice, lambda p: p.notices.on_act()),
    "compare": (ComparePage, lambda p: p.background, lambda p: p.notices.notice, lambda p: p.notices.on_act()),
    "coreset": (CoresetPage, lambda p: p.worker, lambda p: p.notices.notice, lambda p: p.notices.on_act()),
    "tune": (TunePage, lambda p: p.sweeps, lambda p: p.sidebar.run.error, lambda p: p.sidebar.run.on_run()),
    "ladder": (OfflinePage, lambda p: p.ladder.background, lambda p: p.ladder.buttons.error,
               lambda p: p.ladder.buttons.on_run()),
    "gaussian": (OfflinePage, lambda p: p.races[GAUSSIAN].background, lambda p: p.races[GAUSSIAN].buttons.error,
                 lambda p: p.races[GAUSSIAN].buttons.on_run()),
    "likelihood": (OfflinePage, lambda p: p.races[LIKELIHOOD].background, lambda p: p.races[LIKELIHOOD].buttons.error,
                   lambda p: p.races[LIKELIHOOD].buttons.on_run()),
    "rehearsal": (TunePage, lambda p: p.rehearsals.job, lambda p: p.rehearsals.card.empty,
                  lambda p: p.rehearsals.card.on_press()),
}


@pytest.fixture(scope="module")
def opened():
    """Return a function that opens a kind of page once."""
    pages = {}
    yield lambda kind: pages[kind] if kind in pages else pages.setdefault(kind, kind())
    for page in pages.values():
        page.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_fault_is_shown_and_one_press_begins_again(name, opened, monkeypatch):
    kind, job_of, words_of, press = PAGES[name]
    page = opened(kind)
    assert page.visit is SERVER.alone  # outside a server pages share one visit
    job = job_of(page)
    if name == "rehearsal":
        page.rehearsals._function = lambda handle: None
    config, shown = page.config, dict(page.shell.state)
    job.start(lambda handle: [][0])
    until(page, lambda: "IndexError" in words_of(page), "_tick", 60)
    assert page.config == config and set(shown) <= set(page.shell.state)
    started = []
    monkeypatch.setattr(job, "start", lambda work: started.append(work) or job.requests)
    press(page)
    until(page, lambda: started, "look", 60)  # some start after the knobs have rested


@pytest.mark.parametrize(("kind", "key"), [(ExitTimePage, "er"), (ComparePage, "ceta"), (CoresetPage, "kseed"),
                                           (OfflinePage, "oeta"), (TunePage, "tC"), (LivePage, "eta0")])
def test_an_error_in_a_link_is_shown_by_an_open_page(kind, key, opened):
    """Links within pages and of lessons are loaded by open pages, links of the address bar by new ones."""
    page = opened(kind)
    page.load({key: "many"})
    (words,) = page.notices.words
    assert "= 'many' is not a number; took" in words
    page.load({})
    assert page.notices.words == []
