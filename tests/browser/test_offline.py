"""User journeys on Offline: the ladder's transport, the user's file."""

import tempfile
import threading

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.person import (
    PNG,
    after,
    download,
    download_rows,
    finished,
    knob,
    saves,
    wait_for_query,
)

pytestmark = [pytest.mark.browser, pytest.mark.journey]


@pytest.fixture
def open_offline(open_window):
    def open_(query):
        page = open_window(f"?page=offline{query}")
        page.wait_for_function("shown().done === '1'")
        assert page.evaluate("shown().request") == "0"  # opening runs nothing
        page.get_by_role("button", name="Run", exact=True).filter(visible=True).click()
        finished(page, 1)
        return page

    return open_


def wait_for_canvas(page, condition):
    page.wait_for_function(f"(c => {condition})(canvas())")


def test_the_ladder_obeys_its_transport(open_offline):
    page = open_offline("&ospeed=0.1&oT=256")  # ten seconds per rung
    stage = page.get_by_role("region", name="Chains on the ladder")
    expect(stage).to_contain_text("256 chains down the ladder")
    first = int(page.evaluate("canvas().frames"))
    stage.get_by_role("button", name="Restart").click()  # on a slow machine it may have ended already
    page.wait_for_function("n => +canvas().frames > n + 10", arg=first)
    assert page.evaluate("shown().frames") == str(9 * 60 + 1)
    stage.get_by_role("button", name="Pause").click()
    expect(stage.get_by_role("button", name="Play")).to_be_visible()
    stage.get_by_role("button", name="Restart").click()
    wait_for_canvas(page, "+c.frame < 60")
    slider = stage.get_by_label("frame")
    slider.fill("0")  # paused there
    wait_for_canvas(page, "c.frame === '0'")
    stage.get_by_role("button", name="Rung").click()
    wait_for_canvas(page, "c.frame === '60' && c.rung === '1'")
    expect(stage.locator("[data-ro=beta]")).to_have_text("1/256")
    expect(stage.locator("[data-ro=cost]")).to_have_text("1,156")  # T + b i_max
    expect(stage.locator("[data-ro=full]")).to_have_text("25,600")  # T i_max
    for _ in range(2):
        before = page.evaluate("canvas().frame")
        stage.get_by_role("button", name="Rung").click()
        wait_for_canvas(page, f"c.frame !== '{before}'")
    wait_for_canvas(page, "c.frame === '180'")
    slider.fill("540")
    wait_for_canvas(page, "c.frame === '540' && c.rung === '9'")
    expect(stage.locator("[data-ro=step]")).to_have_text("100 of 100")
    stage.get_by_role("radio", name="Fixed").click()
    wait_for_query(page, "ozoom=fixed")
    assert len(download_rows(page, saves(stage, "CSV"))) == 9
    assert download(page, saves(stage, "PNG")).read_bytes().startswith(PNG)
    cut = page.evaluate("""deepAll('section.card').filter(n => n.offsetHeight && n.scrollHeight > n.clientHeight + 1)
        .map(n => n.getAttribute('aria-label'))""")
    assert cut == []


@pytest.mark.in_turn
def test_the_users_file_is_deleted_with_the_session_and_its_workers(open_offline, server, tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))  # the server runs in this process
    others = set(threading.enumerate())
    page = open_offline("&oview=nll&ofn=400&ofp=4&ofd=3")
    page.get_by_role("radio", name="my own file").click()
    picker = page.locator("input[type=file]")
    x = np.random.default_rng(0).standard_normal((80, 2))
    (tmp_path / "mine.csv").write_text("\n".join([
        "age,dose,ill", *(f"{u:.4f},{v + i % 2:.4f},{i % 2}" for i, (u, v) in enumerate(x))]))
    after(page, lambda: picker.set_input_files(tmp_path / "mine.csv"))
    expect(page.get_by_text("80 rows, 2 features, labels 0 and 1")).to_be_visible()
    expect(knob(page, "nll-anchor_batch").locator("input.box")).to_have_value("12")
    after(page, page.get_by_role("button", name="Remove the file").click)
    expect(page.get_by_role("region", name="The data")).to_contain_text("generated stream")
    after(page, lambda: picker.set_input_files(tmp_path / "mine.csv"))
    new = list(folder.glob("exit-time-lab-*"))
    assert len(new) == 1
    page.goto("about:blank")
    server.wait_until(lambda: not any(path.exists() for path in new) and not any(
        thread.name.startswith("offline-") for thread in set(threading.enumerate()) - others),
        "a worker or a file outlived its session")
