"""The pages in real Chromium: frames, bytes and milliseconds, as a person's browser sees them."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

from tests.benchmarks.timing import Row, row, skipped

FLAGS = ("--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
         "--disable-component-update --disable-sync").split()
DEEP = """
window.deep = (selector, node = document) => { for (const n of node.querySelectorAll('*')) {
  if (n.matches(selector)) return n
  const found = n.shadowRoot && deep(selector, n.shadowRoot); if (found) return found } }
window.painted = () => +(deep('canvas[data-frames]')?.dataset.frames ?? 0)
"""


class Server:
    """``serve.py`` in a process of its own; ``last`` is what it told last."""

    def __init__(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-m", "tests.benchmarks.serve"], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.url = f"http://127.0.0.1:{json.loads(self.process.stdout.readline())['port']}/app"
        self.last: dict = {"frames": 0, "seconds": 0.0, "resident": 0.0}
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in self.process.stdout:
            self.last = json.loads(line)


def measure(quick: bool) -> Iterator[Row]:
    """Rows for 64 and 256 chains, the slider, the start and a long run."""
    path = os.environ.get("LAB_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        yield skipped("the pages in a browser", "playwright is not installed")
        return
    if not path:
        yield skipped("the pages in a browser", "no Chromium found, LAB_CHROMIUM names its path")
        return
    server = Server()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
            for chains in (64, 256):
                yield from frames(browser, server, chains, 5 if quick else 20)
            yield slider(browser, server)
            yield opening(browser, server)
            yield long_run(browser, server, 500 if quick else 5000)
            browser.close()
    finally:
        server.process.terminate()
        server.process.wait()


def opened(browser, server, query: str):
    """A page that has painted, with the bytes its sockets brought."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(120_000)
    received = [0]

    def count(socket):
        socket.on("framereceived", lambda data: received.__setitem__(0, received[0] + len(data)))

    page.on("websocket", count)
    page.add_init_script(DEEP)
    page.goto(server.url + query)
    page.wait_for_function("painted() > 20")
    return page, received


def frames(browser, server, chains: int, seconds: float) -> list[Row]:
    """Frames a second, server milliseconds and bytes a frame while the page plays."""
    page, received = opened(browser, server, f"?chains={chains}&speed=16e")
    page.wait_for_timeout(3000)
    told, painted, size, start = dict(server.last), page.evaluate("painted()"), received[0], time.perf_counter()
    page.wait_for_timeout(1000 * seconds)
    took, n = time.perf_counter() - start, page.evaluate("painted()") - painted
    sent = max(1, server.last["frames"] - told["frames"])
    spent = 1000 * (server.last["seconds"] - told["seconds"]) / sent
    brought = (received[0] - size) / max(1, n)
    page.close()
    name = f"Live page, {chains} chains: "
    return [row(name + "frames a second", n / took, at_least=40 if chains == 64 else None, unit="/s"),
            row(name + "server time a frame", spent, at_most=8, unit="ms"),
            row(name + "bytes a frame", brought / 1000, at_most=6, unit="kB")]


def slider(browser, server) -> Row:
    """From a knob's key press to the first frame painted after the server has taken it."""
    page, _ = opened(browser, server, "?speed=16e")
    page.wait_for_timeout(2000)
    times = page.evaluate("""async () => {
      const knob = deep('#knob-eta0 input[type=range]') ?? deep('input.range'), times = []
      const press = (knob, change) => {
        knob.value = +knob.value + change; knob.dispatchEvent(new Event('input', {bubbles: true, composed: true})) }
      const seen = () => deep('canvas[data-frames]').dataset.frames
      for (let i = 0; i < 21; i++) {
        await new Promise(done => setTimeout(done, 200 + 13 * i % 50))
        const start = performance.now()
        press(knob, i % 2 ? -20 : 20)
        // two frames are in flight already: the third was made after the change
        const from = +seen()
        while (+seen() < from + 3) await new Promise(done => requestAnimationFrame(done))
        times.push(performance.now() - start)
      }
      return times }""")
    page.close()
    return row("slider to paint", times, at_most=60, unit="ms")


def opening(browser, server) -> Row:
    """From opening the address to a painted, playing page; three times, kernels compiled already."""
    times = []
    for _ in range(3):
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script(DEEP)
        start = time.perf_counter()
        page.goto(server.url)
        page.wait_for_function("painted() > 1", timeout=120_000)
        times.append(time.perf_counter() - start)
        page.close()
    return row("Live page from address to playing, warm cache", times, at_most=3, unit="s")


def long_run(browser, server, wanted: int) -> Row:
    """Memory of server and page over many frames."""
    page, _ = opened(browser, server, "?speed=16e")
    page.wait_for_function("painted() > 200")
    heap = "performance.memory.usedJSHeapSize / 1e6"
    before, used = server.last["resident"], page.evaluate(heap)
    page.wait_for_function(f"painted() > {200 + wanted}", timeout=600_000)
    after, now = server.last["resident"], page.evaluate(heap)
    page.close()
    return row(f"server memory gained over {wanted:,} frames", after - before, at_most=60, unit="MB",
               note=f"server {before:.0f} to {after:.0f} MB, page {used:.0f} to {now:.0f} MB")
