"""Exit time in the lab file: numbers, figures and texts of translated Python equal those of the served page."""

import json
import math
import re
from dataclasses import asdict, fields

import numpy as np
import pytest

from app.exit_time import result_words as words
from app.exit_time.drawings import drawings_of, survival_columns
from app.exit_time.job import run_exits
from app.exit_time.promise import good_events
from app.exit_time.theory_price import price
from app.extras.lab_file.content import problem_records
from app.live.run import LiveRun
from app.live.run_handover import hand_over
from app.plots.exit_probability_drawings import good_drawing
from app.plots.lines import as_lines, columns_of
from app.plots.style import spoken
from app.state.exit_time import PRESETS, ExitConfig, ExitState
from app.state.live import default_config
from tests.app.exit_time.test_results import Recorder
from tests.browser.module_page import fixture_of, linked, module_page

pytestmark = pytest.mark.browser

CONFIGS = {
    "flat": ExitConfig(radius=2.5, step_size=5e-4, dim=2, steps=1_000, chains=300),
    "noise": ExitConfig(radius=2.8, step_size=2.5e-3, dim=3, steps=1_001, curvature=1.0, noise=2.0, start="distance",
                        distance=1.0, chains=300, truncation=4.0),
    "d = 20": ExitConfig(radius=6.0, step_size=2.5e-3, dim=20, steps=400, curvature=1.0, chains=300, chain=7),
    "long": ExitConfig(radius=3.5, step_size=0.025, dim=2, steps=400, curvature=1.0, chains=300),  # the mixture is sharper
    "unstable": ExitConfig(radius=2.0, step_size=0.6, dim=1, steps=20, curvature=4.0, chains=100)}
COMPUTE = """async ([config, squared, live]) => {
  const messages = [], jobs = new ExitJobs(kernels, (number, message) => messages.push(message))
  if (live) jobs.receiveRun(left)
  await jobs.run(1, config, squared)
  return json({...messages.at(-1).result, live: messages.find(({live}) => live)?.live})
}"""
FIRST = """async ([config, other]) => { // the configuration of the first picture; another request then cancels the job
  const result = await new Promise((resolve, fail) => {
    window.cut = new ExitJobs(kernels, (number, {result}) => { if (number === 1 && result) resolve(result) })
    cut.receiveRun(left)
    cut.run(1, config, true).catch(fail)
  })
  await cut.run(2, other, true)
  return result.config
}"""
HAND_OVER = """async ([problem, config, epochs]) => {
  const [module, manifest] = await Promise.all(["/lab.wasm", "/manifest.json"].map(name => fetch(name)))
  const own = await kernels.constructor.load(await module.arrayBuffer(), await manifest.json())
  const run = new LabRun(own, problem, new LiveConfig(config))
  for (let i = 0; i < epochs; i++) run.advance(1e6)
  run.advance(1)
  window.left = structuredClone(hand_over(run))
  return json(left)
}"""
PRESET = PRESETS["live"].config.replace(chains=401)  # so that no share is halfway between two printed values
JOURNEYS = ("logistic2",)  # of FROM_LIVE; the others are slow
FROM_LIVE = {  # problem of Live -> its changed settings, configuration of this page
    "logistic2": ({}, PRESET), "gaussian2": ({"escape_radius": 4.0}, PRESET), "poisson2": ({}, PRESET),
    "linear2": ({"algorithm": "preconditioned"}, PRESET.replace(
        adopt=False, dim=2, radius=2.0, step_size=1e-3, steps=300, noise=3.0)),
    "logistic21": ({"variance_reduction": False, "chains": 8}, PRESET.replace(chains=100, start="mode"))}


page = fixture_of(module_page, ExitJobs="lab/exit_time/job.js", LabRun="lab/run.js", LiveConfig="lab/live_config.js",
                  hand_over="dist/translated/app_live_run_handover.js")


def same(mine, theirs, where, near=1e-7):
    """Compare numbers to a tolerance of ``near`` times the column's size: the paths are equal, a dozen functions of them are
    exact to an ulp or two, limits of a share to 1e-10 (log Gamma), and the best theta, at a flat maximum, to its root."""
    mine = list(mine) if isinstance(mine, np.ndarray) else mine
    if isinstance(mine, str | bool | None) or mine in ([], ()):
        assert mine == theirs, where
    elif isinstance(mine, float | int | np.number):
        assert theirs == pytest.approx(float(mine), rel=near, abs=1e-12) if np.isfinite(mine) else theirs is None, where
    elif isinstance(mine[0], float | np.floating | np.integer) and not isinstance(mine[0], bool):
        values = np.array([np.nan if one is None else one for one in theirs])
        scale = np.nanmax(np.abs(mine)) if np.isfinite(mine).any() else 1.0
        np.testing.assert_allclose(values, mine, rtol=near, atol=1e-2 * near * scale, err_msg=where)
    else:
        assert len(mine) == len(theirs), where
        for k, (one, other) in enumerate(zip(mine, theirs, strict=True)):
            same(one, other, f"{where}[{k}]", near)


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[pytest.mark.journey, pytest.mark.in_turn]) if name == "d = 20" else name for name in CONFIGS])
def test_figures_and_texts_equal_those_of_the_served_page(page, name):
    config = CONFIGS[name]
    answer = json.loads(page.evaluate(COMPUTE, [page_config(config), name != "long", False]))
    check_result(run_exits(config, None, Recorder()), answer, name != "long")


def check_result(result, answer, squared=True, near=1e-7):
    """Compare the answer of the file's worker with the served page's display of a result."""
    assert answer["done"] and answer["chains"] == result.crowd.chains
    drawings = drawings_of(result, squared)
    assert set(answer["figures"]) == set(drawings)
    for figure, drawing in drawings.items():
        theirs = answer["figures"][figure]
        check_drawing(drawing, theirs, figure, near)
    for key, column in survival_columns(result).items():
        same(column, answer["csv"][key], key, near)
    wanted = {"crowd": words.crowd_caption(result), "warnings": words.warnings(result), "spoken": words.spoken(result),
              "pushing": words.pushing(result), "process": words.process_caption(result), "fromLive": words.from_live(
                  result.config, result), "promise": words.promise_caption(result), "splitting": words.splitting(result)}
    for key, text in wanted.items():
        theirs = answer["words"][key]
        if key == "splitting":  # it quotes rounding errors, which differ
            text, theirs = (re.sub(r"error of a step is \S+ × 10\S+?\.", "", one) for one in (text, theirs))
        assert theirs == text, key


def check_drawing(drawing, theirs, figure, near=1e-7):
    assert (drawing.x, drawing.y) == (theirs["x"], theirs["y"])
    assert theirs["spoken"] == spoken(as_lines(drawing))
    same(list(drawing.options.get("xlim", ())), theirs["options"].get("xlim", []), f"{figure} xlim", near)
    same(list(drawing.options.get("ylim", ())), theirs["options"].get("ylim", []), f"{figure} ylim", near)
    for glyph, columns in columns_of(drawing.drawn).items():
        for key, column in columns.items():
            same(column, theirs["columns"][glyph][key], f"{figure} {glyph} {key}", near)


def page_config(config):
    return linked(config, ExitState) | {"adopt": config.adopt}


def handover_of(page, live, epochs):
    return json.loads(page.evaluate(HAND_OVER, [problem_records()[live.problem], linked(live), epochs]))


@pytest.mark.timeout(180)  # without Live's number of steps it would never end
def test_a_configuration_adopts_the_settings_of_live_and_keeps_the_others(page):
    live = default_config("gaussian2").replace(i_max=20, chains=8, escape_radius=4.0)
    left, preset = handover_of(page, live, 3), page_config(PRESET.replace(start="mode"))
    config = page.evaluate(FIRST, [preset, page_config(CONFIGS["unstable"])])
    wanted = preset | {"adopt": False, "dim": 2, "steps": 20, "step_size": 0.07 / (4 + live.offset),
                              "radius": 4.0 / math.sqrt(4 + live.offset), "noise": math.sqrt(left["variance_trace"]),
                              "curvature": left["hessian"]["data"][0]}
    for name, value in wanted.items():  # knobs have four digits
        assert config[name] == (pytest.approx(value, rel=5e-4) if isinstance(value, float) else value), name


@pytest.mark.in_turn
@pytest.mark.parametrize("problem", [pytest.param(one, marks=getattr(pytest.mark, "journey" if one in JOURNEYS else "slow"))
                                     for one in FROM_LIVE])
def test_the_handover_of_live_equals_that_of_the_served_page(page, problem):
    turned, config = FROM_LIVE[problem]
    live, epochs = default_config(problem, algorithm=turned.get("algorithm", "saga-ld")).replace(**turned), 40
    theirs = handover_of(page, live, epochs)
    run = LiveRun(live)
    for _ in range(epochs):
        run.advance(10**6)
    run.advance(1)
    left = hand_over(run)
    assert left.t == epochs + 1 and theirs["settings"] == left.settings.to_dict()
    for field in fields(left):
        mine, other = getattr(left, field.name), theirs[field.name]
        if isinstance(mine, np.ndarray):
            np.testing.assert_allclose(np.reshape(other["data"], other["shape"]), mine, rtol=1e-6, atol=1e-9)
        elif isinstance(mine, float) and np.isfinite(mine):
            assert other == pytest.approx(mine, rel=1e-6), field.name  # modes are exact to Newton's last step
        elif isinstance(mine, str | int) and field.name != "key":
            assert other == mine, field.name
    answer = json.loads(page.evaluate(COMPUTE, [page_config(config), True, True]))
    check_result(run_exits(config, left, Recorder()), answer, near=1e-6)  # the modes agree to 1e-6
    events, live = good_events(left), answer["live"]
    assert live["caption"] == events.words and live["head"] == words.measured_on(left)
    check_drawing(good_drawing(events.epochs, events.escape, events.reset_epochs, events.reset), live["good"], "good")
    try:
        wanted = asdict(price(left))
    except ValueError as wrong:
        wanted = {"rows": (), "source": "", "verdict": str(wrong), "why": ""}
    for row, other in zip(wanted["rows"], live["price"]["rows"], strict=True):
        assert list(row[:4]) == other[:4] and row[4] == pytest.approx(other[4])
    assert {key: live["price"][key] for key in ("source", "verdict", "why")} == {
        key: wanted[key] for key in ("source", "verdict", "why")}
