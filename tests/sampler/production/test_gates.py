"""Gates: correct runs pass for any block size, wrong ones are stopped by the intended gate."""

import dataclasses
import math

import numpy as np
import pytest

from sampler import GaussianMean, GradientOracle, LogisticRegression, Settings
from sampler.algorithms.results import Epoch
from sampler.production import Gates, Tuned, Watch, gates_from, rehearse, stream_evidence
from sampler.production.gates import LIMITS, failed
from sampler.production.run_diagnostics import next_look
from tests.sampler import replays

LIKE_TUNED = Gates(max_rhat=1.1, max_lag=1.0, max_common_drift=8.0, max_width=1.25, min_width=0.8, max_score_loss=0.01)
SETTINGS = Settings(eta0=0.5, batch_size=8, i_max=40)


def exact(dim=5, chains=64, rows=800, seed=0, every=50, gates=LIKE_TUNED, mean=lambda t: 0.3,
          wrong=lambda t, centre, sd, normal: centre + sd * normal):
    """Return a Watch of exact draws of a Gaussian mean's posterior, N(mean of the rows, I/(2t)), and its failure.

    ``wrong`` returns the draws of an epoch from their centre, width and a normal array.
    """
    rng = np.random.default_rng([seed, dim, chains])
    data = rng.normal(np.array([mean(t) for t in range(rows)])[:, None], np.sqrt(0.5), (rows, dim))
    problem, watch, t, failure = GaussianMean(dim), Watch(GaussianMean(dim), gates, chains, 0.0), 0, None

    def draws(t):
        centre, sd = (data[:t].mean(axis=0), np.sqrt(0.5 / t)) if t else (np.zeros(dim), 1.0)
        return wrong(t, centre, sd, rng.normal(size=(chains, dim)))

    while t < rows and failure is None:
        end = min(next_look(t), (t // every + 1) * every, rows)
        watch.predict(data[t:end], None, draws(t), problem.posterior(data[:t]) if t else None)
        t = end
        if t % every == 0:
            failure = watch.learn(every, Epoch(t, draws(t), 0, 0, 0, 0), 0.0)
    return watch, failure


@pytest.mark.parametrize(("dim", "chains"), [(1, 1), (2, 4), (5, 64), (20, 256)])
def test_exact_draws_pass_all_gates(dim, chains):
    # A look exceeds its chance limit with probability 1e-3 and must exceed it by a quarter, 1.25 * 1.31 = 1.64 widths for 64
    # chains and 5 coordinates, seven sd; the margin of mean scores is five standard errors plus 0.01.
    for seed in range(3):
        watch, failure = exact(dim, chains, seed=seed)
        assert failure is None, failure.words
        assert watch.worst["max_lag"] < 1.0 and watch.lag.value is not None


WRONG = {
    # 64 chains 1.8 times too wide: 1.8 +- 0.16. The limit is 1.25 times the chance limit of 64 chains and 5 coordinates,
    # 1.33, that is 1.66: exceeded by the widest of five coordinates and 36 looks.
    "max_width": lambda t, centre, sd, normal: centre + 1.8 * sd * normal,
    "min_width": lambda t, centre, sd, normal: centre + 0.4 * sd * normal,
    # Centre off by 1.8 widths, net of chance 3.7/8; the noise of a look is 1/8.
    "max_lag": lambda t, centre, sd, normal: centre + sd * (normal + 1.8),
    # As if only the first 100 rows counted.
    "lag or width": lambda t, centre, sd, normal: centre + (sd if t < 100 else 0.07) * (normal + 0.8),
    "drifting": lambda t, centre, sd, normal: centre + sd * (normal + 4.0 * max(0, t - 200) / 400),
    "one coordinate of 20": lambda t, centre, sd, normal: centre + sd * (normal + 1.8 * (np.arange(normal.shape[1]) == 3)),
}


@pytest.mark.parametrize("fault", WRONG)
def test_wrong_chains_are_stopped_and_the_gate_suggests_an_action(fault):
    dim = 20 if "20" in fault else 5
    for seed in range(2):
        _, failure = exact(dim, seed=seed, wrong=WRONG[fault])
        assert failure.gate == fault or fault not in LIMITS
        advice = "lower eta0" if failure.gate == "max_width" else "raise "
        assert all(words in failure.words for words in ("net of chance", "the limit", advice))


def test_chains_far_from_their_posterior_have_a_score_loss():
    # Fifty widths away at t = 700 cost (50 sd)^2 = 2500/1400 per coordinate; only the score gate is set.
    _, failure = exact(gates=Gates(max_score_loss=0.01), wrong=lambda t, centre, sd, normal: centre + sd * (normal + 50.0))
    assert failure.gate == "max_score_loss" and "on the same rows" in failure.words
    # Exact draws of a model that the rows do not follow: the fault of the model, not detected by gates on chains.
    watch, failure = exact(gates=LIKE_TUNED, mean=lambda t: 0.3 if t < 600 else 4.0)
    assert failure is None and watch.score < -10.0 and abs(watch.worst["max_score_loss"]) < 0.01


def test_moving_data_give_a_warning_if_the_mode_is_tracked():
    moving = {"mean": lambda t: 2.0 * np.sin(t / 300), "rows": 1500, "every": 10}
    watch, failure = exact(**moving)
    assert failure is None and watch.common_drift is not None
    assert "the data move" in watch.warnings["max_common_drift"] and "limit 8" in watch.warnings["max_common_drift"]
    blind = Watch(GradientOracle(lambda indices, theta: np.zeros((len(indices), 2)), 2), LIKE_TUNED, 16, 0.0)
    rng, failure = np.random.default_rng(0), None
    for t in range(10, 1010, 10):
        failure = failure or blind.learn(10, Epoch(t, rng.normal(size=(16, 2)) / np.sqrt(t) + t / 100, 0, 0, 0, 0), 0.0)
    assert failure.gate == "max_common_drift" and "cannot be distinguished" in failure.words


@pytest.mark.parametrize("name", LIMITS)
def test_nan_fails_a_gate_and_none_does_not(name):
    gates = Gates(**{name: max(LIMITS[name]["range"][0], -1.0)})
    failure = failed(gates, 1000, {name: math.nan}, None, {name: math.nan})
    assert failure.gate == name and "Not a number" in failure.words
    assert failed(gates, 1000, {name: math.nan}, None).gate == name
    assert failed(gates, 1000, {name: None}, None) is failed(Gates(), 1000, {name: math.nan}, None) is None


def test_nan_chains_fail_lag_and_score():
    watch = Watch(GaussianMean(2), LIKE_TUNED, 8, 0.0)
    rows = np.random.default_rng(0).normal(size=(400, 2))
    watch.lag.look(GaussianMean(2).posterior(rows), np.where(np.arange(16).reshape(8, 2) == 3, np.nan, 0.0))
    assert math.isnan(watch.lag.value) and watch.judge(1000).gate == "max_lag"
    _, failure = exact(gates=Gates(max_score_loss=0.01), wrong=lambda t, centre, sd, normal: normal + (np.nan if t else 0.0))
    assert failure.gate == "max_score_loss"


@pytest.fixture(scope="module")
def stream():
    rng = np.random.default_rng(3)
    x = np.column_stack([np.ones(700), rng.normal(size=(700, 3))])
    y = (rng.random(700) < 1 / (1 + np.exp(-x @ [-2.0, 1.0, -0.5, 0.3]))).astype(float)
    return LogisticRegression(4), x, y, gates_from(rehearse(LogisticRegression(4), SETTINGS, x[:500], y[:500], 32, 0))


def run(stream, every, settings=SETTINGS, gates=None):
    problem, x, y, rehearsed = stream
    gates = dataclasses.replace(rehearsed if gates is None else gates, max_seconds_per_epoch=None)
    return replays.run((x, y), problem=problem, settings=settings, chains=32, seed=0, every=every, gates=gates)


def test_scores_lags_and_widths_do_not_depend_on_the_block_size(stream):
    results = [run(stream, every) for every in (7, 100)]
    assert [result.ended for result in results] == ["finished"] * 2
    seven, hundred = (result.watch for result in results)
    for name in ("scores", "gains"):  # up to rounding in sums over blocks
        np.testing.assert_allclose(getattr(hundred.prequential, name), getattr(seven.prequential, name), atol=1e-11)
    assert all(getattr(hundred.lag, name) == getattr(seven.lag, name) for name in ("value", "widest", "narrowest"))
    # Only the first row is predicted from the prior, with score -log 2.
    assert (np.abs(seven.prequential.scores[:100] + math.log(2.0)) < 1e-3).sum() <= 2


@pytest.mark.parametrize(("every", "bad"), [
    (100, {"eta0": 0.5 / 1000}), (10, {"eta0": 0.5 / 1000}), (100, {"i_max": 1, "eta0": 0.01}), (100, {"eta0": 60.0})])
def test_failing_settings_are_stopped_within_seven_summaries(stream, every, bad):
    result = run(stream, every, SETTINGS.replace(**bad))
    assert result.ended == "gate" and result.t <= 700 and result.failure.gate != "min_predictive_score"
    if every == 10:  # the only block ends with the stream
        result = run(stream, 700, SETTINGS.replace(eta0=1e-6), Gates(max_lag=1.0, warm_up=699))
        assert (result.ended, result.failure.gate, result.t) == ("gate", "max_lag", 700)


OLD = """format = 1
[settings]
eta0 = 0.5
batch_size = 8
i_max = 40
[gates]
divergence = true
max_rhat = 1.1
max_lag = 1.0
max_common_drift = 8.0
min_predictive_score = {limit}
max_reset_rate = 0.02
drift = false
verdict = true
warm_up = 250
[evidence]
predictive_score = -0.412
[versions]
exit-time-lab = "0.6.1"
"""


def test_a_file_of_release_061_opens_with_a_note_on_its_unused_gate(stream, tmp_path):
    path = tmp_path / "tuned.toml"
    path.write_text(OLD.format(limit=-0.383 - 0.1))  # the score minus six standard errors and 0.1
    tuned = Tuned.load(path)
    assert tuned.gates.min_predictive_score is None and tuned.gates.max_score_loss == 0.01
    assert "min_predictive_score = -0.483 is not compared" in tuned.gates.note
    result = run(stream, 100, gates=tuned.gates)
    assert result.ended == "finished" and tuned.gates.note in result.to_dict()["warnings"]
    tuned.save(tmp_path / "again.toml")
    assert Tuned.load(tmp_path / "again.toml").gates == tuned.gates
    path.write_text(OLD.format(limit=-0.4))  # closer than any limit of a rehearsal: set by the user
    limits = Tuned.load(path).gates
    assert limits.min_predictive_score == -0.4 and limits.note == "" and run(stream, 100, gates=limits).failure is None
    path.write_text(OLD.format(limit=-0.2))
    assert run(stream, 100, gates=Tuned.load(path).gates).failure.gate == "min_predictive_score"


def test_gates_of_a_rehearsal_follow_its_worst_measurements(stream):
    problem, x, y, gates = stream
    assert gates.min_predictive_score is None and gates.warm_up == 250
    assert (gates.max_lag, gates.max_width, gates.min_width, gates.max_score_loss) == (1.0, 1.25, 0.8, 0.01)
    result = rehearse(problem, SETTINGS, x[:500], y[:500], 32, 0)
    evidence = stream_evidence(result)
    scores = result.watch.prequential.scores[200:]
    assert evidence["predictive_score"] == pytest.approx(scores.mean())
    assert evidence["score_error"] == pytest.approx(scores.std(ddof=1) / np.sqrt(300))
    assert abs(evidence["score_loss"]) < 0.01
    result.watch.worst.update(max_lag=0.9, max_width=1.4, min_width=0.5, max_score_loss=0.02)
    wide = gates_from(result)
    assert (wide.max_lag, wide.max_width, wide.min_width, wide.max_score_loss) == (2.0, 1.75, 0.4, 0.04)
    result.watch.worst.update(max_lag=math.nan, max_width=math.inf, min_width=0.0)
    gates_from(result)


def test_looks_are_few_and_close():
    t, looks = 0, []
    while t < 10**6:
        t = next_look(t)
        looks.append(t)
    assert len(looks) < 300 and looks[:32] == list(range(1, 33)) and {2**k for k in range(20)} <= set(looks)
    gaps = np.diff(looks[31:]) / looks[31:-1]
    assert gaps.max() <= 1 / 16 and gaps.min() > 0.02  # `ModeLag.look` needs 2 % more rows
