"""A replay that forgets: what counts, when, the same bits after any end, and who cannot."""

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
    """Rows of logistic regression whose truth turns round after CHANGE of them."""
    rng = np.random.default_rng(7)
    x = np.column_stack([rng.normal(size=(ROWS, 2)), np.ones(ROWS)])
    z = np.where(np.arange(ROWS) < CHANGE, x @ OLD, x @ NEW)
    return x, (rng.random(ROWS) < 1 / (1 + np.exp(-z))).astype(float)


def forgets(rows, algorithm="saga-ld", **options):
    return replay(rows, settings=SETTINGS[algorithm], algorithm=algorithm, **{"chains": 12, "every": 20, **options})


@pytest.mark.parametrize("algorithm", SETTINGS)
def test_always_every_summary_is_of_exactly_the_last_rows(moved, tmp_path, algorithm):
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
def test_at_an_alarm_the_last_rows_count_and_chains_find_the_new_truth(moved, algorithm):
    alarms = []
    kept, all_rows = (finish(forgets(moved, algorithm, chains=64, warn=alarms.append, **options))
                      for options in ({"on_drift": "window", "window": 60}, {}))
    (at, _), forgotten = kept.watch.drifts[0], kept.forgotten
    assert len(kept.watch.drifts) == 1 and CHANGE < at < CHANGE + 60  # 1.5 nats a row worse: some thirty rows
    assert forgotten == -(-at // 20) * 20 - 60 > CHANGE - 60  # before the block after the one with the alarm
    assert alarms == [f"drift alarm at row {at}: retained the last 60 of {forgotten + 60} rows, forgot the others"]
    posterior = LogisticRegression(3).posterior(*(part[forgotten:] for part in moved))
    # The gates' own measure, K chains about the mode of what counts: 64 exact ones are within 1e-3's chance of its zero.
    assert kept.watch.lag.value < 0.5 and kept.watch.lag._t > 0
    assert posterior.potential(kept.samples.mean(axis=0)) < posterior.potential(all_rows.samples.mean(axis=0)) - 50
    assert kept.watch.score > all_rows.watch.score + 0.1


WINDOW, ALWAYS = {"on_drift": "window", "window": 60}, {"on_drift": "always", "window": 130}


@pytest.mark.parametrize(("how", "goes_on", "algorithm"), [  # each pair of choices once
    (WINDOW, False, "saga-ld"), (WINDOW, True, "preconditioned"),
    (ALWAYS, False, "preconditioned"), (ALWAYS, True, "saga-ld")])
def test_stopped_anywhere_it_goes_on_the_same(moved, tmp_path, how, goes_on, algorithm):
    moved, gates = tuple(part[:CHANGE + 160] for part in moved), Gates(max_lag=30.0, max_width=30.0, warm_up=50)
    whole = finish(forgets(moved, algorithm, output=JsonLines(str(tmp_path / "whole")), gates=gates, **how))
    assert whole.t == CHANGE + 160 and whole.forgotten > 0
    at, result, took = 0, None, 0
    while result is None or result.ended == "stopped":
        rest = tuple(part[took:] for part in moved) if goes_on else moved
        one = forgets(rest, algorithm, checkpoint=str(tmp_path / "state.npz"), seconds=1e9, goes_on=goes_on, gates=gates,
                      output=JsonLines(str(tmp_path / "parts")), **how)
        result = finish(one, after(16))
        assert result.resumed_at == at
        at, took = result.t, result.rows_taken
    np.testing.assert_array_equal(result.samples, whole.samples)
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()
    changing = dict.fromkeys(("seconds_per_epoch", "resumed_at", "warnings"))
    assert {**result.to_dict(), **changing} == {**whole.to_dict(), **changing}
    with pytest.raises(ValueError, match="was made with window = "):
        forgets(moved, algorithm, checkpoint=str(tmp_path / "state.npz"), **{**how, "window": 55}).resume()


def test_the_checkpoint_before_is_kept_though_as_many_rows_count(moved, tmp_path):
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
def test_what_makes_no_sense_is_refused_in_words(moved, options, words):
    with pytest.raises(ValueError, match=words):
        replay(moved, every=20, **options)


def test_exact_means_of_a_window_move_no_more_than_chance():
    """Means of the last n rows, the draws of 16 chains about them: common drift is that of a standard normal's size."""
    drifts = []
    for seed in range(40):
        rng, n, window = np.random.default_rng(seed), 200, SampleWindow(200, 0.0, most=200)
        y = rng.normal(size=(1200, 3))
        for t in range(n, 1200, 5):
            window.add(t, y[t - n:t].mean(axis=0) + rng.normal(size=(16, 3)) / np.sqrt(n))
        drifts.append(window.common_drift())
    # The largest of three |N(0, 1)| at most, as the chains' noise is counted as if a half were one draw: mean 1.33, sd 0.6;
    # rows that were never forgotten would be thought to have stood still: 3 and more.
    assert np.mean(drifts) < 1.33 + 4 * 0.6 / np.sqrt(40) and np.mean(drifts) > 0.8
