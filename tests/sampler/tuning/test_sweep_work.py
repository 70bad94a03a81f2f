"""What a sweep has still to do, from what its cells have cost and what is foretold of the others."""

import math

import pytest

from sampler import Settings
from sampler.tuning import CellForecast, key_of, trial_order
from sampler.tuning.sweep_work import Piece, SweepWork, core_seconds
from sampler.tuning.trial_order import GivenUp

RUNGS = (250, 500, 1000)
GOOD, POOR, AWAY = (Settings(eta0=eta0, i_max=100, batch_size=9) for eta0 in (1.0, 3.0, 30.0))
ORDER = trial_order({key_of(one): CellForecast(accuracy, accuracy, *([0.9] * 4), accuracy > 0.0, True)
                     for one, accuracy in ((GOOD, 0.99), (POOR, 0.9), (AWAY, 0.0))})


def made(prune, order=ORDER):
    return SweepWork(2, 64, RUNGS, GivenUp(prune, len(RUNGS), order))


def price(rung, settings=GOOD):
    return core_seconds(settings, 2, RUNGS[rung], 64)


def test_cells_that_take_twice_as_long_as_they_should_make_the_rest_twice_as_long():
    work = made(False)
    for _ in range(100):
        work.learn(GOOD, 2, 2.0 * price(2), False)
    for piece, expected in ((Piece(GOOD, 2), 2.0 * price(2)), (Piece(GOOD, 0), 2.0 * sum(map(price, range(3))))):
        least, most = work.ahead([piece])
        assert least < expected < most < 1.4 * least and math.sqrt(least * most) == pytest.approx(expected, rel=1e-6)


def test_before_a_cell_has_been_run_nobody_can_tell():
    work = made(False)
    assert not work.measured and work.ahead([Piece(GOOD, 0)]) == (0.0, math.inf)


def test_a_cell_that_may_run_away_may_take_no_time_and_one_that_did_says_nothing_of_the_others():
    work = made(True)
    for _ in range(20):
        work.learn(GOOD, 2, price(2), False)
    before = work.ahead([Piece(GOOD, 0)])
    assert work.ahead([Piece(AWAY, 0)] * 29)[0] == 0.0
    for _ in range(29):
        work.learn(AWAY, 0, 0.001, None)
    assert work.ahead([Piece(GOOD, 0)]) == before


def test_a_cell_at_work_has_done_a_part_and_one_that_waits_to_be_judged_all():
    work = made(False)
    for _ in range(100):
        work.learn(GOOD, 2, price(2), False)
    spent = (0.0, price(2) / 2.0, 4 * price(2), math.inf)
    whole, half, over, done = (work.ahead([Piece(GOOD, 2, seconds)]) for seconds in spent)
    assert half[0] < half[1] < 1.5 * whole[1] and over[0] == 0.0 < over[1] and done == (0.0, 0.0)


def test_the_last_cell_keeps_other_workers_idle():
    work = made(False)
    for _ in range(100):
        work.learn(GOOD, 2, price(2), False)
    one, four = work.ahead([Piece(GOOD, 2)]), work.ahead([Piece(GOOD, 2)], 4)
    assert four[0] == pytest.approx(4.0 * one[0]) and four[1] == pytest.approx(4.0 * one[1])
