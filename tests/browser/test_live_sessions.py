"""Tabs come and go: each has its own run, each ends its thread, none is left behind."""

import pytest

from app.visits import door

pytestmark = [pytest.mark.browser, pytest.mark.journey]


def test_two_tabs_share_nothing(open_page, server):
    first, second = open_page("?speed=32e"), open_page("?seed=9&speed=1s")  # a step a second
    assert server.workers() == 2
    first.wait_for_function("epoch_shown() >= 20")
    for _ in range(3):  # finishes the epoch at work, then runs two more, and pauses
        second.keyboard.press("e")
    second.wait_for_function("epoch_shown() >= 2")
    second.keyboard.press("r")
    second.wait_for_function("epoch_shown() <= 1")
    assert first.evaluate("epoch_shown()") >= 20
    assert "seed=9" in second.evaluate("location.search")
    assert "seed=9" not in first.evaluate("location.search")


def test_closing_a_tab_ends_its_thread_and_who_waits_in_line_comes_in(open_page, open_window, server, monkeypatch):
    page = open_page()
    page.wait_for_function("epoch_shown() >= 3")
    assert server.workers() == 1
    monkeypatch.setattr(door._places[0], "size", 1)
    waiting = open_window("?eta0=2")
    waiting.get_by_text("You are the next in line.").wait_for()
    waiting.get_by_role("button", name="Look again now").click()
    waiting.get_by_text("The only place of this server is taken").wait_for()
    assert server.workers() == 1
    page.close()
    waiting.wait_for_function("globalThis.epoch_shown && epoch_shown() >= 3")  # by itself, at its own link
    assert "eta0=2" in waiting.evaluate("location.search")
    server.wait_for_workers(1)


def test_reloading_in_the_middle_starts_one_run_and_ends_the_other(open_page, server):
    page = open_page("?eta0=2")
    page.wait_for_function("epoch_shown() >= 5")
    page.reload()
    page.wait_for_function("frames_painted() > 2")
    server.wait_for_workers(1)
    assert "eta0=2" in page.evaluate("location.search")
