"""User journey on Compare: a race, switches, axes, invalid input, Figure 1, cancelling."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessible import listen, wait_for_announcement
from tests.browser.person import (
    PNG,
    choose,
    download,
    download_rows,
    finished,
    region,
    saves,
    type_in,
    wait_for_query,
)

QUICK = ("&cproblem=logistic2&cT=200&cev=4000&cchains=60&csamplers=saga,precond,sgld,mala,pg,laplace,online_laplace"
         "&cseed=1&csteps=100")

pytestmark = [pytest.mark.browser, pytest.mark.journey]


def table(page):
    return page.get_by_role("region", name="Samplers").locator("tbody tr")


def test_it_opens_on_a_shipped_result_and_the_whole_table_is_visible(open_window):
    page = open_window("?page=compare")
    expect(table(page)).to_have_count(9)
    expect(region(page, "Accuracy against cost")).to_contain_text("Shipped result")
    for name in ("evaluations to reach", "seconds", "R-hat", "step η"):
        box = page.get_by_role("columnheader", name=name).bounding_box()
        card = region(page, "Samplers").filter(has=page.locator("thead")).bounding_box()
        assert card["x"] <= box["x"] and box["x"] + box["width"] <= card["x"] + card["width"] <= 1440, name


@pytest.mark.in_turn
def test_map_of_methods_race_csv_switches_refusals_and_a_cancelled_figure_one(open_window):
    page = open_window(f"?page=compare{QUICK}")
    which, chart = region(page, "Which to use when"), region(page, "Accuracy against cost")
    expect(which).to_contain_text("posteriors of the full run")
    assert which.bounding_box()["y"] < 200 and which.bounding_box()["y"] < chart.bounding_box()["y"]
    spoken = which.get_by_text("The cheapest method that is good enough in 11 dimensions")
    expect(spoken).to_be_attached()
    which.get_by_role("radio", name="d = 2", exact=True).click()
    expect(which.get_by_text("The cheapest method that is good enough in 2 dimensions")).to_be_attached()
    rows = download_rows(page, saves(which, "CSV"))
    assert {row["method"] for row in rows} >= {"saga", "precond", "rvga", "ibis", "prior"}
    expect(page.get_by_role("columnheader", name="what it cannot do")).to_be_visible()
    page.get_by_role("button", name="Compare", exact=True).first.click()
    finished(page, 1)
    expect(which).to_be_visible()
    assert chart.bounding_box()["y"] < 200 < which.bounding_box()["y"]

    expect(table(page)).to_have_count(7)
    header = page.get_by_role("columnheader", name="evaluations to reach")
    header.get_by_role("button").press("Enter")
    expect(header.get_by_role("button")).to_be_focused()
    expect(header).to_have_attribute("aria-sort", "ascending")
    assert len(download_rows(page, saves(chart, "CSV"))) == int(page.evaluate("shown().points"))
    assert download(page, saves(chart, "PNG")).read_bytes().startswith(PNG)
    page.get_by_role("switch", name="MALA").click(force=True)
    expect(table(page)).to_have_count(6)
    listen(page)
    added = page.get_by_role("switch", name="Full gradient (ULA)")
    added.press("Space")
    assert finished(page, 2)["curves"] == "8"
    expect(added).to_be_focused()
    expect(table(page)).to_have_count(7)
    wait_for_announcement(page, "Evaluations to reach", "Full gradient (ULA)")
    page.get_by_role("button", name="The paper’s Figure 1").click()
    page.wait_for_function("+shown().request >= 3 && shown().done === '0'")
    page.get_by_role("button", name="Cancel").click()
    finished(page, 3)
    expect(page.get_by_text("Cancelled: the results so far are kept.")).to_be_visible()
    page.get_by_role("button", name="Back to the race").click()
    expect(table(page)).to_have_count(7)
    page.get_by_role("radio", name="t", exact=True).click()
    expect(chart).to_contain_text("Cost of an epoch as data arrive")
    wait_for_query(page, "cx=t")
    type_in(page, "t", "a million")
    expect(page.locator(".knob-t")).to_contain_text("is not a number")
    choose(page, "target", "Linear regression, d = 2")
    expect(page.get_by_role("switch", name="Pólya-Gamma needs logistic labels")).to_be_disabled()
    expect(page.get_by_text("The knobs have changed since: press Compare.")).to_be_visible()
