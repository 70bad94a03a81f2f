"""The Exit time page's numbers, figures and words in the lab file are those of the served page, from translated Python."""

import json
import re
import threading
from dataclasses import replace

import numpy as np
import pytest

from app.exit_time import result_words as words
from app.exit_time.drawings import drawings_of, survival_columns
from app.exit_time.job import ExitJobs
from app.plots.line_columns import columns_of
from app.plots.lines import as_lines
from app.plots.style import spoken
from app.state.exit_time import ExitConfig, ExitState
from tests.browser.module_page import module_page

pytestmark = pytest.mark.browser

CONFIGS = {
    "flat": ExitConfig(radius=2.5, step_size=5e-4, dim=2, steps=1_000, chains=300),
    "bowl": ExitConfig(radius=2.8, step_size=2.5e-3, dim=2, steps=400, curvature=1.0, chains=2_000),
    "noise": ExitConfig(radius=2.8, step_size=2.5e-3, dim=3, steps=1_200, curvature=1.0, noise=2.0, start="distance",
                        distance=1.0, chains=500, truncation=4.0),
    "d = 20": ExitConfig(radius=6.0, step_size=2.5e-3, dim=20, steps=400, curvature=1.0, chains=300, chain=7),
    "unstable": ExitConfig(radius=2.0, step_size=0.6, dim=1, steps=20, curvature=4.0, chains=100)}
ASKED = """async ([config, squared]) => {
  const heard = [], jobs = new ExitJobs(kernels, (number, message) => heard.push(message))
  await jobs.run(1, config, squared)
  return JSON.stringify(heard.at(-1).result, (key, value) => ArrayBuffer.isView(value) ? [...value] : value)
}"""


class Handle:
    """A job's handle that nobody listens to."""

    def __init__(self):
        self.kept, self.stopped, self.token = {}, False, threading.Event()

    def publish(self, *update):
        pass


@pytest.fixture(scope="module")
def page(chromium):
    with module_page(chromium, ExitJobs="lab/exit_time/job.js") as page:
        yield page


def same(mine, theirs, where):
    """Numbers to 1e-7 of the column's size: the paths are equal, and a dozen functions of them each right to an ulp or two,
    but for limits of a share, whose logarithms of Gamma lose 1e-10, and a best theta, flat to the root of that."""
    mine = list(mine) if isinstance(mine, np.ndarray) else mine
    if isinstance(mine, str | bool | None) or mine in ([], ()):
        assert mine == theirs, where
    elif isinstance(mine, float | int | np.number):
        assert theirs == pytest.approx(float(mine), rel=1e-7, abs=1e-12) if np.isfinite(mine) else theirs is None, where
    elif isinstance(mine[0], float | np.floating | np.integer) and not isinstance(mine[0], bool):
        given = np.array([np.nan if one is None else one for one in theirs])
        scale = np.nanmax(np.abs(mine)) if np.isfinite(mine).any() else 1.0
        np.testing.assert_allclose(given, mine, rtol=1e-7, atol=1e-9 * scale, err_msg=where)
    else:
        assert len(mine) == len(theirs), where
        for k, (one, other) in enumerate(zip(mine, theirs, strict=True)):
            same(one, other, f"{where}[{k}]")


@pytest.mark.parametrize("name", CONFIGS)
def test_figures_and_words_are_those_of_the_served_page(page, name):
    config = CONFIGS[name]
    asked = {key: getattr(config, key) for key in ExitState.linked()}
    given = json.loads(page.evaluate(ASKED, [asked, name != "bowl"]))
    result = ExitJobs().run(config, Handle())
    result = replace(result, bounds=replace(result.bounds, mixed=None))  # one program that only SciPy solves
    assert given["done"] and given["complete"] and given["chains"] == config.chains
    drawings = drawings_of(result, name != "bowl")
    assert set(given["figures"]) == set(drawings)
    for figure, drawing in drawings.items():
        theirs = given["figures"][figure]
        assert (drawing.x, drawing.y) == (theirs["x"], theirs["y"])
        assert theirs["spoken"] == spoken(as_lines(drawing))
        same(list(drawing.options.get("xlim", ())), theirs["options"].get("xlim", []), f"{figure} xlim")
        same(list(drawing.options.get("ylim", ())), theirs["options"].get("ylim", []), f"{figure} ylim")
        for glyph, columns in columns_of(drawing.drawn).items():
            for key, column in columns.items():
                same(column, theirs["columns"][glyph][key], f"{figure} {glyph} {key}")
    for key, column in survival_columns(result).items():
        same(column, given["csv"][key], key)
    wanted = {"reading": words.reading(result), "warnings": words.warnings(result), "spoken": words.spoken(result),
              "pushing": words.pushing(result), "process": words.process_caption(result),
              "promise": words.promise_caption(result), "splitting": words.splitting(result)}
    for key, text in wanted.items():
        theirs = given["words"][key]
        if key == "splitting":  # it says how large rounding errors are, which are others
            text, theirs = (re.sub(r"error of a step is .*? of its size", "", one) for one in (text, theirs))
        assert theirs == text, key
