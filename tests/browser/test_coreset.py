"""The Coreset page played as a person plays it: live runs, knobs, bad input, files, the paper's figures, phone, links."""

import csv
import io

import pytest
from playwright.sync_api import expect

from tests.browser.accessible import listen, wait_to_hear
from tests.browser.person import after, finished, knob, region, type_in

SMALL = "&kN=600&kd=3&kM=40&kT=1500&kopt=hot_dog,dog"

pytestmark = [pytest.mark.browser, pytest.mark.journey]


@pytest.fixture(scope="module")
def coreset_compiled():
    """Kernels of the page compiled once, so that no test waits for it; the paper's first figure made as well."""
    from app.background_job import BackgroundJob, wait
    from app.coreset.paper_figure_job import FigureJobs
    from app.coreset.paper_figure_plan import SCALES

    background = BackgroundJob()
    background.start(FigureJobs().job("5", SCALES["small"]))
    wait(background, 240)
    background.close()


@pytest.fixture
def open_coreset(open_window, coreset_compiled):
    """Return a function that opens the page in a new window, its first runs done."""
    def open_(query=SMALL, *size, **window):
        page = open_window(f"?page=coreset{query}", *size, **window)
        finished(page, 1)
        return page

    return open_


def test_opens_running_says_what_it_found_and_hands_it_on(open_coreset):
    page = open_coreset()
    shown = page.evaluate("shown()")
    assert shown["t"] == "1500" and shown["runs"] == "2" and float(shown["z"]) < 1
    expect(region(page, "Hot-start statistic")).to_contain_text("Passed at iteration 30")
    expect(region(page, "The runs").locator("tbody tr")).to_have_count(2)
    expect(region(page, "What the figures do not say")).to_contain_text("blind to spread")
    page.wait_for_function("deepAll('.figure').filter(n => n.offsetHeight > 80).length >= 7")
    with page.expect_download() as saved:
        region(page, "Z-scores and variance ratio").get_by_role("button", name="CSV").click()
    with open(saved.value.path(), encoding="utf-8") as file:
        rows = list(csv.DictReader(io.StringIO(file.read())))
    assert rows[0]["iteration"] == "1" and float(rows[-1]["z_score"]) > 0
    for name in ("Coreset points and their weights", "Effective rates"):
        with page.expect_download() as saved:
            region(page, name).get_by_role("button", name="PNG").click()
        with open(saved.value.path(), "rb") as file:
            assert file.read(8) == b"\x89PNG\r\n\x1a\n"
    page.get_by_role("button", name="Compare samplers on this coreset").click()
    page.wait_for_function("location.search.includes('page=compare') && location.search.includes('cproblem=coreset')")


def test_knobs_switches_and_the_link(open_coreset):
    page = open_coreset()
    listen(page)
    shown = after(page, lambda: type_in(page, "size", "60"))
    expect(region(page, "Coreset points and their weights")).to_contain_text("60 points")
    page.wait_for_function("location.search.includes('kM=60')")
    for name, text, words in (("chains", "1", "covariance over chains"), ("size", "601", "a coreset is a part of the data"),
                              ("iterations", "many", "is not a number"), ("threshold", "-1", "must be from")):
        type_in(page, name, text)
        expect(knob(page, name).locator(".error")).to_contain_text(words)
    assert page.evaluate("shown().request") == shown["request"]  # nothing was run
    shown = after(page, lambda: page.locator("label[data-key=prodigy]").click())
    assert shown["runs"] == "3"
    after(page, lambda: page.get_by_role("radio", name="both", exact=True).click())
    rows = region(page, "The runs").locator("tbody tr")
    expect(rows).to_have_count(6)
    row = rows.filter(has_text="Prodigy").filter(has_text="cold")
    after(page, lambda: row.press("Enter"))
    expect(row).to_be_focused()
    wait_to_hear(page, "the average squared z-scores are", "Prodigy, cold")
    expect(region(page, "Coreset points and their weights")).to_contain_text("Prodigy, cold")
    page.wait_for_function("location.search.includes('kshow=prodigy-cold')")
    page.reload()
    finished(page, 1)
    expect(knob(page, "size").locator("input.box")).to_have_value("60")
    expect(region(page, "The runs").locator("tbody tr")).to_have_count(6)


def test_stopped_and_gone_on_with(open_coreset):
    page = open_coreset("&kN=5000&kd=20&kM=1000&kK=8&kT=200&kopt=hot_dog,dog")
    type_in(page, "iterations", "100000")  # a minute, were it not stopped
    page.wait_for_function("shown().done === '0' && +shown().t > 200")
    page.get_by_role("button", name="Cancel").first.click()
    page.wait_for_function("shown().done === '1'")
    shown = page.evaluate("shown()")
    assert shown["cancelled"] == "1" and 200 < int(shown["t"]) < 100_000
    expect(page.get_by_text("Cancelled: what was done stays.")).to_be_visible()
    page.get_by_role("button", name="Go on").click()
    page.wait_for_function("t => +shown().t > t", arg=int(shown["t"]))


def test_wrong_links_and_a_hot_start_that_never_passes_are_told(open_coreset):
    page = open_coreset("&kN=600&kd=3&kM=9999&kT=600&kopt=hot_dog,lion&kK=1&kc=0.001&kcap=60&kdata=file")
    for words in ("M = 9,999 must be at most N = 600", "'lion' is not one of", "from 2 to 32", "which a link cannot hold"):
        expect(page.get_by_text(words).first).to_be_visible()
    expect(region(page, "Z-scores and variance ratio")).to_contain_text("The hot start did not pass in 60 iterations")
    expect(region(page, "Hot-start statistic")).to_contain_text("Never passed")


def test_a_file_is_run_on_and_a_broken_one_answered_in_words(open_coreset):
    page = open_coreset("&kmodel=linear&kN=500&kd=3&kM=40&kT=300&kopt=hot_dog")
    page.get_by_role("radio", name="your file").click()
    box = page.locator("input[type=file]")
    box.set_input_files({"name": "broken.csv", "mimeType": "text/csv", "buffer": b"a,b\nann,bob\n"})
    expect(page.get_by_role("alert").filter(has_text="broken.csv cannot be read")).to_be_visible()
    assert page.evaluate("shown().request") == "1"
    rows = "\n".join(f"{(7 * i) % 13},{(5 * i) % 11},{('red', 'blue')[i % 3 > 1]},{(7 * i) % 13 + (3 * i) % 5}"
                     for i in range(200))
    shown = after(page, lambda: box.set_input_files(
        {"name": "mine.csv", "mimeType": "text/csv", "buffer": f"a,b,colour,y\n{rows}\n".encode()}))
    assert shown["runs"] == "1"
    expect(page.get_by_text("200 of 200 rows used.")).to_be_visible()
    expect(region(page, "Z-scores and variance ratio")).to_contain_text("N = 200")
    after(page, lambda: page.get_by_role("switch", name="colour · 2 values").press("Space"))
    expect(page.get_by_text("a column of 0 and 1 each for blue; all are 0 for the reference, red.")).to_be_visible()


def test_the_papers_figures_are_run_and_kept(open_coreset):
    page = open_coreset()
    desk, figures = region(page, "The paper’s figures"), region(page, "The paper’s figure")
    expect(desk).to_contain_text("6 of 6 runs")  # the warm-ups, by themselves
    expect(figures).to_contain_text("passed at")
    for kind, first in (("CSV", b"model,series"), ("PNG", b"\x89PNG\r\n\x1a\n")):
        with page.expect_download() as saved:
            figures.get_by_role("button", name=kind).click()
        with open(saved.value.path(), "rb") as file:
            assert file.read(len(first)) == first
    desk.get_by_role("button", name="Figure 4").click()
    expect(figures).to_contain_text("Figure 4. With and without the hot start")
    desk.get_by_role("button", name="Cancel").click()
    expect(desk).to_contain_text("what was done stays")
    desk.get_by_role("button", name="Figure 5").click()
    expect(desk.get_by_role("button", name="Figure 5 is done")).to_be_visible()
    desk.get_by_role("radio", name="the paper’s").click()
    expect(desk).to_contain_text("T = 200,000, 10 trials")
    expect(desk.get_by_role("button", name="Run Figure 5")).to_be_visible()


def test_a_phone_and_the_dark_theme(open_coreset):
    page = open_coreset(SMALL + "&theme=dark", 390, 844, has_touch=True, is_mobile=True)
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    assert page.evaluate("getComputedStyle(deep('section.card')).backgroundColor") == "rgb(24, 29, 35)"
    page.get_by_role("button", name="Knobs and pictures to try").click()
    knobs = page.get_by_role("region", name="Knobs")
    knobs.get_by_role("button", name="Blind to spread").click()
    knobs.get_by_role("button", name="Close the knobs").click()
    finished(page, 2)
    expect(region(page, "What this says")).to_contain_text("times too narrow")
