"""User journey on Exit time: a preset, knobs, invalid input, choosing a chain, links."""

import re
from itertools import cycle

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.person import (
    PNG,
    after,
    download,
    download_rows,
    knob,
    saves,
    type_in,
    wait_for_query,
)
from tests.waiting import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.journey]


def crowd(page):
    return page.get_by_role("region", name="Chains and their survival")


def test_opens_on_the_bound_that_fails_and_exports_its_figures(open_done):
    page = open_done("exit", "")
    expect(crowd(page)).to_contain_text("4,000 chains through one epoch")
    expect(page.get_by_role("button", name="The printed bound fails")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("region", name="The price of theory")).to_contain_text("17 orders of magnitude")
    page.wait_for_function("deepAll('.figure').filter(n => n.offsetHeight > 80).length >= 5")
    page.wait_for_function("deepAll('section.card').every(n => n.scrollHeight <= n.clientHeight + 1)")  # no card is cut
    page.get_by_role("radio", name="distance", exact=True).click()
    expect(crowd(page)).to_contain_text("distance to the mode ÷ r")
    expect(crowd(page)).not_to_contain_text("squared distance to the mode")
    assert download_rows(page, saves(crowd(page), "CSV"))[-1]["step"] == "10000"
    card = page.get_by_role("region", name="Why the square")
    assert download(page, saves(card, "PNG")).read_bytes().startswith(PNG)
    drawn = download(page, saves(card, "SVG")).read_text(encoding="utf-8")
    assert drawn.startswith("<svg") and "<desc>Exit-Time Lab " in drawn and drawn.count("<path") > 20


@pytest.mark.in_turn
def test_knobs_links_choice_of_a_chain_tooltips_and_the_handover_from_live(open_done):
    page = open_done("exit", "&er=2&eeta=0.002&en=250&em=1&ek=2000")
    before = float(page.evaluate("shown().inside"))
    words = crowd(page).locator(".spoken")
    before_change = words.text_content()
    type_in(page, "radius", "wide")
    expect(knob(page, "radius").locator(".error")).to_contain_text("is not a number. Kept 2.")
    shown = after(page, lambda: type_in(page, "radius", "2.5"))
    assert float(shown["inside"]) > before
    expect(words).not_to_have_text(before_change)
    wait_for_query(page, "er=2.5")
    slider = knob(page, "curvature").locator("input.range")
    shown = after(page, lambda: slider.press("ArrowLeft"))
    assert float(shown["inside"]) < 1.0
    page.reload()
    page.wait_for_function("shown().done === '1'")
    expect(knob(page, "radius").locator("input.box")).to_have_value("2.5")

    name = page.get_by_role("region", name="Three sums of one chain").locator(".stepper b")
    first = name.text_content()
    after(page, page.get_by_role("button", name="Next chain").click)
    expect(name).not_to_have_text(first)
    after(page, page.get_by_role("button", name="Previous chain").click)
    expect(name).to_have_text(first)
    page.wait_for_function("deepAll('.figure').every(n => n.offsetHeight < 500)")
    heights = cycle(np.linspace(0.2, 0.8, 13))

    def move():
        """Move the pointer down the third visible figure, whose place may still change."""
        page.mouse.move(*page.evaluate("""height => {
          const r = deepAll('.figure').filter(n => n.offsetHeight > 80)[2].getBoundingClientRect()
          return [r.x + r.width / 2, r.y + height * r.height]
        }""", next(heights)))
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    tooltip = "deepAll('.tooltip').some(n => n.textContent.includes('martingale'))"
    wait_for(lambda: page.evaluate(tooltip), "no tooltip of the figure shows the martingale", look=move)

    page.get_by_role("tab", name="Live").click()
    page.wait_for_function("epoch_shown() >= 12")
    page.get_by_role("tab", name="Exit time").click()
    good = page.get_by_role("region", name="Measured on Live runs")
    expect(good).to_contain_text("as it was left: t = ")
    after(page, page.get_by_role("button", name="Logistic, as Live left it").click)
    expect(page.locator(".note:not(:empty)").first).to_contain_text(re.compile(r"Live at t = \d+, 64 chains"))
