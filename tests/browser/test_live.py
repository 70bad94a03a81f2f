"""Live in the browser: buttons, keys, knobs, switches, menus, theme, phone, links."""

import re

import pytest
from playwright.sync_api import expect

from app.glossary import GLOSSARY
from app.theme import TOKENS
from sampler.version import MADE_WITH
from tests.browser.accessible import listen
from tests.browser.person import choose, download, knob, pause, region, saves, type_in, wait_for_query

pytestmark = pytest.mark.browser

KNOBS = {  # class of the knob -> (input, URL parameter)
    "eta0": ("2.5", "eta0=2.5"), "batch_size": ("20", "b=20"), "i_max": ("30", "imax=30"),
    "acceptance_radius": ("40", "C=40"), "escape_radius": ("9", "R=9"), "offset": ("5", "c=5"),
    "chains": ("12", "chains=12"), "seed": ("7", "seed=7"),
}
AT = "deep('[data-ro=t]').textContent + '/' + deep('[data-ro=i]').textContent"
"""Displayed epoch and step."""


def epoch(page):
    return page.evaluate("epoch_shown()")


def test_plays_pauses_steps_and_restarts_by_button_and_by_key_dark_or_light(open_page):
    page = open_page("?theme=dark")
    assert page.title() == "Exit-Time Lab"
    page.wait_for_function("epoch_shown() >= 4")
    frames = page.evaluate("frames_painted()")
    page.wait_for_function("n => frames_painted() > n + 5", arg=frames)
    pause(page)
    before = page.evaluate(AT)
    page.get_by_role("button", name="Step", exact=True).click()
    page.wait_for_function(f"before => {AT} !== before", arg=before)
    t = epoch(page)
    page.get_by_role("button", name="Epoch", exact=True).click()
    page.get_by_role("button", name="Epoch", exact=True).click()
    page.wait_for_function("t => epoch_shown() > t", arg=t)
    t = epoch(page)
    page.keyboard.press("e")
    page.wait_for_function("t => epoch_shown() > t", arg=t)
    t = epoch(page)
    cell = page.evaluate_handle("""document.body.appendChild(
      Object.assign(document.createElement('pre'), {contentEditable: true}))""")
    cell.focus()
    page.keyboard.type("es r")  # a notebook's cell: its letters are not keys of the page
    assert cell.inner_text() == "es r" and epoch(page) == t
    cell.evaluate("node => node.remove()")
    page.keyboard.press("r")
    page.wait_for_function("t => epoch_shown() < t", arg=t)
    page.mouse.click(700, 300)
    page.keyboard.press(" ")
    page.wait_for_function("epoch_shown() >= 3")
    pause(page)
    t = epoch(page)
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function("t => epoch_shown() > t", arg=t)

    painted = """([card, grid]) => [deep('.card'), deep('.root[role=banner]').getRootNode().host].every(
      node => getComputedStyle(node).backgroundColor === card)
      && Bokeh.documents[0].get_model_by_name('accuracy').center.some(one => one.grid_line_color === grid)"""
    page.wait_for_function(painted, arg=["rgb(24, 29, 35)", TOKENS["dark"]["grid"]])
    page.get_by_role("button", name="Light theme").click()
    page.wait_for_function(painted, arg=["rgb(255, 255, 255)", TOKENS["light"]["grid"]])
    wait_for_query(page, "theme=light")


@pytest.mark.in_turn
@pytest.mark.journey
def test_a_run_is_kept_as_a_ghost_saved_and_rewound(open_page):
    page = open_page("?speed=32e")
    page.wait_for_function("epoch_shown() >= 40")
    page.get_by_role("button", name="Keep as ghost").click()
    beside = page.get_by_role("group", name="This run and the ghost")
    expect(beside).to_contain_text("the same knobs")
    beside.get_by_role("button").click()
    expect(beside).to_be_hidden()
    pause(page)  # otherwise each save waits for pictures of the running run
    rows = download(page, saves(region(page, "Measurements against the epoch"), "CSV")).read_text().splitlines()
    assert rows[0].startswith("t,accuracy,") and rows[1].startswith("8,") and len(rows) > 10
    slider = page.get_by_label("rewind to epoch")
    slider.evaluate(
        "e => { e.value = 250; for (const n of ['input', 'change']) e.dispatchEvent(new Event(n)) }")
    page.wait_for_function("epoch_shown() > 1 && epoch_shown() < 20")
    back = epoch(page)
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function("t => epoch_shown() > t + 20", arg=back)
    page.set_viewport_size({"width": 720, "height": 450})  # as at 200 % zoom
    expect(slider).to_be_in_viewport()
    slider.focus()
    page.keyboard.press("Home")
    page.wait_for_function("epoch_shown() < 20")


@pytest.mark.journey
def test_every_knob_refuses_invalid_input_acts_is_in_the_link_and_returns_to_its_default(open_page):
    page = open_page()
    defaults = page.get_by_role("button", name="defaults")
    expect(defaults).to_be_disabled()
    error, box = knob(page, "eta0").locator(".error"), knob(page, "eta0").locator("input.box")
    for text, words in [("banana", "is not a number"), ("1e9", "must be from 0.001 to 30")]:
        type_in(page, "eta0", text)
        expect(error).to_contain_text(words)
        expect(error).to_contain_text("Kept 1.")
    wait_for_query(page, "eta0=1")
    box.press("Escape")
    expect(error).to_be_empty()
    type_in(page, "eta0", "1e9")
    expect(defaults).to_be_enabled()
    defaults.click()
    expect(error).to_be_empty()
    expect(box).to_have_value("1")
    expect(defaults).to_be_disabled()

    page.get_by_text("more", exact=True).click()  # R and c
    for name, (text, query) in KNOBS.items():
        type_in(page, name, text)
        wait_for_query(page, query)
        expect(knob(page, name).locator("input.box")).to_have_value(text)
    # the displayed step size is eta0 / (t + c) = 2.5 / (t + 5)
    page.wait_for_function("""() => {
        const [m, e] = deep("[data-ro=size]").textContent.split(" × 10")
        const up = [...(e ?? "")].map(c => "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c)).map(k => k < 0 ? "-" : k).join("")
        return Math.abs(m * 10 ** (up || 0) / (2.5 / (epoch_shown() + 5)) - 1) < 0.06 }""")
    page.wait_for_function("deepAll('h2').some(h => h.textContent.startsWith('12 chains'))")
    defaults.click()
    wait_for_query(page, "eta0=1")
    wait_for_query(page, "chains=12")
    slider = knob(page, "eta0").locator("input.range")
    slider.focus()
    for _ in range(8):
        page.keyboard.press("ArrowRight")
    # eight presses of 0.1: the answer to an early one must not undo a later one
    page.wait_for_function("+deep('.knob-eta0').shadowRoot.querySelector('.root').dataset.value === 1.8")
    page.wait_for_function("+new URLSearchParams(location.search).get('eta0') === 1.8")
    expect(knob(page, "eta0").locator(".root[data-value]")).to_have_class(re.compile("changed"))


@pytest.mark.in_turn
@pytest.mark.journey
def test_switches_names_help_problem_stream_and_algorithm(open_page):
    page = open_page("", 1280, 900)
    knob(page, "eta0").locator(".term").focus()
    expect(page.get_by_role("tooltip")).to_contain_text("How far one step goes")  # a definition, by keyboard
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("escape ball")
    expect(dialog.locator(".entry")).to_have_count(len(GLOSSARY))
    # KaTeX typesets every formula of the glossary, the help and the errata.
    page.evaluate("deepAll('details').forEach(fold => { fold.open = true })")
    page.wait_for_function("deepAll('lab-math').every(one => one.shadowRoot.querySelector('.katex'))")
    page.get_by_label("Find a term").fill("reset beyond")
    expect(dialog.locator(".entry:visible")).to_have_count(1)
    dialog.locator("h3", has_text="Keys").click()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert page.evaluate("deep('.entry') === undefined")

    page.wait_for_function("epoch_shown() >= 9")
    for label, key in [("Variance reduction", "vr"), ("Reset to checkpoint", "reset"),
                       ("Random number of steps", "random"), ("Refresh stale gradients", "refresh")]:
        page.get_by_role("switch", name=label).click()
        wait_for_query(page, f"{key}=0")
    page.wait_for_function("deepAll('.marks u').length >= 1")  # a change is a tick on the rewind slider

    expect(page.get_by_label("coordinate across")).to_have_count(0)  # two coordinates leave no choice
    page.get_by_role("radio", name="Preconditioned").click()
    wait_for_query(page, "algorithm=preconditioned")
    expect(knob(page, "offset").locator("input.box")).to_be_disabled()
    expect(knob(page, "offset")).to_contain_text("not used")  # visible or not
    page.wait_for_function("deepAll('h2').some(h => h.textContent === '64 preconditioned chains')")
    page.wait_for_function("""deep("canvas[data-frames]").getAttribute("aria-label").includes("drawn in its own metric")""")
    page.get_by_role("radio", name="SAGA-LD", exact=True).click()
    choose(page, "target", "Logistic regression, d = 20 + 1 (the paper's)")
    wait_for_query(page, "problem=logistic21")
    wait_for_query(page, "b=64")  # each problem has its defaults
    expect(page.get_by_label("coordinate across")).to_be_visible()
    choose(page, "stream", "Outliers")
    wait_for_query(page, "stream=outliers")
    page.wait_for_function("epoch_shown() >= 2")
    page.get_by_role("radio", name=re.compile("Rescaled")).click()
    wait_for_query(page, "view=rescaled")
    pause(page)

    for height in (900, 800, 1000):  # on a desktop the cards fill the room below the transport, without container units
        page.set_viewport_size({"width": 1280, "height": height})
        page.wait_for_function("""height => {
          const main = deepAll("section.main").find(one => one.offsetHeight), style = getComputedStyle(main)
          const room = main.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom)
          return innerHeight === height && style.containerType === "normal"
            && Math.abs(main.querySelector(".grid").offsetHeight - room) < 1 }""", arg=height)


@pytest.mark.in_turn
@pytest.mark.journey
def test_phone(open_page):
    page = open_page("", 390, 844, has_touch=True, is_mobile=True, device_scale_factor=2)
    page.wait_for_function("document.documentElement.scrollWidth <= 390")
    page.wait_for_function("epoch_shown() >= 9")
    page.wait_for_function("Math.abs(deep('[aria-label=Transport]').getBoundingClientRect().bottom - 844) <= 1")
    page.get_by_role("button", name="Knobs", exact=True).click()
    box = knob(page, "eta0").locator("input.box")
    expect(box).to_be_in_viewport()
    knob(page, "acceptance_radius").locator(".term").tap()
    expect(page.get_by_role("tooltip")).to_contain_text("checkpoint")
    page.locator(".promise lab-term", has_text="measured distance").locator(".term").tap()
    expect(page.get_by_role("tooltip")).to_contain_text("one minus the accuracy")
    type_in(page, "eta0", "3")
    wait_for_query(page, "eta0=3")
    expect(page.get_by_role("tooltip")).to_have_count(0)
    page.get_by_role("button", name="Close the knobs").click()
    expect(box).not_to_be_in_viewport()
    page.wait_for_function("Bokeh.documents[0].get_model_by_name('cost').min_border_left === 40")
    page.get_by_role("radio", name="Cost").click()
    page.wait_for_function("deepAll('.panel').filter(p => p.offsetHeight > 0).length === 1")
    expect(page.get_by_label("rewind to epoch")).to_be_visible()
    for save in (saves(region(page, "Measurements against the epoch"), "PNG"),
                 page.get_by_role("button", name="Save the picture as PNG", exact=True).click):
        picture = download(page, save).read_bytes()
        assert picture.startswith(b"\x89PNG") and MADE_WITH.encode() in picture[:200]


def test_divergence_is_reported_and_restarted(open_page):
    page = open_page("?eta0=30")
    page.wait_for_function("deepAll('.card').some(c => c.dataset.title === 'Diverged')")
    expect(page.locator(".sentence")).to_contain_text(re.compile("epoch 1, step"))
    page.wait_for_function("!deepAll('*').some(n => !n.children.length && /NaN|Infinity/.test(n.textContent)"
                           " && n.tagName !== 'SCRIPT' && n.tagName !== 'STYLE')")
    listen(page)
    page.get_by_role("button", name=re.compile("^Set η₀ = ")).click()
    page.wait_for_function("+new URLSearchParams(location.search).get('eta0') < 30")
    page.wait_for_function("epoch_shown() >= 3")  # it continues automatically
    page.wait_for_function("verdicts.slice(1).some(verdict => heard.some(words => words.startsWith(verdict)))")
    page.wait_for_function("frames => frames_painted() > frames", arg=page.evaluate("frames_painted()") + 5)
    announced = "heard.filter(words => verdicts.some(verdict => words.startsWith(verdict))).length"
    assert page.evaluate(f"{announced} <= verdicts.length")  # once per verdict, not per frame


def test_invalid_values_in_a_link_are_reported_and_the_end_offers_a_restart(open_page, monkeypatch):
    monkeypatch.setattr("app.live.run_state.HORIZON", 12)
    page = open_page("?speed=16e&eta0=banana&problem=unicorn&chains=99999&theme=purple&page=nowhere")
    notes = page.locator(".notice.link")
    expect(notes.filter(has_text="banana")).to_be_visible()
    expect(notes.filter(has_text="unicorn")).to_be_visible()
    count = notes.count()
    notes.first.get_by_role("button", name="Dismiss").click()
    expect(notes).to_have_count(count - 1)
    wait_for_query(page, "chains=512")
    again = page.locator(".notice.ended").get_by_role("button", name="Restart")
    again.wait_for()
    page.wait_for_function("epoch_shown() === 12")
    before = page.evaluate("canvas().run")
    again.click()
    page.wait_for_function("run => canvas().run !== run", arg=before)


def test_a_shared_link_opens_the_same_run_at_the_same_epoch(open_page, open_window):
    page = open_page("?R=9&seed=5&vr=0")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    type_in(page, "eta0", "2")
    wait_for_query(page, "eta0=2")
    page.wait_for_function("epoch_shown() >= 1")
    page.get_by_role("button", name=re.compile("^Share")).click()
    page.wait_for_function("deep('.toast').textContent.startsWith('Link copied: epoch ')")
    link = page.evaluate("navigator.clipboard.readText()")
    assert "eta0=2" in link and "&log=1~eta0.1~" in link
    page.evaluate("navigator.clipboard.writeText('-')")
    page.evaluate("navigator.clipboard.write = navigator.clipboard.writeText = null")  # neither local nor encrypted
    page.get_by_role("button", name=re.compile("^Share")).click()
    page.wait_for_function("navigator.clipboard.readText().then(link => link.includes('eta0=2'))")
    assert page.evaluate("deep('.share').matches(':focus')")
    page.close()
    second = open_window(link[link.index("?"):])  # paused at the epoch of the link
    expect(second.get_by_text(re.compile("as it was shared, with 1 change on the way"))).to_be_visible()
    second.wait_for_function("link => link.includes(`&t=${epoch_shown()}`)", arg=link)
    expect(knob(second, "eta0").locator("input.box")).to_have_value("2")
    expect(knob(second, "escape_radius").locator("input.box")).to_have_value("9")
    expect(second.get_by_role("switch", name="Variance reduction")).not_to_be_checked()
