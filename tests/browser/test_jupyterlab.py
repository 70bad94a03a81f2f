"""Every page in a cell of a real JupyterLab: it plays, synchronizes with Python, ends with its cell, loads no other host.

``panel serve notebooks/01_first_look.ipynb`` shows the notebook with its figure and page; only Panel loads another host.
"""

import os
import re
import subprocess
import sys
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import expect

from tests.browser.jupyterlab import ROOT, JupyterLab, Notebook, write_notebook
from tests.browser.person import PATIENCE, knob, new_tab, patient, type_in, watch
from tests.ports import wait_for_output
from tests.waiting import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.journey]

COUNT = "import threading\nprint(sum(t.name == 'exit-time-engine' for t in threading.enumerate()))"
FEWER = "from app.jobs import frame_rate\nframe_rate.SHORTEST = frame_rate.LONGEST\n"
"""The tests' frame rate: other tests need the machine too."""
BLOCKED = re.compile(r"Failed to load resource: net::ERR_FAILED")
"""Console message of the browser about a request that a test has blocked."""
ENDED = re.compile(r"\[bokeh \d.*\] Lost websocket|WebSocket connection to .* failed|net::ERR_CONNECTION_REFUSED")
"""Console messages of Bokeh and the browser after the kernel behind a page has ended."""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    running = JupyterLab(tmp_path_factory.mktemp("lab"))
    yield running
    running.stop()


@pytest.fixture(scope="module")
def window(chromium):
    """Window of all notebooks: it caches JupyterLab's scripts."""
    return chromium.new_context()


@pytest.fixture
def open_notebook(lab, window, compiled):
    """Return a function that writes a notebook of cells and opens it; any console error fails the test."""
    problems, pages, allowed = [], [], []

    def open_(name, *cells, allow=None, block=None):
        path = lab.folder / f"{name}.ipynb"
        if cells:
            write_notebook(path, *cells)
        pages.append(page := patient(window.new_page()))
        page.set_viewport_size({"width": 1440, "height": 1000})
        watch(page, problems)
        allowed.extend([allow] if allow else [])
        if block:
            page.route(block, lambda route: route.abort())
        return Notebook(page, lab, path.name)

    yield open_
    for page in pages:
        page.close()
    lab.end_kernels()
    assert [p for p in problems if not any(a.search(p) for a in allowed)] == []


def both_ways(notebook, frame, name, typed, in_python, sets=2, prints=3):
    """Type a number, slide it, set it in Python: page and kernel agree. Cell ``sets`` sets it, ``prints`` prints it."""
    box, slider = knob(frame, name).locator("input.box"), knob(frame, name).locator("input.range")
    type_in(frame, name, typed)
    notebook.until(prints, typed)
    at = slider.input_value()
    slider.press("ArrowRight")
    expect(slider).not_to_have_value(at)
    wait_for(lambda: notebook.run(prints) != typed, f"the kernel did not receive {name}")

    def set_in_python():
        notebook.run(sets)
        expect(box).to_have_value(in_python)
        return notebook.run(prints) == in_python

    wait_for(set_in_python, f"Python's value of {name} is overwritten")  # the slider's last message may come after it


def wait_for_frames(frame):
    frame.wait_for_function("n => frames_painted() > n + 30", arg=frame.evaluate("frames_painted()"))


def live(name="page"):
    return f"{FEWER}from app.pages.live import LivePage\n{name} = LivePage()\n{name}"


def test_the_live_page_plays_in_a_cell_and_answers_both_ways(open_notebook):
    notebook = open_notebook("live", live(), COUNT, "page.state.eta0 = 0.5", "print(f'{page.state.eta0:g}')", "page")
    notebook.run(0)
    frame = notebook.play(0)
    both_ways(notebook, frame, "eta0", "5", "0.5")
    wait_for_frames(frame)
    assert notebook.cell(0).locator("[data-way=straight]").count() == 1
    frame.wait_for_function("(({scrollHeight: h}) => innerHeight >= h && h > 700)(document.documentElement)")

    notebook.run(4)  # the same object in a second cell: both play with one engine
    second = notebook.play(4)
    type_in(second, "eta0", "2")
    expect(knob(frame, "eta0").locator("input.box")).to_have_value("2")
    notebook.until(1, "1")

    notebook.run(0)  # a new object in the first cell: the old one is still shown in the other
    notebook.play(0)
    notebook.until(1, "2")
    notebook.run(4)  # now no cell shows the old one
    notebook.play(4)
    notebook.until(1, "1")


@pytest.mark.in_turn
def test_a_page_ends_with_its_cell_pauses_out_of_view_and_ends_with_its_kernel(open_notebook):
    notebook = open_notebook("life", f"{FEWER}from app.pages.live import LivePage\nLivePage()", COUNT, live(), allow=ENDED)
    for _ in range(2):
        notebook.run(0)
        notebook.play(0)
    notebook.until(1, "1")
    notebook.run(2)
    notebook.play(2)
    notebook.until(1, "2")
    notebook.save()
    notebook.page.goto("about:blank")  # closed in mid-run
    notebook = open_notebook("life")
    notebook.play(0)  # open again: the kernel and both pages continue
    notebook.play(2)
    notebook.until(1, "2")
    notebook.restart_kernel()
    notebook.cell(0).get_by_text("has ended").wait_for()
    notebook.until(1, "0")
    notebook.run(0)
    notebook.play(0)


OTHER_PAGES = [  # module, page, link to a small job, knob, its URL key, typed value, value set in Python
    ("exit_time", "ExitTimePage", "en=200&ek=500&eeta=0.002", "radius", "er", "2", "2.75"),
    ("tune", "TunePage", "tT=64&timax=4,12&tb=4&tchains=8&tref=laplace&tgo=0", "acceptance_radius", "tC", "30", "25"),
    ("compare", "ComparePage", "", "t", "cT", "256", "512"),
    ("offline", "OfflinePage", "", "ladder-i_max", "oi", "150", "120"),
    ("coreset", "CoresetPage", "kN=600&kd=3&kT=300&kopt=hot_dog", "size", "kM", "60", "70"),
]


@pytest.mark.in_turn
def test_the_page_of_a_remote_kernel_is_served_through_its_connection(open_notebook):
    notebook = open_notebook("remote", live(), COUNT, "page.state.eta0 = 0.5", "print(f'{page.state.eta0:g}')",
                             allow=BLOCKED, block=re.compile(r"//127\.0\.0\.1:\d+/[\w-]{32}"))
    notebook.run(0)
    frame = notebook.play(0)
    assert notebook.cell(0).locator("[data-way=kernel]").count() == 1
    both_ways(notebook, frame, "eta0", "5", "0.5")
    wait_for_frames(frame)
    frame.wait_for_function("[...document.fonts].some(f => f.family.includes('Roboto') && f.status === 'loaded')")
    knob(frame, "eta0").locator(".term").focus()  # its definition, with a formula: KaTeX and its fonts come the same way
    frame.wait_for_function("deepAll('.tip lab-math').some(one => one.shadowRoot?.querySelector('.katex'))"
                            " && [...document.fonts].some(f => f.family === 'KaTeX_Math' && f.status === 'loaded')")


@pytest.mark.in_turn
def test_every_other_page_works_in_a_cell_and_as_an_ipywidget_without_a_connection(open_notebook):
    cells = []
    for module, page, link, _, key, _, in_python in OTHER_PAGES:
        cells += [f"from app.pages.{module} import {page}\n{module} = {page}()\n"
                  f"{module}.load({dict(parse_qsl(link))})\n{module}",
                  f"{module}.load({{**{module}.query(), '{key}': '{in_python}'}})", f"print({module}.query()['{key}'])"]
    widget = len(cells)
    cells += [f"from app import notebook\n{live()}; notebook.ipywidget(page)", COUNT, "page.state.eta0 = 0.5",
              "print(f'{page.state.eta0:g}')", "import ipywidgets\nipywidgets.HBox([notebook.ipywidget(page)])"]
    notebook = open_notebook("pages", *cells)
    for k, (_, _, _, name, _, typed, in_python) in enumerate(OTHER_PAGES):
        notebook.run(3 * k)
        frame = notebook.shown(3 * k, "window.shown && (shown().request ?? shown().asked)")
        knob(frame, name).locator("input.box").wait_for()
        both_ways(notebook, frame, name, typed, in_python, sets=3 * k + 1, prints=3 * k + 2)

    notebook.run(widget)
    frame = notebook.play(widget)
    both_ways(notebook, frame, "eta0", "5", "0.5", sets=widget + 2, prints=widget + 3)
    wait_for_frames(frame)
    notebook.run(widget + 4)  # a second widget of the same page
    type_in(notebook.play(widget + 4), "eta0", "2")
    expect(knob(frame, "eta0").locator("input.box")).to_have_value("2")
    notebook.until(widget + 1, "1")


FONT = "fonts.googleapis.com"
"""Panel's template of served notebooks loads a font from this host and has no option to avoid it."""
TAB_CLOSED = {"tornado.iostream.StreamClosedError", "tornado.websocket.WebSocketClosedError"}
"""Errors that a server logs when it writes to a closing tab."""


@pytest.fixture
def served(tmp_path, compiled):
    log = tmp_path / "log"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-m", "panel", "serve", str(ROOT / "notebooks" / "01_first_look.ipynb"), "--port", "0"]
    with log.open("w") as file:
        server = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=file, stderr=file)
    yield wait_for_output(server, log, r"running at: (http://localhost:\d+/01_first_look)")[1]
    server.terminate()
    server.wait(PATIENCE / 1000)
    raised = re.findall(r"^[\w.]*(?:Error|Exception)\b", log.read_text(), re.MULTILINE)
    assert set(raised) <= TAB_CLOSED, log.read_text()


@pytest.mark.in_turn
def test_a_served_notebook_draws_its_figure_and_plays_its_page(served, chromium):
    problems = []
    page = new_tab(chromium, problems, own="//localhost:")
    page.route(f"**/{FONT}/**", lambda route: route.fulfill(body="", content_type="text/css"))
    page.goto(served)
    page.wait_for_function("frames_painted() > 2")
    page.wait_for_function("deepAll('.bk-Figure').length > 0")
    page.get_by_role("heading", name="Is it right?").wait_for()
    page.context.close()
    assert [problem for problem in problems if FONT not in problem] == []
