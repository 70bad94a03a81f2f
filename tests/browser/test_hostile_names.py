"""Hostile names in links and files (HTML, long, right-to-left, line breaks): no script runs, no page gets too wide."""

import csv
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.browser.person import after, finished

pytestmark = [pytest.mark.browser, pytest.mark.journey, pytest.mark.in_turn]
IMAGE, DRAWING = "<img src=x onerror=hit()>", '"><svg onload=hit()>'
SCRIPT, LETTER = "</script><script>hit()</script>", "<b onmouseover=hit()>b</b>"
LONG, BACKWARDS, LINES, LETTERS = "long" * 400, "\u202ebackwards", "two\nlines", "👩\u200d🔬 ü 名"
RAN = """() => [window.hits, ...deepAll("img[src=x], svg[onload], [onmouseover], [onerror]")
    .map(n => n.outerHTML.slice(0, 200))]"""
"""Number of executed scripts, and elements that could have executed one."""
WIDE = """() => deepAll("main, dialog[open], [role=dialog], h2, h3, p, li")
    .filter(n => n.checkVisibility() && n.clientWidth && n.scrollWidth > n.clientWidth + 1
                 && getComputedStyle(n).textOverflow !== "ellipsis").map(n => n.outerHTML.slice(0, 100))
    .concat(document.scrollingElement.scrollWidth > innerWidth ? ["page"] : [])"""
"""Elements wider than their container."""


@pytest.fixture
def open_page(open_window, tmp_path, monkeypatch):
    """Return a function that opens a page and counts executed scripts; a request for an image is an error."""
    monkeypatch.setenv("EXIT_TIME_LAB_CACHE", str(tmp_path / "cache"))

    def open_(query):
        page = open_window(query)
        page.evaluate("window.hits = 0; window.hit = () => { window.hits += 1 }; 0")
        return page

    return open_


@pytest.fixture
def hostile(tmp_path):
    """File with hostile names of columns, levels and classes."""
    path = tmp_path / f"a<img src=x onerror=hit()>{LONG[:28]}.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([IMAGE, LONG, BACKWARDS, LINES, LETTERS, DRAWING, SCRIPT])
        rows.writerows([round(0.1 * (i % 17) - 0.8 * (i % 2), 3), i % 5, i % 3, i % 7, i % 11,
                        (LETTER, IMAGE, SCRIPT)[i % 3], (IMAGE, LETTER)[i % 2]] for i in range(60))
    return path


def harmless(page):
    assert page.evaluate(RAN) == [0]
    assert page.evaluate(WIDE) == []


def test_hostile_names_in_a_link_and_in_a_file_on_tune(open_page, hostile):
    keys = ("problem", "stream", "alg", "eta0", "tdata", "tx", "ty", "tcell", "talg", "preset", "theme", "class")
    names = [IMAGE, DRAWING, SCRIPT, LONG, BACKWARDS, LINES]
    query = "&".join(f"{key}={quote(names[i % len(names)])}" for i, key in enumerate(keys))
    page = open_page(f"?page=tune&tT=32&teta=0.1,10&timax=4&tb=4&tchains=8&tref=laplace&tgo=0&{query}")
    expect(page.get_by_text(IMAGE).or_(page.get_by_text(DRAWING)).first).to_be_visible()
    harmless(page)
    finished(page, 1)
    page.locator("input[type=file]").set_input_files(hostile)
    dialog = page.get_by_role("dialog", name="Your data")
    expect(dialog.locator("th.response")).to_have_text(SCRIPT)
    dialog.get_by_role("button", name=f"{DRAWING} · 3 values").click()
    expect(dialog.get_by_text("is a category")).to_be_visible()
    harmless(page)
    after(page, dialog.get_by_role("button", name="Use these rows").click)
    harmless(page)


def test_hostile_names_in_a_file_on_offline(open_page, hostile):
    page = open_page("?page=offline&oview=nll&ofp=1&ofon=sgld&ofk=2")
    page.wait_for_function("shown().done === '1'")
    page.get_by_role("radio", name="my own file").click()
    page.locator("input[type=file]").set_input_files(hostile)
    words = page.get_by_role("switch", name=f"{DRAWING} · 3 values")
    words.click()
    finished(page, 2)
    expect(page.get_by_text("all are 0 for the reference")).to_be_visible()
    harmless(page)
