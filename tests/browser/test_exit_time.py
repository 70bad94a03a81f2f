"""The Exit time page played as a person plays it: presets, knobs, bad input, choosing a chain, theme, phone, links."""

import csv
import io
import re
import threading

import pytest
from playwright.sync_api import expect

from tests.browser.person import after, finished, hover_until_told, knob, type_in, wait_for_query

pytestmark = [pytest.mark.browser, pytest.mark.journey]


@pytest.fixture(scope="module")
def exit_compiled():
    """Kernels of the page compiled once, so that no test waits for it."""
    from app.background_job import BackgroundJob, wait
    from app.exit_time.job import ExitJobs
    from app.state.exit_time import ExitConfig

    worker, jobs = BackgroundJob(), ExitJobs(lambda say, stop: None)
    for noise in (0.0, 1.0):
        worker.start(jobs.job(ExitConfig(steps=20, chains=100, curvature=1.0, noise=noise)))
        wait(worker, 240)
    worker.close()


@pytest.fixture
def open_exit(open_window, exit_compiled):
    """Return a function that opens the page in a new window, its first picture finished."""
    def open_(query="", *size, **window):
        page = open_window(f"?page=exit{query}", *size, **window)
        finished(page, 1)
        return page

    return open_


def crowd(page):
    return page.get_by_role("region", name="Chains and their survival")


def test_opens_on_the_bound_that_fails_and_says_so(open_exit):
    page = open_exit()
    shown = page.evaluate("shown()")
    assert abs(float(shown["inside"]) - 0.919) < 0.022  # five standard errors of 4,000 chains
    expect(crowd(page)).to_contain_text("4,000 chains through one epoch")
    expect(crowd(page)).to_contain_text("The printed one lies above it")
    expect(page.get_by_role("button", name="The printed bound fails")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("region", name="Three sums of one chain")).to_contain_text("add up to the change exactly")
    expect(page.get_by_role("region", name="The price of theory")).to_contain_text("1.4 × 10⁻¹²")
    expect(page.get_by_role("region", name="The price of theory")).to_contain_text("Seventeen orders of magnitude")
    page.wait_for_function("deepAll('.figure').filter(n => n.offsetHeight > 80).length >= 5")
    cut = page.evaluate("""deepAll('section.card').filter(n => n.scrollHeight > n.clientHeight + 1)
        .map(n => n.getAttribute('aria-label'))""")
    assert cut == []
    page.get_by_role("radio", name="distance", exact=True).click()
    expect(crowd(page)).to_contain_text("distance to the mode ÷ r")
    expect(crowd(page)).not_to_contain_text("squared distance to the mode")
    with page.expect_download() as saved:
        crowd(page).get_by_role("button", name="CSV").click()
    with open(saved.value.path(), encoding="utf-8") as file:
        rows = list(csv.DictReader(io.StringIO(file.read())))
    assert rows[0]["inside"] == "1" and rows[-1]["step"] == "10000"
    for region in ("Chains and their survival", "Why the square"):
        with page.expect_download() as saved:
            page.get_by_role("region", name=region).get_by_role("button", name="PNG").click()
        with open(saved.value.path(), "rb") as file:
            assert file.read(8) == b"\x89PNG\r\n\x1a\n"
        with page.expect_download() as saved:
            page.get_by_role("region", name=region).get_by_role("button", name="SVG").click()
        drawn = saved.value.path().read_text(encoding="utf-8")
        assert drawn.startswith("<svg") and "<desc>Exit-Time Lab " in drawn and drawn.count("<path") > 20


def test_every_preset_shows_its_picture(open_exit):
    page = open_exit()
    for label, key, chains in (("Curvature makes it sharp", "quadratic", "20000"),
                               ("d = 20: distance concentrates", "concentrates", "10000"),
                               ("Logistic, as Live left it", "live", "10000")):
        button = page.get_by_role("button", name=label)
        shown = after(page, button.click)
        assert shown["chains"] == chains and 0.9 < float(shown["inside"]) <= 1.0, key
        expect(button).to_have_attribute("aria-pressed", "true")
    expect(crowd(page)).to_contain_text("Certified")
    expect(crowd(page)).to_contain_text("not certified")
    good = page.get_by_role("region", name="Measured on Live runs")
    expect(good).to_contain_text("eq. 42")
    expect(good).to_contain_text("run here: t = 256, 64 chains")
    page.get_by_role("radio", name="Live, measured").click()
    expect(page.get_by_role("region", name="The price of theory")).to_contain_text("T = t = 256")
    wait_for_query(page, "etarget=live")


def test_a_knob_moves_the_curve_and_the_link(open_exit):
    page = open_exit("&er=2&eeta=0.0005&en=1000&em=1&ek=10000")
    before = float(page.evaluate("shown().inside"))
    words = crowd(page).locator(".spoken")
    said = words.text_content()
    shown = after(page, lambda: type_in(page, "radius", "2.5"))
    assert float(shown["inside"]) > before
    expect(words).not_to_have_text(said)
    wait_for_query(page, "er=2.5")
    slider = knob(page, "curvature").locator("input.range")
    shown = after(page, lambda: slider.press("ArrowLeft"))
    assert float(shown["inside"]) < 1.0
    shown = after(page, lambda: type_in(page, "noise", "40"))
    wait_for_query(page, "eS=40")
    shown = after(page, lambda: type_in(page, "truncation", "9"))
    wait_for_query(page, "eC=9")
    expect(knob(page, "truncation").locator("input.box")).to_have_value("9")
    page.reload()
    page.wait_for_function("shown().done === '1'")
    expect(knob(page, "radius").locator("input.box")).to_have_value("2.5")
    expect(knob(page, "noise").locator("input.box")).to_have_value("40")


def test_bad_input_is_answered_in_words_in_a_link_and_under_a_knob(open_exit):
    page = open_exit("&en=200&ek=500&eeta=abc&ed=0&estart=distance&erho=1")
    expect(page.get_by_text("d = '0' must be a whole number from 1 to 100; took 1.")).to_be_visible()
    expect(page.get_by_text("η = 'abc' is not a number; took 5e-05.")).to_be_visible()
    for name, text, words in (
            ("dim", "0", "d must be a whole number from 1 to 100. Kept 1."), ("radius", "abc", "is not a number. Kept 2.5."),
            ("steps", "2.5", "whole number"), ("truncation", "0.1", "√(2d)"),
            ("radius", "0.5", "r must be above the start ρ₀ = 1"), ("distance", "7", "ρ₀ must be below r = 2.5")):
        type_in(page, name, text)
        expect(knob(page, name).locator(".error")).to_contain_text(words)
    assert page.evaluate("shown().request") == "1"  # nothing was computed
    after(page, lambda: type_in(page, "radius", "2"))
    expect(knob(page, "radius").locator(".error")).to_be_empty()


def test_what_leaves_no_bound_is_told_and_the_latest_request_wins(open_exit):
    page = open_exit("&er=2&en=1000&eeta=0.0005&em=1&eS=1000&ek=1000")
    warnings = crowd(page).locator(".warnings")
    expect(warnings).to_contain_text("because the noise S = 1000 is so large")
    after(page, lambda: type_in(page, "noise", "0"))
    expect(warnings).not_to_contain_text("Every valid bound is 1")
    after(page, lambda: type_in(page, "curvature", "5000"))
    expect(warnings).to_contain_text("lower η to 0.0004 or less")
    asked = int(page.evaluate("shown().request"))
    type_in(page, "chains", "20000")
    type_in(page, "steps", "100000")  # several seconds, were it not overtaken
    page.wait_for_function("n => +shown().request >= n", arg=asked + 2)
    shown = after(page, lambda: type_in(page, "steps", "50"))
    assert shown["chains"] == "20000"
    expect(page.get_by_text("20,000 chains × 50 steps took")).to_be_visible()


def test_chains_are_chosen_by_arrows_and_clicks_and_a_step_tells_its_numbers(open_exit):
    page = open_exit("&preset=quadratic")
    sums = page.get_by_role("region", name="Three sums of one chain")
    name = sums.locator(".stepper b")
    first = name.text_content()
    after(page, page.get_by_role("button", name="Next chain").click)
    expect(name).not_to_have_text(first)
    after(page, page.get_by_role("button", name="Previous chain").click)
    expect(name).to_have_text(first)
    page.wait_for_function("deepAll('.figure').every(n => n.offsetHeight < 500)")
    frame = page.evaluate("(r => [r.x, r.y, r.width, r.height])(deepAll('.figure')[0].getBoundingClientRect())")
    before = page.evaluate("shown().request")
    for part in (0.5, 0.4, 0.3, 0.2):  # somewhere in the thick of the paths a click meets one
        page.mouse.click(frame[0] + 0.55 * frame[2], frame[1] + (1 - part * 0.3) * frame[3] - 24)
        try:
            page.wait_for_function("r => shown().request !== r", arg=before, timeout=3000)
            break
        except Exception:
            continue
    finished(page, int(before) + 1)
    expect(name).not_to_have_text(first)
    assert re.fullmatch(r"chain \d+", name.text_content())
    hover_until_told(page, 2, 0.5, (0.4,), "martingale")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_themes_on_a_phone(open_exit, scheme):
    page = open_exit("&en=200&ek=500&eeta=0.002", 390, 844, color_scheme=scheme, has_touch=True)
    card = page.evaluate("getComputedStyle(deep('section.card')).backgroundColor")
    assert card == {"light": "rgb(255, 255, 255)", "dark": "rgb(24, 29, 35)"}[scheme]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wide = page.evaluate("deepAll('section.card').filter(n => n.getBoundingClientRect().right > 391).length")
    assert wide == 0
    page.get_by_role("button", name="Knobs and pictures to try").click()
    page.get_by_role("button", name="Curvature makes it sharp").scroll_into_view_if_needed()
    expect(page.get_by_role("button", name="Curvature makes it sharp")).to_be_in_viewport()
    shown = after(page, page.get_by_role("button", name="Curvature makes it sharp").click)
    assert shown["chains"] == "20000"
    page.get_by_role("button", name="Close the knobs").click()
    expect(page.get_by_role("button", name="Close the knobs")).to_be_hidden()


def test_live_hands_its_state_over_and_goes_on(open_exit, server):
    page = open_exit("&en=200&ek=500&eeta=0.002")
    page.get_by_role("tab", name="Live").click()
    page.wait_for_function("+(deep('[data-ro=t]')?.textContent.replace(/,/g, '') ?? 0) >= 12")
    page.get_by_role("tab", name="Exit time").click()
    good = page.get_by_role("region", name="Measured on Live runs")
    expect(good).to_contain_text("as it was left: t = ")
    after(page, page.get_by_role("button", name="Logistic, as Live left it").click)
    expect(page.locator(".note:not(:empty)").first).to_contain_text(re.compile(r"Live at t = \d+, 64 chains"))


def test_the_worker_ends_with_its_session(open_exit, server):
    others = set(threading.enumerate())
    page = open_exit("&en=200&ek=500&eeta=0.002")
    page.goto("about:blank")
    server.wait_until(lambda: not any(thread.name == "exit-time-worker" for thread in set(threading.enumerate()) - others),
                      "the worker outlived its session")
