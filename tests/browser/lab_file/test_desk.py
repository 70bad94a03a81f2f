"""User journeys in the lab file: knobs by mouse and keyboard, transport, links, themes, help."""

import pytest

from app.state.live import MORE, SAMPLER, LiveState
from tests.browser.accessible import VIEWS, findings
from tests.browser.person import knob, type_in
from tests.waiting import wait_for

pytestmark = pytest.mark.browser


def until(tab, words, seconds=90):
    """Wait for an expression of the page by polling: the page's policy forbids `eval`."""
    wait_for(lambda: tab.evaluate(words), words, seconds, every=0.03)


def test_every_knob_by_number_by_key_and_back(fake_file, open_file):
    tab = open_file(fake_file)
    for name in SAMPLER:
        assert knob(tab, name).is_visible() == (name not in MORE), name
    tab.locator("details.more summary", has_text="more").click()
    for name in (*SAMPLER, "chains"):
        typed = 3 if name != "chains" else 7
        type_in(tab, name, str(typed))
        until(tab, f"lab.run.last.config.{name} === {typed}")
        knob(tab, name).locator(".range").press("ArrowRight")
        until(tab, f"lab.run.last.config.{name} > {typed}")
        for text, words in (("x", "not a number"), (str(2 * LiveState.param[name].high), "must be")):
            type_in(tab, name, text)
            until(tab, f"deep('.knob-{name}').shadowRoot.querySelector('.error').textContent.includes('{words}')")
    tab.locator("button.link", has_text="defaults").click()
    until(tab, "lab.state.atDefaults && lab.run.last.config.eta0 === 1")
    until(tab, "deepAll('.error').every(node => !node.textContent)")


def test_switches_menus_and_pictures(fake_file, open_file):
    tab = open_file(fake_file)
    tab.locator("[role=switch]").first.press("Space")
    until(tab, "lab.run.last.config.variance_reduction === false")
    before = tab.evaluate("lab.run.last.run")
    tab.get_by_role("switch", name="Forget old data").press("Space")
    until(tab, f"lab.run.last.config.forget === true && lab.run.last.run > {before} && location.search.includes('forget=1')")
    assert not tab.evaluate("lab.state.atDefaults")
    tab.locator(".menu-problem select").select_option("Gaussian mean, d = 2")
    until(tab, "lab.run.last.config.problem === 'gaussian2' && lab.run.last.config.eta0 === 0.07")
    tab.locator(".choice-algorithm button").nth(1).click()
    until(tab, "lab.run.last.config.algorithm === 'preconditioned'")
    tab.locator(".menu-stream select").select_option("Two far groups")
    until(tab, "lab.run.last.config.stream === 'separable'")
    tab.locator(".preset", has_text="Same budget").click()
    until(tab, "lab.run.last.config.algorithm === 'preconditioned' && lab.run.last.config.problem === 'linear2'")
    assert knob(tab, "offset").locator(".box").is_disabled()
    assert tab.locator(".preset[aria-pressed=true]").inner_text().startswith("Same budget")
    tab.locator(".menu-problem select").select_option("Logistic regression, d = 20 + 1 (the paper's)")
    until(tab, "lab.run.last.config.problem === 'logistic21'")
    tab.get_by_label("coordinate across").select_option("principal axes")
    until(tab, "lab.run.last.config.axes === 'principal'")


def test_the_transport_by_hand_and_by_key(fake_file, open_file):
    tab = open_file(fake_file)
    until(tab, "epoch_shown() > 20")
    tab.keyboard.press("Space")
    until(tab, "lab.run.last.playing === false")
    stood = tab.evaluate("epoch_shown()")
    tab.keyboard.press("e")
    until(tab, f"epoch_shown() === {stood + 1}")
    tab.keyboard.press("s")
    tab.locator(".rewind input").fill("0")
    tab.locator(".rewind input").dispatch_event("change")
    until(tab, "epoch_shown() <= 1 && !lab.run.last.playing")
    tab.locator("[data-press=play]").click()
    until(tab, "lab.run.last.playing")
    tab.keyboard.press("r")
    until(tab, "lab.run.last.run >= 3")
    tab.locator(".speed input").press("ArrowRight")
    until(tab, "lab.run.last.config.speed === 9")
    tab.locator("canvas[data-frames]").press("ArrowRight")
    until(tab, "canvas().followed === '1' && lab.run.last.config.follow === 1")
    tab.locator("button.apply").click()
    until(tab, "lab.run.last.config.eta0 === 2")


def test_a_shared_link_opens_the_same_run(fake_file, open_file):
    tab = open_file(fake_file)
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    type_in(tab, "eta0", "0.25")
    until(tab, "lab.run.last.moment?.changes.length && epoch_shown() > 12")
    tab.locator("[data-press=play]").click()
    until(tab, "!lab.run.last.playing")
    tab.locator("button.share").click()
    until(tab, "deep('.toast').textContent.startsWith('Link copied: epoch')")
    link = tab.evaluate("navigator.clipboard.readText()")
    query = link.partition("?")[2]
    assert link.startswith("file://") and "page=live" in query
    t, config = tab.evaluate("[lab.run.last.t, lab.run.last.config]")
    other = open_file(fake_file, f"?{query}")
    until(other, f"lab.run.last.t === {t}")
    assert other.evaluate("lab.run.last.config") == config
    assert other.evaluate("lab.run.last.moment.changes") == tab.evaluate("lab.run.last.moment.changes")
    assert other.locator(".notice.arrived").is_visible()
    third = open_file(fake_file, f"#{query}")
    until(third, f"lab.run.last.t === {t}")
    tab.get_by_label("More ways to share").click()
    tab.get_by_role("menuitem", name="Copy the link for a served lab").click()
    until(tab, "!deep('.note').hidden")
    assert tab.evaluate("navigator.clipboard.readText()") == f"?{query}"


def test_a_phone_opens_its_knobs_and_errors_of_a_link_are_shown(fake_file, open_file):
    tab = open_file(fake_file, "?eta0=x&b=1e9&problem=given&t=-1&log=<b>&v=2", 390, 844)
    words = tab.locator(".notice.link").all_inner_texts()
    assert any("version '2'" in one for one in words) and any("a user's own data" in one for one in words)
    tab.locator(".notice.link button").first.click()
    until(tab, f"deepAll('.notice.link').length === {len(words) - 1}")
    tab.locator(".bar .knobs").click()
    until(tab, "deep('.knobs-open')")
    type_in(tab, "eta0", "2")
    until(tab, "lab.run.last.config.eta0 === 2")
    tab.get_by_label("Close the knobs").click()
    until(tab, "document.documentElement.scrollWidth <= 390")


def test_themes_help_and_terms_are_in_the_file(fake_file, open_file):
    tab = open_file(fake_file, color_scheme="dark")
    assert tab.evaluate("document.documentElement.dataset.theme") == "dark"
    tab.get_by_label("Light theme").click()
    until(tab, "document.documentElement.dataset.theme === 'light' && lab.desk.look.palette.card === '#ffffff'")
    tab.keyboard.press("?")
    until(tab, "deep('dialog').open && deepAll('.entry').length > 20")
    tab.evaluate("""new Promise(done => { const text = deep('dialog .text')
      text.addEventListener('scroll', done, {once: true}); text.scrollTop = 700 })""")
    tab.keyboard.press("Escape")
    until(tab, "!deep('.entry')")  # removed when closed: it would slow the page's frames
    tab.keyboard.press("?")
    until(tab, "Math.abs(deep('dialog .text')?.scrollTop - 700) < 100")  # formulas above may be typeset meanwhile
    tab.keyboard.press("Escape")
    tab.locator(".knob-eta0 lab-term .term").focus()
    until(tab, "deepAll('.katex').length > 0")


@pytest.mark.in_turn
@pytest.mark.journey
def test_axe_reports_no_violation(fake_file, open_file):
    tab = open_file(fake_file)
    until(tab, "epoch_shown() > 20")
    tab.locator("[data-press=play]").click()
    until(tab, "!lab.run.last.playing")
    for theme, (width, height) in VIEWS:
        if theme == "dark":
            tab.get_by_label("Dark theme").click()
        until(tab, f"document.documentElement.dataset.theme === '{theme}'")
        tab.set_viewport_size({"width": width, "height": height})
        until(tab, f"innerWidth === {width}")
        tab.evaluate("new Promise(done => setTimeout(() => requestAnimationFrame(done), 60))")
        assert findings(tab) == [], (theme, width)
