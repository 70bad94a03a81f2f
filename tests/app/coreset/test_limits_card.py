"""The card that measures Theorem 4.1 says what the library found."""

import time

import numpy as np

from app.coreset.components import limits_card
from app.coreset.components.limits_card import LimitsCard
from app.coreset.run_words import LIMITS_OF_THE_FIGURES, convergence_reading
from sampler.coreset import RepeatedPoints, WeightConvergence, weight_convergence


def test_the_rate_is_measured_on_request(monkeypatch):
    monkeypatch.setattr(limits_card, "ITERATIONS", 2000)
    monkeypatch.setattr(limits_card, "SEEDS", 2)
    card = LimitsCard()
    assert card.card.body == LIMITS_OF_THE_FIGURES and card.card.buttons[0][0] == "rate"
    card.card.on_press("rate")
    card.card.on_press("rate")
    assert card.worker.asked == 1, "a second press does not begin again"
    while not card.worker.settled:
        card.look()
        time.sleep(0.005)
    found = weight_convergence(RepeatedPoints.synthetic(), 2000, 2)
    assert card.card.body == f"<p>{convergence_reading(found)}</p>{LIMITS_OF_THE_FIGURES}"
    assert card.card.buttons == [limits_card.BUTTON]
    card.close()


def test_the_slope_is_judged_by_its_error():
    t = np.unique(np.logspace(0, 5, 41).round().astype(int))

    def said(*powers):
        return convergence_reading(WeightConvergence(t, np.array([t**power for power in powers]), 82.5, 40, 10))

    assert "t to the <b>−0.50 ± 0.10</b>, the mean of 2 seeds: as the theorem says." in said(-0.4, -0.6)
    assert said(-0.79, -0.81).endswith("faster than that.") and said(0.19, 0.21).endswith("not there yet.")
