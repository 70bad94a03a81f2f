"""What a sweep has still to do, from what its cells have cost and what is foretold of the others."""

import pytest

from sampler import Settings
from sampler.tuning import CellForecast, key_of, trial_order
from sampler.tuning.sweep_work import CELL, SweepWork, core_seconds

RUNGS = (250, 500, 1000)
DEAR, LONG = Settings(eta0=1.0, i_max=100, batch_size=9), Settings(eta0=30.0, i_max=100, batch_size=9)


def price(rung, settings=DEAR):
    return core_seconds(settings, 2, RUNGS[rung], 64)


def test_cells_that_take_twice_as_long_as_they_should_make_the_rest_twice_as_long():
    work = SweepWork(2, 64, RUNGS, False)
    for _ in range(40):
        work.learn(DEAR, 2, 2.0 * price(2), False)
    assert work.known and work.ahead([(DEAR, 2, 1.0)]) == pytest.approx(2.0 * price(2), rel=1e-3)
    assert work.ahead([(DEAR, 0, 0.5)]) == pytest.approx(price(0) + 2.0 * (price(1) + price(2)), rel=1e-3)


def test_cells_given_up_lately_count_more_than_those_that_went_on_long_ago():
    work = SweepWork(2, 64, RUNGS, True)
    for kept in [True] * 30 + [False] * 10:
        work.learn(DEAR, 0, price(0), kept)
    later = work.ahead([(DEAR, 0, 1.0)]) - price(0)
    assert 0.0 < later < 0.35 * (price(1) + price(2))


def test_cells_foretold_to_run_away_take_no_time_and_say_nothing_of_the_others():
    forecasts = {key_of(one): CellForecast(*([0.9] * 6), stable, True)
                 for one, stable in ((DEAR, True), (LONG, False))}
    work = SweepWork(2, 64, RUNGS, False, trial_order(forecasts).unstable)
    for _ in range(20):
        work.learn(DEAR, 2, price(2), False)
    before = work.ahead([(DEAR, 0, 1.0)])
    assert work.ahead([(LONG, 0, 1.0)] * 29) == pytest.approx(29 * CELL)
    for _ in range(29):
        work.learn(LONG, 0, 0.001, False)
    assert work.ahead([(DEAR, 0, 1.0)]) == before
