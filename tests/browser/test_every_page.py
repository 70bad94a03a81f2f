"""Every page opens by its tab, shows a figure, and a number typed into a knob is in its link."""

import pytest
from playwright.sync_api import expect

from tests.browser.person import type_in, wait_for_query

pytestmark = pytest.mark.browser

KNOBS = {  # tab -> a knob, what is typed, how the link says it
    "Exit time": ("radius", "2", "er=2"), "Tune": ("acceptance_radius", "30", "tC=30"), "Compare": ("t", "256", "cT=256"),
    "Offline": ("ladder-i_max", "150", "oi=150"), "Coreset": ("size", "60", "kM=60"), "Live": ("eta0", "2", "eta0=2"),
}


def test_every_page_opens_by_its_tab_and_answers_a_knob(open_page):
    page = open_page()
    for tab, (name, typed, link) in KNOBS.items():
        page.get_by_role("tab", name=tab, exact=True).click()
        page.wait_for_function("deepAll('.bk-Figure, canvas').some(n => n.offsetParent !== null && n.offsetHeight > 80)")
        type_in(page, name, typed)
        wait_for_query(page, link)
        expect(page.get_by_role("tab", name=tab, exact=True)).to_have_attribute("aria-selected", "true")
