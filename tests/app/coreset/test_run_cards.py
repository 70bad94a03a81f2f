"""Cards of the Coreset page: every figure displays all runs of a result, in both themes."""

from dataclasses import replace

import numpy as np

from app.coreset import run_cards
from app.coreset.run_cards import LIMITS_OF_THE_FIGURES, SMALL, LimitsCard, PaperFigures, RunCards
from app.coreset.run_words import convergence_reading
from app.jobs.background_job import JobUpdate
from app.plots import Line
from app.state.coreset import CoresetConfig
from sampler.coreset import RepeatedPoints, WeightConvergence, weight_convergence
from tests.app.coreset.test_run_set import run
from tests.waiting import wait_for


def lines_of(card, k=0):
    return {line.name: line for line in card.views[k].figure.data}


def test_every_figure_shows_every_run():
    cards, result = RunCards(print, print, print), run(CoresetConfig(
        n=300, dim=3, size=20, iterations=400, optimizers=("hot_dog", "dowg"), hot="both", focus="dowg"))
    for view in (view for card in cards.figures for view in card.views):
        view.draw()
    cards.show(JobUpdate(1, result, done=True))
    runs = {"Hot DoG", "Hot DoG, cold", "DoWG", "DoWG, cold"}
    for card, k in ((cards.scores, 0), (cards.scores, 1), *((cards.small[name], 0) for name in SMALL)):
        assert runs <= set(lines_of(card, k)), card.label
        assert [line.name for line in card.views[k].figure.data if line.bold] == ["DoWG"]
    assert "floor" in lines_of(cards.scores) and "full data" in lines_of(cards.scores, 1)
    z = lines_of(cards.scores)["DoWG, cold"].y
    np.testing.assert_allclose(z, [trace.z for trace in result.traces if trace.key.text == "dowg-cold"][0])
    marks = {row[0]: row[2] for row in cards.table.rows}
    assert marks["dowg-cold"] == lines_of(cards.scores)["DoWG, cold"].mark == "dashdot"  # the table has the line's mark
    assert not any("cold" in name for name in lines_of(cards.hot)) and "threshold" in lines_of(cards.hot)
    assert lines_of(cards.points)["coreset points"].x.size == np.count_nonzero(result.points.weight)
    for card in cards.figures:
        card.restyle(True)
        assert all(view.dark for view in card.views)


def test_a_figure_not_run_yet_has_a_text_in_place_of_empty_panels():
    cards = PaperFigures()
    figure = cards.figures
    assert "starts automatically" in figure.empty and not figure.button
    cards.worker.start = lambda job: None  # as if it had been cancelled immediately
    figure.on_press()
    assert "has not been run at this scale" in figure.empty and figure.button == "Run Figure 5" and cards.began
    line = Line("Hot DoG", np.array([1.0, 2.0]), np.array([1.0, 0.5]), "ours")
    cards.result = replace(cards.result, panels=tuple(replace(panel, series=(line,)) for panel in cards.result.panels))
    cards._label()
    assert figure.empty == figure.button == ""
    cards.worker.close()


def test_the_rate_is_measured_on_request(monkeypatch):
    monkeypatch.setattr(run_cards, "ITERATIONS", 2000)
    monkeypatch.setattr(run_cards, "SEEDS", 2)
    card = LimitsCard()
    assert card.card.body == LIMITS_OF_THE_FIGURES and card.card.buttons[0][0] == "rate"
    card.card.on_press("rate")
    card.card.on_press("rate")
    assert card.worker.requests == 1, "a second press does not begin again"
    wait_for(lambda: card.worker.settled, look=card.worker.look)
    convergence = weight_convergence(RepeatedPoints.synthetic(), 2000, 2)
    assert card.card.body == f"<p>{convergence_reading(convergence)}</p>{LIMITS_OF_THE_FIGURES}"
    assert card.card.buttons == [run_cards.BUTTON]
    card.worker.close()


def test_the_slope_is_judged_by_its_error():
    t = np.unique(np.logspace(0, 5, 41).round().astype(int))

    def reading(*powers):
        return convergence_reading(WeightConvergence(t, np.array([t**power for power in powers]), 82.5, 40, 10))

    assert "t to the <b>−0.50 ± 0.10</b>, mean of 2 seeds: as in the theorem." in reading(-0.4, -0.6)
    assert reading(-0.79, -0.81).endswith("faster than the theorem.") and "not yet at the" in reading(0.19, 0.21)
