"""User journeys through the story: with the mouse, by keys, on a phone, from a link."""

import re

import pytest
from playwright.sync_api import expect

from app.glossary import unmarked
from app.lessons.reader import gather_lessons
from tests.browser.accessible import prepare
from tests.browser.lesson_places import LOOK
from tests.browser.person import pause

pytestmark = [pytest.mark.browser, pytest.mark.journey]

LESSONS = gather_lessons()[0]
RINGED = """n => {
  const shown = deepAll('.layer .ring.shown'), box = r => r.getBoundingClientRect()
  const inside = r => box(r).left >= 0 && box(r).top >= 0 && box(r).right <= innerWidth && box(r).bottom <= innerHeight
  return shown.length >= n && shown.every(inside) }"""
LAST = len(LESSONS) - 1
AT = {lesson.key: number for number, lesson in enumerate(LESSONS)}


def wait_for_lesson(page, number):
    page.wait_for_function("words => deep('.lesson .count')?.textContent === words", arg=f"Lesson {number} of {LAST}")


def wait_for_knob(page, name, value):
    page.wait_for_function("([n, v]) => deep(`.knob-${n}`)?.shadowRoot.querySelector('.root').dataset.value === v",
                           arg=[name, value])


def wait_for_question(page):
    page.wait_for_function("deep('.lesson .question') && !deep('.question.waits')")


def choose(page, key):
    page.locator(f".contents .line[data-key={key}]").click()
    wait_for_lesson(page, AT[key])


def start(page):
    page.get_by_role("button", name="Lessons").click()
    choose(page, LESSONS[0].key)


def answer(page, lesson):
    for _ in lesson.steps[1:]:
        page.get_by_role("button", name="Next", exact=True).click()
    wait_for_question(page)
    right = next(k for k, option in enumerate(lesson.question.options) if option.right)
    page.locator(".chip").nth((right + 1) % len(lesson.question.options)).click()
    expect(page.locator(".lesson .why")).to_contain_text("Not quite.")
    page.locator(".chip").nth(right).click()
    expect(page.locator(".lesson .why")).to_contain_text("Right.")


@pytest.mark.in_turn
def test_the_story_on_both_pages_to_its_end_and_the_users_page_afterwards(open_page, server):
    page = open_page("?eta0=2&C=33&speed=32e")
    page.wait_for_function("epoch_shown() >= 12")
    start(page)
    price = AT["the_price_of_theory"]  # on the other page, after a lesson on Live
    for number in (0, price - 1, price):
        lesson = LESSONS[number]
        expect(page.locator(".lesson .short")).to_have_text(unmarked(lesson.title))  # without typeset formulas
        page.wait_for_function("key => new URLSearchParams(location.search).get('lesson') === key", arg=lesson.key)
        answer(page, lesson)
        assert "eta0=2" in page.evaluate("location.search"), "the address keeps the user's knobs"
        page.get_by_role("button", name="Next", exact=True).click()
        wait_for_lesson(page, number + 1)
        if number == 0:
            page.get_by_role("button", name="Contents: all lessons").click()
            choose(page, LESSONS[price - 1].key)
    page.get_by_role("button", name="Contents: all lessons").click()
    choose(page, LESSONS[LAST].key)
    for _ in LESSONS[LAST].steps:
        page.get_by_role("button", name=re.compile("^(Next|Finish)$")).click()
    page.wait_for_function("!deep('.lesson')")
    page.wait_for_function("!location.search.includes('lesson')")
    wait_for_knob(page, "eta0", "2")
    wait_for_knob(page, "acceptance_radius", "33")
    page.wait_for_function("epoch_shown() >= 12")  # the user's run continues
    page.wait_for_function("deepAll('.layer .ring').length === 0")
    server.wait_for_workers(1)  # the story's run has ended
    page.get_by_role("button", name="Lessons").click()
    page.wait_for_function("deepAll('.contents .line').length > 0")
    done = page.evaluate("deepAll('.contents .line.done').map(line => line.dataset.key)")
    assert {LESSONS[number].key for number in (0, price - 1, price)} == set(done), done


WINDOWS = (1440, 900), (390, 844)


@pytest.mark.in_turn
@pytest.mark.parametrize(("half", "first"), [(0, 0), *(pytest.param(half, first, marks=pytest.mark.slow)
                                                      for half, first in ((0, 1), (1, 0), (1, 1)))])
def test_every_place_is_visible_and_no_number_covers_text(open_window, half, first):
    """Every badge of every step and, after the last step, of the hints.

    Lessons of even numbers, alternately in a wide window and on a phone; all others in the slow tier.
    """
    page = open_window("?lesson=" + LESSONS[0].key)
    prepare(page)
    page.evaluate(LOOK)
    wrong = []
    for number, lesson in list(enumerate(LESSONS))[half::2]:
        if number:
            page.set_viewport_size({"width": 1440, "height": 900})
            page.get_by_role("button", name="Contents: all lessons").click()
            choose(page, lesson.key)
        wait_for_lesson(page, number)
        if lesson.page == "live":  # shown, not played
            pause(page)
        width, height = WINDOWS[(first + number // 2) % 2]
        page.set_viewport_size({"width": width, "height": height})
        for step, places in enumerate([*(step.places for step in lesson.steps),
                                       [place for hint in lesson.hints for place in hint.places]]):
            faults = page.evaluate("count => look_at_all(count)", len(places))
            wrong += [f"{lesson.key}, step {step}, {width} px, {words}" for words in faults]
            page.evaluate("deep('.lesson .try') ? deep('.lesson .try').click() : deep('.lesson .read') ?"
                          " deep('.lesson .read').click() : deep('.lesson .next').click()")
    assert wrong == []


@pytest.mark.in_turn
def test_timed_changes_hints_rings_that_follow_the_layout_and_a_tab_that_ends_the_story(open_page):
    page = open_page("?lesson=variance_reduction&theme=light")
    switch = page.get_by_role("switch", name="Variance reduction")
    page.wait_for_function("epoch_shown() >= 203")
    expect(switch).not_to_be_checked()
    expect(page.locator(".now")).to_contain_text("accuracy")
    page.get_by_role("button", name="Let me try it").click()
    expect(page.locator(".hints li")).to_have_count(len(LESSONS[AT["variance_reduction"]].hints))
    page.wait_for_function(RINGED, arg=2)
    page.get_by_role("button", name="Apply", exact=True).click()
    expect(switch).to_be_checked()
    before = page.evaluate("canvas().run")
    page.get_by_role("button", name="Apply and restart").click()
    page.wait_for_function("run => canvas().run !== run", arg=before)
    wait_for_knob(page, "batch_size", "18")
    page.get_by_role("button", name="Start again").click()
    wait_for_knob(page, "batch_size", "9")
    page.get_by_role("button", name="To the lesson").click()
    expect(page.locator(".chip")).to_have_count(3)

    page.get_by_role("button", name="Contents: all lessons").click()
    choose(page, "too_hot")
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


@pytest.mark.in_turn
def test_the_opening_plays_automatically_and_lessons_are_walked_by_keys(open_page):
    page = open_page()
    invitation = page.get_by_role("button", name="New here? 40 seconds")
    invitation.click()
    expect(page.locator(".lesson .count")).to_have_text("Opening")
    expect(page.locator(".lesson .part")).to_have_text("step 2 of 5")  # automatically
    page.get_by_role("button", name="Pause the opening").click()
    expect(page.get_by_role("button", name="Play the opening")).to_be_visible()
    page.keyboard.press("Escape")
    page.wait_for_function("!deep('.lesson') && !location.search.includes('lesson')")
    page.reload()
    page.wait_for_function("epoch_shown() >= 1")
    expect(invitation).to_be_hidden()  # not shown again after the first visit

    start(page)
    page.wait_for_function("deep('.lesson').getRootNode().activeElement?.id === 'lesson-title'")
    for _ in LESSONS[0].steps:
        page.keyboard.press("ArrowRight")
    wait_for_lesson(page, 1)
    page.keyboard.press("ArrowLeft")
    wait_for_lesson(page, 0)
    page.get_by_role("button", name="Contents: all lessons").click()
    page.wait_for_function("deep('.contents').getRootNode().activeElement?.dataset.key", )
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    wait_for_lesson(page, 1)
    for _ in LESSONS[1].steps[1:]:
        page.keyboard.press("ArrowRight")
    wait_for_question(page)
    page.locator(".chip").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(".chip").nth(1)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    page.wait_for_function("!deep('.lesson')")
    page.wait_for_function("deep('button.lessons').getRootNode().activeElement?.classList.contains('lessons')")
    page.get_by_role("button", name="Lessons").click()
    choose(page, LESSONS[1].key)
    for _ in LESSONS[1].steps[1:]:
        page.keyboard.press("ArrowRight")
    expect(page.locator(".chip").nth(1)).to_have_attribute("aria-pressed", "true")


@pytest.mark.in_turn
def test_on_a_phone_the_card_is_a_sheet_that_folds(open_page):
    page = open_page("?lesson=resets", 390, 844, has_touch=True, is_mobile=True, device_scale_factor=2)
    sheet = page.locator(".lesson")
    expect(sheet).to_be_visible()
    page.wait_for_function("document.documentElement.scrollWidth <= 390")
    page.wait_for_function("""() => { // on the transport
      const [sheet, bar] = ['.lesson', '[aria-label=Transport]'].map(one => deep(one).getBoundingClientRect())
      return Math.abs(sheet.bottom - bar.top) < 3 }""")
    page.get_by_role("button", name="Fold the lesson").click()
    page.wait_for_function("deep('.lesson').getBoundingClientRect().height < 70")
    expect(sheet).to_contain_text(f"Lesson {AT['resets']} of {LAST}")
    page.get_by_role("button", name="Show the lesson").click()
    page.get_by_role("button", name="Show knob: acceptance radius").click()
    expect(page.locator(".knob-acceptance_radius input.box")).to_be_in_viewport()
    page.wait_for_function("deep('.layer .ring[data-place=\"1\"].shown')?.getBoundingClientRect().height > 30")
    page.get_by_role("button", name="Close the knobs").click()
    page.get_by_role("button", name="Show the lesson").click()
    page.get_by_role("button", name="Contents: all lessons").click()
    choose(page, LESSONS[0].key)
    for _ in range(3):
        page.get_by_role("button", name="Next", exact=True).click()
    page.wait_for_function(RINGED, arg=1)  # neither place is visible on a phone: the chart is opened automatically
    page.get_by_role("button", name="Close the story").click()
    page.wait_for_function("!deep('.lesson')")
    page.wait_for_function("epoch_shown() >= 3")  # the user's page, built only now, plays
