"""The Offline page played as a person plays it: the ladder, the races, a file of their own, bad input, phone, links."""

import csv
import io
import tempfile
import threading

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.accessible import listen, wait_to_hear
from tests.browser.person import after, choose, finished, hover_until_told, knob, type_in, wait_for_query

pytestmark = [pytest.mark.browser, pytest.mark.journey]


@pytest.fixture(scope="module")
def offline_compiled():
    """Kernels of the page compiled once, so that no test waits for it."""
    from app.background_job import BackgroundJob, wait
    from app.offline.ladder_run import run_ladder
    from app.offline.likelihood_race_job import run_likelihood
    from app.offline.wasserstein_race_job import run_gaussian
    from app.state.offline_ladder import LadderConfig
    from app.state.offline_races import GaussianConfig, LikelihoodConfig

    jobs = [lambda handle: run_ladder(LadderConfig(terms=16, chains=16, i_max=10), handle),
            lambda handle: run_gaussian(GaussianConfig(n=100, chains=20).with_batch(20), handle),
            lambda handle: run_likelihood(LikelihoodConfig(n=100, chains=20).with_batch(20), None, handle)]
    for job in jobs:
        worker = BackgroundJob()
        worker.start(job)
        assert wait(worker, 240).error == ""
        worker.close()


@pytest.fixture
def open_offline(open_window, offline_compiled):
    """Return a function that opens the page in a new window and has what is in front run."""
    def open_(query="", *size, run=True, **window):
        page = open_window(f"?page=offline{query}", *size, **window)
        page.wait_for_function("shown().done === '1'")
        assert page.evaluate("shown().request") == "0"  # opening runs nothing
        if run:
            run_button(page).click()
            finished(page, 1)
        return page

    return open_


def run_button(page):
    """The button that runs what is in front."""
    return page.get_by_role("button", name="Run", exact=True).filter(visible=True)


def test_opening_runs_nothing_and_shows_what_came_with_the_app(open_window):
    page = open_window("?page=offline")
    page.wait_for_function("+canvas().frame > 5")
    text = page.get_by_role("region", name="What this says").first
    expect(text).to_contain_text("The ladder ends at the posterior.")
    expect(page.get_by_text("came with the app").first).to_be_visible()
    for view, name in (("Gaussian", "Distance to the target"), ("Likelihood", "Held-out likelihood")):
        page.get_by_role("radio", name=view).click()
        expect(page.get_by_role("region", name=name)).to_be_visible()
        page.wait_for_function("shown().curves === 'sgld,saga,svrg,plus'")
    assert page.evaluate("shown().request") == "0"
    page.wait_for_url(lambda url: "ofn=3000" in url and "oview=nll" in url)
    page.goto(page.url.replace("ofn=3000", "ofn=3001"))
    expect(page.get_by_role("region", name="Held-out likelihood")).to_contain_text("have not been run yet")


def wait_for_canvas(page, condition):
    page.wait_for_function(f"(c => {condition})(canvas())")


def test_the_ladder_plays_by_itself_and_obeys_its_transport(open_offline):
    page = open_offline("&ospeed=1&oT=256")
    stage = page.get_by_role("region", name="Chains on the ladder")
    expect(stage).to_contain_text("256 chains down the ladder")
    first = int(page.evaluate("canvas().frames"))
    page.wait_for_function("n => +canvas().frames > n + 10", arg=first)
    assert page.evaluate("shown().frames") == str(9 * 60 + 1)
    stage.get_by_role("button", name="Pause").click()
    expect(stage.get_by_role("button", name="Play")).to_be_visible()
    stage.get_by_role("button", name="Restart").click()
    wait_for_canvas(page, "+c.frame < 60")
    stage.get_by_role("button", name="Rung").click()
    wait_for_canvas(page, "c.frame === '60' && c.rung === '1'")
    expect(stage.locator("[data-ro=beta]")).to_have_text("1/256")
    expect(stage.locator("[data-ro=cost]")).to_have_text("1,156")  # T + b i_max
    expect(stage.locator("[data-ro=full]")).to_have_text("25,600")  # T i_max
    for _ in range(2):
        before = page.evaluate("canvas().frame")
        stage.get_by_role("button", name="Rung").click()
        wait_for_canvas(page, f"c.frame !== '{before}'")
    wait_for_canvas(page, "c.frame === '180'")
    slider = stage.get_by_label("frame")
    slider.fill("540")
    wait_for_canvas(page, "c.frame === '540' && c.rung === '9'")
    expect(stage.locator("[data-ro=step]")).to_have_text("100 of 100")
    text = page.get_by_role("region", name="What this says").first
    expect(text).to_contain_text("The ladder ends at the posterior.")
    expect(text).to_contain_text("10,404")
    stage.get_by_role("radio", name="Fixed").click()
    wait_for_query(page, "ozoom=fixed")
    with page.expect_download() as saved:
        stage.get_by_role("button", name="CSV").click()
    with open(saved.value.path(), encoding="utf-8") as file:
        rows = list(csv.DictReader(io.StringIO(file.read())))
    assert len(rows) == 9 and rows[-1]["beta"] == "1" and rows[-1]["gradients_a_chain"] == "10404"
    with page.expect_download() as saved:
        stage.get_by_role("button", name="PNG").click()
    with open(saved.value.path(), "rb") as file:
        assert file.read(8) == b"\x89PNG\r\n\x1a\n"
    cut = page.evaluate("""deepAll('section.card').filter(n => n.offsetHeight && n.scrollHeight > n.clientHeight + 1)
        .map(n => n.getAttribute('aria-label'))""")
    assert cut == []


def test_knobs_of_the_ladder_and_many_dimensions(open_offline):
    page = open_offline("&oT=64&ok=32&oi=20")
    expect(page.get_by_role("region", name="What this says").first).to_contain_text("It should be 5 or more: raise")
    type_in(page, "ladder-eta0", "0")
    expect(knob(page, "ladder-eta0").locator(".error")).to_contain_text("η₀ must be from 0.001 to 20. Kept 1.")
    shown = after(page, lambda: type_in(page, "ladder-i_max", "150"))
    assert shown["frames"] == str(7 * 60 + 1)
    wait_for_query(page, "oi=150")
    link = page.url.replace("otarget=plane", "otarget=many").replace("oaxes=1-2", "oaxes=3-21").replace("oT=64", "oT=16")
    page.goto(link)
    page.wait_for_function("shown().done === '1'")
    after(page, run_button(page).click)
    expect(page.get_by_label("coordinate across").locator("option:checked")).to_have_text("θ₃")
    expect(page.get_by_label("coordinate up").locator("option:checked")).to_have_text("intercept")
    expect(page.get_by_role("region", name="Chains on the ladder")).to_contain_text("32 chains")
    expect(page.get_by_role("region", name="Cost and accuracy")).to_contain_text("effective draws each")


def test_the_gaussian_race_its_table_and_what_it_refuses(open_offline):
    page = open_offline("&oview=w2&ogk=100")
    page.wait_for_function("shown().table === '7'")
    best = page.get_by_role("region", name="At its best step")
    row = best.get_by_role("row").filter(has_text="SAGA-LD")
    for value, known in ((2, .0146), (3, .0048), (4, .0024)):
        assert float(row.get_by_role("cell").nth(value).text_content()) == pytest.approx(known, abs=0.1 * known + 5e-5)
    shown = page.evaluate("shown()")
    assert shown["curves"] == "sgld,saga,svrg,plus" and shown["points"] == "36"
    for name, text, words in (("w2-anchor_batch", "600", "B must be at most n = 500"), ("w2-anchor_every", "0", "m must be"),
                              ("w2-chains", "7", "K must be 20 or more"), ("w2-n", "x", "is not a number")):
        type_in(page, name, text)
        expect(knob(page, name).locator(".error")).to_contain_text(words)
    assert page.evaluate("shown().request") == shown["request"]  # nothing was run
    listen(page)
    shown = after(page, lambda: page.get_by_role("switch", name="CV-ULD").press("Space"))
    assert shown["curves"] == "sgld,saga,svrg,plus,uld"
    values = [float(v) for v in shown["values"].split(",")]
    assert all(0 < v < 0.02 for v in values)
    shown = after(page, lambda: type_in(page, "w2-step_size", "0.01"))
    wait_for_query(page, "ogstep=common")
    card = page.get_by_role("region", name="Distance to the target")
    card.get_by_role("radio", name="Linear").click()
    hovered = hover_until_told(page, 0, 0.25, np.linspace(0.3, 0.8, 26), "passes")
    assert "W" in hovered
    with page.expect_download() as saved:
        card.get_by_role("button", name="CSV").click()
    with open(saved.value.path(), encoding="utf-8") as file:
        rows = list(csv.DictReader(io.StringIO(file.read())))
    assert {row["kind"] for row in rows} == {"exact", "chains"}
    wait_to_hear(page, "Passes to", "CV-ULD")


def write(path, n=80, labels=lambda i: i % 2, broken=None):
    x = np.random.default_rng(0).standard_normal((n, 2))
    lines = ["age,dose,ill", *(f"{u:.4f},{v + labels(i):.4f},{labels(i)}" for i, (u, v) in enumerate(x))]
    if broken is not None:
        lines[broken - 1] = "1.0,oops,1"
    path.write_text("\n".join(lines))
    return path


def test_a_file_of_ones_own_good_and_bad(open_offline, tmp_path):
    page = open_offline("&oview=nll&ofn=400&ofp=4&ofd=3")
    assert page.evaluate("shown().curves") == "sgld,saga,svrg,plus"
    page.get_by_role("radio", name="my own file").click()
    picker = page.locator("input[type=file]")
    shown = after(page, lambda: picker.set_input_files(write(tmp_path / "mine.csv")))
    assert shown["curves"] == "sgld,saga,svrg,plus"
    expect(page.get_by_text("80 rows, 2 features, labels 0 and 1")).to_be_visible()
    expect(page.get_by_role("region", name="The data")).to_contain_text("mine.csv")
    expect(knob(page, "nll-anchor_batch").locator("input.box")).to_have_value("12")
    expect(page.get_by_role("combobox").filter(has_text="ill (last)")).to_be_visible()
    type_in(page, "nll-anchor_batch", "61")
    expect(knob(page, "nll-anchor_batch").locator(".error")).to_contain_text("at most n = 60")
    after(page, lambda: picker.set_input_files(write(tmp_path / "broken.csv", broken=7)))
    alert = page.locator(".drop .error")
    expect(alert).to_contain_text("line 7 of 'broken.csv' is broken: column 'dose' must be a finite number, got 'oops'")
    after(page, lambda: picker.set_input_files(write(tmp_path / "three.csv", labels=lambda i: i % 3)))
    expect(alert).to_contain_text("the label has 3 different values")
    after(page, lambda: choose(page, "1 means", "2, all others 0"))
    expect(page.get_by_text("80 rows, 2 features, labels not 2 and 2")).to_be_visible()
    expect(alert).to_have_text("")
    after(page, lambda: picker.set_input_files(write(tmp_path / "one.csv", labels=lambda i: 1)))
    expect(page.get_by_role("region", name="Held-out likelihood").locator(".warnings")).to_contain_text(
        "the likelihood alone has no mode")
    (tmp_path / "empty.csv").write_text("")
    picker.set_input_files(tmp_path / "empty.csv")
    expect(alert).to_contain_text("empty.csv is empty; choose another file.")
    shown = after(page, page.get_by_role("button", name="Take the file away").click)
    expect(page.get_by_role("region", name="The data")).to_contain_text("generated stream")


def test_nonsense_in_a_link_is_answered(open_offline):
    page = open_offline("&oview=nll&ofn=1e9&ofm=0&ofon=sgld,hmc&ofp=1&ofB=abc&ofn=300&ofk=2&ofd=2")
    expect(page.get_by_text("m = '0' must be a whole number from 1")).to_be_visible()
    expect(page.get_by_text("'hmc' is not one of")).to_be_visible()
    expect(page.get_by_text("B = 'abc' is not a number")).to_be_visible()
    assert page.evaluate("shown().curves") == "sgld"
    page.get_by_role("radio", name="Ladder").click()
    wait_for_query(page, "oview=ladder")
    page.wait_for_function("shown().view === 'ladder' && shown().done === '1'")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_themes_on_a_phone(open_offline, scheme):
    page = open_offline("&oT=64&ok=32&oi=60&ospeed=5&ogk=0", 390, 844, run=False, color_scheme=scheme, has_touch=True)
    card = page.evaluate("getComputedStyle(deep('section.card')).backgroundColor")
    assert card == {"light": "rgb(255, 255, 255)", "dark": "rgb(24, 29, 35)"}[scheme]
    page.get_by_role("button", name="Knobs", exact=True).click()
    after(page, run_button(page).click)
    page.wait_for_function("shown().playing === '0'")
    page.get_by_role("radio", name="Gaussian").click()
    expect(page.get_by_text("Zou, Xu and Gu, Figures 1 and 2.")).to_be_visible()
    after(page, run_button(page).click)
    page.get_by_role("button", name="Close the knobs").click()
    expect(page.get_by_role("region", name="Distance to the target")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wide = page.evaluate("deepAll('section.card').filter(n => n.getBoundingClientRect().right > 391).length")
    assert wide == 0


def test_workers_and_the_file_go_with_the_session(open_offline, server, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # the server is in this process; other tests have theirs
    others = set(threading.enumerate())
    page = open_offline("&oview=nll&ofn=300&ofp=2&ofd=2")
    page.get_by_role("radio", name="my own file").click()
    after(page, lambda: page.locator("input[type=file]").set_input_files(write(tmp_path / "mine.csv")))
    new = list(tmp_path.glob("exit-time-lab-*"))
    assert len(new) == 1
    page.goto("about:blank")
    server.wait_until(lambda: not any(path.exists() for path in new) and not any(
        thread.name.startswith("offline-") for thread in set(threading.enumerate()) - others),
        "a worker or a file outlived its session")
