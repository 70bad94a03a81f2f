"""A run of the lab file in Chromium equals Live's in Python: positions, measures, texts, frames, rewinding, recalling."""

from itertools import product

import numpy as np
import pytest

from app.canvas.frame_bytes import encode
from app.extras.lab_file.content import problem_records
from app.live.run import _TRUTHS, LiveRun
from app.live.snapshot_builder import SnapshotBuilder
from app.live.truth import LaplaceTruth
from app.state.live import default_config
from tests.browser.module_page import fixture_of, linked, script_page

pytestmark = pytest.mark.browser

HARNESS = """import {decode} from "/canvas/frame_bytes.js"
import {Kernels} from "/lab/kernels.js"
import {LabRun} from "/lab/run.js"
import {LiveConfig} from "/lab/live_config.js"
import {SnapshotBuilder} from "/lab/snapshot.js"
import {Recall, Rewind} from "/dist/translated/app_live_rewind.js"
const [bytes, manifest] = await Promise.all(["/lab.wasm", "/manifest.json"].map(name => fetch(name)))
const module = await WebAssembly.compile(await bytes.arrayBuffer()), table = await manifest.json()
const steps = {shows: () => false}
window.begin = (problem, config) => new LabRun(Kernels.of(module, table), problem, config)
window.go = (run, epochs) => { for (let i = 0; i < epochs; i++) run.advance(1e6) }
window.replay = one => { while (!one.run_for(1, 1e4)); return [...one.run.state.saga.positions.data] }
window.live = (run, log) => { // log of [epochs, steps of the next, changed knobs]
  for (const [epochs, more, knobs] of log) {
    go(run, epochs)
    if (more) run.advance(more)
    run.configure(new LiveConfig({...run.state.config, ...knobs}))
  }
}
window.look = (run, frames) => {
  const how = {playing: false, busy: false, notice: {}, ghost: null, steps, label: () => ""}
  const {frame, verdict, meters, assumptions, promise} = frames.build(run, 1e9, how)
  return {frame, words: [verdict, meters, assumptions, promise]}
}
Object.assign(window, {LiveConfig, Recall, Rewind, SnapshotBuilder, decode})"""
page = fixture_of(script_page, HARNESS)
NEAR = 1e-10
LOG = [(40, 3, {"eta0": 1.3, "acceptance_radius": 0.5}), (25, 0, {"reset": False}),
       (23, 2, {"escape_radius": 0.8, "reset": True}), (60, 0, {})]
"""Epochs, steps of the next, then changes of knobs: numbers are factors of the previous values."""
LONGER = [*LOG, (115, 0, {})]
"""Beyond epoch 200, at which a run begins to forget if configured, and 256, after which a state is saved."""
CHAINS = 16


@pytest.fixture(scope="module")
def records():
    return problem_records()


def log_for(config, log=LOG):
    made, knobs = [], linked(config)
    for epochs, steps, turned in log:
        turned = {name: value if isinstance(value, bool) else value * knobs[name] for name, value in turned.items()}
        knobs |= turned
        made.append((epochs, steps, turned))
    return made


def played(config, log):
    run = LiveRun(config)
    for epochs, steps, knobs in log:
        for _ in range(epochs):
            run.advance(10**6)
        if steps:
            run.advance(steps)
        run.configure(run.state.config.replace(**knobs))
    return run


def framed(page, run):
    picture = SnapshotBuilder(0).build(run, 1e9, False, False)
    config = run.state.config
    data = encode(picture.cloud, sequence=1, frame=1, t=picture.t, run=0, follow=config.follow, rescaled=config.rescaled)
    return picture, page.evaluate("bytes => decode(Uint8Array.from(bytes).buffer)", list(data))


def numbers(value):
    """Return all numbers of a decoded frame in order; typed arrays arrive as objects."""
    if isinstance(value, dict):
        return [number for one in value.values() for number in numbers(one)]
    if isinstance(value, list):
        return [number for one in value for number in numbers(one)]
    return [] if value is None else [float(value)]


def loop_distance(one, other):
    """Return the largest distance of a loop's points from another loop, with sixteen points on each of its sides."""
    a, b = (np.array(numbers(loop)).reshape(-1, 2) for loop in (one, other))
    share = np.arange(16)[:, None, None] / 16
    b = ((1 - share) * b + share * np.roll(b, -1, axis=0)).reshape(-1, 2)
    return np.sqrt(((a[:, None] - b[None]) ** 2).sum(axis=2)).min(axis=1).max()


PROBLEMS, ALGORITHMS = ("gaussian2", "logistic2", "linear2", "poisson2", "logistic21"), ("saga-ld", "preconditioned")
CASES = [case for case in product(PROBLEMS, ALGORITHMS, (False, True)) if case != ("logistic21", "saga-ld", True)]
QUICK = [("gaussian2", "saga-ld", True), ("logistic2", "saga-ld", False), ("logistic2", "preconditioned", True),
         ("linear2", "preconditioned", False), ("poisson2", "saga-ld", False), ("logistic21", "saga-ld", False)]
"""Each problem and algorithm, with and without forgetting; other cases are journeys, except a slow one."""


def journeys(*cases):
    return [pytest.param(*case, marks=[pytest.mark.journey, pytest.mark.in_turn]) for case in cases]


@pytest.mark.parametrize("key, algorithm, forget", QUICK + journeys(*(case for case in CASES if case not in QUICK)))
def test_a_run_is_measured_judged_and_drawn_as_on_live(page, records, monkeypatch, key, algorithm, forget):
    monkeypatch.setitem(_TRUTHS, "draws", LaplaceTruth)  # as in the file
    config = default_config(key, algorithm=algorithm).replace(chains=CHAINS, forget=forget)
    log = log_for(config, LONGER if forget else LOG[:2] if key == "logistic21" else LOG)
    native = played(config, log)
    picture, frame = framed(page, native)
    browser = page.evaluate("""([problem, config, log]) => {
      const run = window.run = begin(problem, config)
      live(run, log)
      const {history, state} = run, {_columns: columns} = history
      const measured = Object.keys(columns).map(name => [name, [...history.column(name, state.t)]])
      const [features, labels] = state.rows_so_far(), [terms] = state.terms(3, false)
      return {t: state.t, positions: [...state.saga.positions.data], evaluations: state.saga.gradientEvaluations,
        count: [state.count, state.saga.checkpoint_epoch, state.saga.stored < 600], concentration: state.concentration,
        rows: [[...features.data], labels && [...labels.data]], terms: [...terms.data],
        columns: Object.fromEntries(measured), ...look(run, new SnapshotBuilder(0))}
    }""", [records[key], linked(config), log])
    assert browser["t"] == native.state.t and (native.state.count < native.state.t) == forget
    assert browser["count"] == [native.state.count, native.state.saga.checkpoint_epoch, True]
    for mine, its in zip(browser["rows"], native.state.rows_so_far(), strict=False):  # Math.sin differs by about 1e-13
        assert (mine is None) == (its is None)
        np.testing.assert_allclose(mine or [], np.ravel([] if its is None else its), rtol=0, atol=1e-11)
    positions = np.reshape(browser["positions"], (CHAINS, -1))
    np.testing.assert_allclose(positions, native.state.saga.positions, rtol=0, atol=NEAR)
    np.testing.assert_allclose(browser["terms"], np.ravel(native.state.terms(3, False)[0]), rtol=0, atol=1e-8)
    assert browser["evaluations"] == native.state.saga.gradient_evaluations
    assert browser["concentration"] == pytest.approx(native.state.concentration, rel=1e-6)
    for name, column in browser["columns"].items():  # single precision in Python
        np.testing.assert_allclose(column, native.history.column(name, native.state.t), rtol=2e-6, atol=1e-7, err_msg=name)
    verdict, meters, assumptions, promise = browser["words"]
    expected = picture.verdict
    assert {name: verdict[name] for name in ("kind", "title", "subtitle", "sentence", "suggestion")} == {
        name: getattr(expected, name) for name in ("kind", "title", "subtitle", "sentence", "suggestion")}
    assert [meter["text"] for meter in meters] == [meter.text for meter in picture.meters]
    assert assumptions == [[one.number, one.name, one.text, one.ok, one.help] for one in picture.assumptions]
    assert promise == {"rows": [list(row) for row in picture.promise.rows], "note": picture.promise.note}
    mine, its = browser["frame"], {name: frame[name] for name in browser["frame"]}  # all but the number of the coordinates
    assert mine.pop("coordinates").startswith("false") and its.pop("coordinates") == 0
    loops, others = mine["scenery"].pop("contours"), its["scenery"].pop("contours")
    np.testing.assert_allclose(numbers(mine), numbers(its), rtol=2e-6, atol=2e-6)
    width = picture.cloud.half_width
    assert len(loops) == len(others) == 3
    for one, other in zip(loops, others, strict=True):  # 64 points per loop with another start: within the height of a chord
        assert loop_distance(one, other) < 0.005 * width


@pytest.mark.parametrize("key, algorithm, forget", [
    ("logistic2", "saga-ld", True), ("poisson2", "preconditioned", False),
    *journeys(("gaussian2", "preconditioned", True), ("linear2", "saga-ld", False))])
def test_a_run_is_rewound_replayed_and_recalled_bit_for_bit(page, records, key, algorithm, forget):
    config = default_config(key, algorithm=algorithm).replace(chains=CHAINS, forget=forget)
    log = log_for(config, LONGER if forget else LOG)
    same, knobs, events = page.evaluate("""([problem, config, log]) => {
      const run = begin(problem, config), bits = () => String(run.state.saga.positions.data)
      go(run, 20)
      const at20 = bits()
      live(run, log)
      const now = [...run.state.saga.positions.data], {t} = run.state
      const {moment} = run, verdict = JSON.stringify(run.verdict())
      const same = [String(replay(new Rewind(run, 20))) === at20, run.state.config.eta0 === config.eta0]
      same.push(String(replay(new Rewind(run, t))) === String(now))
      run.measures.refresh(run.state)
      same.push(JSON.stringify(run.verdict()) === verdict)
      replay(new Rewind(run, 50))
      go(run, 1) // another future
      same.push(run.history.t === 51, run.saved_states.states.every(kept => kept.t <= 51))
      const other = begin(problem, config)
      same.push(String(replay(new Recall(other, moment))) === String(now), JSON.stringify(other.verdict()) === verdict)
      return [same, [other.state.config, run.state.config], other.timeline.events(1e9).map(event => event.text)]
    }""", [records[key], linked(config), log])
    assert all(same), same
    assert len(events) >= 4 and knobs[0]["eta0"] != config.eta0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_diverged_chains_are_revived_and_the_run_continues_as_on_live(page, records, algorithm):
    """Preconditioned chains get a new metric."""
    config = default_config("logistic2", algorithm=algorithm).replace(chains=CHAINS)
    log = [(10, 2, {"eta0": 29.0 * 10**4})]  # beyond the knob's range
    native = played(config, log)
    native.advance(10**6)
    halted = native.state.halted
    answer = page.evaluate("""([problem, config, log]) => {
      const run = begin(problem, config)
      live(run, log)
      run.advance(1e6)
      const {diverged_at: divergence} = run.state, [{kind, sentence}] = run.verdict(), more = run.advance(1)
      run.configure(new LiveConfig({...run.state.config, eta0: 1}))
      run.revive()
      go(run, 5)
      return [divergence, kind, sentence, more, run.state.halted, [...run.state.saga.positions.data]]
    }""", [records["logistic2"], linked(config), log])
    where = native.state.saga.divergence
    assert halted and answer[0] == [where.chain, where.epoch, where.step]
    assert answer[1] == "diverged" and answer[2] == native.verdict()[0].sentence
    native.configure(native.state.config.replace(eta0=1.0))
    native.revive()
    for _ in range(5):
        native.advance(10**6)
    assert answer[3:5] == [False, False]
    np.testing.assert_allclose(np.reshape(answer[5], (CHAINS, -1)), native.state.saga.positions, rtol=0, atol=1e-9)


@pytest.mark.in_turn
@pytest.mark.journey
def test_memory_is_constant_over_six_thousand_epochs(page, records):
    config = linked(default_config("gaussian2").replace(chains=8, i_max=4, batch_size=2))
    devtools = page.context.new_cdp_session(page)

    def used():
        devtools.send("HeapProfiler.collectGarbage")
        return devtools.send("Runtime.getHeapUsage")["usedSize"]

    page.evaluate("([problem, config]) => { window.long = begin(problem, config); window.frames = new SnapshotBuilder(0) }",
                  [records["gaussian2"], config])
    sizes = []
    for _ in range(7):
        page.evaluate("for (let i = 0; i < 100; i++) { go(long, 10); look(long, frames) }")
        sizes.append(used())
    kept = page.evaluate("[long.state.t, long.saved_states.nbytes, long.saved_states.budget]")
    assert kept[0] == 7_000 and kept[1] <= kept[2] == 64 * 2**20
    columns = 19 * 8 * 6_000 * 1.5  # the history, in arrays that grow by half
    assert sizes[-1] - sizes[0] < columns + 2 * 2**20
