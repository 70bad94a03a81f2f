"""The Compare page played as a person plays it: a race, switches, axes, bad input, Figure 1, cancelling, a phone."""

import csv
import io

import pytest
from playwright.sync_api import expect

from tests.browser.accessible import listen, wait_to_hear
from tests.browser.person import choose, finished, region

QUICK = ("&cproblem=logistic2&cT=200&cev=4000&cchains=60&csamplers=saga,precond,sgld,mala,pg,laplace,online_laplace"
         "&cseed=1")

pytestmark = [pytest.mark.browser, pytest.mark.journey]


@pytest.fixture(scope="module")
def race_compiled():
    """Kernels of the page compiled once, so that no test waits for it."""
    from app.background_job import BackgroundJob, wait
    from app.compare.race_job import race_job
    from app.state.compare import SAMPLERS, CompareConfig

    background = BackgroundJob()
    config = CompareConfig(problem="logistic2", t=50, eta0=1.0, batch_size=9, evaluations=1_000, chains=50,
                           samplers=[key for key in SAMPLERS if not key.startswith("nuts")])
    background.start(race_job(config))
    wait(background, 240)
    background.close()


@pytest.fixture
def open_compare(open_window, race_compiled):
    """Return a function that opens the page in a new window."""
    def open_(query=QUICK, *size, done=True, **window):
        page = open_window(f"?page=compare{query}", *size, **window)
        if done:
            expect(page.get_by_text("It starts when you press Compare").first).to_be_visible()
            page.get_by_role("region", name="Accuracy against cost").get_by_role("button", name="Compare").click()
            finished(page, 1)
        return page

    return open_


def table(page):
    return page.get_by_role("region", name="Samplers").locator("tbody tr")


def test_it_opens_on_a_shipped_result_and_the_whole_table_is_seen(open_compare):
    page = open_compare("", done=False)
    expect(table(page)).to_have_count(9)
    expect(region(page, "Accuracy against cost")).to_contain_text("shipped with the page")
    assert finished(page, 0)["request"] == "0"
    page.wait_for_function("deepAll('.figure').filter(n => n.offsetHeight > 80).length >= 3")
    for name in ("evaluations to reach", "seconds", "R-hat", "step η"):
        box = page.get_by_role("columnheader", name=name).bounding_box()
        card = region(page, "Samplers").filter(has=page.locator("thead")).bounding_box()
        assert card["x"] <= box["x"] and box["x"] + box["width"] <= card["x"] + card["width"] <= 1440, name
    for name, button in (("Evaluations against T", "Cold start"), ("Evaluations against T", "CSV"),
                         ("Figure 1 of the paper", "PNG")):
        role = "radio" if name == "Evaluations against T" and button == "Cold start" else "button"
        box = region(page, name).get_by_role(role, name=button).bounding_box()
        card = region(page, name).bounding_box()
        assert box["x"] + box["width"] <= card["x"] + card["width"], (name, button)


def test_a_race_from_press_to_csv(open_compare):
    page = open_compare()
    shown = page.evaluate("shown()")
    assert shown["curves"] == "7" and int(shown["points"]) > 60 and shown["costs"] == "7"
    expect(table(page)).to_have_count(7)
    expect(table(page).first).to_contain_text("flat")
    expect(page.get_by_role("region", name="What this says")).to_contain_text("SAGA-LD reaches 0.7")
    page.get_by_role("columnheader", name="evaluations to reach").get_by_role("button").press("Enter")
    expect(page.get_by_role("columnheader", name="evaluations to reach").get_by_role("button")).to_be_focused()
    expect(page.get_by_role("columnheader", name="evaluations to reach")).to_have_attribute("aria-sort", "ascending")
    chart = page.get_by_role("region", name="Accuracy against cost")
    with page.expect_download() as saved:
        chart.get_by_role("button", name="CSV").click()
    with open(saved.value.path(), encoding="utf-8") as file:
        rows = list(csv.DictReader(io.StringIO(file.read())))
    assert {r["sampler"] for r in rows} >= {"SAGA-LD", "MALA"} and len(rows) == int(shown["points"])
    with page.expect_download() as saved:
        chart.get_by_role("button", name="PNG").click()
    with open(saved.value.path(), "rb") as file:
        assert file.read(8) == b"\x89PNG\r\n\x1a\n"
    page.get_by_role("radio", name="t", exact=True).click()
    expect(chart).to_contain_text("Cost of an epoch as data arrive")
    page.wait_for_function("location.search.includes('cx=t')")
    page.get_by_role("radio", name="Linear").click()
    page.wait_for_function("location.search.includes('cscale=linear')")
    assert page.evaluate("shown().request") == "1"


def test_switches_hide_run_and_refuse(open_compare):
    page = open_compare()
    page.get_by_role("switch", name="MALA").click(force=True)
    expect(table(page)).to_have_count(6)
    listen(page)
    added = page.get_by_role("switch", name="Full gradient (ULA)")
    added.press("Space")
    shown = finished(page, 2)
    assert shown["curves"] == "8"
    expect(added).to_be_focused()
    expect(table(page)).to_have_count(7)
    page.locator(".knob-t input.box").fill("a million")
    page.locator(".knob-t input.box").press("Enter")
    expect(page.locator(".knob-t")).to_contain_text("is not a number")
    choose(page, "target", "Linear regression, d = 2")
    refused = page.get_by_role("switch", name="Pólya-Gamma needs logistic labels")
    expect(refused).to_be_disabled()
    expect(page.get_by_text("The knobs have changed since: press Compare.")).to_be_visible()
    wait_to_hear(page, "Evaluations to reach", "Full gradient (ULA)")


def test_figure_one_is_shown_cancelled_and_kept(open_compare):
    page = open_compare("&cview=race&csteps=100&csamplers=pg&cev=1000&cchains=50&cT=50&cproblem=logistic2")
    page.get_by_role("button", name="The paper’s Figure 1").click()
    paper = page.get_by_role("region", name="Figure 1 of the paper")
    expect(paper).to_contain_text("diamonds: as printed")
    page.wait_for_function("+shown().request >= 2 && shown().done === '0'")
    page.get_by_role("button", name="Cancel").click()
    finished(page, 2)
    expect(page.get_by_text("Cancelled: what was done stays.")).to_be_visible()
    page.get_by_role("button", name="Back to the race").click()
    expect(table(page)).to_have_count(1)


def test_a_wrong_link_is_answered_in_words_and_a_phone_shows_it(open_compare):
    page = open_compare(QUICK.replace("cproblem=logistic2", "cproblem=banana").replace("saga,", "saga,nuts,"),
                        width=390, height=844, done=False)
    expect(page.get_by_text("cproblem = 'banana' is not one of")).to_be_visible()
    page.get_by_role("button", name="Compare", exact=True).first.click()
    page.wait_for_function("+shown().points > 5")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name="Samplers and knobs").click()
    expect(page.get_by_role("button", name="Cancel").or_(page.get_by_role("button", name="Compare")).first).to_be_visible()
