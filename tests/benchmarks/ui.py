"""The pages in Chromium: frames per second, cost of a frame, delay of a knob, start, memory."""

import tempfile
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks.server import WATCH, Served
from tests.benchmarks.timing import Row, missing_packages, row, skipped
from tests.browser.person import DEEP, FLAGS, find_chromium

PATIENCE = 60_000
NONE = "no Chromium: install one or set LAB_CHROMIUM to its path"
SCRIPT = DEEP + """
window.watched = undefined
window.paints = []  // [number of the frame, time] of every paint
const looking = setInterval(() => {
  const canvas = window.watched = deep("canvas[data-frames]")
  if (!canvas) return
  clearInterval(looking)
  const paint = () => { if (canvas.dataset.frame) paints.push([+canvas.dataset.frame, performance.now()]) }
  paint()
  new MutationObserver(paint).observe(canvas, {attributes: true, attributeFilter: ["data-frame"]})
}, 5)
window.painted = () => new Set(paints.map(p => p[0])).size
"""
TURN = """(slider, place) => {
  slider.value = place
  slider.dispatchEvent(new Event("input", {bubbles: true}))
  return performance.now()
}"""
UNTIL_CURVE = """(slider, place) => new Promise(done => {
  const root = deep("[data-request]"), before = +root.dataset.request, start = performance.now()
  slider.value = place
  slider.dispatchEvent(new Event("input", {bubbles: true}))
  const look = () => +root.dataset.request > before && root.dataset.done === "1"
    ? requestAnimationFrame(() => done(performance.now() - start)) : requestAnimationFrame(look)
  look()
})"""


@contextmanager
def opened(browser, url: str = "about:blank", script: str = SCRIPT):
    """Open a page; yield it and the number of bytes that its websockets have received, in a list."""
    window = browser.new_context(viewport={"width": 1440, "height": 900})
    page, received = window.new_page(), [0]
    page.set_default_timeout(PATIENCE)
    page.add_init_script(script)

    def count(payload):
        received[0] += len(payload)

    page.on("websocket", lambda socket: socket.on("framereceived", count))
    page.goto(url)
    try:
        yield page, received
    finally:
        window.close()


def flow(server: Served, browser, seconds: float) -> list[Row]:
    """Measure frames per second and the cost of a frame once the page has settled."""
    with opened(browser, server.url) as (page, received):
        page.wait_for_function("painted() > 100")
        page.evaluate("paints.length = 0")
        before, bytes_before = server.ask(), received[0]
        page.evaluate("seconds => new Promise(done => setTimeout(done, 1000 * seconds))", seconds)
        painted, span = page.evaluate("[painted(), paints.at(-1)[1] - paints[0][1]]")
        after, bytes_after = server.ask(), received[0]
        frames = max(1, after["frames"] - before["frames"])
        cost = 1e3 * (after["thread_seconds"] - before["thread_seconds"]) / frames
        delays = knob_delays(server, page)
    name = "Live, 64 chains"
    return [
        row(f"{name}: frames a second", 1e3 * (painted - 1) / span, at_least=40, unit="fps"),
        row(f"{name}: server time a frame", cost, at_most=8, unit="ms", note="processor time of its loop"),
        row(f"{name}: size of a frame, all messages", (bytes_after - bytes_before) / frames / 1e3, at_most=6, unit="kB"),
        row(f"{name}: slider to paint", delays, at_most=60, unit="ms", note=f"{len(delays)} turns of R"),
    ]


def knob_delays(server: Served, page, turns: int = 20) -> list[float]:
    """Return milliseconds from moving R's slider to the first painted frame with the new value."""
    slider = page.locator(".knob-escape_radius input.range")
    middle, delays = int(slider.input_value()), []
    for turn in range(turns):
        before = len(server.ask()["carried"])
        start = slider.evaluate(TURN, middle + 10 * (1 + turn % 3) * (-1) ** turn)
        carried = []
        while len(carried) <= before:  # polled rarely, since requests take the server's time
            page.evaluate("new Promise(done => setTimeout(done, 120))")
            carried = server.ask()["carried"]
        page.wait_for_function("frame => paints.at(-1)[0] >= frame", arg=carried[-1])
        delays.append(page.evaluate("([frame, start]) => paints.find(p => p[0] >= frame)[1] - start",
                                    [carried[-1], start]))
        page.evaluate("new Promise(done => setTimeout(done, 150))")  # a pause, at no fixed phase of a frame
    return delays


def first_paint(browser) -> list[Row]:
    """Measure seconds from the request to the first painted frame with cached kernels: a new server, then a running one."""
    with Served(WATCH) as server, opened(browser, server.url) as (page, _):
        page.wait_for_function("painted() > 3")  # kernels are on disk from here on
    with Served(WATCH) as server:
        seconds = []
        for _ in range(3):
            with opened(browser, server.url) as (page, _):
                page.wait_for_function("painted() > 0")
                seconds.append(page.evaluate("paints[0][1]") / 1e3)
    return [row("Live page, load to first frame, new server, kernels on disk", seconds[0], at_most=3.0, unit="s"),
            row("Live page, load to first frame, server running", seconds[1:], at_most=3.0, unit="s")]


def memory(server: Served, browser, frames: int) -> list[Row]:
    with opened(browser, server.url) as (page, _):
        devtools = page.context.new_cdp_session(page)

        def used() -> float:
            devtools.send("HeapProfiler.collectGarbage")
            return devtools.send("Runtime.getHeapUsage")["usedSize"] / 1e6

        page.wait_for_function("+watched?.dataset.frames > 1000", timeout=600_000)
        page.evaluate("paints.length = 0")
        before, start = used(), page.evaluate("+watched.dataset.frames")
        page.wait_for_function("n => { paints.length = 0; return +watched.dataset.frames > n }", arg=start + frames,
                               timeout=1_200_000, polling=500)
        after, epoch = used(), page.evaluate("watched.dataset.t")
    return [row("Live page: growth of the page's script memory", after - before, at_most=4, unit="MB",
                note=f"over {frames:,} frames, up to epoch {epoch}, from {before:.0f} MB")]


def exit_curve(server: Served, browser, turns: int) -> list[Row]:
    with opened(browser, server.url + "?page=exit&ek=10000&en=1000&er=1&eeta=0.0005") as (page, _):
        page.wait_for_function("deep('[data-request]')?.dataset.done === '1'")
        slider = page.locator(".knob-radius input.range")
        middle = int(slider.input_value())
        seconds = [slider.evaluate(UNTIL_CURVE, middle + 4 * (1 + turn) * (-1) ** turn) / 1e3 for turn in range(turns)]
    return [row("Exit time page: slider to curve, 10,000 chains x 1,000 steps", seconds, at_most=3.0, unit="s")]


def jupyterlab(browser, seconds: float) -> list[Row]:
    """Measure frames per second of Live in a cell: from the kernel's server, and through the kernel's connection."""
    from tests.browser.jupyterlab import JupyterLab, Notebook, write_notebook

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        lab = JupyterLab(Path(folder))
        write_notebook(Path(folder) / "live.ipynb", "from app.pages.live import LivePage\nLivePage()")
        try:
            for way, words in (("straight", "same machine"), ("kernel", "as from a remote kernel")):
                with opened(browser) as (page, _):
                    if way == "kernel":
                        page.route("**/alive", lambda route: route.abort())
                    notebook = Notebook(page, lab, "live.ipynb")
                    notebook.run(0)
                    assert notebook.cell(0).locator(f"[data-way={way}]").count() == 1
                    frame = notebook.shown(0, "painted() > 100")
                    frame.evaluate("paints.length = 0")
                    page.wait_for_timeout(1e3 * seconds)
                    painted, span = frame.evaluate("[painted(), paints.at(-1)[1] - paints[0][1]]")
                rows.append(row(f"Live in JupyterLab, {words}, 64 chains: frames a second", 1e3 * (painted - 1) / span,
                                at_least=15, unit="fps"))
        finally:
            lab.stop()
    return rows


def measure(quick: bool) -> list[Row]:
    path, missing = find_chromium(), [*missing_packages("the pages in Chromium", "playwright", "jupyterlab")]
    if missing or path is None:
        return missing or [skipped("the pages in Chromium", NONE)]
    from playwright.sync_api import sync_playwright

    seconds, rows = 3 if quick else 8, []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS, "--enable-precise-memory-info"])
        rows += first_paint(browser)
        with Served(WATCH) as server:
            rows += flow(server, browser, seconds)
            rows += exit_curve(server, browser, 3 if quick else 7)
            rows += memory(server, browser, 500 if quick else 5_000)
        rows += jupyterlab(browser, seconds)
        browser.close()
    return rows
