"""The runs after the advised setting's: epochs as long as the memory asks for, a step as long as the width allows."""

from dataclasses import replace

import numpy as np
import pytest

from sampler import LinearRegression, Settings
from sampler.tuning import Forecast, verdict_of
from sampler.tuning.first_run import FirstRun, first_run
from sampler.tuning.further_runs import further_runs, mended, stepped, within
from sampler.tuning.sweep_cell import CellResult

CELL = CellResult(0.5, 1000, 4, 20.0, 0, 256, 0.9, 0.9, 0.0, 1.0, 0.0, 0.4, 0.0, None, 2004.0, 0.1,
                  narrowest=1.0, widest=1.1)
K = 1.73324
"""Where (1 - exp(-K))/K = 0.475, the memory that the advisor allows."""
AT_5, AT_2, AT_1_3, AT_HALF, AT_20 = ((1.0 - np.exp(-k)) / k for k in (5.0, 2.0, 1.3, 0.5, 20.0))
"""Memories at other K."""


@pytest.mark.parametrize("memory, verdict, knobs", [
    (AT_5, "safe", {"i_max": 347}), (AT_2, "safe", None), (AT_20, "safe", {"i_max": 250}),  # not K/20 = 0.087 of it
    (AT_HALF, "cold", {"i_max": 3467}), (AT_2, "cold", None),
    (AT_5, "hot", {"eta0": 0.25, "i_max": 2000}), (1.0, "diverged", {"eta0": 0.25, "i_max": 2000}),
    (AT_5, "lagging", None), (AT_HALF, "narrow", None), (float("nan"), "waiting", None)])
def test_the_knobs_that_a_cell_asks_for(memory, verdict, knobs):
    assert (1000 * K / 5, 1000 * K / 0.5) == pytest.approx((346.6, 3466.5), abs=0.05)
    assert mended(replace(CELL, memory=memory), verdict) == knobs


def test_a_longer_step_goes_as_far_in_fewer():
    assert stepped(CELL, 1.5) == {"eta0": 0.75, "i_max": 667}
    assert stepped(replace(CELL, eta0=0.0123, i_max=1), 1.5) == {"eta0": 0.018, "i_max": 1}
    assert [within(replace(CELL, widest=width), "width") for width in (1.0999, 1.1001, np.inf)] == [True, False, False]
    assert [within(replace(CELL, memory=memory), "memory") for memory in (0.4999, 0.5001)] == [True, False]


@pytest.fixture(scope="module")
def stream():
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.standard_normal((256, 2)), np.ones(256)])
    return rows, rows @ [1.0, -1.0, 0.5] + rng.standard_normal(256)


@pytest.mark.parametrize("eta0, length, kinds, taken", [
    (0.05, 110, ["safe", "safe", "safe"], 2),  # epochs too long, and a width that leaves room for the longer step
    (0.05, 20, ["cold", "safe", "safe"], 2), (0.15, 40, ["safe", "safe"], 1), (0.3, 20, ["hot", "safe"], 1)])
def test_the_last_run_that_is_safe_is_taken(stream, eta0, length, kinds, taken):
    """The posterior is Gaussian and the forecast right: widths are 1.02, 1.035, 1.08 and 1.2 at 0.05, 0.075, 0.15 and 0.3.

    Of 256 chains the memory's standard error is (1 - m^2)/sqrt(255 x 16) = 0.015 or less. The first run's, of 0.18
    (dm/dlnK = -0.18) or 0.63 (-0.25), says ln K to 0.085 or less, and so the memory of the second, where the slope is -0.30,
    to 0.025; three of these are 0.08. Widths have 1/sqrt(2 x 4096) = 0.011 each, and are compared with a limit of 1.1.
    """
    problem, settings = LinearRegression(3), Settings(eta0=eta0, i_max=length, batch_size=9, acceptance_radius=100.0)
    forecast = Forecast(problem, *stream)

    def verdict(run):
        return verdict_of(run.cell, settings, 256, None, run.references.ess, None, 3).kind

    first = first_run(problem, *stream, settings, 256, 0, None, 60.0)
    chosen, runs = further_runs(first, verdict, problem, *stream, Settings(), 0)
    cells = [run.cell for run in runs]
    assert [verdict(run) for run in runs][:len(kinds)] == kinds and runs.index(chosen) == taken
    assert len(runs) == 3 and cells[2].eta0 == stepped(cells[1], 1.5)["eta0"] and within(cells[2], "width") == (taken == 2)
    if eta0 < 0.3:
        assert forecast(settings.replace(i_max=cells[1].i_max)).memory == pytest.approx(0.475, abs=0.08)


def test_a_first_run_that_nothing_is_asked_of_is_taken_alone(stream):
    problem, settings = LinearRegression(3), Settings(eta0=0.05, i_max=40, batch_size=9, acceptance_radius=100.0)
    first = first_run(problem, *stream, settings, 16, 0, None, 60.0)
    assert further_runs(first, lambda run: "lagging", problem, *stream, settings, 0) == (first, [first])


def test_a_longer_step_is_not_taken_because_noise_may_have_made_it_so_wide(stream):
    """At 0.22 the forecast's width is 1.13: past the limit, and safe by the verdict of 32 chains more often than not."""
    problem, settings = LinearRegression(3), Settings(eta0=0.15, i_max=13, batch_size=9, acceptance_radius=100.0)
    first = first_run(problem, *stream, settings, 256, 0, None, 60.0)
    chosen, runs = further_runs(first, lambda run: "safe", problem, *stream, settings, 0)
    assert within(first.cell, "width") and (chosen is first, [run.cell.eta0 for run in runs]) == (True, [0.15, 0.22])


@pytest.mark.parametrize("memories, lengths, taken", [
    ((AT_5, 0.48, 0.48), [1000, 347, 232], 2),  # the step is longer by 1.5 in the third
    ((AT_5, AT_1_3, 0.48), [1000, 347, 463], 2),  # 347 K / 1.3 = 462.6
    ((AT_5, AT_1_3, 0.51), [1000, 347, 463], 0)])
def test_a_memory_that_missed_the_limit_says_the_next_length(monkeypatch, memories, lengths, taken):
    cells = iter(memories[1:])
    monkeypatch.setattr("sampler.tuning.further_runs.run_cell", lambda job, settings, rung: replace(
        CELL, eta0=settings.eta0, i_max=settings.i_max, memory=next(cells), widest=1.05))
    first = FirstRun(replace(CELL, memory=memories[0], widest=1.05), 32, {}, 0.0, 1.0, object())
    chosen, runs = further_runs(first, lambda run: "safe", None, None, None, Settings(), 0)
    assert [run.cell.i_max for run in runs] == lengths and runs.index(chosen) == taken
