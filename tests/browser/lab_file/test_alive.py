"""The exported lab file: the sampler's chains in the browser, from file://."""

import pytest

from tests.browser.lab_file.test_desk import until
from tests.browser.person import type_in

pytestmark = [pytest.mark.browser, pytest.mark.journey]


def positions(tab):
    return tab.evaluate("[...lab.desk.picture.frame.positions]")


def at_rest(tab, t):
    """Pause at epoch ``t`` or later; return the link, the epoch and the positions of the paused picture."""
    until(tab, f"lab.run.last?.t >= {t}")
    tab.click("[data-press=play]")
    until(tab, "lab.run.last.playing === false")
    link, places = "String(new URLSearchParams(lab.link()[0]))", "[...lab.desk.picture.frame.positions]"
    return tab.evaluate(f"[{link}, lab.run.last.t, {places}]")


def test_it_opens_plays_and_judges(lab_file, open_file):
    tab = open_file(lab_file, "?speed=32e")
    until(tab, "lab.run.last.t > 40 && lab.desk.verdict.model.title !== 'Starting'")
    until(tab, "lab.desk.measured.length === 5")
    before, t = positions(tab), tab.evaluate("lab.desk.picture.frame.t")
    until(tab, f"lab.desk.picture.frame.t > {t} + 1")
    assert positions(tab) != before
    tab.locator("button.keep").click()
    until(tab, "lab.desk.chartsCard.model.ghost.length === 3")
    tab.get_by_label("Remove the ghost").click()
    until(tab, "lab.desk.chartsCard.model.ghost.length === 0")
    type_in(tab, "eta0", "20")
    until(tab, "['hot', 'diverged'].includes(lab.desk.verdictKind)")


@pytest.mark.in_turn
def test_rewind_is_exact_and_restores_forgotten_data(lab_file, open_file):
    tab, shown = open_file(lab_file, "?speed=max&forget=1"), []
    for later in (230, 260):
        at_rest(tab, later)
        tab.evaluate("lab.rewind(150)")
        until(tab, "lab.run.last.t === 150 && lab.run.last.notice_kind === null && lab.desk.picture.frame.t === 150")
        shown.append(positions(tab))
        tab.locator("[data-press=play]").click()
    assert shown[0] == shown[1]
    query, t, shown = at_rest(tab, 220)
    other = open_file(lab_file, f"?{query}")
    until(other, f"lab.run.last?.t === {t} && lab.run.last.notice_kind === 'arrived' && lab.desk.picture.frame.t === {t}")
    assert positions(other) == pytest.approx(shown, abs=1e-6) and other.evaluate("lab.state.values.forget")
