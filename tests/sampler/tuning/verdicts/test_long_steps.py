"""Verdicts on cells whose step is too long: what they suggest is a step that is not, and hardly a shorter one."""

import numpy as np
import pytest

from sampler import LinearRegression, LogisticRegression, Settings, synthetic_stream
from sampler.tuning import Forecast, verdict_of
from sampler.tuning.sweep_cell import SweepJob, run_cell
from sampler.tuning.sweep_reference import make_reference

ROWS, CHAINS = 256, 16


def measured(problem, features, labels, settings, rung=0):
    """A cell at a setting, its verdict, and the largest curvature of all rows."""
    forecast = Forecast(problem, features, labels)
    references = make_reference(problem, features, labels, [64, ROWS], "laplace")
    job = SweepJob(problem, features, labels, CHAINS, 0, (64, ROWS), references)
    cell = run_cell(job, settings, rung)
    verdict = verdict_of(cell, settings, CHAINS, None, references.ess, forecast.largest_curvature, problem.dim, ROWS)
    return cell, verdict, forecast.largest_curvature


@pytest.mark.parametrize("eta0", [3.0, 8.0])
@pytest.mark.parametrize("rung", [0, 1])
def test_what_a_diverged_cell_suggests_is_stable_whenever_it_ran_off(eta0, rung):
    """Rows of one feature, 1 or -1: the curvature of t rows is t and the prior's, so eta0 is stable below 2 at every epoch.

    A quarter of that is 0.5, of 8 and of 3 alike. To divide by the epoch at which a chain ran off, and not by all rows,
    gave a step ROWS/t times too short.
    """
    rng = np.random.default_rng(0)
    features = rng.choice([-1.0, 1.0], (ROWS, 1))
    problem, settings = LinearRegression(1), Settings(eta0=eta0, i_max=60, batch_size=4, acceptance_radius=1e4)
    cell, verdict, curvature = measured(problem, features, features[:, 0] + rng.normal(size=ROWS), settings, rung)
    assert curvature == pytest.approx(ROWS, rel=0.02) and cell.diverged is not None and cell.diverged[1] < 50
    assert verdict.kind == "diverged" and verdict.change["eta0"] == pytest.approx(0.5, rel=0.21)
    assert f"times the largest curvature is {eta0:.2g};" in verdict.sentence
    again, _, _ = measured(problem, features, features[:, 0] + rng.normal(size=ROWS), settings.replace(**verdict.change))
    assert again.diverged is None and again.widest < 1.3


def test_a_centre_that_a_long_step_throws_off_asks_for_a_shorter_step_not_for_more_steps():
    """Eight times the advised step: with eight times the steps the centre is off as far, with a shorter step it is not."""
    stream = synthetic_stream("logistic", 21, "paper", seed=3)
    problem, rows = LogisticRegression(21), (stream.features[:ROWS], stream.labels[:ROWS])
    settings = Settings(eta0=2.4, i_max=60, batch_size=4, acceptance_radius=1e4)
    cell, verdict, curvature = measured(problem, *rows, settings, 1)
    product = settings.eta0 / (ROWS + settings.offset) * curvature
    assert cell.lag > 0.5 and cell.widest > 1.3 and product > 0.5 and verdict.kind == "hot"
    assert settings.eta0 * 0.05 / product < verdict.change["eta0"] <= settings.eta0 * 0.1 / product
    more, _, _ = measured(problem, *rows, settings.replace(i_max=480), 1)
    _, shorter, _ = measured(problem, *rows, settings.replace(i_max=480, **verdict.change), 1)
    assert more.lag > 0.5 and shorter.kind == "safe"
