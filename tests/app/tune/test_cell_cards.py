"""One setting is recommended, others have reasons beside them, and one that is not safe is exported only after a yes."""

import tomllib
from dataclasses import replace

import pytest

from app.state.tune import TuneConfig
from app.tune import cell_words
from app.tune.cell_words import about_others
from app.tune.export import ExportCards
from app.visit import Visit
from sampler.tuning import key_of

SWEPT = []


@pytest.fixture
def result(run, small):
    """What the cases change, swept once."""
    if not SWEPT:
        SWEPT.append(run(small.replace(i_max=(20, 20), going=True)).value)
    return SWEPT[0]


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
    best = changed.best_key
    assert changed.nearest(key.eta0, best.i_max, best.batch_size) == key  # nearest to the rule of thumb
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


def button_keys(cards) -> list[str]:
    return [button[0] for button in cards.code.buttons]


def test_an_unsafe_cell_needs_confirmation_and_exports_its_verdict(run):
    result, saved = run(TuneConfig()).value, []
    kinds = {key: cell_words.about_cell(result, key).kind for key in result.forecast.cells}
    safe = next(key for key, kind in kinds.items() if kind == "safe")
    hot = next(key for key, kind in kinds.items() if kind == "hot")
    cards = ExportCards(Visit(), lambda result, key: None, lambda change: None)
    cards.code.save = lambda name, text: saved.append((name, text))
    cards.show(result, safe)
    cards.press("toml")
    cards.give_toml(running=False)
    assert tomllib.loads(saved.pop()[1])["evidence"]["verdict"] == "safe" and "anyway" not in button_keys(cards)
    cards.show(result, hot)
    cards.press("toml")
    cards.give_toml(running=False)
    assert not saved and button_keys(cards) == ["anyway", "not"]
    assert "not judged safe" in cards.code.body and "Too hot." in cards.code.body and "--accept-verdict" in cards.code.body
    cards.press("not")
    assert button_keys(cards)[0] == "toml" and not saved
    cards.press("toml")
    cards.show(result, safe)  # another cell: the question is about the first one
    assert button_keys(cards)[0] == "toml"
    cards.give_toml(running=False)
    assert not saved
    cards.show(result, hot)
    cards.press("toml")
    cards.press("anyway")
    cards.give_toml(running=True)
    assert not saved  # the rehearsal is under way
    cards.give_toml(running=False)
    saved_plan = tomllib.loads(saved.pop()[1])
    assert saved_plan["evidence"]["verdict"] == "hot" and saved_plan["gates"]["verdict"] is True
    assert button_keys(cards)[0] == "toml"
