"""The guided story, walked as a person walks it: with the mouse, by keys, on a phone, from a link."""

import pytest
from playwright.sync_api import expect

from app.lessons.reader import gather_lessons

pytestmark = [pytest.mark.browser, pytest.mark.journey]

LESSONS = gather_lessons(["live", "exit"])[0]
KNOBS = {"eta0": "eta0", "b": "batch_size", "imax": "i_max", "C": "acceptance_radius", "seed": "seed"}
RINGED = """n => {
  const shown = deepAll('.layer .ring.shown'), box = r => r.getBoundingClientRect()
  const inside = r => box(r).left >= 0 && box(r).top >= 0 && box(r).right <= innerWidth && box(r).bottom <= innerHeight
  return shown.length >= n && shown.every(inside) }"""
NUMBERED = "n => deep('.lesson .count')?.textContent === `Lesson ${n} of 9`"



def wait_for_lesson(page, number):
    page.wait_for_function(NUMBERED, arg=number)


def wait_for_knob(page, name, value):
    page.wait_for_function("([n, v]) => deep(`.knob-${n}`)?.shadowRoot.querySelector('.root').dataset.value === v",
                           arg=[name, value])


def start(page):
    page.get_by_role("button", name="Lessons").click()
    wait_for_lesson(page, 1)


def test_the_whole_story_and_her_own_page_afterwards(open_page, server):
    page = open_page("?eta0=2&C=33&speed=32e")
    page.wait_for_function("epoch_shown() >= 12")
    start(page)
    for number, lesson in enumerate(LESSONS, 1):
        wait_for_lesson(page, number)
        expect(page.locator(".lesson h2")).to_contain_text(lesson.title)
        page.wait_for_function(RINGED, arg=max(1, len(lesson.places) - 1))
        page.wait_for_function("n => new URLSearchParams(location.search).get('lesson') === String(n)", arg=number)
        for key, name in KNOBS.items() if lesson.page == "live" else ():
            if key in lesson.settings:
                wait_for_knob(page, name, lesson.settings[key])
        right = next(k for k, option in enumerate(lesson.question.options) if option.right)
        page.locator(".chip").nth((right + 1) % 3).click()
        expect(page.locator(".why")).to_contain_text("Not so.")
        page.locator(".chip").nth(right).click()
        expect(page.locator(".why")).to_contain_text("Right.")
        assert "eta0=2" in page.evaluate("location.search"), "the address keeps her own knobs"
        page.get_by_role("button", name="Finish" if number == len(LESSONS) else "Next", exact=True).click()
    page.wait_for_function("!deep('.lesson')")
    page.wait_for_function("!location.search.includes('lesson')")
    wait_for_knob(page, "eta0", "2")
    wait_for_knob(page, "acceptance_radius", "33")
    page.wait_for_function("epoch_shown() >= 12")  # her run goes on where it stood
    assert page.evaluate("deepAll('.layer .ring').length") == 0
    server.wait_for_workers(1)  # the story's own run is over


def test_a_lesson_turns_its_knob_in_time_and_lets_her_try(open_page):
    page = open_page("?lesson=2")
    switch = page.get_by_role("switch", name="Variance reduction")
    switch.wait_for()
    epoch, checked = page.evaluate("[epoch_shown(), deep('[aria-label=\"Variance reduction\"]').checked]")
    assert checked or epoch > 190  # a slow machine looks when the lesson has turned it already
    page.wait_for_function("epoch_shown() >= 203")
    expect(switch).not_to_be_checked()
    expect(page.locator(".now")).to_contain_text("accuracy")
    page.get_by_role("button", name="Let me try it").click()
    expect(page.locator(".hints li")).to_have_count(len(LESSONS[1].hints))
    page.wait_for_function(RINGED, arg=3)
    page.get_by_role("button", name="Set it so").click()
    expect(switch).to_be_checked()
    page.get_by_role("button", name="Start it so").click()
    wait_for_knob(page, "batch_size", "18")
    page.wait_for_function("epoch_shown() < 150")
    page.get_by_role("button", name="Start it again").click()
    wait_for_knob(page, "batch_size", "9")
    page.get_by_role("button", name="To the lesson").click()
    expect(page.locator(".chip")).to_have_count(3)


def test_keys_and_focus(open_page):
    page = open_page()
    start(page)
    page.wait_for_function("deep('.lesson').getRootNode().activeElement?.id === 'lesson-title'")
    page.keyboard.press("ArrowRight")
    wait_for_lesson(page, 2)
    page.keyboard.press("ArrowRight")
    wait_for_lesson(page, 3)
    page.keyboard.press("ArrowLeft")
    wait_for_lesson(page, 2)
    page.locator(".chip").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(".chip").nth(1)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    page.wait_for_function("!deep('.lesson')")
    page.wait_for_function("deep('button.lessons').getRootNode().activeElement?.classList.contains('lessons')")
    page.get_by_role("button", name="Lessons").click()
    wait_for_lesson(page, 2)
    expect(page.locator(".chip").nth(1)).to_have_attribute("aria-pressed", "true")


def test_rings_follow_the_layout_and_a_tab_ends_the_story(open_page):
    page = open_page("?lesson=3&theme=light")
    wait_for_lesson(page, 3)
    on_knob = """() => {
      const ring = deep('.layer .ring[data-place="1"].shown')?.getBoundingClientRect()
      const knob = deep('.knob-eta0').getBoundingClientRect()
      return ring && Math.abs(ring.top - knob.top) < 12 && Math.abs(ring.left - knob.left) < 12 }"""
    page.wait_for_function(on_knob)
    page.set_viewport_size({"width": 1250, "height": 700})
    page.wait_for_function(on_knob)
    page.evaluate("deep('[aria-label=Knobs].root').scrollTop = 30")
    page.wait_for_function(on_knob)
    page.get_by_role("button", name="Dark theme").click()
    page.wait_for_function("getComputedStyle(deep('.lesson')).backgroundColor === 'rgb(24, 29, 35)'")
    page.get_by_role("tab", name="Exit time").click()
    page.wait_for_function("!deep('.lesson')")
    page.wait_for_function("location.search.includes('page=exit') && !location.search.includes('lesson')")


def test_on_a_phone_the_card_is_a_sheet_that_folds(open_page):
    page = open_page("?lesson=5", 390, 844, has_touch=True, is_mobile=True, device_scale_factor=2)
    sheet = page.locator(".lesson")
    expect(sheet).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    bar = page.get_by_role("toolbar", name="Transport").bounding_box()
    page.wait_for_function("y => Math.abs(deep('.lesson').getBoundingClientRect().bottom - y) < 3", arg=bar["y"])
    page.get_by_role("button", name="Fold the lesson").click()
    assert sheet.bounding_box()["height"] < 70
    expect(sheet).to_contain_text("Lesson 5 of 9")
    page.get_by_role("button", name="Show the lesson").click()
    page.get_by_role("button", name="Show knob: acceptance radius").click()
    expect(page.locator(".knob-acceptance_radius input.box")).to_be_in_viewport()
    page.wait_for_function("deep('.layer .ring[data-place=\"1\"].shown')?.getBoundingClientRect().height > 30")
    page.get_by_role("button", name="Close the knobs").click()
    page.get_by_role("button", name="Show the lesson").click()
    page.get_by_role("button", name="Close the story").click()
    page.wait_for_function("!deep('.lesson')")
    page.wait_for_function("epoch_shown() >= 3")  # her own page, made only now, plays


def test_a_lesson_that_does_not_exist(open_page, server):
    page = open_page()
    for asked, number in (("99", 9), ("banana", 1)):
        page.goto(f"{server.url}?lesson={asked}")
        wait_for_lesson(page, number)
