"""Lessons in the lab file: each from top to bottom on a separate run; the user's run is restored afterwards."""

import json
import time

import pytest
from playwright.sync_api import TimeoutError

from app.lessons.reader import gather_lessons
from app.state.live import SAMPLER, LiveState
from tests.browser.lab_file.test_desk import until

pytestmark = [pytest.mark.browser, pytest.mark.journey]

LESSONS = [lesson for lesson in gather_lessons()[0] if lesson.page == "live"]
NAMES = {fact.key: name for name, fact in LiveState.linked().items()}
"""URL parameter -> name of a knob."""
HISTORY = """(({first: [settings, escape_radius], changes}) => [{settings, escape_radius}, ...changes].map(
  ({settings, escape_radius}) => ({...settings, escape_radius})))(lab.run.last.moment ?? {first: [{}, 0], changes: []})"""
"""Settings of the run at its start and after each change."""


def press(tab, selector):
    """Press a part of the lesson's card, after expanding a card that is reduced to one place."""
    button, end = tab.locator(f".lesson {selector}").first, time.monotonic() + 30
    while True:
        tab.mouse.move(0, 0)  # no tooltip of a term may cover the card
        tab.evaluate("deep('.lesson.point .whole')?.click()")
        try:
            return button.click(timeout=2_000)
        except TimeoutError:  # the card has shrunk meanwhile
            assert time.monotonic() < end, selector


def in_force(settings, places):
    """Return an expression: each knob of these settings has its value in one of the records ``places``."""
    knobs = {name: float(value) for key, value in settings.items() if (name := NAMES.get(key)) in SAMPLER}
    return f"Object.entries({json.dumps(knobs)}).every(([name, value]) => {places}.some(knobs => knobs[name] === value))"


def read(tab, lessons, check_start, check_hint):
    """Read lessons from top to bottom, the first one open; call ``check_start`` per lesson, ``check_hint`` per hint."""
    for lesson in lessons:
        if lesson is not lessons[0]:
            press(tab, "[aria-label='Contents: all lessons']")
            tab.locator(f".contents .line[data-key={lesson.key}]").click()
        until(tab, f"lab.story.open && lab.story.lesson.key === {lesson.key!r} && lab.page === {lesson.page!r}")
        assert tab.locator(".lesson h2").inner_text()
        check_start(lesson)
        for step in lesson.steps:
            for number, _ in enumerate(step.places, 1):
                press(tab, f".badge[data-n='{number}']")
            if step is not lesson.steps[-1]:
                press(tab, ".next")
        right = next(k for k, option in enumerate(tab.evaluate("lab.story.lesson.card.options")) if option[1])
        until(tab, "!lab.story.card.model.waiting")
        press(tab, f".chip[data-k='{right}']")
        until(tab, "deepAll('.why.good').length === 1")
        press(tab, ".try")
        for k, hint in enumerate(lesson.hints):
            if hint.settings is not None:
                press(tab, f".do[data-k='{k}']")
                check_hint(lesson, hint)


@pytest.mark.in_turn
@pytest.mark.parametrize("part", [0, 1])
def test_every_lesson_from_top_to_bottom(fake_file, open_file, part):
    """One after the other in one page; each part has every second lesson, so that two workers share them."""
    lessons = LESSONS[part::2]
    tab = open_file(fake_file, f"?lesson={lessons[0].key}")

    def check_start(lesson):
        until(tab, "lab.story.run > lab.story.oldRun")
        if not lesson.cases:  # timed changes may have followed
            until(tab, in_force(lesson.settings | (lesson.steps[0].settings or {}), HISTORY))

    read(tab, lessons, check_start, lambda lesson, hint: until(tab, in_force(hint.settings, "[lab.run.last.config]")))


def test_a_lesson_has_timed_changes_is_paused_by_space_and_shared_and_the_users_run_is_restored(fake_file, open_file):
    tab = open_file(fake_file, "?eta0=0.5&seed=3")
    until(tab, "epoch_shown() > 10")
    tab.locator("button.lessons").click()
    tab.locator(".line[data-key=too_hot]").click()
    tab.locator(".lesson").first.wait_for()
    assert tab.evaluate("deep('.turning').hidden")
    assert "lesson=too_hot" in tab.evaluate("location.search") and "eta0=0.5" in tab.evaluate("location.search")
    lesson = next(one for one in LESSONS if one.key == "too_hot")
    (change,) = (one for one in lesson.changes if "eta0" in one.settings)
    until(tab, f"lab.run !== lab.own && lab.run.last?.t > {change.epoch} + 10 && lab.run.last.config.eta0 === 5")
    tab.locator(".lesson h2").focus()  # in the card the key pauses
    tab.keyboard.press(" ")
    until(tab, "!lab.run.last.playing")
    query, t, changes = tab.evaluate("(({t, moment}) => [String(new URLSearchParams(lab.link()[0])), t, moment.changes])"
                                     "(lab.run.last)")
    assert any(change.epoch <= one["t"] <= change.epoch + 45 for one in changes)
    other = open_file(fake_file, f"?{query}")
    until(other, f"lab.run !== lab.own && lab.run.last?.t === {t} && lab.story.link === 'too_hot'")
    tab.locator(".lesson .next").first.focus()  # on a focused button the key presses it
    tab.keyboard.press(" ")
    until(tab, "lab.story.link === 'too_cold'")
    tab.keyboard.press("Escape")
    until(tab, "lab.run === lab.own && lab.state.values.eta0 === 0.5 && lab.state.values.seed === 3")
    until(tab, "epoch_shown() > 10 && lab.run.last.playing")
    assert "lesson" not in tab.evaluate("location.search")
