"""Page and command line order a sweep by the same numbers and hand over the same evidence."""

import numpy as np
import pytest

from sampler import LogisticRegression, Settings, Sweep, advise, synthetic_stream
from sampler.production import rehearse, stream_evidence
from sampler.production.tuned import EVIDENCE
from sampler.tuning import CellForecast, CellKey, Forecast, Grid, forecast_grid, sweep_evidence, trial_order, verdict_of

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


def test_every_cell_is_forecast_as_it_is_alone(swept):
    _, _, forecast, grid, _ = swept
    found = forecast_grid(forecast, grid, Settings(), draws=128)
    assert set(found) == {CellKey(eta0, i_max, 4) for eta0 in (0.5, 400.0) for i_max in (5, 40)}
    alone = forecast(Settings(eta0=0.5, i_max=40, batch_size=4), 128)
    assert found[CellKey(0.5, 40, 4)].accuracy == pytest.approx(alone.accuracy) and not found[CellKey(400.0, 5, 4)].stable


def test_accurate_cells_come_first_and_cheap_ones_before_dear_ones(swept):
    _, _, forecast, _, _ = swept
    grid = Grid((0.01, 0.5, 1.0, 400.0), (5, 100, 400, 1600), (4,), (22.0,))
    forecasts = forecast_grid(forecast, grid, Settings())
    order = trial_order(forecasts)
    by_order = sorted(forecasts, key=lambda key: -order(Settings(eta0=key[0], i_max=key[1], batch_size=key[2])))
    best = max(found.true_accuracy for found in forecasts.values())
    first, last = forecasts[by_order[0]], forecasts[by_order[-1]]
    assert first.true_accuracy > best - 0.05 and first.memory < 0.6 and not last.stable
    good = [key for key in by_order if forecasts[key].true_accuracy > best - 0.01 and forecasts[key].memory < 0.3]
    assert len(good) > 1 and [forecasts[k].cost for k in good] == sorted(forecasts[k].cost for k in good)


def test_evidence_is_what_was_measured_and_the_verdict_of_the_cell(swept):
    problem, rows, forecast, _, outcome = swept
    best, advice = outcome.best, advise(forecast)
    chosen = Settings(eta0=best.eta0, i_max=best.i_max, batch_size=4, acceptance_radius=22.0)
    found = sweep_evidence(chosen, CHAINS, ROWS, advice, forecast(chosen), best, len(outcome.cells), outcome.ended, None,
                           forecast.largest_curvature)
    verdict = verdict_of(best, chosen, CHAINS, forecast(chosen), None, forecast.largest_curvature)
    assert (found["accuracy"], found["ceiling"], found["memory"]) == (best.accuracy, best.ceiling, best.memory)
    assert (found["verdict"], found["verdict_words"]) == (verdict.kind, verdict.sentence)
    assert (found["narrowest"], found["widest"]) == (best.narrowest, best.widest) and set(found) <= set(EVIDENCE)
    assert (found["settings_tried"], found["sweep"], found["rows"], found["chains"]) == (4, "finished", ROWS, CHAINS)
    assert found["advised_eta0"] == advice.settings.eta0 and found["predicted"] == forecast(chosen).accuracy
    rehearsed = stream_evidence(rehearse(problem, chosen, *rows, CHAINS, 0, every=2))
    assert rehearsed["predictive_score"] < 0 and rehearsed["rhat"] > 0.9 and rehearsed["drift_alarms"] == 0


def test_evidence_of_cells_that_diverged_or_were_not_run(swept):
    _, _, forecast, _, outcome = swept
    lost = next(cell for cell in outcome.cells if cell.diverged is not None)
    chosen = Settings(eta0=lost.eta0, i_max=lost.i_max, batch_size=4)
    found = sweep_evidence(chosen, CHAINS, ROWS, advise(forecast), forecast(chosen), lost)
    assert found["verdict"] == "diverged" and found["width"] is None and found["accuracy"] == 0.0
    assert all(value is None or not isinstance(value, float) or np.isfinite(value) for value in found.values())
    alone = sweep_evidence(chosen, CHAINS, ROWS, advise(forecast), forecast(chosen))
    assert "verdict" not in alone and alone["rows"] == ROWS and alone["sweep"] is None


def test_a_rehearsal_stops_when_it_is_told_to(swept):
    problem, rows, _, _, _ = swept
    asked = []
    result = rehearse(problem, Settings(i_max=5, batch_size=4), *rows, CHAINS, 0, every=8,
                      stop=lambda: asked.append(1) or len(asked) > 3)
    assert result.ended == "stopped" and 0 < result.t < ROWS


def test_accuracy_within_what_is_given_up_costs_a_cell_no_place():
    forecasts = {CellKey(eta0, 10, 9, "saga-ld"): CellForecast(accuracy, accuracy, 1.0, 0.1, 0.0, 90.0, True, True)
                 for eta0, accuracy in ((1.0, 0.95), (2.0, 0.945), (3.0, 0.93))}
    order = trial_order(forecasts)
    best, close, far = (order(Settings(eta0=eta0, i_max=10, batch_size=9)) for eta0 in (1.0, 2.0, 3.0))
    assert best == close and best - far == pytest.approx(0.95 - 0.01 - 0.93)
