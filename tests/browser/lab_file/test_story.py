"""The lessons in the lab file: each from top to bottom, on a run of its own; the reader's own comes back."""

import pytest
from playwright.sync_api import TimeoutError

from app.lessons.page_facts import PAGE_FACTS
from app.lessons.reader import gather_lessons
from tests.browser.lab_file.test_desk import until

pytestmark = [pytest.mark.browser, pytest.mark.journey]

LESSONS = [lesson for lesson in gather_lessons(tuple(PAGE_FACTS))[0] if lesson.page == "live"]


def settings(tab):
    """What stands on the knobs, as a link has it."""
    pairs = "Object.entries(lab.live.parameters).map(([name, {key}]) => [key, lab.state.values[name]])"
    return tab.evaluate(f"Object.fromEntries({pairs})")


def press(tab, selector):
    """Press a part of the lesson's card, whose whole text comes back first where there was room for one place alone."""
    button = tab.locator(f".lesson {selector}").first
    for last in (False, False, True):
        tab.evaluate("deep('.lesson.point .whole')?.click()")
        try:
            return button.click(timeout=2_000)
        except TimeoutError:  # the card has shrunk meanwhile
            if last:
                raise


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.key)
def test_a_lesson_from_top_to_bottom(fake_file, open_file, lesson):
    tab = open_file(fake_file, f"?lesson={lesson.key}")
    card = tab.locator("section.lesson, .lesson")
    card.first.wait_for()
    assert tab.locator(".lesson h2").inner_text()
    if not lesson.cases:
        opens = dict(lesson.settings)
        for step in lesson.steps[:1]:
            opens |= step.settings or {}
        shown = {key: str(value) for key, value in settings(tab).items()}
        assert all(float(shown[key]) == float(value) for key, value in opens.items() if key in ("eta0", "b", "seed", "C") and
                   not any(change.epoch <= lesson.arrive for change in lesson.changes))
    for step in lesson.steps:
        for number, _ in enumerate(step.places, 1):
            press(tab, f".badge[data-n='{number}']")
        if step is not lesson.steps[-1]:
            press(tab, ".next")
    right = next(k for k, option in enumerate(tab.evaluate("lab.story.lesson().card.options")) if option[1])
    until(tab, "!lab.story.card.model.waiting", 90)
    press(tab, f".chip[data-k='{right}']")
    until(tab, "deepAll('.why.good').length === 1")
    press(tab, ".try")
    for k, hint in enumerate(lesson.hints):
        if hint.settings is not None:
            press(tab, f".do[data-k='{k}']")
            own = {key: value for key, value in hint.settings.items() if key in ("eta0", "b", "C", "R", "imax", "c")}
            for key, value in own.items():
                name = next(name for name, fact in tab.evaluate("lab.live.parameters").items() if fact["key"] == key)
                until(tab, f"lab.run.last.config.{name} === {float(value)}")


def test_the_readers_own_run_comes_back(fake_file, open_file):
    tab = open_file(fake_file, "?eta0=0.5&seed=3")
    until(tab, "epoch_shown() > 10")
    tab.locator("button.lessons").click()
    tab.locator(".line[data-key=too_hot]").click()
    tab.locator(".lesson").first.wait_for()
    assert tab.evaluate("deep('.turning').hidden")
    assert "lesson=too_hot" in tab.evaluate("location.search") and "eta0=0.5" in tab.evaluate("location.search")
    until(tab, "lab.run !== lab.own && lab.run.last?.t > 220 && lab.run.last.config.eta0 === 5")  # its own change
    tab.locator(".lesson .next").click()
    until(tab, "lab.story.link === 'too_cold'")
    tab.keyboard.press("Escape")
    until(tab, "lab.run === lab.own && lab.state.values.eta0 === 0.5 && lab.state.values.seed === 3")
    until(tab, "epoch_shown() > 10 && lab.run.last.playing")
    assert "lesson" not in tab.evaluate("location.search")


def test_timed_changes_come_at_their_epochs(fake_file, open_file):
    lesson = next(one for one in LESSONS if one.changes)
    tab = open_file(fake_file, f"?lesson={lesson.key}")
    change = lesson.changes[0]
    until(tab, f"lab.run.last.t > {change.epoch} + 4", 90)
    made = tab.evaluate("lab.run.last.moment.changes")
    assert any(change.epoch <= one["t"] <= change.epoch + 45 for one in made)


def test_a_lesson_of_another_page_is_named_only(fake_file, open_file):
    tab = open_file(fake_file)
    tab.locator("button.lessons").click()
    tab.locator(".line[data-key=why_the_square]").click()
    until(tab, "deepAll('.notice.link').some(node => node.textContent.includes('Exit time page'))")
    assert tab.evaluate("deep('.turning').hidden && lab.run === lab.own")


def test_a_moment_of_a_lesson_goes_out_and_comes_in(fake_file, open_file):
    tab = open_file(fake_file, "?lesson=too_hot")
    until(tab, "lab.run.last.t > 210", 90)
    tab.locator("[data-press=play]").click()
    until(tab, "!lab.run.last.playing")
    query = tab.evaluate("String(new URLSearchParams(lab.link()[0]))")
    t = tab.evaluate("lab.run.last.t")
    other = open_file(fake_file, f"?{query}")
    until(other, f"lab.run !== lab.own && lab.run.last?.t === {t} && lab.story.link === 'too_hot'")
