"""Save as a page, in the menu beside Share of the served lab; and the command whose place `export` took."""

from unittest.mock import Mock

import pytest

from app.__main__ import main
from app.extras.lab_file import page_file
from app.extras.lab_file.extra import FILE_NAME, SavePage
from app.live.moment_link import Moment
from app.pages.exit_time import ExitTimePage
from app.state.live import LiveState, default_config
from tests.waiting import wait_for

CONFIG = default_config("gaussian2").replace(chains=8)


class LiveStub:
    """A Live page with a run on show."""

    own_data = False

    def run_on_show(self):
        return CONFIG, Moment(12, None, (CONFIG.settings, CONFIG.escape_radius), ())

    def shared(self):
        return LiveState.to_query(CONFIG) | {"t": "12", "log": "0~~end"}, "epoch 12"


@pytest.fixture
def save(monkeypatch):
    asked = []
    monkeypatch.setattr(page_file, "page_of", lambda link, served: asked.append((link, served)) or "<!doctype html>")
    one = SavePage()
    one._looking, one.asked = Mock(), asked  # no server calls it: a test looks itself
    yield one
    one._job.close()


def last_note(save, page, answer=""):
    """Press the button; return its last note once the work has ended."""
    notes = []
    save.press(page, answer, notes.append)
    wait_for(lambda: save._job.settled, look=save.look)
    return notes[-1] if notes else None


def test_the_file_opens_at_the_picture_on_show(save):
    note = last_note(save, LiveStub())
    assert note["file"] == {"name": FILE_NAME, "html": "<!doctype html>"} and "alive" in note["words"]
    [(link, served)] = save.asked
    assert "problem=gaussian2" in link and "t=12" in link and served == ""


def test_own_data_are_not_in_the_file_and_are_asked_about(save):
    page = LiveStub()
    page.own_data = True
    assert "drop your CSV file" in last_note(save, page)["words"] and not save.asked
    last_note(save, page, "without")
    assert save.asked == [("", "")]


def test_a_page_without_a_run_offers_nothing(save):
    page = ExitTimePage()
    assert not save.offers(page) and "plays no run" in last_note(save, page)["words"]


def test_a_file_that_cannot_be_made_is_reported(save, monkeypatch):
    def fail(link, served):
        raise ValueError("no")

    monkeypatch.setattr(page_file, "page_of", fail)
    assert "could not be saved: no" in last_note(save, LiveStub())["words"]


@pytest.mark.parametrize("arguments", [[], ["too_hot", "out.html"], ["lessons", "slides/", "--epochs", "3"]])
def test_the_removed_command_names_its_replacement(arguments, capsys):
    assert main(["record", *arguments]) == 1
    assert "export lab.html" in capsys.readouterr().err


def test_bad_input_is_an_error_and_writes_nothing(tmp_path, capsys):
    for what in (["lesson-77"], ["?page=tune&x=1"]):
        assert main(["export", str(tmp_path / "lab.html"), *what]) == 1
        assert capsys.readouterr().err.startswith("error: ")
    assert list(tmp_path.iterdir()) == []
