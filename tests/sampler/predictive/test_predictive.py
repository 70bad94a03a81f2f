"""Predictions against mixtures of SciPy's laws over the draws."""

import tracemalloc

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

from sampler import (
    GaussianMean,
    GradientOracle,
    LinearRegression,
    LogisticRegression,
    PoissonRegression,
    Predictive,
    Settings,
)
from sampler import algorithms as all_algorithms
from sampler.algorithms.stream_sampler import StreamSampler
from sampler.predictive import predictive as module

ROWS = np.array([[1.0, -0.5, 1.0], [0.0, 2.0, 1.0], [-1.5, 0.3, 1.0]])
MEAN, ROOT = np.array([0.4, -0.7, 0.2]), np.linalg.cholesky([[0.09, 0.02, 0.0], [0.02, 0.05, -0.01], [0.0, -0.01, 0.04]])
DRAWS = MEAN + np.random.default_rng(0).normal(size=(1000, 3)) @ ROOT.T
FEW = DRAWS[:500]
SCORES = ROWS @ FEW.T


def test_linear_predictions_are_normal_mixtures():
    predictive, y = Predictive(FEW, LinearRegression(3, noise_std=0.2)), np.array([0.1, -1.0, 0.5])
    law = predictive.predict_dist(ROWS)
    np.testing.assert_allclose([predictive.predict(ROWS), law.mean], [SCORES.mean(axis=1)] * 2, rtol=1e-12)
    np.testing.assert_allclose(law.sd**2, 0.2**2 + SCORES.var(axis=1), rtol=1e-12)
    np.testing.assert_allclose(law.pdf(y), stats.norm.pdf(y[:, None], SCORES, 0.2).mean(axis=1), rtol=1e-12)
    for q in (1e-6, 0.4, 0.99):
        np.testing.assert_allclose(stats.norm.cdf(law.quantile(q)[:, None], SCORES, 0.2).mean(axis=1), q, rtol=1e-7)
    one = Predictive(FEW[:1], LinearRegression(3, noise_std=0.2)).predict_dist(ROWS)
    np.testing.assert_allclose(one.quantile(0.3), stats.norm.ppf(0.3, ROWS @ FEW[0], 0.2), rtol=1e-12)


def test_count_predictions_are_poisson_mixtures():
    predictive, rates = Predictive(FEW, PoissonRegression(3)), np.exp(SCORES)
    law = predictive.predict_dist(ROWS)
    np.testing.assert_allclose([predictive.predict(ROWS), law.mean], [rates.mean(axis=1)] * 2, rtol=1e-12)
    np.testing.assert_allclose(law.sd**2, rates.mean(axis=1) + rates.var(axis=1), rtol=1e-12)
    for k in (0, 1, 4):
        np.testing.assert_allclose(law.pmf(k), stats.poisson.pmf(k, rates).mean(axis=1), rtol=1e-12)
    np.testing.assert_array_equal(law.pmf(np.array([-1.0, 0.5, 2.0])) == 0, [True, True, False])


@pytest.mark.parametrize("shift", [-3.0, 0.0, 4.0])
def test_quantiles_of_counts_invert_the_cdf(shift):
    draws = FEW[:200] + [0, 0, shift]
    law = Predictive(draws, PoissonRegression(3)).predict_dist(ROWS)
    below = stats.poisson.cdf(np.arange(1500)[:, None, None], np.exp(ROWS @ draws.T)).mean(axis=-1)
    for q in (0.001, 0.3, 0.5, 0.95, 0.9999):
        np.testing.assert_array_equal(law.quantile(q), (below < q).sum(axis=0))


def test_predictions_of_a_mean_take_no_features():
    predictive = Predictive(DRAWS, GaussianMean(3))  # f_k = |y - theta|^2: y is normal with mean theta and variance 1/2
    np.testing.assert_allclose(predictive.predict(), DRAWS.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(predictive.predict_dist().sd, np.sqrt(0.5 + DRAWS.var(axis=0)), rtol=1e-12)
    assert predictive.thompson(np.random.default_rng(0))().tolist() in DRAWS.tolist()
    with pytest.raises(ValueError, match=r"x must be left out for GaussianMean\(dim=3\)"):
        predictive.predict(ROWS)


@pytest.mark.parametrize("problem", [LogisticRegression(3), LinearRegression(3), PoissonRegression(3)], ids=lambda p: p.kind)
def test_thompson_draws_one_function_per_call(problem):
    predictive, rng, calls = Predictive(FEW, problem), np.random.default_rng(3), 4000
    means = problem.mean_function(ROWS @ FEW.T)
    drawn = np.array([predictive.thompson(rng)(ROWS) for _ in range(calls)])
    assert {tuple(row) for row in drawn.round(9)} <= {tuple(row) for row in means.T.round(9)}  # one theta for all rows
    assert len(np.unique(drawn[:, 0])) > 400  # of 500 draws in 4,000 calls
    assert np.all(np.abs(drawn.mean(axis=0) - means.mean(axis=1)) < 5 * means.std(axis=1) / np.sqrt(calls))
    function = predictive.thompson(rng)
    np.testing.assert_array_equal(function(ROWS), function(ROWS))
    np.testing.assert_allclose(function(ROWS[0]), function(ROWS)[:1], rtol=1e-12)


def test_probabilities_intervals_and_labels():
    predictive, each = Predictive(FEW, LogisticRegression(3)), expit(SCORES)
    chances, interval = predictive.predict_proba(ROWS, level=0.8)
    np.testing.assert_allclose(chances, np.stack([1 - each, each], axis=1).mean(axis=2), rtol=1e-12)
    np.testing.assert_allclose(interval, np.quantile(each, [0.1, 0.9], axis=1).T, rtol=1e-12)
    np.testing.assert_array_equal(chances.sum(axis=1), 1)
    assert predictive.classes.tolist() == [0, 1]
    np.testing.assert_array_equal(predictive.predict(ROWS), chances.argmax(axis=1))
    assert 0 < predictive.predict(ROWS).sum() < 3  # both classes occur
    assert predictive.predict(ROWS[:0]).shape == (0,) and predictive.predict_proba(ROWS[:0], 0.5)[1].shape == (0, 2)


def test_chunks_of_rows_bound_memory_and_change_nothing(monkeypatch):
    rng = np.random.default_rng(4)
    rows, draws = rng.normal(size=(1000, 3)), DRAWS[:1000]  # a million scores, 8 MB per array
    monkeypatch.setattr(module, "AT_ONCE", 50_000)
    predictive = Predictive(draws, LogisticRegression(3))
    tracemalloc.start()
    whole = predictive.predict_proba(rows, 0.9)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6 * 8 * module.AT_ONCE  # a few arrays of a chunk
    monkeypatch.setattr(module, "AT_ONCE", 7 * len(draws))
    for one, other in zip(whole, predictive.predict_proba(rows, 0.9), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


ONLINE = [kind for kind in map(vars(all_algorithms).get, all_algorithms.__all__)
          if isinstance(kind, type) and issubclass(kind, StreamSampler)]


@pytest.mark.parametrize("kind", ONLINE)
def test_every_online_sampler_predicts_from_its_chains(kind):
    assert len(ONLINE) >= 9
    rng = np.random.default_rng(5)
    features, labels = rng.normal(size=(30, 2)), (rng.random(30) > 0.5).astype(float)
    sampler = kind(LogisticRegression(2), Settings(eta0=0.05, i_max=4, batch_size=4), chains=5)
    with pytest.raises(ValueError, match="predictive needs draws, and there are none yet; call observe first"):
        sampler.predictive()
    sampler.observe(features, labels)
    predictive = sampler.predictive()
    np.testing.assert_array_equal(predictive.draws, sampler.positions)
    chances = predictive.predict_proba(features)
    sampler.observe(features, labels)
    np.testing.assert_array_equal(predictive.predict_proba(features), chances)  # unchanged by later epochs
    assert not np.array_equal(sampler.predictive().predict_proba(features), chances)


LOGISTIC, NUMBERS = Predictive(FEW, LogisticRegression(3)), Predictive(FEW, LinearRegression(3))


@pytest.mark.parametrize(("call", "words"), [
    (lambda: LOGISTIC.predict([1.0, np.nan, 1.0]), "x must be finite, row 0 has .*drop or repair that row"),
    (lambda: LOGISTIC.predict(ROWS[:, :2]), r"x must have shape \(3,\) or \(n, 3\), got \(3, 2\)"),
    (lambda: LOGISTIC.predict(), r"x must be numbers of shape \(3,\) or \(n, 3\), got None"),
    (lambda: LOGISTIC.predict([{"a": 1.0}]), "x must be numbers of shape"),  # columns have names only with a reading
    (lambda: LOGISTIC.predict_proba(ROWS, 1.0), "level must be a finite number above 0 and below 1, got 1.0; 0.9 is usual"),
    (lambda: LOGISTIC.predict_proba(ROWS, 90), "level must be a finite number above 0 and below 1, got 90"),
    (lambda: LOGISTIC.predict_dist(ROWS), "predict_dist requires a model of numbers or counts.*use predict_proba"),
    (lambda: NUMBERS.predict_proba(ROWS), "predict_proba requires a logistic model.*use predict_dist"),
    (lambda: NUMBERS.predict_dist(ROWS).quantile(0), "q must be a finite number above 0 and below 1, got 0; 0.5 is"),
    (lambda: NUMBERS.predict_dist(ROWS).pdf([0.0, 1.0]), r"y must be a number or have shape \(3,\), got shape \(2,\)"),
    (lambda: NUMBERS.predict_dist(ROWS).pdf(np.inf), "y must be finite"),
    (lambda: NUMBERS.predict_dist(ROWS).pmf(1), "pmf requires responses that are counts, got numbers"),
    (lambda: Predictive(FEW, PoissonRegression(3)).predict_dist(ROWS).pdf(1), "pdf requires responses that are numbers"),
    (lambda: LOGISTIC.thompson(7), "rng must be of type Generator, got 7"),
    (lambda: Predictive(FEW[:0], LogisticRegression(3)), "draws must have 1 rows or more, got 0; draw more"),
    (lambda: Predictive(FEW, LogisticRegression(2)), r"draws must have shape \(n, 2\), got \(500, 3\)"),
    (lambda: Predictive(FEW, "logistic"), "problem must have kind, dim, posterior, got 'logistic'"),
    (lambda: Predictive(FEW, LogisticRegression(3), "file.csv"), "reading must have encode, names, classes, got 'file.csv'"),
    (lambda: Predictive(FEW, GradientOracle(lambda k, x: x[None], 3)),
     "problem must be of a kind in .* got 'oracle'; .* the gradient of a GradientOracle defines no response"),
])
def test_invalid_predictions_are_rejected(call, words):
    with pytest.raises(ValueError, match=words):
        call()
