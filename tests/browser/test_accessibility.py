"""Every page with axe-core, in both themes, on a wide and on a narrow screen; menus, tabs and help by keyboard alone."""

import pytest
from playwright.sync_api import expect

from app.pages import PAGES
from tests.browser.accessible import findings, measured
from tests.browser.person import wait_for_query

pytestmark = pytest.mark.browser
journey = pytest.mark.journey

RAW_TEX = r"""deepAll('*').flatMap(n => [...n.childNodes]).filter(n => n.nodeType === 3
  && /\\[a-z]{2,}|\[\[|\$[^$]+\$|[_^]\{/i.test(n.data)
  && !n.parentElement?.closest('pre, code, script, style, annotation')).map(n => n.data)"""
"""Texts in which a formula or a mark stands as its source; code, and what KaTeX keeps for copying, may hold one."""
SMALL, MIDDLE, WIDE = (390, 844), (1024, 768), (1440, 900)
SEEN = [("light", WIDE), ("dark", MIDDLE), ("dark", SMALL)]
"""Theme and window of every journey: both themes, all three widths."""
UNSEEN = [("light", MIDDLE), ("light", SMALL), ("dark", WIDE)]
"""The rest of them, for the slow tier."""
ZOOMED = [(720, 450), (320, 256)]
"""CSS pixels of a window of 1440 x 900 at 200 %, and of one of 1280 x 1024 at 400 %, as WCAG 2.2, 1.4.10 has it."""
EACH_PAGE = pytest.mark.parametrize("entry", PAGES, ids=[entry.key for entry in PAGES])


def open_still(open_window, entry, theme="light"):
    """A page with its first results, which no longer change by themselves."""
    page = open_window(f"?page={entry.key}&theme={theme}")
    page.wait_for_function("deepAll('h2, h3').some(n => n.offsetParent !== null && n.textContent.trim())")
    return page


def resize(page, width, height):
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function("width => innerWidth === width", arg=width)
    page.evaluate("new Promise(done => setTimeout(() => requestAnimationFrame(done), 60))")  # cards measure themselves


def turn(page, theme):
    if page.evaluate("document.documentElement.dataset.theme") != theme:
        page.get_by_role("button", name=f"{theme.title()} theme").click()
        page.wait_for_function("theme => document.documentElement.dataset.theme === theme", arg=theme)
        wait_for_query(page, f"theme={theme}")


def look(page, windows):
    """What axe finds in each theme and window."""
    found = []
    for theme, size in windows:
        turn(page, theme)
        resize(page, *size)
        found += [f"{theme}, {size[0]} pixels: {words}" for words in findings(page)]
    return found


@journey
@EACH_PAGE
def test_nothing_is_found_nothing_is_cut_and_every_target_is_large_enough(open_window, entry):
    page = open_still(open_window, entry)
    assert look(page, SEEN) == []
    assert measured(page, "small_targets") == []
    page.locator("button.knobs:visible").click()
    assert page.evaluate("!!deep('.knobs-open')")
    assert measured(page, "small_targets") == []
    page.keyboard.press("Escape")
    for size in ZOOMED:
        resize(page, *size)
        assert measured(page, "cut") == [], f"{size[0]} pixels wide"
    page.wait_for_function("deepAll('lab-math').every(one => one.shadowRoot?.querySelector('.katex'))")
    assert page.evaluate(RAW_TEX) == []


@pytest.mark.slow
@EACH_PAGE
def test_nothing_is_found_in_the_other_themes_and_widths(open_window, entry):
    assert look(open_still(open_window, entry), UNSEEN) == []


@journey
def test_figures_are_pictures_with_words_and_no_stop_of_the_tab_key(open_window):
    page = open_window("?page=exit")
    page.wait_for_function("deepAll('.bk-Figure').length > 1")
    page.wait_for_function("deepAll('.bk-events').every(n => n.tabIndex < 0)")
    assert page.evaluate("deepAll('.bk-Figure').every(n => n.getAttribute('aria-label') || n.role === 'presentation'"
                         " || n.getRootNode().host?.getAttribute('aria-label'))")


@journey
def test_a_menu_is_opened_and_chosen_by_keyboard_alone(open_window):
    page = open_window("?page=live")
    menu = page.get_by_role("combobox", name="stream")
    expect(menu).to_be_visible()
    for _ in range(100):  # a menu is within reach of the Tab key
        page.keyboard.press("Tab")
        if page.evaluate("deep('select:focus') !== undefined"):
            break
    assert page.evaluate("deep('select:focus') !== undefined"), "no menu is reached by the Tab key"
    menu.focus()
    expect(menu.locator("option:checked")).to_have_text("As the paper")
    page.keyboard.press("Enter")  # opens it on the present choice
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(menu.locator("option:checked")).not_to_have_text("As the paper")
    page.wait_for_function("/[?&]stream=(?!paper)/.test(location.search)")
    expect(menu).to_be_focused()


@journey
def test_arrows_move_among_the_tabs(open_window):
    page = open_window("?page=live")
    page.get_by_role("tab", name="Live").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Exit time")).to_be_focused()
    page.keyboard.press("Enter")
    wait_for_query(page, "page=exit")
    expect(page.get_by_role("tab", name="Exit time")).to_have_attribute("aria-selected", "true")


@journey
def test_the_help_gives_the_focus_back(open_window):
    page = open_window("?page=exit")
    button = page.get_by_role("button", name="Help", exact=True)
    button.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(button).to_be_focused()
