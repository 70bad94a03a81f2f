"""The worker of the lab file, started from a Blob as in the file: pace, commands, flow control of frames."""

import time

import pytest

from app.extras.lab_file.content import problem_records
from app.extras.lab_file.page_file import scripts
from app.js.bundles import bundle_text
from app.state.live import SPEEDS, default_config
from tests.browser.module_page import linked

pytestmark = pytest.mark.browser

FASTEST = len(SPEEDS) - 1
PATIENCE = 60_000
BEGIN = """([script, wasm, manifest, problems, config, more]) => {
  window.worker?.terminate()
  window.worker = new Worker(URL.createObjectURL(new Blob([script], {type: "text/javascript"})))
  Object.assign(window, {got: [], faults: [], held: 0, draws: true, config})
  worker.onerror = event => faults.push(event.message)
  worker.onmessage = ({data}) => {
    if (data.type === "fault") faults.push(data.words)
    else if (data.type === "snapshot") {
      got.push(Object.assign(data.snapshot, {at: performance.now()}))
      if (draws) requestAnimationFrame(() => worker.postMessage({type: "shown"}))
      else held++
    }
  }
  window.post = (type, more = {}) => worker.postMessage({type, ...more})
  window.turn = changes => post("configure", {config: Object.assign(config, changes)})
  window.last = () => got.at(-1)
  worker.postMessage({type: "prepare", wasm, manifest})
  worker.postMessage({type: "begin", problems, config, ...more})
}"""


@pytest.fixture
def begin(chromium):
    """Return a function that begins a run in a worker on a separate page; the page has `got`, `last()`, `post`, `turn`."""
    page = chromium.new_page()

    def start(key="gaussian2", more=None, **changes):
        config = linked(default_config(key).replace(**{"chains": 8, "i_max": 20, **changes}))
        page.evaluate(BEGIN, [bundle_text("lab_worker"), scripts()["wasm"], scripts()["manifest"], problem_records(), config,
                              more or {}])
        until(page, "got.length")
        return page

    yield start
    page.close()


def until(page, condition):
    page.wait_for_function(f"() => {condition}", timeout=PATIENCE, polling=50)


def test_a_run_plays_pauses_steps_and_rewinds(begin):
    page = begin(speed=FASTEST)
    until(page, "last().t > 40 && last().verdict.kind !== 'waiting'")
    page.evaluate("post('pause')")
    until(page, "!last().playing")
    t = page.evaluate("last().t")
    page.evaluate("post('rewind', {t: 20})")
    until(page, "last().t === 20 && last().notice_kind === null")
    assert page.evaluate("[last().furthest, last().step]") == [t, page.evaluate("last().run_length")]
    page.evaluate("post('step')")
    until(page, "last().t === 21 && last().step === 1")
    page.evaluate("post('epoch')")
    until(page, "last().t === 21 && last().step === last().run_length")
    assert page.evaluate("last().furthest") == 21  # another future
    page.evaluate("post('hurry', {t: 60}); turn({speed: 4}); post('play')")
    until(page, "last().t >= 60 && last().playing")
    run = page.evaluate("last().run")
    page.evaluate("post('pause'); post('restart')")
    until(page, "last().t === 0")
    assert page.evaluate("last().run") > run and page.evaluate("faults") == []


def test_a_frame_is_sent_after_the_last_but_one_was_drawn_and_series_six_times_per_second(begin):
    page = begin(speed=FASTEST)
    until(page, "got.length > 30")
    page.evaluate("draws = false; got.length = 0")
    until(page, "held")
    time.sleep(0.5)
    held, came, t = page.evaluate("[held, got.length, last().t]")
    assert came == held <= 2
    page.evaluate("draws = true; got.length = 0; for (; held; held--) post('shown')")
    until(page, "got.length > 1")
    assert page.evaluate("last().t") > t  # it continued, as in a hidden tab
    page.evaluate("got.length = 0")
    until(page, "got.length > 30 && got.some(one => one.series)")
    frames, series, took = page.evaluate("[got.length, got.filter(one => one.series).length, last().at - got[0].at]")
    assert took / (frames - 1) > 1000 / 65 and series <= 2 + 6.5 * took / 1000


def test_slow_motion_draws_three_arrows_of_the_followed_chain(begin):
    page = begin(speed=0, follow=3)
    until(page, "last().frame.arrows && last().step >= 1")
    assert page.evaluate("last().frame.followed") == 3
    until(page, "last().step >= 3")
    steps, took = page.evaluate("(one => [last().step - one.step, last().at - one.at])(got.find(one => one.step >= 1))")
    assert took > 500 * steps  # one second each
    page.evaluate("turn({follow: null, rescaled: true})")
    until(page, "last().frame.followed === null && last().frame.rescaled")


def test_a_ghost_is_kept_during_another_run_and_removed(begin):
    page = begin(speed=FASTEST)
    until(page, "last().t > 60")
    page.evaluate("post('keep_ghost')")
    until(page, "got.some(one => one.ghost)")
    page.evaluate("turn({eta0: 0.02, chains: 6, speed: 3})")  # slowly: the outline is drawn up to the ghost's last epoch
    until(page, "last().config.chains === 6 && last().frame.ghost")
    until(page, "last().comparison?.measured.length >= 3")
    assert [row[0] for row in page.evaluate("got.findLast(one => one.comparison).comparison.knobs")] == ["chains", "η₀"]
    page.evaluate("post('let_ghost_go')")
    until(page, "last().ghost === null || last().comparison === null")


def test_the_moment_of_a_run_opens_in_another_with_its_history(begin):
    page = begin(speed=FASTEST)
    until(page, "last().t > 20")
    page.evaluate("turn({eta0: 0.1, reset: false})")
    until(page, "last().t > 40")
    page.evaluate("post('pause')")
    until(page, "!last().playing")
    page.evaluate("window.seen = last()")
    moment, config = page.evaluate("[last().moment, last().config]")
    page = begin(more={"moment": moment, "playing": True}, **{name: config[name] for name in ("eta0", "reset", "speed")})
    until(page, "last().notice_kind === 'arrived'")
    words = page.evaluate("last().notice")
    assert words.endswith(f"epoch {moment['t']:,} as it was shared, with 1 change on the way.")
    state = page.evaluate("[last().t, last().config.eta0, last().playing,"
                           " got.findLast(one => one.series).series.events.map(event => event.text)]")
    assert state == [moment["t"], 0.1, False, ["η₀ 0.07 → 0.1", "reset off"]]
    assert page.evaluate("last().frame.positions.every((x, i) => x === seen.frame.positions[i])")


def test_an_error_is_reported_and_another_run_can_begin(begin):
    page = begin(speed=FASTEST)
    page.evaluate("turn({problem: 'nothing'})")
    until(page, "faults.length")
    assert page.evaluate("faults").pop().startswith("problem must be one of gaussian2")
    page.evaluate("got.length = 0; turn({problem: 'gaussian2'}); post('play')")
    until(page, "got.length && last().t > 10")
    page.evaluate("turn({problem: 'gaussian2', chains: 10 ** 7})")
    until(page, "faults.length > 1")
    assert "memory" in page.evaluate("faults[1]")
    page.evaluate("got.length = 0; turn({chains: 5}); post('play')")
    until(page, "got.length && last().t > 10 && last().config.chains === 5")


def test_the_users_rows_are_a_finite_stream(begin):
    page = begin()
    page.evaluate("""() => {
      const n = 40, features = Float64Array.from({length: 2 * n}, (_, i) => Math.sin(i * i))
      const labels = Float64Array.from({length: n}, (_, i) => i % 3 ? 1 : -1)
      post("data", {own: {kind: "logistic", dim: 2, features, labels}})
      turn({problem: "given", stream: "given", speed: 13, eta0: 0.5})
      post("play")
    }""")
    until(page, "last().notice_kind === 'ended'")
    assert page.evaluate("[last().t, last().playing]") == [40, False]
    assert page.evaluate("last().notice") == "The run ends at epoch 40, where your data end. Restart it, or rewind."


@pytest.mark.journey
@pytest.mark.parametrize("key", ["gaussian2", "linear2", "logistic2", "poisson2"])
def test_sixty_epochs_per_second_of_64_chains_with_their_pictures(begin, key):
    page = begin(key, speed=FASTEST, chains=64, i_max=60)
    until(page, "last().t > 100")
    page.evaluate("got.length = 0")
    until(page, "got.length > 30 && last().t > got[0].t + 120")
    assert page.evaluate("1000 * (last().t - got[0].t) / (last().at - got[0].at)") >= 60
