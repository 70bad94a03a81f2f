"""User journeys on Tune: a sweep, a cell, exports, the user's data, invalid input."""

import json
import re
import tomllib

import numpy as np
import pytest
from playwright.sync_api import expect

from app.js.bundles import bundle
from tests.browser.accessible import listen, wait_for_announcement
from tests.browser.module_page import script_page
from tests.browser.person import after, download, download_rows, finished, saves

SMALL = "&tT=64&teta=0.1,10&timax=4,12&tb=4&tC=22&tchains=8&tref=laplace&tgo=0"
"""Nine step sizes by three lengths on 64 rows of the example, not swept."""

pytestmark = [pytest.mark.browser, pytest.mark.journey]


@pytest.fixture
def open_tune(open_done, tmp_path, monkeypatch):
    monkeypatch.setenv("EXIT_TIME_LAB_CACHE", str(tmp_path / "cache"))
    return lambda more="": open_done("tune", SMALL + more)


def tap(page, eta0, i_max):
    x, y = page.evaluate("""([x, y]) => {
      const boxed = m => m.type === "Figure" && m.renderers.some(r => r.glyph?.type === "Quad")
      const view = Bokeh.index.find_one([...Bokeh.documents[0]._all_models.values()].find(boxed))
      const {left, top} = view.canvas_view.el.getBoundingClientRect()
      return [left + view.frame.x_scale.compute(x), top + view.frame.y_scale.compute(y)]
    }""", [eta0, i_max])
    page.mouse.click(x, y)


@pytest.mark.in_turn
def test_from_a_run_to_an_exported_file(open_tune):
    page = open_tune()
    assert page.evaluate("shown()")["cells"] == "0"
    listen(page)
    advised = page.get_by_role("button", name="Run as advised")
    assert advised.bounding_box()["height"] <= 38  # one line
    state = after(page, lambda: advised.press("Enter"))
    runs = int(state["runs"])
    assert state["cells"] == "0" and 1 <= runs <= 3
    expect(page.locator("[data-slot=verdict] ol li")).to_have_count(runs)
    page.wait_for_function("shown().watched === '1'")
    tuned = tomllib.loads(download(page, page.get_by_role("button", name="Export tuned.toml").click).read_text())
    assert tuned["evidence"]["verdict"] == "safe" and tuned["evidence"]["settings_tried"] == runs
    sweep = page.get_by_role("button", name=re.compile("^(Sweep|Go on|Sweep again)$"))
    state = after(page, lambda: sweep.press("Enter"))
    expect(sweep).to_be_focused()  # focus stays while the button is disabled
    assert state["cells"] == state["total"] == "27" and state["ended"] == "finished"
    expect(page.get_by_text("27 of 27 cells")).to_be_visible()

    tap(page, 0.1, 4)
    page.wait_for_function("shown().looked === '0.1,4,4'")
    page.get_by_role("button", name="Next step size").first.click()
    page.wait_for_function("shown().looked === '0.18,4,4' && shown().watched === '1'")
    page.wait_for_function("location.search.includes('tcell=0.18')")

    page.get_by_role("button", name="Export tuned.toml").press("Enter")  # four steps are too few: not safe, so it asks first
    expect(page.locator("[data-slot=take]")).to_contain_text("This setting is not judged safe.")
    page.wait_for_function("deep('[data-slot=take] :focus, [data-slot=verdict] :focus') !== undefined")
    tuned = tomllib.loads(download(page, page.get_by_role("button", name="Export anyway").click).read_text())
    assert tuned["settings"]["eta0"] == 0.18
    assert len(download_rows(page, saves(page.locator("[data-slot=map]"), "CSV"))) == 27 + runs
    save = page.locator("[data-slot=map]").get_by_role("button", name="Save", exact=True)
    save.press("Enter")  # the menu by keys
    expect(page.get_by_role("menuitem", name="Numbers, CSV")).to_be_focused()
    page.keyboard.press("Escape")
    expect(save).to_be_focused()
    save.press("Enter")
    page.keyboard.press("ArrowDown")
    saved = json.loads(download(page, lambda: page.keyboard.press("Enter")).read_text())
    assert len(saved["cells"]) == 27 + runs and saved["settings"]["eta0"] == 0.18

    wait_for_announcement(page, "27 of 27 settings measured")
    wait_for_announcement(page, "Selected cell: ")
    page.reload()  # the sweep is stored, the selected cell is in the link
    state = finished(page, 1)
    assert state["cells"] == "27" and state["looked"] == "0.18,4,4"


@pytest.mark.in_turn
def test_invalid_input_is_reported_next_to_its_box_and_the_users_file_is_swept_and_run_in_live(open_tune, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(150, 2))
    y = rng.random(150) < 1 / (1 + np.exp(-x @ [1.0, -1.0]))
    (tmp_path / "mine.csv").write_text("first,second,colour,bought\n" + "\n".join(
        f"{a:.5f},{b:.5f},{('green', 'red')[int(a > 0)]},{'yes' if c else 'no'}" for (a, b), c in zip(x, y, strict=True)))
    page = open_tune("&tchains=many")
    expect(page.get_by_text("chains = 'many' is not a number; took 64.")).to_be_visible()
    box = page.locator(".range-eta0 input.box.last")
    box.fill("nonsense")
    box.press("Enter")
    expect(page.locator(".range-eta0 .error")).to_contain_text("is not a number. Kept 0.1 to 10.")
    state = page.evaluate("shown()")
    box.fill("5")
    assert after(page, lambda: box.press("Enter"))["total"] != state["total"]
    expect(page.locator(".range-eta0 .error")).to_be_empty()
    assert after(page, page.get_by_role("button", name="+ 9").click)["total"] == "48"
    page.get_by_role("button", name="Remove b = 9").click()
    page.wait_for_function("shown().total === '24' && shown().done === shown().asked")
    state = after(page, page.locator(".swept-algorithm").get_by_role("radio", name="Both").click)
    expect(page.locator(".range-whitened_eta0")).to_be_visible()
    page.locator("[data-slot=verdict]").get_by_role("button", name="Show ").click()
    page.wait_for_function("at => shown().looked !== at", arg=state["looked"])

    page.locator("input[type=file]").set_input_files(tmp_path / "mine.csv")
    dialog = page.get_by_role("dialog", name="Your data")
    expect(dialog.locator("th.response")).to_have_text("bought")
    dialog.get_by_role("button", name="colour · 2 values").click()
    expect(dialog.get_by_text(re.compile("column 'colour' is a category"))).to_be_visible()
    dialog.locator(".pick-kind").select_option("poisson")
    expect(dialog.get_by_role("alert")).to_contain_text("0 usable rows; 16 or more are needed to tune. 150 rows")
    expect(dialog.get_by_role("button", name="Use these rows")).to_be_disabled()
    dialog.locator(".pick-kind").select_option("logistic")
    state = after(page, dialog.get_by_role("button", name="Use these rows").click)
    assert state["data"].startswith("file-") and state["data"].endswith("mine.csv") and state["cells"] == "0"
    page.wait_for_function("location.search.includes('tdata=file-')")

    page.get_by_role("button", name="Run in Live").click()
    page.wait_for_function("frames_painted() > 2")
    page.wait_for_function("location.search.includes('problem=given')")
    page.get_by_role("tab", name="Offline").click()  # the file is offered to other pages
    page.get_by_role("button", name="your own file").click()
    page.get_by_role("button", name="Use mine.csv, loaded before").click()
    expect(page.get_by_text("150 rows, 2 features")).to_be_visible()


def test_a_range_without_values_is_blank_and_sliding_one_end_sets_both(chromium):
    """Without advice yet, or after its data were removed."""
    script = f"import components from '/dist/{bundle('lab').name}'" + """
const on = {}
Object.assign(window, {sent: [], model: {value: [0.1, 10], low: 0.01, high: 100, whole: false, words: "step size",
  symbol: "η", term: "", help: "", error: "", count: "", on: (name, f) => { on[name] = f }, send_msg: m => sent.push(m)}})
const shadow_el = document.body.appendChild(document.createElement("div")).attachShadow({mode: "open"})
shadow_el.append(components.RangeSlider.render({model, view: {shadow_el}}))
Object.assign(model, {value: []})
on.value()"""
    with script_page(chromium, script) as page:
        assert page.locator("input.box").evaluate_all("boxes => boxes.map(box => box.value)") == ["", ""]
        page.locator("input.thumb.last").evaluate("""thumb => { thumb.value = thumb.max / 2
            for (const kind of ["input", "change"]) thumb.dispatchEvent(new Event(kind)) }""")
        assert page.evaluate("sent") == [{"type": "range", "low": 0.01, "high": 1}]  # halfway between powers of ten
