"""Every page with axe-core, in both themes and three widths, zoomed, in large text, by keyboard, without motion."""

import pytest
from playwright.sync_api import expect

from app.chrome.frame import PAGES
from app.widgets.page_shell import PURPOSES
from tests.browser.accessible import MIDDLE, SMALL, WIDE, findings, look, measured, misfits, motion, resize, turn, walk
from tests.browser.person import pause

pytestmark = pytest.mark.browser
journey = pytest.mark.journey

RAW_TEX = r"""deepAll('*').flatMap(n => [...n.childNodes]).filter(n => n.nodeType === 3
  && /\\[a-z]{2,}|\[\[|\$[^$]+\$|[_^]\{/i.test(n.data)
  && !n.parentElement?.closest('pre, code, script, style, annotation')).map(n => n.data)"""
"""Texts with the source of a formula or a mark, outside code and KaTeX's annotations for copying."""
OTHER_VIEWS = [("light", MIDDLE), ("light", SMALL), ("dark", WIDE), ("dark", MIDDLE)]
"""The other themes and windows, for the slow tier."""
SMALL_WORK = {"coreset": "&kN=600&kd=3&kM=40&kT=300&kopt=hot_dog,dog", "exit": "&ek=500", "tune": "&tchains=8&tref=laplace"}
"""Settings of pages with slow first results."""
KEYS = list(PAGES)


def open_still(open_window, entry, theme="light"):
    """Open a page and wait for its first results, which no longer change."""
    page = open_window(f"?page={entry.key}&theme={theme}{SMALL_WORK.get(entry.key, '')}")
    page.wait_for_function("deepAll('h2, h3').some(n => n.offsetParent !== null && n.textContent.trim())")
    if entry.key == "live":
        page.wait_for_function("epoch_shown() >= 8")  # the first point of its charts
        pause(page)
    else:
        page.wait_for_function("(({request, asked, done}) => (request ?? asked) && done === (asked ?? '1'))(shown())")
    return page


@journey
@pytest.mark.parametrize("entry", [entry if entry.key in ("live", "tune") else pytest.param(entry, marks=pytest.mark.in_turn)
                                   for entry in PAGES.values()], ids=KEYS)
def test_a_page_is_for_everyone(open_window, entry):
    page = open_still(open_window, entry)
    expect(page.locator(".purpose")).to_have_text(PURPOSES[entry.label])
    page.evaluate("deepAll('details').forEach(fold => { fold.open = true })")
    assert look(page) == []
    assert measured(page, "small_targets") == []
    page.locator("button.knobs:visible").click()
    page.wait_for_function("!!deep('.knobs-open')")
    assert measured(page, "small_targets") == []
    page.keyboard.press("Escape")
    page.wait_for_function("!deep('.knobs-open')")
    assert misfits(page) == []
    resize(page, *WIDE)
    assert motion(page) == []
    assert walk(page) == []
    page.wait_for_function("deepAll('lab-math').every(one => one.shadowRoot?.querySelector('.katex'))")
    assert page.evaluate(RAW_TEX) == []
    assert page.evaluate("deepAll('.bk-Figure, .bk-Plot').every(n => n.getAttribute('aria-label')"
                         " || n.role === 'presentation' || n.getRootNode().host?.getAttribute('aria-label'))")


@pytest.mark.slow
@pytest.mark.parametrize("entry", PAGES.values(), ids=KEYS)
def test_axe_reports_nothing_in_the_other_themes_and_widths(open_window, entry):
    assert look(open_still(open_window, entry), OTHER_VIEWS) == []


@pytest.mark.in_turn
@journey
def test_a_notice_over_a_page_is_readable(open_window):
    """The notice about the epoch of a link, also styled as an error."""
    page = open_window("?v=1&page=live&theme=light&t=10&log=0~~end")
    page.wait_for_function("deepAll('.notice').some(n => n.checkVisibility() && n.textContent.includes('as it was shared'))")
    for theme in ("light", "dark"):
        turn(page, theme)
        for stopped in (False, True):
            page.evaluate("stopped => deepAll('.notice').forEach(n => n.classList.toggle('error', stopped))", stopped)
            assert findings(page) == []


@pytest.mark.in_turn
@journey
def test_live_by_keyboard(open_window):
    page = open_window("?page=live&theme=light")
    page.wait_for_function("frames_painted() > 2")
    keys = page.keyboard

    page.get_by_role("tab", name="Live").focus()  # arrows move among the tabs, Enter chooses
    keys.press("ArrowRight")
    expect(page.get_by_role("tab", name="Exit time")).to_be_focused()
    keys.press("ArrowLeft")

    page.locator("canvas[data-frames]").focus()
    keys.press("Space")  # the transport's keys
    page.wait_for_function("deep('[data-playing]').dataset.playing === 'false'")
    page.get_by_role("radio", name="As is").focus()
    keys.press("ArrowRight")
    expect(page.get_by_role("radio", name="Rescaled")).to_be_checked()

    menu = page.get_by_role("combobox", name="stream")
    menu.focus()
    expect(menu.locator("option:checked")).to_have_text("As the paper")
    keys.press("Enter")  # opens it on the current choice
    keys.press("ArrowDown")
    keys.press("Enter")
    expect(menu.locator("option:checked")).not_to_have_text("As the paper")
    page.wait_for_function("/[?&]stream=(?!paper)/.test(location.search)")
    expect(menu).to_be_focused()

    more = page.get_by_role("button", name="More ways to share")
    more.focus()
    keys.press("Enter")
    expect(page.get_by_role("menuitem", name="Copy the link")).to_be_focused()
    keys.press("ArrowDown")
    expect(page.get_by_role("menuitem", name="Save as a page")).to_be_focused()
    assert findings(page) == []
    keys.press("Escape")
    expect(more).to_be_focused()
    expect(page.get_by_role("menu")).to_be_hidden()

    resize(page, *SMALL)
    knobs = page.locator("button.knobs:visible")  # on a phone the knobs are a sheet, which traps the Tab key
    knobs.focus()
    keys.press("Enter")
    expect(page.get_by_role("button", name="Close the knobs")).to_be_focused()
    keys.press("Tab")
    assert page.evaluate("deep('[data-slot=sidebar]:focus-within') !== undefined")
    keys.press("Escape")
    expect(knobs).to_be_focused()

    lessons = page.get_by_role("button", name="Lessons")
    lessons.focus()
    keys.press("Enter")
    page.wait_for_function("deep('.contents :focus')?.classList.contains('line')")
    assert look(page) + measured(page, "cut") + measured(page, "small_targets") == []
    keys.press("Enter")
    page.wait_for_function("deep('#lesson-title:focus')")
    pause(page)  # so that nothing changes behind the lesson
    page.locator("#lesson-title").focus()
    assert look(page) + measured(page, "cut") + measured(page, "small_targets") == []
    assert misfits(page) + motion(page) == []
    resize(page, *WIDE)
    keys.press("Escape")
    expect(lessons).to_be_focused()

    button = page.get_by_role("button", name="Help", exact=True)  # with the glossary; last, because it is long
    button.focus()
    keys.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page.get_by_role("searchbox", name="Find a term")).to_be_visible()
    resize(page, *SMALL)
    page.wait_for_function("deepAll('.formula').some(one => one.tabIndex === 0)")
    assert look(page) + measured(page, "cut") + motion(page) == []
    keys.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(button).to_be_focused()


@pytest.mark.in_turn
@journey
def test_on_tune_a_file_and_a_cell_are_chosen_by_keys(open_window, tmp_path):
    page = open_window("?page=tune&theme=light")
    page.on("filechooser", lambda chooser: chooser.set_files(tmp_path / "mine.csv"))  # from the start: opening takes a while
    page.wait_for_function("shown().looked && shown().done === shown().asked")
    chart = page.get_by_role("application").filter(visible=True).first
    looked = page.evaluate("shown().looked").split(",")
    chart.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("at => shown().looked !== at", arg=",".join(looked))
    left = page.evaluate("shown().looked").split(",")
    assert float(left[0]) < float(looked[0]) and left[1:] == looked[1:]
    page.keyboard.press("ArrowUp")
    page.wait_for_function("at => +shown().looked.split(',')[1] > at", arg=float(looked[1]))
    expect(chart).to_be_focused()

    (tmp_path / "mine.csv").write_text("first,second,bought\n" + "\n".join(
        f"{k % 7},{k * k % 11},{'yes' if k % 3 else 'no'}" for k in range(60)))
    pick = page.get_by_role("button", name="Your own file")
    pick.focus()
    expect(pick).to_be_focused()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Your data")
    expect(dialog).to_be_visible()
    page.wait_for_function("deep('dialog:focus-within') !== undefined")
    assert look(page) + measured(page, "small_targets") + misfits(page) + motion(page) == []
    resize(page, *WIDE)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(pick).to_be_focused()


@pytest.mark.in_turn
@journey
def test_reduced_motion_shows_a_still_picture_and_a_play_button(open_window):
    page = open_window("?page=live", reduced_motion="reduce")
    page.wait_for_function("frames_painted() > 0")
    play = page.get_by_role("button", name="Play", exact=True)
    expect(play).to_be_visible()
    assert page.evaluate("epoch_shown()") == 0
    play.press("Enter")
    page.wait_for_function("epoch_shown() > 3")
    page.get_by_role("button", name="New here? 40 seconds").press("Enter")
    expect(page.get_by_role("button", name="Play the opening")).to_be_visible()
    expect(play).to_be_visible()
    assert measured(page, "moving") == []
    page.get_by_role("tab", name="Offline").click()
    expect(page.get_by_role("region", name="Chains on the ladder").get_by_role("button", name="Play")).to_be_visible()
