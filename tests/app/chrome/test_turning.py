"""The header is told which page is in front, and of one that could not be built: its words stand there meanwhile."""

import panel as pn
import pytest

from app.chrome.frame import Frame
from app.handover import Session


@pytest.fixture
def frame(monkeypatch):
    monkeypatch.setattr("app.handover._ALONE", Session())  # a frame leaves its mark in it
    monkeypatch.setattr(type(pn.state), "onload", lambda self, call, **given: None)  # no browser loads the page
    one = Frame({"page": "exit"})
    one.told = []
    monkeypatch.setattr(one._header, "_send_msg", one.told.append)
    yield one
    for page in one._pages.values():
        page.close()


def test_the_header_hears_which_page_stands_there(frame):
    frame.choose("compare")
    frame.choose("compare")  # asked for, left and asked for again before it was drawn
    assert frame.told == [{"turned": {"label": "Compare"}}] * 2


def test_a_page_that_cannot_be_built_is_said_and_the_last_one_stays(frame, monkeypatch):
    def fail(*given):
        raise OSError("no")

    monkeypatch.setattr(frame, "_build", fail)
    with pytest.raises(OSError):
        frame.choose("compare")
    assert frame.told == [{"turned": {"label": ""}}] and frame._key == frame._header.page == "exit"
