"""The lab file in Firefox: the same chains as in Chromium, to the last digit, and the same controls."""

import pytest

from tests.browser.conftest import skip_or_fail
from tests.browser.lab_file.firefox import ENTER, Firefox, FirefoxTab
from tests.browser.lab_file.test_alive import at_rest, positions
from tests.browser.lab_file.test_desk import until
from tests.browser.lab_file.test_own_data import csv_of
from tests.browser.person import find_browser

pytestmark = [pytest.mark.browser, pytest.mark.journey]


@pytest.fixture(scope="module")
def firefox(tmp_path_factory):
    path = find_browser("LAB_FIREFOX", "firefox-esr", "firefox") or skip_or_fail(
        "no Firefox: install firefox-esr or set LAB_FIREFOX to its path", "EXIT_TIME_LAB_FIREFOX")
    browser = Firefox(path, tmp_path_factory.mktemp("firefox"))
    yield browser
    browser.close()


@pytest.fixture
def open_there(firefox, lab_file):
    """Return a function that opens the file in Firefox at a link; errors and requests fail the test."""
    tabs = []

    def open_at(link="", file=lab_file, **size):
        tabs.append(FirefoxTab(firefox, file.as_uri() + link, **size))
        until(tabs[-1], "!!document.querySelector('#lab[data-ready]')")
        return tabs[-1]

    yield open_at
    for tab in tabs:
        tab.close()
    assert firefox.problems() == []


def type_in(tab, name, text):
    tab.click(f".knob-{name}", ".box", count=3)
    tab.press(*text, ENTER)


@pytest.mark.in_turn
def test_a_link_out_of_firefox_leads_to_the_same_chains_in_chromium(lab_file, open_there, open_file):
    tab = open_there("?seed=7&speed=64e")
    until(tab, "lab.run.last.t > 30 && lab.desk.verdict.model.sentence.length > 40 && lab.desk.measured.length === 5")
    until(tab, "deepAll('.main, .card').every(node => node.scrollHeight <= node.clientHeight)", 30)  # after a long verdict
    type_in(tab, "batch_size", "5")
    until(tab, "lab.run.last.config.batch_size === 5 && lab.run.last.moment.changes.length === 1")
    at_rest(tab, tab.evaluate("lab.run.last.t") + 20)
    if tab.evaluate("lab.run.last.moment.advanced !== null"):  # play to the end of the epoch
        tab.click("[data-press=epoch]")
    until(tab, "lab.run.last.moment.advanced === null && lab.desk.picture.frame.t === lab.run.last.t")
    t, shown = tab.evaluate("lab.run.last.t"), positions(tab)
    tab.click("button.share")
    until(tab, "deep('.toast').textContent.startsWith('Link copied: epoch')")
    link = tab.evaluate("String(new URLSearchParams(lab.link()[0]))")
    other = open_file(lab_file, f"?{link}")
    until(other, f"lab.run.last?.notice_kind === 'arrived' && lab.desk.picture.frame.t === {t}")
    assert positions(other) == pytest.approx(shown, rel=0, abs=1e-9)  # the same module and IEEE arithmetic
    assert other.evaluate("lab.desk.verdict.model.title") == tab.evaluate("lab.desk.verdict.model.title")
    tab.click("[data-press=play]")
    until(tab, f"lab.run.last.t > {t} + 10")
    tab.evaluate(f"lab.rewind({t})")
    until(tab, f"lab.run.last.t === {t} && lab.run.last.notice_kind === null && lab.desk.picture.frame.t === {t}")
    assert positions(tab) == shown


@pytest.mark.in_turn
def test_formulas_in_the_dark_theme(open_there):
    tab = open_there("?problem=linear2&algorithm=preconditioned&eta0=0.2&C=6&theme=dark")
    until(tab, "lab.run.last.t > 10")
    assert tab.evaluate("document.documentElement.dataset.theme") == "dark"
    tab.press("?")
    until(tab, "deep('dialog').open && deepAll('.katex').length > 60 && document.fonts.status === 'loaded'")
    assert tab.evaluate("deepAll('msub').length > 20 && deepAll('msub').every(node => node.children.length === 2)")
    tab.click("dialog[open] button")
    tab.click(".theme")
    until(tab, "document.documentElement.dataset.theme === 'light' && lab.desk.look.palette.card === '#ffffff'")


@pytest.mark.in_turn
def test_the_users_rows_and_the_saved_file(open_there, firefox, tmp_path):
    tab, rows = open_there(), tmp_path / "own.csv"
    rows.write_text(csv_of(200))
    tab.give(rows, "input[type=file]")
    until(tab, "!!deep('ul.says')?.textContent.includes('200 of 202 rows are used')")
    tab.click("dialog[open]", "button.fill")
    until(tab, "lab.run.last.config.problem === 'given' && lab.run.last.t > 20")
    tab.click("[aria-label='More ways to share']")
    tab.click("[role=menuitem][data-key=save]")
    tab.click(".note [data-key=with]")
    until(tab, "deep('.note').textContent.startsWith('Saved')")
    saved = firefox.saved / "exit-time-lab.html"
    other = open_there(file=saved)
    until(other, "lab.run.last?.config.problem === 'given' && lab.run.last.t > 20")


def test_a_phone(open_there):
    tab = open_there("?theme=dark", width=390, height=844)
    tab.click(".bar .knobs")
    until(tab, "!!deep('.knobs-open')")
    type_in(tab, "eta0", "2")
    until(tab, "lab.run.last.config.eta0 === 2")
    tab.click("[aria-label='Close the knobs']")
    until(tab, "!deep('.knobs-open')")
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
