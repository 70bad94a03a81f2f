"""One setting is recommended, others have reasons, and an unsafe one is exported only after confirmation."""

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
    """Return the result that the cases modify, swept once."""
    if not SWEPT:
        SWEPT.append(run(small.replace(i_max=(20, 20), going=True)).value)
    return SWEPT[0]


@pytest.mark.parametrize(("change", "words"), [
    ({"widest": 3.0}, "its cloud is 200 % too wide"),
    ({"diverged": (0, 3, 1)}, "its chains diverged"),
    ({"rung": -1}, "given up early: half of the others were more accurate"),
    (None, "not run yet; predicted accuracy"),
])
def test_each_other_setting_has_a_reason_against_it(result, change, words):
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


def test_before_a_cell_is_run_the_forecast_determines_the_start(result):
    nothing = replace(result, cells={}, finished=frozenset(), ended="")
    text = about_others(nothing)
    assert text.startswith("<p>Start near <b>") and "not run yet" in text and "Recommended" not in text
    assert text.count("<li>The ") == 1  # the advised start is the recommended setting


def test_the_recommended_setting_is_marked_in_the_list(result):
    best = result.best_key
    advice = replace(result.forecast.advice, start=best.eta0)
    same = replace(result, forecasts={"saga-ld": replace(result.forecast, advice=advice)})
    assert f"η<sub>0</sub> = {best.eta0:.2g}: the recommended setting." in about_others(same)


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
    cards.send_toml(running=False)
    assert tomllib.loads(saved.pop()[1])["evidence"]["verdict"] == "safe" and "anyway" not in button_keys(cards)
    cards.show(result, hot)
    cards.press("toml")
    cards.send_toml(running=False)
    assert not saved and button_keys(cards) == ["anyway", "not"]
    assert "not judged safe" in cards.code.body and "Too hot." in cards.code.body and "--accept-verdict" in cards.code.body
    cards.press("not")
    assert button_keys(cards)[0] == "toml" and not saved
    cards.press("toml")
    cards.show(result, safe)  # another cell: the question is about the first one
    assert button_keys(cards)[0] == "toml"
    cards.send_toml(running=False)
    assert not saved
    cards.show(result, hot)
    cards.press("toml")
    cards.press("anyway")
    cards.send_toml(running=True)
    assert not saved  # the rehearsal is running
    cards.send_toml(running=False)
    saved_plan = tomllib.loads(saved.pop()[1])
    assert saved_plan["evidence"]["verdict"] == "hot" and saved_plan["gates"]["verdict"] is True
    assert button_keys(cards)[0] == "toml"
