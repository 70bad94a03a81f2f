"""A cell that is not safe is exported only after a yes."""

import tomllib

from app.state.tune import TuneConfig
from app.tune import cell_words
from app.tune.export import ExportCards
from app.visit import Visit


def cards_on(result, key, saved):
    cards = ExportCards(Visit(), lambda result, key: None, lambda change: None)
    cards.code.save = lambda name, text: saved.append((name, text))
    cards.show(result, key)
    return cards


def button_keys(cards) -> list[str]:
    return [button[0] for button in cards.code.buttons]


def test_an_unsafe_cell_needs_confirmation_and_exports_its_verdict(run):
    result, saved = run(TuneConfig()).value, []
    kinds = {key: cell_words.about_cell(result, key).kind for key in result.forecast.cells}
    safe = next(key for key, kind in kinds.items() if kind == "safe")
    hot = next(key for key, kind in kinds.items() if kind == "hot")
    cards = cards_on(result, safe, saved)
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
