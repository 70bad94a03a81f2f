"""The Exit time page in the lab file: chains in a separate worker, interactive figures, lessons."""

import pytest

from app.lessons.reader import gather_lessons
from app.state.exit_time import ExitState
from tests.browser.accessible import findings
from tests.browser.lab_file.test_desk import until
from tests.browser.lab_file.test_story import read
from tests.browser.person import download_rows, knob, saves, type_in

pytestmark = [pytest.mark.browser, pytest.mark.journey, pytest.mark.in_turn]

LESSONS = [one for one in gather_lessons()[0] if one.page == "exit"]
SMALL = "?page=exit&er=2.8&eeta=0.0025&en=400&em=1&ek=1000"
DONE = "document.querySelector('.exit')?.dataset.done === '1'"


def inside(tab):
    until(tab, DONE, 60)
    return float(tab.evaluate("document.querySelector('.exit').dataset.inside"))


def test_the_page_by_hand_while_live_continues_behind_it(lab_file, open_file):
    tab = open_file(lab_file, SMALL)
    before = inside(tab)
    crowd = tab.get_by_role("region", name="Chains and their survival")
    until(tab, "deep('section[aria-label=\"Chains and their survival\"] h2').textContent.startsWith('1,000 chains')")
    until(tab, "lab.exitPage.figures.document?.roots().length === 8", 60)
    labels = "lab.exitPage.figures.document.roots()[1].renderers.find(one => one.name === 'names').data_source.data.text"
    until(tab, f"{labels}.some(text => text.startsWith('ours, curved'))")  # the figures' own scripts have run
    type_in(tab, "radius", "wide")
    until(tab, "deep('.knob-radius').shadowRoot.querySelector('.error').textContent.includes('is not a number. Kept 2.8')")
    type_in(tab, "radius", "3.5")
    until(tab, "lab.exitPage.state.values.radius === 3.5")
    assert inside(tab) > before
    knob(tab, "curvature").locator("input.range").press("ArrowLeft")
    until(tab, "lab.exitPage.state.values.curvature < 1")
    inside(tab)
    chain = tab.evaluate("lab.exitPage.last.sums.chain")
    tab.get_by_role("button", name="Next chain").click()
    until(tab, f"{DONE} && lab.exitPage.last.sums.chain !== {chain}")
    tab.get_by_role("radio", name="distance", exact=True).click()
    until(tab, "deep('section[aria-label=\"Chains and their survival\"]').textContent.includes('distance to the mode ÷ r')")
    rows = download_rows(tab, saves(crowd, "CSV"))
    assert rows[-1]["step"] == "400" and 0.0 < float(rows[-1]["local"]) <= float(rows[-1]["inside"]) <= 1.0
    assert "page=exit" in tab.evaluate("String(new URLSearchParams(lab.link()[0]))")
    tab.get_by_role("radio", name="at ρ₀").click()
    type_in(tab, "distance", "50")
    until(tab, "deep('.knob-distance').shadowRoot.querySelector('.error').textContent.includes('must be below r = 3.5')")
    assert findings(tab) == []
    tab.get_by_role("tab", name="Live").click()
    until(tab, "lab.page === 'live' && lab.run.last.playing && deep('.turning').hidden")
    shown = tab.evaluate("lab.run.last.t")
    until(tab, f"lab.run.last.t > {shown}")


@pytest.mark.parametrize("half", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_every_lesson_of_the_page_from_top_to_bottom(lab_file, open_file, half):
    tab = open_file(lab_file, f"{SMALL}&lesson={LESSONS[half].key}")

    def check_start(lesson):
        until(tab, "deep('.turning').hidden")
        wait_for_settings(tab, lesson.settings)

    read(tab, LESSONS[half::2], check_start, lambda lesson, hint: wait_for_settings(tab, lesson.hint_settings(hint)))
    inside(tab)
    tab.keyboard.press("Escape")
    until(tab, "!lab.story.open && lab.page === 'exit' || lab.page === 'live'")


def test_the_handover_of_live_is_a_target_and_measured(lab_file, open_file):
    tab = open_file(lab_file)
    until(tab, "lab.run.last?.t >= 40", 60)
    tab.get_by_role("tab", name="Exit time").click()
    until(tab, "lab.exitPage?.measured", 60)
    left = tab.evaluate("lab.exitPage.liveRun.t")
    card = tab.get_by_role("region", name="Measured on Live runs")
    assert f"as it was left: t = {left:,}, 64 chains" in card.inner_text()
    assert "The induction, measured." in card.inner_text()
    price = tab.get_by_role("region", name="The price of theory")
    price.get_by_role("radio", name="Live, measured").click()
    until(tab, f"deep('.source').textContent.includes('Live: T = t = {left:,}')")
    tab.get_by_role("button", name="from Live").click()
    until(tab, f"{DONE} && lab.exitPage.state.values.target === 'live'", 60)
    assert tab.evaluate("[lab.exitPage.state.preset, lab.exitPage.state.values.adopt]") == ["live", False]
    notes = tab.evaluate("deepAll('.section .note').map(note => note.textContent)")
    assert any(f"Live at t = {left:,}, 64 chains." in note for note in notes)
    assert "Real batches." in tab.evaluate("lab.exitPage.cards.crowd.model.caption")
    type_in(tab, "dim", "3")  # fixed by the data: back to a quadratic, started from its mode
    until(tab, f"{DONE} && lab.exitPage.last.config.target === 'quadratic' && lab.exitPage.last.config.dim === 3", 60)
    assert findings(tab) == []
    tab.get_by_role("tab", name="Live").click()
    until(tab, f"lab.run.last.playing && lab.run.last.t > {left}")
    tab.get_by_role("tab", name="Exit time").click()
    newer = "lab.exitPage.measured.head.includes(lab.exitPage.liveRun.t.toLocaleString('en-US'))"
    until(tab, f"lab.exitPage.liveRun.t > {left} && {newer}", 60)


def test_a_link_of_lives_posterior_runs_lives_default_on_a_phone_in_the_dark_theme(lab_file, open_file):
    tab = open_file(lab_file, "?page=exit&preset=live", 390, 844, color_scheme="dark")
    assert 0.5 < inside(tab) <= 1.0
    assert tab.evaluate("lab.exitPage.measured.head") == "its default, run here: t = 256, 64 chains"
    assert tab.evaluate("lab.exitPage.state.values.steps") == 60  # as on Live
    until(tab, "lab.exitPage.figures.document?.roots().length === 8", 60)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    dark = tab.evaluate("lab.exitPage.facts.charts.paint.find(one => one[1] === 'grid_line_color')[3]")
    grid = "lab.exitPage.figures.document.roots()[0].center.find(one => one.grid_line_color).grid_line_color"
    assert tab.evaluate(grid) == dark
    tab.locator(".foot .knobs:visible").first.click()
    until(tab, "deepAll('.knobs-open').length === 1")


def wait_for_settings(tab, settings):
    config = ExitState.from_query(settings)[0]
    if config.adopt:  # the settings of Live are filled in
        return until(tab, f"{DONE} && lab.exitPage.last.config.target === {config.target!r}", 60)
    for name in ("radius", "step_size", "dim", "steps", "curvature", "chains"):
        until(tab, f"lab.exitPage.state.values.{name} === {getattr(config, name)}")
