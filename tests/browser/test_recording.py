"""A recording opened from its file: it plays, scrubs, changes theme and asks for nothing."""

from dataclasses import replace

import pytest

from app.recording.exit_plan import ExitPlan
from app.recording.exit_recorder import record_epoch
from app.recording.recorder import record
from app.recording.requests import lesson_plans, plan_of
from tests.browser.accessible import findings, measured, walk
from tests.browser.person import PATIENCE, watch
from tests.browser.recording_play import PLAYED

pytestmark = [pytest.mark.browser, pytest.mark.journey]
SHOWN = "+document.querySelector('.transport').dataset.t"
DARK = "getComputedStyle(document.querySelector('.card')).backgroundColor"


@pytest.fixture
def open_file(chromium, tmp_path):
    """Return a function that opens a plan's recording from its file; a request or a console error fails the test.

    The file's own policy, which forbids every request, is put aside: what it would have hidden is seen.
    """
    problems, windows = [], []

    def open_(plan, width=None, height=None, page=None, **context):
        file = tmp_path / f"{plan.lesson.key}.html"
        if not file.exists():
            made = record_epoch(plan) if isinstance(plan, ExitPlan) else record(plan)
            file.write_text(made.html, encoding="utf-8")
        if page is None:
            windows.append(chromium.new_context(viewport={"width": width, "height": height}, bypass_csp=True, **context))
            page = windows[-1].new_page()
            page.set_default_timeout(PATIENCE)
            watch(page, problems)
            page.on("request", lambda r: None if r.url.startswith(("file:", "data:", "blob:")) else problems.append(r.url))
        page.goto(file.as_uri())
        page.wait_for_selector("#recording[data-ready]", state="attached")
        return page

    yield open_
    for window in windows:
        window.close()
    assert problems == []


def inside(page, selector):
    """Whether all that matches lies within the window."""
    return page.evaluate("""selector => [...document.querySelectorAll(selector)].filter(node => node.offsetWidth)
        .map(node => node.getBoundingClientRect())
        .every(box => Math.min(box.left, box.top) >= -1 && box.right <= innerWidth + 1 && box.bottom <= innerHeight + 1)""",
                         selector)


def test_a_lesson_plays_from_its_file(open_file):
    plan = plan_of("too_hot", 210)
    page = open_file(plan, 1440, 900)
    page.wait_for_function(f"{SHOWN} >= 3")
    page.keyboard.press("Space")
    page.wait_for_selector(".transport[data-playing=false]")
    page.keyboard.press("End")
    page.wait_for_function(f"{SHOWN} === 210")
    assert "overshoots the valley" in page.locator(".words").inner_text()
    assert page.locator("[data-key=eta0]").inner_text().endswith("5")
    page.get_by_role("button", name="Step 1 start, 1 of 2").click()
    page.wait_for_function(f"{SHOWN} === 0")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{SHOWN} === 1")
    slider = page.get_by_role("slider", name="moment of the recording")
    slider.fill(str(int(slider.get_attribute("max")) // 2))
    page.wait_for_function(f"{SHOWN} > 20")
    page.keyboard.press("Home")
    page.wait_for_function(f"{SHOWN} === 0")
    light = page.evaluate(DARK)
    page.get_by_role("button", name="Dark theme").click()
    page.wait_for_function(f"{DARK} !== '{light}'")
    assert findings(page) == []
    page.get_by_role("button", name="Show knob: step size").click()
    assert page.locator("[data-key=eta0] .place-badge").count() == 1

    small = open_file(plan, 960, 540, color_scheme="dark", reduced_motion="reduce")
    assert small.locator(".transport").get_attribute("data-playing") == "false"
    assert small.evaluate(DARK) != light
    assert inside(small, ".transport button, .transport input, .panel canvas, .stepchip, .chains canvas")
    assert measured(small, "moving") == [] and walk(small) == []
    phone = open_file(plan, 390, 844)
    phone.get_by_role("radio", name="Cost").click()
    assert phone.locator(".panel canvas:visible").count() == 1
    assert inside(phone, ".transport button, .transport input, .panel.chosen canvas, .chains canvas")
    names = phone.evaluate("[...document.querySelectorAll('button')].filter(b => b.offsetWidth && !b.innerText.trim()"
                           " && !b.ariaLabel).length")
    assert names == 0
    assert findings(phone) + measured(phone, "small_targets") == []


def test_every_lesson_plays_from_its_file(open_file):
    """Short ones: a dozen epochs of eight chains, a hundred chains through an epoch."""
    page, wrong = None, {}
    plans = [replace(plan, config=plan.config.replace(chains=100 if isinstance(plan, ExitPlan) else 8))
             for plan in lesson_plans(12)]
    for k, plan in enumerate(plans):
        if k in (0, len(plans) // 2):  # the second half of the lessons on a phone
            page = open_file(plan, *((390, 844) if k else (1440, 900)))
        else:
            open_file(plan, page=page)
        found = page.evaluate(PLAYED)
        if found:
            wrong[plan.lesson.key] = found
    assert len(plans) >= 15 and wrong == {}


def test_live_saves_its_run_as_a_page_and_goes_on(open_page, chromium, tmp_path):
    page = open_page("?problem=gaussian2&chains=8&speed=64e")
    page.wait_for_function("epoch_shown() >= 20")
    page.get_by_role("button", name="More ways to share").click()
    with page.expect_download() as saved:
        page.get_by_role("menuitem", name="Save as a page").click()
        page.wait_for_function("t => epoch_shown() > t", arg=page.evaluate("epoch_shown()"))
    assert saved.value.suggested_filename.startswith("exit-time-lab-gaussian-mean")
    file = tmp_path / "saved.html"
    saved.value.save_as(file)
    reader = chromium.new_page(bypass_csp=True)
    reader.goto(file.as_uri())
    reader.wait_for_function(f"{SHOWN} >= 3")
    reader.close()
    page.get_by_role("tab", name="Tune").click()
    page.wait_for_function("deep('.more').hidden")
