"""The Live page played as a person plays it: buttons, keys, knobs, switches, menus, theme, phone, links."""

import re

import pytest
from playwright.sync_api import expect

from app.glossary import GLOSSARY
from app.state.live import default_config
from sampler.version import MADE_WITH
from tests.browser.accessible import listen
from tests.browser.person import choose, download, knob, type_in, wait_for_query

pytestmark = pytest.mark.browser

KNOBS = {  # class of the knob -> (what to type, URL key)
    "eta0": ("2.5", "eta0=2.5"), "batch_size": ("20", "b=20"), "i_max": ("30", "imax=30"),
    "acceptance_radius": ("40", "C=40"), "escape_radius": ("9", "R=9"), "offset": ("5", "c=5"),
    "chains": ("12", "chains=12"), "seed": ("7", "seed=7"),
}


def epoch(page):
    return page.evaluate("epoch_shown()")


def pause(page):
    page.get_by_role("button", name="Pause", exact=True).click()
    page.wait_for_function("deep('.play').getAttribute('aria-label') === 'Play'")
    # Standing still: the same epoch and step over many frames' time, seen from the browser's own clock.
    page.wait_for_function("""() => {
        const now = deep("[data-ro=t]").textContent + deep("[data-ro=i]").textContent
        if (window.stood !== now) { window.stood = now; window.since = performance.now() }
        return performance.now() - window.since > 300 }""")


def test_plays_at_load_and_pauses(open_page):
    page = open_page()
    assert page.title() == "Exit-Time Lab"
    page.wait_for_function("epoch_shown() >= 3")
    frames = page.evaluate("frames_painted()")
    page.wait_for_function("n => frames_painted() > n + 5", arg=frames)
    pause(page)
    stood = epoch(page)
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function("t => epoch_shown() > t", arg=stood)


def test_step_epoch_and_restart_by_button_and_by_key(open_page):
    page = open_page()
    page.wait_for_function("epoch_shown() >= 4")
    pause(page)
    before = page.evaluate("deep('[data-ro=t]').textContent + '/' + deep('[data-ro=i]').textContent")
    page.get_by_role("button", name="Step", exact=True).click()
    page.wait_for_function("b => deep('[data-ro=t]').textContent + '/' + deep('[data-ro=i]').textContent !== b",
                           arg=before)
    t = epoch(page)
    page.get_by_role("button", name="Epoch", exact=True).click()
    page.get_by_role("button", name="Epoch", exact=True).click()
    page.wait_for_function("t => epoch_shown() > t", arg=t)
    t = epoch(page)
    page.keyboard.press("e")
    page.wait_for_function("t => epoch_shown() > t", arg=t)
    t = epoch(page)
    page.keyboard.press("r")
    page.wait_for_function("t => epoch_shown() < t", arg=t)
    page.mouse.click(700, 300)
    page.keyboard.press(" ")
    page.wait_for_function("epoch_shown() >= 3")


def test_rewind_replays_an_earlier_epoch(open_page):
    page = open_page("?speed=32e")
    page.wait_for_function("epoch_shown() >= 40")
    slider = page.get_by_label("rewind to epoch")
    slider.evaluate(
        "e => { e.value = 500; for (const n of ['input', 'change']) e.dispatchEvent(new Event(n)) }")
    page.wait_for_function("epoch_shown() > 1 && epoch_shown() < 20")
    back = epoch(page)
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function("t => epoch_shown() > t + 20", arg=back)


def test_every_knob_acts_and_is_in_the_link(open_page):
    page = open_page()
    for name, (text, query) in KNOBS.items():
        type_in(page, name, text)
        wait_for_query(page, query)
        expect(knob(page, name).locator("input.box")).to_have_value(text)
    # c, eta0: the step size shown is eta0 / (t + c) = 2.5 / (t + 5)
    page.wait_for_function("""() => {
        const [m, e] = deep("[data-ro=size]").textContent.split(" × 10")
        const up = [...(e ?? "")].map(c => "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c)).map(k => k < 0 ? "-" : k).join("")
        return Math.abs(m * 10 ** (up || 0) / (2.5 / (epoch_shown() + 5)) - 1) < 0.06 }""")
    page.wait_for_function("deepAll('h2').some(h => h.textContent.startsWith('12 chains'))")
    page.get_by_role("button", name="defaults").click()
    wait_for_query(page, "eta0=1")
    wait_for_query(page, "chains=12")


def test_a_slider_moves_its_box_and_the_run(open_page):
    page = open_page()
    slider = knob(page, "eta0").locator("input.range")
    slider.focus()
    for _ in range(8):
        page.keyboard.press("ArrowRight")
    # eight presses of 0.1: the answer to an early one must not take back a later one
    page.wait_for_function("+deep('.knob-eta0').shadowRoot.querySelector('.root').dataset.value === 1.8")
    page.wait_for_function("+new URLSearchParams(location.search).get('eta0') === 1.8")
    assert "changed" in knob(page, "eta0").locator(".root[data-value]").get_attribute("class")


def test_nonsense_in_a_knob_is_answered_and_the_old_value_kept(open_page):
    page = open_page()
    error = knob(page, "eta0").locator(".error")
    for text, words in [("banana", "is not a number"), ("-3", "must be from 0.001 to 30"),
                        ("1e9", "must be from 0.001 to 30"), ("nan", "is not a number")]:
        type_in(page, "eta0", text)
        expect(error).to_contain_text(words)
        expect(error).to_contain_text("Kept 1.")
    wait_for_query(page, "eta0=1")
    type_in(page, "eta0", "2")
    expect(error).to_be_empty()
    wait_for_query(page, "eta0=2")
    type_in(page, "batch_size", "2.5")
    expect(knob(page, "batch_size").locator(".error")).to_contain_text("whole number from 1 to 256")


def test_a_wrong_number_can_be_given_up_by_escape_or_by_the_way_back_to_the_defaults(open_page):
    page = open_page()
    error, box = knob(page, "eta0").locator(".error"), knob(page, "eta0").locator("input.box")
    defaults = page.get_by_role("button", name="defaults")
    expect(defaults).to_be_disabled()
    type_in(page, "eta0", "1e9")
    expect(error).to_contain_text("must be from 0.001 to 30")
    box.press("Escape")
    expect(error).to_be_empty()
    type_in(page, "eta0", "1e9")
    expect(defaults).to_be_enabled()
    defaults.click()
    expect(error).to_be_empty()
    expect(box).to_have_value("1")
    expect(defaults).to_be_disabled()


def test_what_python_sets_is_seen_and_what_is_turned_reaches_python(open_page):
    from app.pages.live import LivePage

    made, build = [], LivePage.from_query
    LivePage.from_query = lambda *args, **more: made.append(build(*args, **more)) or made[-1]
    try:
        page = open_page()
    finally:
        LivePage.from_query = build
    state = made[0].state
    made[0].canvas._models and next(iter(made[0].canvas._models.values()))[0].document.add_next_tick_callback(
        lambda: state.param.update(eta0=5.0, reset=False))
    expect(knob(page, "eta0").locator("input.box")).to_have_value("5")
    expect(page.get_by_role("switch", name="Reset to checkpoint")).not_to_be_checked()
    wait_for_query(page, "eta0=5")
    type_in(page, "batch_size", "20")
    wait_for_query(page, "b=20")
    assert state.batch_size == 20


def test_switches_act_at_once(open_page):
    page = open_page()
    page.wait_for_function("epoch_shown() >= 9")
    for label, key in [("Variance reduction", "vr"), ("Reset to checkpoint", "reset"),
                       ("Random number of steps", "random"), ("Refresh stale gradients", "refresh")]:
        page.get_by_role("switch", name=label).click()
        wait_for_query(page, f"{key}=0")
    # The change is marked: a tick on the rewind slider.
    page.wait_for_function("deepAll('.marks u').length >= 1")


def test_problem_stream_and_algorithm(open_page):
    page = open_page()
    page.get_by_role("radio", name="Preconditioned").click()
    wait_for_query(page, "algorithm=preconditioned")
    wait_for_query(page, f"imax={default_config(algorithm='preconditioned').i_max}")  # an algorithm its own defaults
    expect(knob(page, "offset").locator("input.box")).to_be_disabled()
    expect(knob(page, "offset")).to_contain_text("not used")
    page.wait_for_function("deepAll('h2').some(h => h.textContent === '64 preconditioned chains')")
    page.wait_for_function("""deep("canvas[data-frames]").getAttribute("aria-label").includes("drawn in its own metric")""")
    choose(page, "target", "Poisson regression, d = 2")
    wait_for_query(page, "problem=poisson2")  # it takes that model, with defaults of its own
    wait_for_query(page, f"imax={default_config('poisson2', algorithm='preconditioned').i_max}")
    page.get_by_role("radio", name="SAGA-LD", exact=True).click()
    wait_for_query(page, "algorithm=saga-ld")
    choose(page, "target", "Logistic regression, d = 20 + 1 (the paper's)")
    wait_for_query(page, "problem=logistic21")
    wait_for_query(page, "b=64")  # each problem carries its own defaults
    page.wait_for_function("deep('.with-axes') !== undefined")
    choose(page, "stream", "Outliers")
    wait_for_query(page, "stream=outliers")
    page.wait_for_function("epoch_shown() >= 2")
    page.get_by_role("radio", name=re.compile("Rescaled")).click()
    wait_for_query(page, "view=rescaled")


def test_theme_is_really_dark_everywhere_and_remembered(open_page):
    page = open_page("?theme=light")
    card = "getComputedStyle(deep('.card')).backgroundColor"
    assert page.evaluate(card) == "rgb(255, 255, 255)"
    page.get_by_role("button", name="Dark theme").click()
    page.wait_for_function(f"{card} === 'rgb(24, 29, 35)'")
    page.wait_for_function("getComputedStyle(deep('.MuiAppBar-root')).backgroundColor === 'rgb(24, 29, 35)'")
    page.wait_for_function("Bokeh.documents[0].get_model_by_name('accuracy').center[1].grid_line_color === '#232a32'")
    wait_for_query(page, "theme=dark")
    page.reload()
    page.wait_for_function(f"frames_painted() > 0 && {card} === 'rgb(24, 29, 35)'")


def test_phone(open_page):
    page = open_page("", 390, 844, has_touch=True, is_mobile=True, device_scale_factor=2)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.wait_for_function("epoch_shown() >= 9")
    bar = page.get_by_role("toolbar", name="Transport").bounding_box()
    assert bar["y"] + bar["height"] == pytest.approx(844, abs=1)
    page.get_by_role("button", name="Knobs", exact=True).click()
    box = knob(page, "eta0").locator("input.box")
    expect(box).to_be_in_viewport()
    knob(page, "acceptance_radius").locator(".term").tap()
    expect(page.get_by_role("tooltip")).to_contain_text("checkpoint")
    page.locator(".promise lab-term", has_text="what is so").locator(".term").tap()
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
    for name in ("PNG", "Save the picture as PNG"):
        saved = download(page, page.get_by_role("button", name=name, exact=True).click)
        assert saved.read_bytes().startswith(b"\x89PNG")


def test_at_200_percent_zoom_a_run_can_be_rewound(open_page):
    page = open_page("?speed=32e", 720, 450, device_scale_factor=2)
    page.wait_for_function("epoch_shown() >= 40")
    slider = page.get_by_label("rewind to epoch")
    expect(slider).to_be_in_viewport()
    slider.focus()
    page.keyboard.press("Home")
    page.wait_for_function("epoch_shown() < 20")


def test_between_phone_and_desk_nothing_overflows(open_page):
    page = open_page("", 1280, 900)
    for height in (900, 800, 1000):  # on a desk the cards fill the room below the transport, without a unit of a container's
        page.set_viewport_size({"width": 1280, "height": height})
        page.wait_for_function("""height => {
          const main = deepAll("section.main").find(one => one.offsetHeight), style = getComputedStyle(main)
          const room = main.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom)
          return innerHeight === height && style.containerType === "normal"
            && Math.abs(main.querySelector(".grid").offsetHeight - room) < 1 }""", arg=height)
    for width in (1280, 1024, 768, 719, 360):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function("""w => innerWidth === w && document.documentElement.scrollWidth <= w
            && deepAll(".card, .root").filter(c => c.offsetWidth > 0).map(c => c.getBoundingClientRect())
                   .every(r => r.right <= w + 1 && r.left >= -1)""", arg=width)


def test_help_opens_with_its_key_and_closes(open_page):
    page = open_page()
    knob(page, "eta0").locator(".term").focus()
    expect(page.get_by_role("tooltip")).to_contain_text("How far one step goes")  # a definition, by keyboard
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("escape ball")
    expect(dialog.locator(".entry")).to_have_count(len(GLOSSARY))
    # Every formula of the glossary, the help and the errata is set: KaTeX reads them all, with nothing from another host.
    page.evaluate("deepAll('details').forEach(fold => { fold.open = true })")
    page.wait_for_function("deepAll('lab-math').every(one => one.shadowRoot.querySelector('.katex'))")
    page.get_by_label("Find a term").fill("reset beyond")
    expect(dialog.locator(".entry:visible")).to_have_count(1)
    dialog.locator("h3", has_text="Keys").click()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_exports(open_page):
    page = open_page("?speed=64e")
    page.wait_for_function("epoch_shown() >= 20")
    page.get_by_role("button", name="Keep as ghost").click()
    beside = page.get_by_role("group", name="This run beside the ghost")
    expect(beside).to_contain_text("the same knobs")
    beside.get_by_role("button").click()
    expect(beside).to_be_hidden()
    with page.expect_download() as csv:
        page.get_by_role("button", name="CSV").click()
    rows = csv.value.path().read_text().splitlines()
    assert rows[0].startswith("t,accuracy,") and rows[1].startswith("8,") and len(rows) > 10
    for button in (page.get_by_role("button", name="PNG", exact=True),
                   page.get_by_role("button", name=re.compile("picture as PNG"))):
        with page.expect_download() as png:
            button.click()
        picture = png.value.path().read_bytes()
        assert picture.startswith(b"\x89PNG") and MADE_WITH.encode() in picture[:200]


def test_every_control_has_a_name(open_page):
    page = open_page()
    unnamed = page.evaluate("""deepAll('button, input, [role=combobox]')
        .filter(n => n.offsetParent !== null && n.getAttribute("aria-hidden") !== "true")
        .filter(n => !(n.getAttribute('aria-label') || n.textContent.trim() || n.labels?.length
                       || n.getAttribute('aria-labelledby'))).map(n => n.outerHTML)""")
    assert unnamed == []


def test_divergence_is_told_and_mended(open_page):
    page = open_page("?eta0=30")
    page.wait_for_function("deepAll('.card').some(c => c.dataset.title === 'Diverged')")
    expect(page.locator(".sentence")).to_contain_text(re.compile("epoch 1, step"))
    page.wait_for_function("!deepAll('*').some(n => !n.children.length && /NaN|Infinity/.test(n.textContent)"
                           " && n.tagName !== 'SCRIPT' && n.tagName !== 'STYLE')")
    listen(page)
    page.get_by_role("button", name=re.compile("^Set η₀ = ")).click()
    page.wait_for_function("+new URLSearchParams(location.search).get('eta0') < 30")
    page.wait_for_function("epoch_shown() >= 3")  # it goes on by itself
    page.wait_for_function("verdicts.slice(1).some(verdict => heard.some(words => words.startsWith(verdict)))")
    page.wait_for_function("frames => frames_painted() > frames", arg=page.evaluate("frames_painted()") + 20)
    told = "heard.filter(words => verdicts.some(verdict => words.startsWith(verdict))).length"
    assert page.evaluate(f"{told} <= verdicts.length")  # once a verdict, not at every frame


@pytest.mark.parametrize("query", ["?chains=1", "?chains=512", "?imax=1", "?problem=gaussian2", "?stream=separable"])
def test_corners_play(open_page, query):
    page = open_page(query)
    page.wait_for_function("epoch_shown() >= 10")
    page.wait_for_function("deepAll('h2').some(h => /target$/.test(h.textContent))")



def test_the_end_offers_a_restart(open_page, monkeypatch):
    monkeypatch.setattr("app.live.run_data.HORIZON", 12)
    page = open_page("?speed=16e")
    again = page.locator(".notice.ended").get_by_role("button", name="Restart")
    again.wait_for()
    assert page.evaluate("epoch_shown()") == 12
    again.click()
    page.wait_for_function("epoch_shown() < 12")
