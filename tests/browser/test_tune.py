"""The Tune page played as a person plays it: a sweep, a cell, a file to take away, own data, wrong input, a phone."""

import csv
import io
import json
import re
import tomllib

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.accessible import listen, wait_to_hear

SMALL = "&tT=64&teta=0.1,10&timax=4,12&tb=4&tC=22&tchains=8&tref=laplace&tgo=0"
"""Nine step sizes by three lengths on 64 rows of the example, not swept yet."""

pytestmark = [pytest.mark.browser, pytest.mark.journey]


@pytest.fixture
def open_tune(open_window, tmp_path, monkeypatch):
    """Return a function that opens the page in a new window, its first forecast there."""
    monkeypatch.setenv("EXIT_TIME_LAB_CACHE", str(tmp_path / "cache"))

    def open_(query=SMALL, *size, **window):
        page = open_window(f"?page=tune{query}", *size, accept_downloads=True, **window)
        done(page, 1)
        return page

    return open_


def done(page, number):
    """Wait until the work of that number, or a later one, is done; return what the page says of itself."""
    page.wait_for_function("n => { const s = shown(); return +s.asked >= n && s.done === s.asked && s.total }", arg=number)
    return page.evaluate("shown()")


def after(page, deed):
    """Do something that asks for new work, and return what the page shows then."""
    before = int(page.evaluate("shown().asked"))
    deed()
    return done(page, before + 1)


def tap(page, eta0, i_max):
    """Tap the middle of a cell of the map."""
    x, y = page.evaluate("""([x, y]) => {
      const boxed = m => m.type === "Figure" && m.renderers.some(r => r.glyph?.type === "Quad")
      const view = Bokeh.index.find_one([...Bokeh.documents[0]._all_models.values()].find(boxed))
      const {left, top} = view.canvas_view.el.getBoundingClientRect()
      return [left + view.frame.x_scale.compute(x), top + view.frame.y_scale.compute(y)]
    }""", [eta0, i_max])
    page.mouse.click(x, y)


def download(page, deed):
    """Do something that saves a file; return its text."""
    with page.expect_download() as taken:
        deed()
    return taken.value.path().read_text()


def test_from_a_click_to_a_file(open_tune):
    page = open_tune()
    assert page.evaluate("shown()")["cells"] == "0"
    expect(page.locator("[data-slot=verdict] h3")).to_contain_text("Start near")
    listen(page)
    sweep = page.get_by_role("button", name=re.compile("^Sweep( again)?$"))
    state = after(page, lambda: sweep.press("Enter"))
    expect(sweep).to_be_focused()  # not lost while it cannot be pressed
    assert state["cells"] == state["total"] == "27" and state["ended"] == "finished" and float(state["accuracy"]) > 0.6
    expect(page.get_by_text("27 of 27 cells")).to_be_visible()

    tap(page, 0.1, 4)
    page.wait_for_function("shown().looked === '0.1,4,4'")
    expect(page.locator("[data-slot=verdict] h3")).to_contain_text("i")
    page.get_by_role("button", name="Next step size").first.click()
    page.wait_for_function("shown().looked === '0.18,4,4'")
    page.wait_for_function("shown().watched === '1'")
    page.wait_for_function("location.search.includes('tcell=0.18')")

    page.get_by_role("button", name="Export tuned.toml").press("Enter")  # four steps are too few: not safe, so it asks first
    expect(page.locator("[data-slot=take]")).to_contain_text("This setting is not judged safe.")
    assert page.evaluate("deep('[data-slot=take] :focus, [data-slot=verdict] :focus') !== undefined")
    page.get_by_role("button", name="Do not export").click()
    page.get_by_role("button", name="Export tuned.toml").click()
    tuned = tomllib.loads(download(page, page.get_by_role("button", name="Export it all the same").click))
    assert tuned["evidence"]["verdict"] != "safe" and tuned["gates"]["verdict"] is True
    assert tuned["settings"]["eta0"] == 0.18 and tuned["gates"]["max_rhat"] == 1.1 and tuned["run"]["chains"] == 8
    saved = download(page, page.locator("[data-slot=verdict]").get_by_role("button", name="CSV").click)
    lines = list(csv.DictReader(io.StringIO(saved)))
    assert len(lines) == 27 and {line["state"] for line in lines} <= {"done", "early", "diverged"}
    found = json.loads(download(page, page.get_by_role("button", name="JSON").click))
    assert found["settings"]["eta0"] == 0.18 and len(found["cells"]) == 27

    wait_to_hear(page, "27 of 27 settings measured")
    wait_to_hear(page, "The cell looked at: ")
    page.reload()  # the sweep is kept, the cell looked at is in the link
    state = done(page, 1)
    assert state["cells"] == "27" and state["looked"] == "0.18,4,4"


def test_the_first_visit_shows_a_sweep_and_starts_none(open_tune, tmp_path):
    page = open_tune("")
    state = page.evaluate("shown()")
    assert state["cells"] == state["total"] == "117" and state["ended"] == "finished"
    expect(page.get_by_text("These cells came with the app.")).to_be_visible()
    expect(page.get_by_role("button", name="Sweep here", exact=True)).to_be_enabled()
    expect(page.get_by_role("button", name="Cancel")).to_be_disabled()
    assert not list((tmp_path / "cache" / "sweeps").glob("*.db"))
    page.wait_for_function("location.search.includes('tgo=0')")


def test_ones_own_file_and_live(open_tune, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(150, 2))
    y = rng.random(150) < 1 / (1 + np.exp(-x @ [1.0, -1.0]))
    rows = [f"{a:.5f};{b:.5f};{('grün', 'rot')[int(a > 0)]};{'yes' if c else 'no'}".replace(".", ",")
            for (a, b), c in zip(x, y, strict=True)]
    text = "first;second;farbe;bought\n" + "\n".join([*rows[:4], "0,5;;rot;yes", *rows[4:]]) + "\n"
    (tmp_path / "mine.csv").write_bytes(text.encode("latin-1"))
    page = open_tune()
    page.locator("input[type=file]").set_input_files(tmp_path / "mine.csv")
    dialog = page.get_by_role("dialog", name="Your data")
    expect(dialog.get_by_text("1 row left out, missing or NaN in column 'second': row 5")).to_be_visible()
    expect(dialog.locator("th.response")).to_have_text("bought")
    expect(dialog.get_by_text("read as Latin-1 (Windows-1252), since it is not UTF-8")).to_be_visible()
    dialog.get_by_role("button", name="farbe · 2 values").click()
    expect(dialog.get_by_text(re.compile("column 'farbe' is a category"))).to_be_visible()
    dialog.locator(".pick-kind").select_option("poisson")
    expect(dialog.get_by_role("alert")).to_contain_text("0 usable rows; 16 or more are needed to tune. 150 rows")
    expect(dialog.get_by_role("button", name="Use these rows")).to_be_disabled()
    dialog.locator(".pick-kind").select_option("logistic")
    state = after(page, dialog.get_by_role("button", name="Use these rows").click)
    assert state["data"].startswith("file-") and state["data"].endswith("mine.csv") and state["cells"] == "0"
    expect(page.locator("[data-slot=take] pre")).to_contain_text("response='bought'")
    expect(page.locator("[data-slot=take] pre")).to_contain_text("categories={'farbe': ['")
    page.wait_for_function("location.search.includes('tdata=file-')")

    page.get_by_role("button", name="Run in Live").click()
    page.wait_for_function("deep('canvas[data-frames]') && +deep('canvas[data-frames]').dataset.frames > 2")
    page.wait_for_function("location.search.includes('problem=given')")


def test_a_file_too_large_is_told_to_use_its_path(open_tune, tmp_path):
    with open(tmp_path / "huge.csv", "wb") as file:
        file.truncate(3 * 10**9)  # takes no room
    page = open_tune()
    page.wait_for_function("shown().watched === '1'")
    before = page.evaluate("shown()")
    page.locator("input[type=file]").set_input_files(tmp_path / "huge.csv")
    expect(page.get_by_role("alert").filter(has_text="huge.csv")).to_contain_text(
        re.compile(r"3,000 MB; .* python -m sampler tune /path/to/huge\.csv"))
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert page.evaluate("shown()") == before


def test_wrong_input_is_said_where_it_was_given(open_tune):
    page = open_tune(SMALL + "&tchains=many&tb=4")
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
    page.get_by_role("button", name="Leave b = 9 out").click()
    page.wait_for_function("shown().total === '24' && shown().done === shown().asked")

    both = page.locator(".swept-algorithm").get_by_role("radio", name="Both")
    state = after(page, both.click)
    assert state["algorithm"] == "both" and int(state["total"]) > 24
    expect(page.locator(".range-whitened_eta0")).to_be_visible()
    page.wait_for_function("location.search.includes('talg=both')")
    page.locator("[data-slot=verdict]").get_by_role("button", name="Look at").click()
    page.wait_for_function("at => shown().looked !== at", arg=state["looked"])
    state = after(page, lambda: page.get_by_label("data", exact=True).select_option("counts.csv, 512 rows"))
    assert state["algorithm"] == "both"  # counts are tuned with both algorithms too
    expect(both).to_be_enabled()
    expect(page.locator(".range-whitened_eta0")).to_be_visible()


def test_on_a_phone_in_the_dark(open_tune):
    page = open_tune(SMALL + "&theme=dark", 390, 844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name="Data and sweep").click()
    expect(page.locator(".range-eta0")).to_be_visible()
    page.get_by_role("button", name="Close the knobs").click()
    expect(page.locator(".range-eta0")).to_be_hidden()  # the sheet has slid away
    box = page.locator("[data-slot=map] canvas").first.bounding_box()
    assert box["width"] <= 372
    tap(page, 0.1, 4)
    page.wait_for_function("shown().looked === '0.1,4,4'")
