"""Order and remaining work of a sweep, and the evidence exported by page and command line."""

import math

import numpy as np
import pytest

from sampler import LogisticRegression, Settings, Sweep, advise, synthetic_stream
from sampler.production import rehearse, stream_evidence
from sampler.production.tuned import EVIDENCE
from sampler.tuning import (
    CellForecast,
    CellKey,
    Forecast,
    Grid,
    forecast_grid,
    key_of,
    sweep_evidence,
    trial_order,
    verdict_of,
)
from sampler.tuning.sweep_schedule import OpenCell, PromotionModel, SweepWork, core_seconds

ROWS, CHAINS = 64, 8


@pytest.fixture(scope="module")
def swept():
    """Problem, rows, forecast, grid and outcome of a sweep of four cells, one of them far too hot."""
    stream = synthetic_stream("logistic", 2, seed=0)
    rows = stream.features[:ROWS], stream.labels[:ROWS]
    problem, grid = LogisticRegression(2), Grid((0.5, 400.0), (5, 40), (4,), (22.0,))
    forecast = Forecast(problem, *rows)
    outcome = Sweep(problem, *rows, grid, Settings(), CHAINS, reference="laplace", workers=0, prune=False,
                    order=trial_order(forecast_grid(forecast, grid, Settings()))).run()
    return problem, rows, forecast, grid, outcome


def test_grid_forecasts_equal_single_forecasts(swept):
    _, _, forecast, grid, _ = swept
    cells = forecast_grid(forecast, grid, Settings(), draws=128)
    assert set(cells) == {CellKey(eta0, i_max, 4) for eta0 in (0.5, 400.0) for i_max in (5, 40)}
    (alone,) = forecast.many([Settings(eta0=0.5, i_max=40, batch_size=4)], 128)
    assert cells[CellKey(0.5, 40, 4)].accuracy == pytest.approx(alone.accuracy) and not cells[CellKey(400.0, 5, 4)].stable


def test_the_order_prefers_accurate_cells_then_cheap_ones(swept):
    _, _, forecast, _, _ = swept
    grid = Grid((0.01, 0.5, 1.0, 400.0), (5, 100, 400, 1600), (4,), (22.0,))
    forecasts = forecast_grid(forecast, grid, Settings())
    order = trial_order(forecasts)
    by_order = sorted(forecasts, key=lambda key: -order(Settings(eta0=key[0], i_max=key[1], batch_size=key[2])))
    best = max(one.true_accuracy for one in forecasts.values())
    first, last = forecasts[by_order[0]], forecasts[by_order[-1]]
    assert first.true_accuracy > best - 0.05 and first.memory < 0.6 and not last.stable
    good = [key for key in by_order if forecasts[key].true_accuracy > best - 0.01 and forecasts[key].memory < 0.3]
    assert len(good) > 1 and [forecasts[k].cost for k in good] == sorted(forecasts[k].cost for k in good)


def test_evidence_has_the_measurements_and_verdict_of_the_cell(swept):
    problem, rows, forecast, _, outcome = swept
    best, advice = outcome.best, advise(forecast)
    chosen = Settings(eta0=best.eta0, i_max=best.i_max, batch_size=4, acceptance_radius=22.0)
    record = sweep_evidence(chosen, CHAINS, ROWS, advice, forecast(chosen), best, len(outcome.cells), outcome.ended, None,
                            forecast.largest_curvature)
    verdict = verdict_of(best, chosen, CHAINS, forecast(chosen), None, forecast.largest_curvature)
    assert (record["accuracy"], record["ceiling"], record["memory"]) == (best.accuracy, best.ceiling, best.memory)
    assert (record["verdict"], record["verdict_words"]) == (verdict.kind, verdict.sentence)
    assert (record["narrowest"], record["widest"]) == (best.narrowest, best.widest) and set(record) <= set(EVIDENCE)
    assert (record["settings_tried"], record["sweep"], record["rows"], record["chains"]) == (4, "finished", ROWS, CHAINS)
    assert record["advised_eta0"] == advice.settings.eta0 and record["predicted"] == forecast(chosen).accuracy
    rehearsed = stream_evidence(rehearse(problem, chosen, *rows, CHAINS, 0, every=2))
    assert rehearsed["predictive_score"] < 0 and rehearsed["rhat"] > 0.9 and rehearsed["drift_alarms"] == 0


def test_evidence_of_cells_that_diverged_or_were_not_run(swept):
    _, _, forecast, _, outcome = swept
    lost = next(cell for cell in outcome.cells if cell.diverged is not None)
    assert outcome.best.diverged is None
    chosen = Settings(eta0=lost.eta0, i_max=lost.i_max, batch_size=4)
    record = sweep_evidence(chosen, CHAINS, ROWS, advise(forecast), forecast(chosen), lost)
    assert record["verdict"] == "diverged" and record["width"] is None and record["accuracy"] == 0.0
    assert all(value is None or not isinstance(value, float) or np.isfinite(value) for value in record.values())
    alone = sweep_evidence(chosen, CHAINS, ROWS, advise(forecast), forecast(chosen))
    assert "verdict" not in alone and alone["rows"] == ROWS and alone["sweep"] is None


def test_a_loss_of_accuracy_within_tolerance_has_no_penalty():
    forecasts = {CellKey(eta0, 10, 9, "saga-ld"): CellForecast(accuracy, accuracy, 1.0, 0.1, 0.0, 90.0, True, True)
                 for eta0, accuracy in ((1.0, 0.95), (2.0, 0.945), (3.0, 0.93))}
    order = trial_order(forecasts)
    best, close, far = (order(Settings(eta0=eta0, i_max=10, batch_size=9)) for eta0 in (1.0, 2.0, 3.0))
    assert best == close and best - far == pytest.approx(0.95 - 0.01 - 0.93)


RUNGS = (250, 500, 1000)
RIGHT, POOR, AWAY = (Settings(eta0=eta0, i_max=100, batch_size=9) for eta0 in (1.0, 3.0, 30.0))
ORDER = trial_order({key_of(one): CellForecast(accuracy, accuracy, *([0.9] * 4), accuracy > 0.0, True)
                     for one, accuracy in ((RIGHT, 0.99), (POOR, 0.9), (AWAY, 0.0))})


def made(prune, cells=0, slowness=1.0):
    """Return the work of a sweep after ``cells`` whole cells, each of which took ``slowness`` times its prediction."""
    work = SweepWork(2, 64, RUNGS, PromotionModel(prune, len(RUNGS), ORDER))
    for _ in range(cells):
        work.learn(RIGHT, 2, slowness * price(2), False)
    return work


def price(rung):
    return core_seconds(RIGHT, 2, RUNGS[rung], 64)


def test_cells_that_take_twice_the_predicted_time_double_the_estimate():
    work = made(False, cells=100, slowness=2.0)
    for cell, expected in ((OpenCell(RIGHT, 2), 2.0 * price(2)), (OpenCell(RIGHT, 0), 2.0 * sum(map(price, range(3))))):
        least, most = work.ahead([cell])
        assert least < expected < most < 1.4 * least and math.sqrt(least * most) == pytest.approx(expected, rel=1e-6)


def test_before_a_cell_has_been_run_there_is_no_estimate():
    work = made(False)
    assert not work.measured and work.ahead([OpenCell(RIGHT, 0)]) == (0.0, math.inf)


def test_a_cell_that_may_diverge_has_lower_bound_zero_and_a_diverged_one_changes_no_estimate():
    work = made(True, cells=20)
    before = work.ahead([OpenCell(RIGHT, 0)])
    assert work.ahead([OpenCell(AWAY, 0)] * 29)[0] == 0.0
    for _ in range(29):
        work.learn(AWAY, 0, 0.001, None)
    assert work.ahead([OpenCell(RIGHT, 0)]) == before


def test_a_running_cell_has_less_time_left_and_a_finished_rung_none():
    work = made(False, cells=100)
    spent = (0.0, price(2) / 2.0, 4 * price(2), math.inf)
    whole, half, over, done = (work.ahead([OpenCell(RIGHT, 2, seconds)]) for seconds in spent)
    assert half[0] < half[1] < 1.5 * whole[1] and over[0] == 0.0 < over[1] and done == (0.0, 0.0)


def test_the_time_of_the_last_cell_counts_for_idle_workers():
    work = made(False, cells=100)
    one, four = work.ahead([OpenCell(RIGHT, 2)]), work.ahead([OpenCell(RIGHT, 2)], 4)
    assert four[0] == pytest.approx(4.0 * one[0]) and four[1] == pytest.approx(4.0 * one[1])
