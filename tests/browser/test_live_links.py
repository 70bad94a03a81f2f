"""Links of the Live page: nonsense answered, the same run opened, the very picture shared."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.person import knob, type_in, wait_for_query

pytestmark = pytest.mark.browser


def test_nonsense_in_the_link_is_answered_in_words(open_page):
    page = open_page("?eta0=banana&problem=unicorn&algorithm=hamiltonian"
                     "&chains=99999&follow=-4&theme=purple&page=nowhere&axes=9-9")
    notes = page.locator(".notice.link")
    expect(notes.filter(has_text="banana")).to_be_visible()
    expect(notes.filter(has_text="unicorn")).to_be_visible()
    expect(notes.filter(has_text="hamiltonian")).to_be_visible()
    count = notes.count()
    notes.first.get_by_role("button", name="Dismiss").click()
    expect(notes).to_have_count(count - 1)
    wait_for_query(page, "chains=512")
    page.wait_for_function("epoch_shown() >= 1")


def test_a_shared_link_opens_the_same_run(open_page):
    first = open_page("?eta0=2&R=9&seed=5&vr=0&speed=4e")
    wait_for_query(first, "follow=0")
    link = first.evaluate("location.search")
    second = open_page(link)
    expect(knob(second, "eta0").locator("input.box")).to_have_value("2")
    expect(knob(second, "escape_radius").locator("input.box")).to_have_value("9")
    expect(second.get_by_role("switch", name="Variance reduction")).not_to_be_checked()
    wait_for_query(second, "eta0=2")
    assert second.evaluate("location.search") == link


def test_share_copies_the_link(open_page, open_window):
    page = open_page("", permissions=["clipboard-read", "clipboard-write"])
    type_in(page, "eta0", "2")
    wait_for_query(page, "eta0=2")
    page.wait_for_function("epoch_shown() >= 1")
    page.get_by_role("button", name=re.compile("^Share")).click()
    page.wait_for_function("deep('.toast').textContent.startsWith('Link copied: epoch ')")
    link = page.evaluate("navigator.clipboard.readText()")
    assert "eta0=2" in link and "&log=1~eta0.1~" in link
    second = open_window(link[link.index("?"):])  # its picture stands as soon as it is that of the link
    expect(second.get_by_text(re.compile("as it was shared, with 1 change on the way"))).to_be_visible()
    assert f"&t={second.evaluate('epoch_shown()')}" in link
    expect(knob(second, "eta0").locator("input.box")).to_have_value("2")
