"""Cards of the Coreset page: every figure shows what a result holds, in both themes."""

from dataclasses import replace

import numpy as np

from app.background_job import JobUpdate
from app.coreset.components.cards import SMALL
from app.coreset.components.paper_figures import PaperFigures
from app.coreset.components.run_cards import RunCards
from app.coreset.paper_figure_plan import FIGURES, SCALES, Series
from app.coreset.paper_figure_series import draw
from app.coreset.run_words import legend, titles
from app.state.coreset import CoresetConfig
from tests.app.coreset.test_run_set import run

BOTH = CoresetConfig(n=300, dim=3, size=20, iterations=400, optimizers=("hot_dog", "dowg"), hot="both", focus="dowg")


def lines_of(card, k=0):
    return {line.name: line for line in card.views[k].figure.data}


def test_every_figure_shows_every_run():
    cards, result = RunCards(print, print, print), run(BOTH)
    cards.show(JobUpdate(1, result, done=True))
    runs = {"Hot DoG", "Hot DoG, cold", "DoWG", "DoWG, cold"}
    for card, k in ((cards.scores, 0), (cards.scores, 1), *((cards.small[name], 0) for name in SMALL)):
        assert runs <= set(lines_of(card, k)), card.label
        assert [line.name for line in card.views[k].figure.data if line.bold] == ["DoWG"]
    assert "floor" in lines_of(cards.scores) and "full data" in lines_of(cards.scores, 1)
    z = lines_of(cards.scores)["DoWG, cold"].y
    np.testing.assert_allclose(z, [trace.z for trace in result.traces if trace.key.text == "dowg-cold"][0])
    assert not any("cold" in name for name in lines_of(cards.hot)) and "threshold" in lines_of(cards.hot)
    assert lines_of(cards.points)["coreset points"].x.size == np.count_nonzero(result.points.weight)
    for card in cards.figures:
        card.restyle(True)
        assert all(view.dark for view in card.views)


def test_the_papers_panels_take_every_figure():
    cards = PaperFigures()
    for figure in FIGURES:
        result = draw(figure, SCALES["small"], {})
        heads = titles(result, ("a", "b"))
        assert legend(result) == "" and len(heads) == 7 and all("not run yet" in head for head, _ in heads[1:])
        cards.figure, cards.result = figure, result
        cards._show_result()
    cards.restyle(True)
    assert all(view.dark for view in cards.figures.views)
    cards.close()


def test_a_figure_not_run_yet_has_words_in_place_of_empty_panels():
    cards = PaperFigures()
    figure = cards.figures
    assert "begins by itself" in figure.empty and not figure.button
    cards.worker.start = lambda job: None  # as if it had been cancelled at once
    figure.on_press()
    assert "has not been run here" in figure.empty and figure.button == "Run Figure 5" and cards.began
    line = Series("Hot DoG", np.array([1.0, 2.0]), np.array([1.0, 0.5]), "ours")
    cards.result = replace(cards.result, panels=tuple(replace(panel, series=(line,)) for panel in cards.result.panels))
    cards._label()
    assert figure.empty == figure.button == ""
    cards.close()
