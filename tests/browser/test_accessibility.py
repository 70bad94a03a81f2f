"""Every page with axe-core, in both themes, on a wide and on a narrow screen; menus, tabs and help by keyboard alone."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from app.pages import PAGES
from tests.browser.person import wait_for_query

pytestmark = [pytest.mark.browser, pytest.mark.journey]

AXE = "axe.run(document, {resultTypes: ['violations']}).then(found => found.violations)"
RAW_TEX = r"""deepAll('*').flatMap(n => [...n.childNodes]).filter(n => n.nodeType === 3
  && /\\[a-z]{2,}|\[\[|\$[^$]+\$|[_^]\{/i.test(n.data)
  && !n.parentElement?.closest('pre, code, script, style, annotation')).map(n => n.data)"""
"""Texts in which a formula or a mark stands as its source; code, and what KaTeX keeps for copying, may hold one."""
EXCEPTIONS: dict[str, str] = {}
"""Rule of axe -> why a finding of it is left as it is."""


@pytest.fixture(scope="module")
def axe():
    import axe_playwright_python

    return next(Path(axe_playwright_python.__file__).parent.rglob("axe.min.js")).read_text(encoding="utf-8")


def findings(page, axe):
    """What axe finds that is more than minor, one line each."""
    page.evaluate(axe)
    return [f"{rule['id']} ({rule['impact']}): {rule['help']}: {node['target']}" for rule in page.evaluate(AXE)
            for node in rule["nodes"] if rule["impact"] != "minor" and rule["id"] not in EXCEPTIONS]


@pytest.mark.parametrize("entry", PAGES, ids=[entry.key for entry in PAGES])
def test_no_finding_above_minor(open_window, axe, entry):
    page = open_window(f"?page={entry.key}&theme=light")
    page.wait_for_function("deepAll('h2, h3').some(n => n.offsetParent !== null && n.textContent.trim())")
    for theme in ("light", "dark"):
        if theme == "dark":
            page.get_by_role("button", name="Dark theme").click()
            page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
            wait_for_query(page, "theme=dark")
        for width, height in ((1440, 900), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_function("width => innerWidth === width", arg=width)
            assert findings(page, axe) == [], f"{theme}, {width} pixels wide"
    page.wait_for_function("deepAll('lab-math').every(one => one.shadowRoot?.querySelector('.katex'))")
    assert page.evaluate(RAW_TEX) == []


def test_figures_are_pictures_with_words_and_no_stop_of_the_tab_key(open_window):
    page = open_window("?page=exit")
    page.wait_for_function("deepAll('.bk-Figure').length > 1")
    page.wait_for_function("deepAll('.bk-events').every(n => n.tabIndex < 0)")
    assert page.evaluate("deepAll('.bk-Figure').every(n => n.getAttribute('aria-label') || n.role === 'presentation'"
                         " || n.getRootNode().host?.getAttribute('aria-label'))")


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


def test_arrows_move_among_the_tabs(open_window):
    page = open_window("?page=live")
    page.get_by_role("tab", name="Live").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Exit time")).to_be_focused()
    page.keyboard.press("Enter")
    wait_for_query(page, "page=exit")
    expect(page.get_by_role("tab", name="Exit time")).to_have_attribute("aria-selected", "true")


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
