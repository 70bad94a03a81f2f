"""One setting is recommended; every other that suggests itself has its reason beside it."""

from dataclasses import replace

import pytest

from app.tune.cell_words import about_others
from sampler.tuning import key_of


@pytest.fixture(scope="module")
def kept():
    """The result that the cases change, swept once."""
    return {}


@pytest.fixture
def result(kept, run, small):
    if not kept:
        kept["result"] = run(small.replace(i_max=(20, 20), going=True)).value
    return kept["result"]


def thumb(result):
    """The cell nearest to the rule of thumb, beside the recommended one."""
    best, start = result.best_key, result.forecast.advice.start
    return result.nearest(start, best.i_max, best.batch_size)


@pytest.mark.parametrize(("change", "words"), [
    ({"widest": 3.0}, "its cloud is 200 % too wide"),
    ({"diverged": (0, 3, 1)}, "its chains left for infinity"),
    ({"rung": -1}, "given up early, when half of the others were better"),
    (None, "not run yet; the formula says"),
])
def test_each_other_setting_has_the_reason_why_it_is_not_the_one(result, change, words):
    best = result.best
    assert best is not None and result.ended == "finished"
    key = result.nearest(best.eta0 * 3, best.i_max, best.batch_size)
    assert key != key_of(best)
    cells = {one: cell for one, cell in result.cells.items() if one != key}
    if change is not None:
        cells[key] = replace(result.cells[key], **change)
    advice = replace(result.forecast.advice, start=key.eta0)
    changed = replace(result, cells=cells, finished=frozenset(cells),
                      forecasts={"saga-ld": replace(result.forecast, advice=advice)})
    assert thumb(changed) == key
    text = about_others(changed)
    assert f"The rule of thumb 0.2/L, η<sub>0</sub> = {key.eta0:.2g}: {words}" in text
    assert text.count("Recommended: <b>") == 1


def test_before_a_cell_is_run_the_formula_gives_the_start(result):
    nothing = replace(result, cells={}, finished=frozenset(), ended="")
    text = about_others(nothing)
    assert text.startswith("<p>Start near <b>") and "nobody has run it here" in text and "Recommended" not in text
    assert text.count("<li>The ") == 1  # the advisor's start is the recommended one


def test_the_recommended_one_is_no_other(result):
    best = result.best_key
    advice = replace(result.forecast.advice, start=best.eta0)
    same = replace(result, forecasts={"saga-ld": replace(result.forecast, advice=advice)})
    assert f"η<sub>0</sub> = {best.eta0:.2g}: the recommended one." in about_others(same)
