"""Runs after the advised setting's: epoch length from the measured memory, step size from the measured width."""

from dataclasses import replace

import numpy as np
import pytest

from sampler import LinearRegression, Settings
from sampler.tuning import Forecast
from sampler.tuning.advised_setting import advised_runs
from sampler.tuning.advisor import chosen_index, corrected_run, next_run, scaled_step, within_limit
from sampler.tuning.sweep_cell import CellResult, RunStopped

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
def test_the_knobs_of_the_corrected_run(memory, verdict, knobs):
    assert (1000 * K / 5, 1000 * K / 0.5) == pytest.approx((346.6, 3466.5), abs=0.05)
    assert getattr(corrected_run(replace(CELL, memory=memory), verdict), "knobs", None) == knobs


def test_a_longer_step_has_fewer_steps_per_epoch():
    assert scaled_step(CELL, 1.5) == {"eta0": 0.75, "i_max": 667}
    assert scaled_step(replace(CELL, eta0=0.0123, i_max=1), 1.5) == {"eta0": 0.018, "i_max": 1}
    assert [within_limit(replace(CELL, widest=width), "width") for width in (1.0999, 1.1001, np.inf)] == [True, False, False]
    assert [within_limit(replace(CELL, memory=memory), "memory") for memory in (0.4999, 0.5001)] == [True, False]


@pytest.fixture(scope="module")
def stream():
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.standard_normal((256, 2)), np.ones(256)])
    return rows, rows @ [1.0, -1.0, 0.5] + rng.standard_normal(256)


@pytest.mark.parametrize("eta0, length, kinds, taken", [
    (0.05, 110, ["safe", "safe", "safe"], 2),  # epochs too long, and a width that allows a longer step
    (0.05, 20, ["cold", "safe", "safe"], 2), (0.3, 20, ["hot", "safe"], 1)])
def test_the_last_safe_run_is_chosen(monkeypatch, stream, eta0, length, kinds, taken):
    """The posterior is Gaussian and the forecast exact: widths 1.02, 1.035, 1.08 and 1.2 at 0.05, 0.075, 0.15 and 0.3.

    With 256 chains the memory m has standard error (1 - m^2)/sqrt(255 x 16) <= 0.015. The first run, m = 0.18 (dm/dlnK =
    -0.18) or 0.63 (-0.25), determines ln K to 0.085, hence the memory of the second, with slope -0.30, to 0.025; three
    standard errors are 0.08. Widths have standard error 1/sqrt(2 x 4096) = 0.011 and a limit of 1.1.
    """
    problem, settings = LinearRegression(3), Settings(eta0=eta0, i_max=length, batch_size=9, acceptance_radius=100.0)
    forecast, shown = Forecast(problem, *stream), []
    monkeypatch.setattr("sampler.tuning.advised_setting.ADVISED_CHAINS", 256)
    runs = advised_runs(problem, *stream, settings, 256, 0, tell=shown.append)
    cells = runs.cells
    assert list(runs.verdicts[:len(kinds)]) == kinds and runs.chosen == taken
    assert cells[2].eta0 == scaled_step(cells[1], 1.5)["eta0"] and within_limit(cells[2], "width") == (taken == 2)
    assert [len(one.cells) for one in shown] == [1, 2, 3] and [one.over for one in shown] == [False, False, True]
    assert shown[-1].cells == cells and runs.fitted and runs.first.reference["fits"]
    assert [request.knobs["i_max"] for request in runs.asked] == [cell.i_max for cell in cells[1:]]
    if eta0 < 0.3:
        assert forecast(settings.replace(i_max=cells[1].i_max)).memory == pytest.approx(0.475, abs=0.08)


def test_a_stopped_call_resumes_from_its_finished_runs(stream):
    problem, settings = LinearRegression(3), Settings(eta0=0.05, i_max=110, batch_size=9, acceptance_radius=100.0)
    whole, shown, looks = advised_runs(problem, *stream, settings, 8, 0), [], []

    def stop():
        looks.append(len(shown))
        return looks.count(1) > 5  # soon after the start of the second run

    with pytest.raises(RunStopped):
        advised_runs(problem, *stream, settings, 8, 0, tell=shown.append, stop=stop)
    assert len(shown) == 1 and not shown[0].over and looks.count(1) == 6
    rest = advised_runs(problem, *stream, settings, 8, 0, begun=shown[0])
    assert rest.cells[0] is shown[0].cells[0] and rest.verdicts == whole.verdicts
    assert [replace(cell, seconds=0.0) for cell in rest.cells] == [replace(cell, seconds=0.0) for cell in whole.cells]


def test_a_first_run_without_a_next_run_is_chosen():
    assert next_run([CELL], ["lagging"], []) is None and chosen_index([CELL], ["lagging"], []) == 0


def test_a_longer_step_safe_only_within_noise_is_not_chosen():
    cells = [replace(CELL, widest=1.05, memory=0.45), replace(CELL, widest=1.13)]
    request = next_run(cells[:1], ["safe"], [])
    assert request.knobs == scaled_step(cells[0], 1.5) and "a width of 1.05 times" in request.reason
    assert request.limited == "width" and next_run(cells, ["safe"] * 2, ["width"]) is None
    assert chosen_index(cells, ["safe"] * 2, ["width"]) == 0
    assert chosen_index([cells[0], replace(CELL, widest=1.09)], ["safe", "safe"], ["width"]) == 1


@pytest.mark.parametrize("memories, lengths, taken", [
    ((AT_5, 0.48, 0.48), [1000, 347, 232], 2),  # the third step is longer by a factor of 1.5
    ((AT_5, AT_1_3, 0.48), [1000, 347, 463], 2),  # 347 K / 1.3 = 462.6
    ((AT_5, AT_1_3, 0.51), [1000, 347, 463], 0)])
def test_a_memory_past_its_limit_determines_the_next_length(memories, lengths, taken):
    cells, limited = [replace(CELL, memory=memories[0], widest=1.05)], []
    while request := next_run(cells, ["safe"] * len(cells), limited):
        cells.append(replace(request.cell, memory=memories[len(cells)], **request.knobs))
        limited.append(request.limited)
    assert [cell.i_max for cell in cells] == lengths and chosen_index(cells, ["safe"] * 3, limited) == taken


def test_a_halved_step_is_kept_if_its_epochs_are_too_short():
    hot, cold = replace(CELL, memory=AT_5), replace(CELL, eta0=0.25, i_max=2000, memory=AT_HALF)
    request = next_run([hot, cold], ["hot", "cold"], ["memory"])
    assert (request.cell, request.knobs) == (cold, {"i_max": 6933})  # 2000 K / 0.5 of the halved step
