"""Forecasts of the next datum, calibration, drift, chains against each other, gates."""

import numpy as np
import pytest
from scipy import stats

from sampler import GaussianMean, LinearRegression, LogisticRegression, PoissonRegression
from sampler.production import DriftAlarm, Gates, Prequential
from sampler.production.calibration import curve
from sampler.production.gates import failed
from sampler.production.prequential import log_scores, predictive_levels
from sampler.production.rolling_diagnostics import SampleWindow


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return rng.normal(size=(7, 2)), rng.normal(size=(11, 2)), rng


def test_scores_are_log_means_of_the_models_densities(data):
    x, theta, rng = data
    z = x @ theta.T
    y = (rng.random(7) < 0.5).astype(float)
    p = 1 / (1 + np.exp(-z))
    np.testing.assert_allclose(log_scores(LogisticRegression(2), x, y, theta),
                               np.log(np.where(y[:, None] > 0, p, 1 - p).mean(axis=1)))
    counts = rng.poisson(2.0, 7)
    np.testing.assert_allclose(log_scores(PoissonRegression(2), x, counts, theta),
                               np.log(stats.poisson.pmf(counts[:, None], np.exp(z)).mean(axis=1)))
    real = rng.normal(size=7)
    np.testing.assert_allclose(log_scores(LinearRegression(2, noise_std=0.7), x, real, theta),
                               np.log(stats.norm.pdf(real[:, None], z, 0.7).mean(axis=1)))
    means = [np.mean([stats.multivariate_normal.pdf(row, t, 0.5 * np.eye(2)) for t in theta]) for row in x]
    np.testing.assert_allclose(log_scores(GaussianMean(2), x, None, theta), np.log(means))


def test_levels_are_where_the_datum_fell(data):
    x, theta, rng = data
    z = x @ theta.T
    counts = rng.poisson(2.0, 7)
    below = stats.poisson.cdf(counts[:, None], np.exp(z)) - 0.5 * stats.poisson.pmf(counts[:, None], np.exp(z))
    np.testing.assert_allclose(predictive_levels(PoissonRegression(2), x, counts, theta), below.mean(axis=1))
    np.testing.assert_allclose(predictive_levels(LogisticRegression(2), x, np.ones(7), theta),
                               (1 / (1 + np.exp(-z))).mean(axis=1))


def test_a_calibrated_stream_is_found_calibrated_and_a_sure_one_is_not():
    rng = np.random.default_rng(1)
    p = rng.uniform(0.05, 0.95, 20_000)
    y = (rng.random(20_000) < p).astype(float)
    # Ten bins of 2,000: each gap is about sqrt(2/pi) sqrt(p(1-p)/2000) <= 0.009 in the mean; 0.015 is far outside.
    assert curve(p, y).error < 0.015
    sure = np.where(p > 0.5, 0.99, 0.01)
    assert curve(sure, y).error > 0.2
    levels = rng.random(20_000)
    assert curve(levels, None).error < 0.01  # Kolmogorov: 1.95/sqrt(20000) = 0.014 is the largest gap, once in 1,000
    assert curve(0.5 + 0.2 * (levels - 0.5), None).error > 0.1


def test_prequential_goes_on_bit_for_bit(data):
    x, theta, rng = data
    y = (rng.random(7) < 0.5).astype(float)
    whole, first, second = (Prequential(LogisticRegression(2), window=5) for _ in range(3))
    whole.add(x[:4], y[:4], theta)
    whole.add(x[4:], y[4:], theta + 1)
    first.add(x[:4], y[:4], theta)
    second.restore(first.state())
    second.add(x[4:], y[4:], theta + 1)
    assert second.score == whole.score and second.mean_score == whole.mean_score and second.n == 7
    np.testing.assert_array_equal(second.levels, whole.levels)
    assert len(whole.scores) == 5


def test_the_alarm_stays_silent_on_a_stream_that_does_not_change():
    rng = np.random.default_rng(2)
    for p in (rng.uniform(0.02, 0.98, 200_000), np.full(200_000, 0.02)):  # the second: rare events, most skewed
        alarm = DriftAlarm()
        alarm.add(np.log(np.where(rng.random(200_000) < p, p, 1 - p)))
        assert not alarm.drifting  # for normal scores a false alarm is due once in 160 million


def test_the_alarm_hears_a_change_soon_and_says_when_it_began():
    rng = np.random.default_rng(3)
    scores = rng.normal(-0.5, 0.3, 6000)
    scores[4000:] -= 0.3  # one standard deviation worse
    alarm = DriftAlarm()
    alarm.add(scores)
    first = alarm.drifts[0]
    # 5 - 0.5 a block up to 15: four blocks of 25; two more for their spread of 1 each.
    assert 4000 < first.at <= 4150 and abs(first.since - 4001) <= 50


def test_the_alarm_goes_on_where_it_was():
    rng = np.random.default_rng(4)
    scores = np.concatenate([rng.normal(size=900), rng.normal(-2, 1, 300)])
    whole, first, second = DriftAlarm(), DriftAlarm(), DriftAlarm()
    whole.add(scores)
    first.add(scores[:905])
    second.restore(first.state())
    second.add(scores[905:])
    assert second.drifts == whole.drifts and len(whole.drifts) >= 1


def fill(window, law, chains=16, epochs=200, first=400):
    for t in range(first, first + epochs):
        window.add(t, law(t, chains) / np.sqrt(t) + 1.0 / t)
    return window.diagnostics()


def test_rhat_passes_chains_that_agree_while_the_posterior_narrows_and_moves():
    rng = np.random.default_rng(5)
    found = fill(SampleWindow(200), lambda t, k: rng.normal(size=(k, 3)))
    assert found.rhat.max() < 1.02  # 3,200 independent draws
    assert found.ess.min() > 1500


def test_rhat_fails_chains_that_stay_apart():
    rng = np.random.default_rng(6)
    places = 2.0 * rng.normal(size=(16, 3))
    found = fill(SampleWindow(200), lambda t, k: places + 0.2 * rng.normal(size=(k, 3)))
    assert found.rhat.min() > 1.5


def test_the_window_keeps_the_last_samples_only():
    window = SampleWindow(10)
    assert window.diagnostics() is None
    for t in range(1, 31):
        window.add(t, np.full((5, 2), float(t)))
    np.testing.assert_array_equal(window.epochs, np.arange(21, 31))
    assert window.draws.shape == (10, 5, 2)


GOOD = {"t": 1000, "rhat": 1.01, "score": -0.5, "reset_rate": 0.0, "seconds": 0.01, "drift": None}


@pytest.mark.parametrize(("gate", "limit", "bad"), [
    ("max_rhat", 1.05, {"rhat": 1.2}), ("min_predictive_score", -0.6, {"score": -0.7}),
    ("max_reset_rate", 0.1, {"reset_rate": 0.2}), ("max_seconds_per_epoch", 0.05, {"seconds": 0.1}),
    ("drift", True, {"drift": 900}),
])
def test_each_gate_passes_fails_and_names_itself(gate, limit, bad):
    gates = Gates(**{gate: limit})
    assert failed(gates, **GOOD) is None
    failure = failed(gates, **{**GOOD, **bad})
    assert failure.gate == gate and gate in failure.words and "1,000" in failure.words
    assert failed(gates, **{**GOOD, **bad, "t": 100}) is None  # in the warm-up
    assert failed(Gates(), **{**GOOD, **bad}) is None


@pytest.mark.parametrize(("values", "words"), [
    ({"max_rhat": 0.5}, "gates.max_rhat must be a number in \\[1, inf\\], got 0.5"),
    ({"max_reset_rate": "x"}, "max_reset_rate"), ({"drift": 1}, "gates.drift must be true or false"),
    ({"warm_up": -1}, "warm_up"), ({"max_rhat": float("nan")}, "max_rhat"), ({"max_rhut": 1.1}, "no gate 'max_rhut'"),
])
def test_a_gate_that_makes_no_sense_is_refused(values, words):
    with pytest.raises(ValueError, match=words):
        Gates.from_dict(values)
