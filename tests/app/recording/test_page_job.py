import time

import numpy as np
import pytest

from app.live.moment import Moment
from app.pages.live import LivePage
from app.recording.page_job import PageJob
from app.state.live import default_config
from app.user_data import Given
from sampler import GaussianMean
from sampler.version import MADE_WITH

CONFIG = default_config("gaussian2").replace(chains=8, speed=13)


def told(config, moment, names=True):
    """What the page is told, up to the end."""
    job, found = PageJob(), []
    job.start(config, moment, names, found.append)
    end = time.monotonic() + 120
    while found[-1]["state"] == "going" and time.monotonic() < end:
        job.look()
        time.sleep(0.01)
    job.close()
    return found


def moment(config, t, whole=True):
    return Moment(t, None, (config.settings, config.escape_radius), (), whole)


def test_a_run_becomes_a_file_with_a_name():
    found = told(CONFIG, moment(CONFIG, 12))
    assert [message["state"] for message in found][0] == "going"
    assert found[-1]["state"] == "done"
    assert found[-1]["name"] == "exit-time-lab-gaussian-mean-d-2-12.html"
    assert "12 epochs" in found[-1]["words"]


def test_why_a_page_is_shorter_than_the_run_is_said(monkeypatch):
    monkeypatch.setattr("app.recording.page_job.fitting_epochs", lambda plan: min(plan.epochs, 12))
    assert "No longer run fits" in told(CONFIG, moment(CONFIG, 14))[-1]["words"]
    hot = CONFIG.replace(CONFIG.settings.replace(eta0=100.0, reset=False))
    ended = told(hot, moment(hot, 12))[-1]
    assert "Saved 1 epoch," in ended["words"] and "a chain diverged" in ended["words"]
    assert "No longer" not in ended["words"]
    assert ended["name"].endswith("-1.html")


def test_what_cannot_be_saved_is_said():
    assert "first datum" in told(CONFIG, None)[-1]["words"]
    assert "Press Restart" in told(CONFIG, moment(CONFIG, 12, whole=False))[-1]["words"]


def test_own_data_leave_without_rows_and_on_wish_without_names():
    rows = np.random.default_rng(0).normal(size=(12, 2)) + 0.123456789
    given = Given("secret.csv, 12 rows", GaussianMean(2), rows, source="secret.csv")
    config = default_config("given", given).replace(chains=8, speed=13)
    html = told(config, moment(config, 12))[-1]["html"]
    assert "secret.csv" in html and f'<meta name="generator" content="{MADE_WITH}">' in html
    assert "somebody" in html
    nameless = told(config, moment(config, 12), names=False)[-1]
    assert "secret" not in nameless["html"] + nameless["name"]


@pytest.fixture
def saving(monkeypatch):
    """A page that saves its run, the looks it has arranged for, and what it has told."""
    made = []
    monkeypatch.setattr("app.page.pn.io.PeriodicCallback", lambda **given: made.append(Callback(**given)) or made[-1])
    page, found = LivePage(CONFIG), []
    page.engine.start = lambda: None
    page.activate()
    page.saving.start(CONFIG, moment(CONFIG, 3), True, found.append)
    return page, made, found


def test_a_page_behind_another_hands_over_its_file(saving):
    page, made, found = saving
    page.deactivate()
    look = made[-1]
    assert [callback.running for callback in made] == [False, True]
    end = time.monotonic() + 120
    while look.running and time.monotonic() < end:
        look.callback()
        time.sleep(0.01)
    assert found[-1]["state"] == "done" and not look.running
    page.close()


def test_a_file_finished_while_nobody_is_connected_is_handed_over_on_return(saving):
    page, made, found = saving
    page.rest()
    assert not any(callback.running for callback in made) and found[-1]["state"] == "going"
    page.saving._job._thread.join()
    page.wake()
    made[-1].callback()
    assert found[-1]["state"] == "done"
    page.close()


def test_a_file_finished_behind_another_page_while_nobody_is_connected_is_handed_over_on_return(saving):
    page, made, found = saving
    page.deactivate()
    page.rest()
    page.saving._job._thread.join()
    assert not any(callback.running for callback in made) and found[-1]["state"] == "going"
    page.watch_saving()
    made[-1].callback()
    assert found[-1]["state"] == "done" and not made[-1].running
    page.watch_saving()
    assert not made[-1].running  # nothing is left to look at
    page.close()


class Callback:
    """Stands for a timer."""

    def __init__(self, callback, **_):
        self.callback, self.running = callback, False

    def start(self):
        self.running = True

    def stop(self):
        self.running = False
