"""A browser killed while its pages work, which to the server is a cable that is cut: the work ends there, and a new browser
finds the state by its links.
"""

import json
import signal

import pytest
from playwright.sync_api import expect

from tests.browser.connection.pages import LINK, SOON, workers
from tests.browser.person import region

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TUNE = "?page=tune&tT=1000&teta=0.1,10&timax=40,640&tb=4&tC=22&tchains=64&tref=laplace&tgo=1"
RACE = "?page=compare&cproblem=logistic2&cT=200&cev=200000&cchains=400&csamplers=saga,sgld,mala&cseed=7"
WORKING = {"exit-time-engine", "exit-time-reference", "page-worker", "tune-running-sweep", "lab-file-writer"}
"""Names of threads that work for a visit."""


@pytest.fixture
def alive(until, log):
    """Return a function that asks a server which threads and how many pages it has."""
    def ask(server):
        before = log.read_text().count("ALIVE ")
        server.send_signal(signal.SIGUSR1)
        until(lambda: log.read_text().count("ALIVE ") > before and log.read_text().endswith("\n"), "no answer")
        return json.loads(log.read_text().rpartition("ALIVE ")[2].splitlines()[0])

    return ask


def test_nothing_is_left_of_its_work_and_a_new_browser_finds_it_by_its_links(cable, serve, open_, until, alive):
    server = serve(telling=True, options=SOON)
    live, tune, race = (open_(link) for link in ("?speed=8e&eta0=2", TUNE, RACE))
    region(race, "Accuracy against cost").get_by_role("button", name="Compare").click()
    race.wait_for_function("+shown().request >= 1 && shown().done === '0'")
    live.wait_for_function("epoch_shown() >= 20")
    tune.wait_for_function("+shown().cells >= 1")
    for page in (live, tune, race):
        page.wait_for_function(f"!!({LINK})")
    links = [page.evaluate(LINK) for page in (live, tune, race)]
    parameters = dict(part.split("=", 1) for part in links[0].split("&"))
    cells = int(tune.evaluate("shown().cells"))
    at_work = alive(server)
    assert at_work["pages"] >= 3 and WORKING & set(at_work["threads"]) and workers(server)

    cable.cut()
    for page in (live, tune, race):
        page.close()
    cable.mend()
    until(lambda: not workers(server), "workers of the sweep outlived its browser")
    until(lambda: not WORKING & set(alive(server)["threads"]), f"threads outlived the browser: {alive(server)}")
    until(lambda: alive(server)["pages"] == 0, f"pages are still held: {alive(server)}")

    live, tune, race = (open_(f"?{link}") for link in links)
    live.wait_for_function("t => epoch_shown() > t", arg=int(float(parameters["t"])))  # replayed, and playing again
    tune.wait_for_function("n => +shown().cells > n", arg=cells)  # what was finished is there, and it goes on
    race.wait_for_function("+shown().request >= 1")  # it is run again
    expect(region(race, "Samplers").locator("tbody tr").first).to_be_visible()
