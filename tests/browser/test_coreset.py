"""User journey on Coreset: live runs, knobs, invalid input, the paper's figures, links."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.accessible import listen, wait_for_announcement
from tests.browser.person import (
    PATIENCE,
    PNG,
    after,
    choose,
    download,
    download_rows,
    finished,
    knob,
    region,
    saves,
    type_in,
    wait_for_query,
)

SMALL = "&kN=600&kd=3&kM=40&kT=1500&kopt=hot_dog,dog"

pytestmark = [pytest.mark.browser, pytest.mark.journey, pytest.mark.in_turn]


def test_runs_knobs_link_the_papers_figures_and_the_handover_to_compare(open_done):
    page = open_done("coreset", SMALL)
    expect(region(page, "The runs").locator("tbody tr")).to_have_count(2)
    page.wait_for_function("deepAll('.figure').filter(n => n.offsetHeight > 80).length >= 7")
    assert download_rows(page, saves(region(page, "Z-scores and variance ratio"), "CSV"))
    listen(page)
    after(page, lambda: type_in(page, "size", "60"))
    wait_for_query(page, "kM=60")
    type_in(page, "size", "601")
    expect(knob(page, "size").locator(".error")).to_contain_text("a coreset is a part of the data")
    assert after(page, lambda: page.locator("label[data-key=prodigy]").click())["runs"] == "3"
    row = region(page, "The runs").locator("tbody tr").filter(has_text="Prodigy")
    after(page, lambda: row.press("Enter"))
    expect(row).to_be_focused()
    wait_for_announcement(page, "the average squared z-scores are", "Prodigy")
    expect(region(page, "Coreset points and their weights")).to_contain_text("Prodigy")
    page.wait_for_function("location.search.includes('kshow=prodigy')")
    page.reload()
    finished(page, 1)
    expect(knob(page, "size").locator("input.box")).to_have_value("60")

    desk, figures = region(page, "The paper’s figures"), region(page, "The paper’s figure")
    expect(desk).to_contain_text(re.compile("[2-6] of 6 runs"), timeout=2 * PATIENCE)  # the warm-ups start automatically
    expect(figures).to_contain_text("passed at")
    for kind, first in (("CSV", b"model,series"), ("PNG", PNG)):
        assert download(page, saves(figures, kind)).read_bytes().startswith(first)
    choose(page, "figure", "4. With and without the hot start")
    expect(figures).to_contain_text("Figure 4. With and without the hot start")
    desk.get_by_role("button", name="Cancel").click()
    expect(desk).to_contain_text("the results so far are kept")
    desk.get_by_role("radio", name="the paper’s").click()
    expect(desk).to_contain_text("T = 200,000, 10 trials")
    page.get_by_role("button", name="Compare samplers on this coreset").click()
    page.wait_for_function("location.search.includes('page=compare') && location.search.includes('cproblem=coreset')")
