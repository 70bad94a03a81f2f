"""Replays that forget: retained rows, alarms, resuming bit for bit, unsupported options."""

import json

import numpy as np
import pytest

from sampler import GradientOracle, LogisticRegression, OnlineSagaLD, Settings
from sampler.algorithms import online_algorithm
from sampler.production import Gates, JsonLines
from sampler.production.run_diagnostics import SampleWindow
from tests.sampler.replays import after, finish, replay

SETTINGS = {"saga-ld": Settings(eta0=0.2, batch_size=8, i_max=60, acceptance_radius=20.0),
            "preconditioned": Settings(eta0=0.06, batch_size=16, i_max=40, acceptance_radius=11.0)}
OLD, NEW = np.array([2.0, -1.5, 0.5]), np.array([-2.0, 1.5, 0.5])
CHANGE, ROWS = 300, 600


@pytest.fixture(scope="module")
def moved():
    """Rows of logistic regression with a truth that reverses after row CHANGE."""
    rng = np.random.default_rng(7)
    x = np.column_stack([rng.normal(size=(ROWS, 2)), np.ones(ROWS)])
    z = np.where(np.arange(ROWS) < CHANGE, x @ OLD, x @ NEW)
    return x, (rng.random(ROWS) < 1 / (1 + np.exp(-z))).astype(float)


def forgets(rows, algorithm="saga-ld", **options):
    return replay(rows, settings=SETTINGS[algorithm], algorithm=algorithm, **{"chains": 12, "every": 20, **options})


@pytest.mark.parametrize("algorithm", SETTINGS)
def test_with_always_each_summary_uses_exactly_the_last_rows(moved, tmp_path, algorithm):
    rows = tuple(part[:CHANGE] for part in moved)
    result = finish(forgets(rows, algorithm, on_drift="always", window=200, output=JsonLines(str(tmp_path / "out.jsonl"))))
    saga = online_algorithm(algorithm)(LogisticRegression(3), SETTINGS[algorithm], chains=12, seed=3)
    for first, line in zip(range(0, CHANGE, 20), (tmp_path / "out.jsonl").read_text().splitlines(), strict=True):
        saga.keep_last(180)
        epoch = saga.observe(*(part[first:first + 20] for part in rows))
        summary = json.loads(line)
        assert (summary["t"], summary["rows_counted"]) == (first + 20, min(first + 20, 200))
        np.testing.assert_array_equal(summary["mean"], epoch.samples.mean(axis=0))
        assert summary["gradient_evaluations"] == epoch.gradient_evaluations
    assert (result.t, result.forgotten, result.ended) == (CHANGE, CHANGE - 200, "finished")


@pytest.mark.parametrize("algorithm", SETTINGS)
def test_at_an_alarm_only_the_last_rows_are_retained(moved, algorithm):
    alarms = []
    windowed, all_rows = (finish(forgets(moved, algorithm, chains=64, warn=alarms.append, **options))
                      for options in ({"on_drift": "window", "window": 60}, {}))
    (at, _), forgotten = windowed.watch.drifts[0], windowed.forgotten
    assert len(windowed.watch.drifts) == 1 and CHANGE < at < CHANGE + 60  # 1.5 nats per row worse: about thirty rows
    assert forgotten == -(-at // 20) * 20 - 60 > CHANGE - 60  # at the start of the next block
    assert alarms == [f"drift alarm at row {at}: retained the last 60 of {forgotten + 60} rows, forgot the others"]
    posterior = LogisticRegression(3).posterior(*(part[forgotten:] for part in moved))
    # Lag of K chains from the mode of the retained rows; for 64 exact chains zero up to probability 1e-3.
    assert windowed.watch.lag.value < 0.5 and windowed.watch.lag._t > 0
    assert posterior.potential(windowed.samples.mean(axis=0)) < posterior.potential(all_rows.samples.mean(axis=0)) - 50
    assert windowed.watch.score > all_rows.watch.score + 0.1


WINDOW, ALWAYS = {"on_drift": "window", "window": 60}, {"on_drift": "always", "window": 130}


@pytest.mark.parametrize(("forgetting", "goes_on", "algorithm"), [  # each pair of options once
    (WINDOW, False, "saga-ld"), (WINDOW, True, "preconditioned"),
    (ALWAYS, False, "preconditioned"), (ALWAYS, True, "saga-ld")])
def test_a_stopped_run_resumes_identically(moved, tmp_path, forgetting, goes_on, algorithm):
    moved, gates = tuple(part[:CHANGE + 160] for part in moved), Gates(max_lag=30.0, max_width=30.0, warm_up=50)
    whole = finish(forgets(moved, algorithm, output=JsonLines(str(tmp_path / "whole")), gates=gates, **forgetting))
    assert whole.t == CHANGE + 160 and whole.forgotten > 0
    at, result, taken = 0, None, 0
    while result is None or result.ended == "stopped":
        rest = tuple(part[taken:] for part in moved) if goes_on else moved
        one = forgets(rest, algorithm, checkpoint=str(tmp_path / "state.npz"), seconds=1e9, goes_on=goes_on, gates=gates,
                      output=JsonLines(str(tmp_path / "parts")), **forgetting)
        result = finish(one, after(16))
        assert result.resumed_at == at
        at, taken = result.t, result.rows_taken
    np.testing.assert_array_equal(result.samples, whole.samples)
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()
    changing = dict.fromkeys(("seconds_per_epoch", "resumed_at", "warnings"))
    assert {**result.to_dict(), **changing} == {**whole.to_dict(), **changing}
    with pytest.raises(ValueError, match="was made with window = "):
        forgets(moved, algorithm, checkpoint=str(tmp_path / "state.npz"), **{**forgetting, "window": 55}).resume()


def test_the_previous_checkpoint_is_kept_with_equal_row_counts(moved, tmp_path):
    finish(forgets(moved, on_drift="always", window=100, checkpoint=str(tmp_path / "state.npz"), seconds=0.0))
    holder = OnlineSagaLD(LogisticRegression(3), SETTINGS["saga-ld"], chains=12, seed=3)
    holder.hold_rows(*(part[:ROWS - 20] for part in moved))
    before = OnlineSagaLD.load(tmp_path / "state.npz.before", rows=holder)
    assert (before.t, before.forgotten) == (100, ROWS - 120)


@pytest.mark.parametrize(("options", "words"), [
    ({"window": 50}, "window must be left out without on_drift, got 50"),
    ({"on_drift": "forget", "window": 50}, "on_drift must be 'window', 'always' or None, got 'forget'"),
    ({"on_drift": "window"}, r"window must be a whole number in \[21, .*got None; number of rows to retain"),
    ({"on_drift": "always", "window": 20}, r"window must be a whole number in \[21, .*got 20"),
    ({"on_drift": "window", "window": 50, "gates": Gates(drift=True)}, "with a gate that ends the run at a drift alarm"),
    ({"on_drift": "window", "window": 50, "algorithm": "ibis"}, "the algorithm 'ibis' cannot forget"),
    ({"on_drift": "window", "window": 50, "client": object()}, "chains on a cluster cannot forget"),
    ({"on_drift": "always", "window": 50, "problem": GradientOracle(lambda k, x: np.zeros((len(k), 2)), 2)},
     "the terms of a GradientOracle cannot forget"),
])
def test_invalid_options_are_rejected(moved, options, words):
    with pytest.raises(ValueError, match=words):
        replay(moved, every=20, **options)


def test_exact_means_of_a_window_move_no_more_than_chance():
    """Means of the last n rows and draws of 16 chains around them: common drift has the size of a standard normal."""
    drifts = []
    for seed in range(40):
        rng, n, window = np.random.default_rng(seed), 200, SampleWindow(200, 0.0, most=200)
        y = rng.normal(size=(1200, 3))
        for t in range(n, 1200, 5):
            window.add(t, y[t - n:t].mean(axis=0) + rng.normal(size=(16, 3)) / np.sqrt(n))
        drifts.append(window.common_drift())
    # At most the largest of three |N(0, 1)|, since the noise of the chains counts each half as one draw: mean 1.33, sd 0.6;
    # without the correction for forgotten rows it would be 3 or more.
    assert np.mean(drifts) < 1.33 + 4 * 0.6 / np.sqrt(40) and np.mean(drifts) > 0.8
