"""The lab file in Chromium: first picture, epochs per second, kernels against native ones, memory over an hour.

    python -m tests.benchmarks lab_file [--quick]

Kernels are raced in turns: the same sampler on the same rows runs the next epochs in Chromium and natively, and
processor time is compared; a third contestant is native with WebAssembly's vectors of 128 bits. Rows measured by the
clock depend on the load of the machine.
"""

import platform
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from app.extras.lab_file.content import problem_records
from app.extras.lab_file.page_file import page_of
from app.state.live import SPEEDS, LiveState, default_config
from tests.benchmarks.native_run import OF_128_BITS, NativeRun, elsewhere
from tests.benchmarks.timing import Row, row, skipped
from tests.benchmarks.ui import NONE, opened
from tests.browser.module_page import module_page
from tests.browser.person import FLAGS, find_chromium
from tests.waiting import wait_for

HOUR = 28_800
"""Epochs of an hour at the default speed of the page, 8 per second."""
FIRST = """(() => { // the time of the frame after the first picture
  const next = action => requestAnimationFrame(() => requestAnimationFrame(action))
  const shown = () => document.querySelector("#lab[data-ready]")
  const look = () => shown() ? next(() => { window.first = performance.now() }) : requestAnimationFrame(look)
  requestAnimationFrame(look)
})()"""
BEGIN = """([problem, config, epochs]) => {
  const {algorithm, chains, seed, settings} = config
  const stream = new Stream(kernels, problem, config.stream, seed)
  window.saga = new OnlineSagaLD(kernels, initialState(kernels, problem, {algorithm, settings, chains, seed, stream}))
  saga.append(...stream.encoded(1, epochs))
}"""
RACES = [("logistic2", "saga-ld"), ("linear2", "preconditioned"), ("logistic21", "saga-ld")]
MODULES = {"OnlineSagaLD": "lab/online_saga_ld.js", "Stream": "lab/stream.js", "initialState": "lab/stream.js"}
BLOCK, WARM = 25, 100
"""Epochs of one turn, and of the warm-up."""


def thread_seconds(devtools) -> float:
    return next(one["value"] for one in devtools.send("Performance.getMetrics")["metrics"] if one["name"] == "TaskDuration")


def race_kernels(page, problem: str, algorithm: str, turns: int) -> Iterator[Row]:
    """Yield the speed of the module's kernels over native ones, and over native ones with the module's vector width."""
    config, epochs = default_config(problem, algorithm=algorithm), WARM + turns * BLOCK
    native = NativeRun(problem, algorithm, epochs)
    page.evaluate(BEGIN, [problem_records()[problem], {
        "algorithm": algorithm, "chains": config.chains, "seed": config.seed, "stream": config.stream,
        "settings": config.settings.to_dict()}, epochs])
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def there(count: int) -> float:
        start = thread_seconds(devtools)
        page.evaluate("count => { for (; count; count--) { saga.arrive(); saga.advance(2 ** 52) } }", count)
        return thread_seconds(devtools) - start

    with elsewhere(problem, algorithm, epochs, OF_128_BITS) as narrow:
        runners = (native.seconds, there, narrow)
        for runner in runners:
            runner(WARM)
        seconds = np.empty((turns, len(runners)))
        for turn in range(turns):
            for which in range(len(runners)) if turn % 2 == 0 else reversed(range(len(runners))):
                seconds[turn, which] = runners[which](BLOCK)
    positions = np.reshape(page.evaluate("[...saga.positions.data]"), native.sampler.positions.shape)
    apart = float(np.abs(positions - native.sampler.positions).max())
    mine, other, third = 1e3 * np.median(seconds, axis=0) / BLOCK
    name = f"kernels in Chromium, {problem}, {algorithm}, 64 chains: speed over native"
    yield row(name, seconds[:, 0] / seconds[:, 1], at_least=0.5,
              note=f"{mine:.2f} and {other:.2f} ms an epoch; positions at most {apart:.1e} apart")
    if platform.machine() == "x86_64":
        yield row(f"{name} with vectors of 128 bits", seconds[:, 2] / seconds[:, 1], at_least=0.5,
                  note=f"{third:.2f} and {other:.2f} ms an epoch; these are {mine / third:.2f} times as fast as native")


def until(page, expression: str, seconds: float = 1_800) -> None:
    """Wait for an expression of the page by polling: the page's policy forbids `eval`."""
    wait_for(lambda: page.evaluate(expression), expression, seconds, every=0.1)


def pace(browser, path: Path, chains: int, seconds: float, at_least: float) -> Row:
    fastest = LiveState.param.speed.write(len(SPEEDS) - 1)
    with opened(browser, f"{path.as_uri()}?chains={chains}&speed={fastest}", FIRST) as (page, _):
        until(page, "window.lab?.run?.last?.t > 20")
        start, before = time.perf_counter(), page.evaluate("lab.run.last.t")
        time.sleep(seconds)
        after, span = page.evaluate("lab.run.last.t"), time.perf_counter() - start
    return row(f"the file, {chains} chains: epochs a second", (after - before) / span, at_least=at_least, unit="1/s",
               note=f"epochs {before} to {after}, by the clock")


def hour(browser, path: Path, epochs: int) -> Row:
    """Measure the growth of the page's heap over ``epochs`` epochs at maximum speed."""
    fastest = LiveState.param.speed.write(len(SPEEDS) - 1)
    with opened(browser, f"{path.as_uri()}?speed={fastest}", FIRST) as (page, _):
        devtools, sizes = page.context.new_cdp_session(page), []
        start = time.perf_counter()
        for t in (epochs // 10, epochs):
            until(page, f"window.lab?.run?.last?.t >= {t}")
            devtools.send("HeapProfiler.collectGarbage")
            sizes.append(devtools.send("Runtime.getHeapUsage")["usedSize"] / 2**20)
        elements = page.evaluate("document.querySelectorAll('*').length")
    name = f"the file, 64 chains: growth of the page's heap from epoch {epochs // 10:,} to {epochs:,}"
    return row(name, sizes[1] - sizes[0], at_most=2, unit="MiB", note=f"{sizes[0]:.1f} and {sizes[1]:.1f} MiB;"
               f" {elements} elements; {time.perf_counter() - start:.0f} s")


def first_frames(browser, path: Path, turns: int) -> Row:
    seconds = []
    for _ in range(turns):
        with opened(browser, path.as_uri(), FIRST) as (page, _):
            until(page, "window.first > 0")
            seconds.append(page.evaluate("window.first") / 1e3)
    return row("the file: opening to the frame after its first picture", seconds, at_most=0.5, unit="s", note="by the clock")


def measure(quick: bool) -> Iterator[Row]:
    chromium = find_chromium()
    if chromium is None:
        yield skipped("the lab file in Chromium", NONE)
        return
    from playwright.sync_api import sync_playwright

    turns, seconds = (8, 5) if quick else (24, 15)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "lab.html"
        path.write_text(page_of(), encoding="utf-8")
        yield row("the file: size", path.stat().st_size / 1e6, at_most=2, unit="MB")
        browser = playwright.chromium.launch(executable_path=chromium, args=[*FLAGS])
        yield first_frames(browser, path, 5 if quick else 15)
        with module_page(browser, **MODULES) as page:
            for problem, algorithm in RACES:
                yield from race_kernels(page, problem, algorithm, turns)
        yield pace(browser, path, 512, seconds, at_least=8)
        yield pace(browser, path, 64, seconds, at_least=60)
        yield hour(browser, path, HOUR // 20 if quick else HOUR)
        browser.close()
