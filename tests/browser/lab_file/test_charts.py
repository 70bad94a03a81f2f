"""History and charts of the lab file in Chromium against the served page's: series, ranges, ticks, texts and data."""

import math
from dataclasses import asdict
from random import Random

import numpy as np
import pytest
from bokeh.resources import Resources

from app.extras.lab_file.content import lab_charts
from app.live.charts.stack import ChartStack, to_csv
from app.live.history import History, is_charted
from app.live.timeline import Event
from app.theme import TOKENS
from sampler.version import MADE_WITH
from tests.browser.module_page import script_page

pytestmark = pytest.mark.browser

BODY = f"""<body><div id=box style="width:578px"></div>
<script>var LAB_RELEASE = "{MADE_WITH}", LAB_PNG_CHUNK = []</script>"""
HARNESS = """import {Charts} from "/lab/charts.js"
import {History} from "/dist/translated/app_live_history.js"
const columns = data => Object.fromEntries(Object.entries(data).map(([name, values]) => [name, [...values]]))
Object.assign(window, {
  Charts, History, seeks: [],
  mount: async layouts => {
    window.charts = new Charts(layouts, {seek: t => seeks.push(t)})
    document.getElementById("box").attachShadow({mode: "open"}).append(...charts.elements)
    await charts.build()
    window.layouts = layouts
  },
  shown: wanted => Object.fromEntries(Object.entries(wanted).map(([name, keys]) => {
    const model = charts.document.get_model_by_id(layouts.models[name])
    const plain = value => value instanceof Map ? [...value].sort(([a], [b]) => a - b) : value
    return [name, Object.fromEntries(keys.map(key => [key, key === "data" ? columns(model.data) : plain(model[key])]))]
  })),
})"""
EVENTS = (Event(100.3, 180.0, "variance reduction off", "switch"), Event(101.0, None, "reset off", "switch"),
          Event(400.5, None, "η₀ 1 → 5", "knob"), Event(420.0, None, "chains revived", "chains"))
RUN = {"chains": 64, "reduced": True, "algorithm": "saga-ld"}


@pytest.fixture(scope="module")
def page(chromium):
    with script_page(chromium, HARNESS, BODY) as page:
        page.add_script_tag(content="".join(Resources(mode="inline", components=["bokeh"], minified=True).js_raw))
        page.evaluate("layouts => mount(layouts)", lab_charts())
        yield page


def single(value):
    return float(np.float32(value))


def rows(upto, scale=1.0, seed=0):
    """Yield measurements per epoch: some are rare, accuracies begin after epoch 40."""
    draw, level = Random(seed), 0.0
    for t in range(1, upto + 1):
        level = 0.97 * level + draw.gauss(0.0, 0.05)
        values = {"checkpoint": 2 ** int(math.log2(t)) if t < 700 else t - t % 16,
                  "exits": draw.randint(0, 2), "resets": draw.randint(0, 3), "median": scale * draw.gammavariate(2, 0.1),
                  "q95": scale * draw.gammavariate(2, 0.2), "farthest": scale * draw.gammavariate(2, 0.3),
                  "cost": draw.randint(200, 400), "full": 30.0 * t}
        if t > 40:
            values |= {"accuracy": 0.9 + 0.02 * level, "tv": 0.1 - 0.02 * level, "ceiling_low": 0.93, "ceiling_high": 0.97,
                       "memory": None if t % 7 == 0 else 0.1, "predicted": 0.94 if is_charted(t) or t % 16 == 0 else None}
        if t > 20 and (is_charted(t) or t % 4 == 0):
            values |= {"saga": t * draw.gammavariate(5, 1), "sgld": t**2 * draw.gammavariate(5, 1),
                       "bound": math.nan if scale > 1 else t**1.5}
        yield t, {name: value if value is None else single(value) for name, value in values.items()}


def histories(page, name, upto, **options):
    ours, every = History(), list(rows(upto, **options))
    for t, values in every:
        ours.record(t, values)
    page.evaluate("""([name, rows]) => {
      window[name] = new History()
      for (const [t, values] of rows) window[name].record(t, values)
    }""", [name, every])
    return ours


def assert_equal(there, here, where=""):
    """Compare values of JavaScript with those of Python, numbers to single precision."""
    if isinstance(here, dict):
        assert set(there) == set(here), where
        for key, value in here.items():
            assert_equal(there[key], value, f"{where} {key}")
    elif isinstance(here, str | bool | None):
        assert there == here, where
    elif isinstance(here, int | float):  # the page keeps double precision, Python rounds to single: 2^-24, twice
        assert there == pytest.approx(here, rel=2**-23, nan_ok=True), where
    else:
        assert len(there) == len(here), where
        if all(isinstance(one, float) for one in here) and None not in there:
            np.testing.assert_allclose(there, here, rtol=2**-23, atol=1e-12, err_msg=where)
            return
        for k, (one, other) in enumerate(zip(there, here, strict=True)):
            assert_equal(one, other, f"{where} {k}")


@pytest.fixture(scope="module")
def both(page):
    return histories(page, "played", 3000), histories(page, "ghosted", 2600, scale=4.0, seed=1)


def check_figures(page, stack, where):
    wanted = {name: list(properties) for name, properties in stack.view.properties().items()}
    kinds = {"data": dict, "major_label_overrides": lambda labels: sorted(map(list, labels.items()))}
    here = {name: {key: kinds.get(key, lambda value: value)(getattr(stack.named[name], key)) for key in keys}
            for name, keys in wanted.items()}
    assert_equal(page.evaluate("wanted => shown(wanted)", wanted), here, where)
    assert page.evaluate("charts.accuracyShown") == stack.view.accuracy_shown


@pytest.mark.parametrize(("upto", "ghosts"), [  # lengths of a run with a shorter ghost, a longer one, or none
    (0, (None, 2600)), (9, (400,)), (60, (2600, None)), (500, (400,)), (3000, (None, 2600))])
def test_the_figures_equal_those_of_the_served_page(page, both, upto, ghosts):
    run, ghost = both
    stack = ChartStack()
    events = [event for event in EVENTS if event.t <= upto]
    for kept in ghosts:
        stack.set_ghost(None if kept is None else ghost.series(kept, ()))
        page.evaluate("kept => charts.setGhost(kept === null ? null : ghosted.series(kept, []))", kept)
        for algorithm in ("saga-ld", "preconditioned"):
            stack.view.update(run.series(upto, events), upto, 64, upto != 60, algorithm)
            stack.show()
            page.evaluate("([upto, events, run]) => charts.update(played.series(upto, events), {t: upto, ...run})",
                          [upto, list(map(asdict, events)), RUN | {"reduced": upto != 60, "algorithm": algorithm}])
            check_figures(page, stack, f"{upto} {kept} {algorithm}")
    for window in ("recent", "span", "all"):
        stack.view.set_window(window, (70, 200))
        stack.show()
        page.evaluate("window => charts.setWindow(window, [70, 200])", window)
        check_figures(page, stack, f"{upto} {window}")
    for size in ((360, 0, True), (800, 1000, False), (578, 754, False)):
        stack.view.resize(*size)
        stack.show()
        page.evaluate("size => charts.resize(...size)", size)
        check_figures(page, stack, f"{upto} {size}")


def test_names_at_the_right_end_wait_for_the_texts_next_to_the_charts(page, both):
    stack, (run, _) = ChartStack(), both
    page.evaluate("charts.setGhost(null)")
    for upto, held in ((900, False), (950, True)):
        stack.view.update(run.series(upto, ()), upto, 64, True, held=held)
        stack.show()
        page.evaluate("([upto, more]) => charts.update(played.series(upto, []), {t: upto, ...more})",
                      [upto, RUN | {"held": held}])
        check_figures(page, stack, f"{upto}")
    stack.view.release()
    stack.show()
    page.evaluate("charts.release()")
    check_figures(page, stack, "released")


def test_a_theme_repaints_and_a_click_seeks(page, both):
    stack = ChartStack()
    page.evaluate("run => charts.update(played.series(1000, []), {t: 1000, ...run})", RUN)
    for theme in ("dark", "light"):
        page.evaluate("theme => charts.restyle(theme)", theme)
        stack.restyle(theme == "dark")
        inks = page.evaluate("charts.document.get_model_by_id(layouts.paint.at(-1)[0]).palette")
        assert inks == stack.models.ink["transform"].palette and TOKENS[theme]["grid"] in page.evaluate(
            "layouts.paint.map(([id]) => charts.document.get_model_by_id(id).grid_line_color)")
    left, right, top = page.evaluate("""() => {
      const view = charts.viewOf(charts.models[1]), at = view.el.getBoundingClientRect()
      const {left, right, top} = view.frame.bbox
      return [at.left + left, at.left + right, at.top + top + 20]
    }""")
    for share, epoch in ((0.5, math.sqrt(8 * 1020)), (0.0, 8)):
        page.mouse.click(left + share * (right - left) + 0.5, top)
        pixel = math.log(1020 / 8) / (right - left)  # relative error of a click: one pixel, and rounding to an epoch
        assert page.evaluate("seeks.pop()") == pytest.approx(epoch, abs=2 * epoch * pixel + 0.5)
    page.mouse.click(left - 20, top)
    assert page.evaluate("seeks.length") == 0


def test_the_table_equals_that_of_the_served_page(page, both):
    run, _ = both
    page.evaluate("run => charts.update(played.series(1000, []), {t: 1000, ...run})", RUN)
    there = page.evaluate("charts.csv()").splitlines()
    here = to_csv(run.series(1000, ()).columns, "saga-ld").splitlines()
    assert there[0] == here[0] and len(there) == len(here)
    for one, other in zip(there[1:], here[1:], strict=True):
        *numbers, algorithm, maker = one.split(",")
        *those, that, release = other.split(",")
        assert (algorithm, maker) == (that, release)
        assert [float(number or "nan") for number in numbers] == pytest.approx(
            [float(number or "nan") for number in those], rel=1e-5, nan_ok=True)  # one unit of the sixth digit
