"""Predictions against another way: formulas, quadrature, sums, simulated truths."""

import tracemalloc

import numpy as np
import pytest
from scipy import integrate, stats
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
from sampler.predictive import distribution

N = 100_000
ROWS = np.array([[1.0, -0.5, 1.0], [0.0, 2.0, 1.0], [-1.5, 0.3, 1.0]])
MEAN, ROOT = np.array([0.4, -0.7, 0.2]), np.linalg.cholesky([[0.09, 0.02, 0.0], [0.02, 0.05, -0.01], [0.0, -0.01, 0.04]])
LOCATION, WIDTH = ROWS @ MEAN, np.linalg.norm(ROWS @ ROOT, axis=1)  # x'm, and the root of x'Sx
DRAWS = MEAN + np.random.default_rng(0).normal(size=(N, 3)) @ ROOT.T
FEW = DRAWS[:500]


def test_numbers_with_a_normal_posterior_are_normal():
    noise = 0.7
    total = np.hypot(WIDTH, noise)
    predictive = Predictive(DRAWS, LinearRegression(3, noise_std=noise)).predict_dist(ROWS)
    # Each tolerance is five Monte Carlo errors with N draws. A mean's: WIDTH / sqrt(N). A variance's of normals:
    # WIDTH^2 sqrt(2/N), so half of that over the root for the root.
    assert np.all(np.abs(predictive.mean - LOCATION) < 5 * WIDTH / np.sqrt(N))
    assert np.all(np.abs(predictive.sd - total) < 5 * WIDTH**2 * np.sqrt(2 / N) / (2 * total))
    law = stats.norm(LOCATION, total)
    for q in (0.02, 0.5, 0.9):  # a mean of N chances has a variance of q(1 - q)/N at most; a quantile's is over the density
        tolerance = 5 * np.sqrt(q * (1 - q) / N) / law.pdf(law.ppf(q))
        assert np.all(np.abs(predictive.quantile(q) - law.ppf(q)) < tolerance)
    y = np.array([0.1, -1.0, 0.5])  # densities of single draws lie in [0, top]: their sd is half of it at most
    assert np.all(np.abs(predictive.pdf(y) - law.pdf(y)) < 5 * stats.norm.pdf(0, scale=noise) / 2 / np.sqrt(N))


def test_the_mean_of_numbers_is_the_exact_posteriors():
    """Draws by Cholesky of the posterior of rows, whose mean and covariance the normal equations give."""
    rng = np.random.default_rng(1)
    features, noise, precision = rng.normal(size=(40, 3)), 0.7, 2.0
    labels = features @ MEAN + noise * rng.normal(size=40)
    covariance = np.linalg.inv(features.T @ features / noise**2 + precision * np.eye(3))
    mean = covariance @ features.T @ labels / noise**2
    problem = LinearRegression(3, precision, noise)
    np.testing.assert_allclose(problem.posterior(features, labels).gradient(mean), 0, atol=1e-9)  # it is that posterior
    draws = mean + rng.normal(size=(N, 3)) @ np.linalg.cholesky(covariance).T
    predictive, width = Predictive(draws, problem), np.sqrt(np.einsum("ij,jk,ik->i", ROWS, covariance, ROWS))
    assert np.all(np.abs(predictive.predict(ROWS) - ROWS @ mean) < 5 * width / np.sqrt(N))
    assert np.all(np.abs(predictive.predict_dist(ROWS).sd - np.hypot(width, noise)) < 5 * width**2 / noise / np.sqrt(2 * N))


def one_coefficient(features, labels, n):
    """Draws (datasets, n) of the posterior of one coefficient: its quantiles (i + 1/2)/n, from the density on a grid."""
    grid = np.linspace(-6, 6, 1201)
    scores = np.where(labels > 0, 1, -1)[..., None] * features[..., None] * grid
    log_density = -np.logaddexp(0, -scores).sum(axis=-2) - 0.5 * grid**2
    density = np.exp(log_density - log_density.max(axis=-1, keepdims=True))
    below = integrate.cumulative_trapezoid(density, grid, initial=0)
    levels = (np.arange(n) + 0.5) / n
    return np.array([np.interp(levels * each[-1], each, grid) for each in np.atleast_2d(below)])


def test_chances_are_the_integral_over_the_posterior():
    features, labels, n = np.array([0.5, -1.0, 2.0, 1.5, -0.3]), np.array([1.0, 0.0, 0.0, 1.0, 1.0]), 20_000
    posterior = LogisticRegression(1).posterior(features[:, None], labels)
    mass = integrate.quad(lambda b: np.exp(-posterior.potential(np.array([b]))), -8, 8)[0]
    draws = one_coefficient(features, labels, n).T
    all_chances, interval = Predictive(draws, LogisticRegression(1)).predict_proba([[0.7], [-2.0], [3.0]], level=0.8)
    for x, chances, ends in zip((0.7, -2.0, 3.0), all_chances, interval, strict=True):
        whole = integrate.quad(lambda b, x=x: expit(x * b) * np.exp(-posterior.potential(np.array([b]))), -8, 8)[0]
        # The mean of a rising chance at n such quantiles is within 1/(2n) of its integral.
        assert chances == pytest.approx([1 - whole / mass, whole / mass], abs=1 / n)
        # A chance rises or falls with b: its quantiles are those of b, but for where between two draws they are put.
        assert ends == pytest.approx(np.sort(expit(x * np.quantile(draws, [0.1, 0.9]))), abs=1e-6)
    np.testing.assert_array_equal(all_chances.sum(axis=1), 1)


def test_intervals_of_a_chance_have_their_nominal_coverage():
    """Over truths of the prior, a 90 % interval of the posterior holds the truth in 90 % of data sets exactly."""
    rng, datasets, rows = np.random.default_rng(2), 1000, 20
    truth, features = rng.normal(size=datasets), rng.normal(size=(datasets, rows))
    labels = (rng.random((datasets, rows)) < expit(features * truth[:, None])).astype(float)
    draws = np.concatenate([one_coefficient(features[i:i + 100], labels[i:i + 100], 1000) for i in range(0, datasets, 100)])
    problem, x = LogisticRegression(1), np.array([[1.5]])
    ends = np.array([Predictive(each[:, None], problem).predict_proba(x, 0.9)[1][0] for each in draws])
    held = np.mean((ends[:, 0] < expit(1.5 * truth)) & (expit(1.5 * truth) < ends[:, 1]))
    assert held == pytest.approx(0.9, abs=3 * np.sqrt(0.9 * 0.1 / datasets))


def test_counts_with_a_normal_posterior_are_poisson_lognormal():
    predictive = Predictive(DRAWS, PoissonRegression(3))
    mean, v = np.exp(LOCATION + WIDTH**2 / 2), WIDTH**2
    law = predictive.predict_dist(ROWS)
    assert np.all(np.abs(predictive.predict(ROWS) - mean) < 5 * mean * np.sqrt(np.expm1(v) / N))  # a lognormal's sd is that
    np.testing.assert_array_equal(law.mean, predictive.predict(ROWS))
    # The variance of rates is mean^2 expm1(v); its error is by a lognormal's kurtosis, e^4v + 2e^3v + 3e^2v - 3.
    spread = mean**2 * np.expm1(v)
    error = spread * np.sqrt((np.exp(4 * v) + 2 * np.exp(3 * v) + 3 * np.exp(2 * v) - 4) / N)
    assert np.all(np.abs(law.sd**2 - law.mean - spread) < 5 * error)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    rates = np.exp(LOCATION[:, None] + WIDTH[:, None] * nodes)
    for k in (0, 1, 4):  # chances lie in [0, 1]: a mean of N has the error 1/(2 sqrt(N)) at most
        expected = stats.poisson.pmf(k, rates) @ weights / np.sqrt(2 * np.pi)
        assert np.all(np.abs(law.pmf(k) - expected) < 2.5 / np.sqrt(N))
    np.testing.assert_array_equal(law.pmf(np.array([-1.0, 0.5, 2.0])) == 0, [True, True, False])


@pytest.mark.parametrize("shift", [-3.0, 0.0, 4.0])
def test_quantiles_of_counts_are_the_first_with_so_much_below(shift):
    draws = FEW[:200] + [0, 0, shift]
    law = Predictive(draws, PoissonRegression(3)).predict_dist(ROWS)
    below = stats.poisson.cdf(np.arange(1500)[:, None, None], np.exp(ROWS @ draws.T)).mean(axis=-1)
    for q in (0.001, 0.3, 0.5, 0.95, 0.9999):
        np.testing.assert_array_equal(law.quantile(q), (below < q).sum(axis=0))


def test_quantiles_of_numbers_have_that_much_below():
    law = Predictive(FEW, LinearRegression(3, noise_std=0.2)).predict_dist(ROWS)
    for q in (1e-6, 0.4, 0.99):
        below = stats.norm.cdf(law.quantile(q)[:, None], ROWS @ FEW.T, 0.2).mean(axis=1)
        np.testing.assert_allclose(below, q, rtol=1e-7)
    one = Predictive(FEW[:1], LinearRegression(3, noise_std=0.2)).predict_dist(ROWS)
    np.testing.assert_allclose(one.quantile(0.3), stats.norm.ppf(0.3, ROWS @ FEW[0], 0.2), rtol=1e-12)


def test_a_mean_has_a_response_of_its_own_variance_and_no_features():
    predictive = Predictive(DRAWS, GaussianMean(3))  # f_k = |y - theta|^2: y is normal round theta, of variance 1/2
    np.testing.assert_allclose(predictive.predict(), DRAWS.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(predictive.predict_dist().sd, np.sqrt(0.5 + DRAWS.var(axis=0)), rtol=1e-12)
    assert predictive.thompson(np.random.default_rng(0))().tolist() in DRAWS.tolist()
    with pytest.raises(ValueError, match=r"x must be left out for GaussianMean\(dim=3\)"):
        predictive.predict(ROWS)


@pytest.mark.parametrize("problem", [LogisticRegression(3), LinearRegression(3), PoissonRegression(3)], ids=lambda p: p.kind)
def test_thompson_draws_one_function_a_call_and_their_mean_is_the_posteriors(problem):
    predictive, rng, calls = Predictive(FEW, problem), np.random.default_rng(3), 4000
    means = problem.mean_function(ROWS @ FEW.T)
    drawn = np.array([predictive.thompson(rng)(ROWS) for _ in range(calls)])
    assert {tuple(row) for row in drawn.round(9)} <= {tuple(row) for row in means.T.round(9)}  # one theta for all rows
    assert len(np.unique(drawn[:, 0])) > 400  # of 500 draws, 4,000 times
    assert np.all(np.abs(drawn.mean(axis=0) - means.mean(axis=1)) < 5 * means.std(axis=1) / np.sqrt(calls))
    function = predictive.thompson(rng)
    np.testing.assert_array_equal(function(ROWS), function(ROWS))
    np.testing.assert_allclose(function(ROWS[0]), function(ROWS)[:1], rtol=1e-12)


def test_labels_are_the_likelier_of_two():
    predictive = Predictive(FEW, LogisticRegression(3))
    chances = predictive.predict_proba(ROWS)
    assert chances.shape == (3, 2) and predictive.classes.tolist() == [0, 1]
    np.testing.assert_array_equal(predictive.predict(ROWS), chances.argmax(axis=1))
    assert 0 < predictive.predict(ROWS).sum() < 3  # both are there
    assert predictive.predict(ROWS[:0]).shape == (0,) and predictive.predict_proba(ROWS[:0], 0.5)[1].shape == (0, 2)


def test_rows_by_the_chunk_make_no_difference_and_keep_memory_flat(monkeypatch):
    rng = np.random.default_rng(4)
    rows, draws = rng.normal(size=(1000, 3)), DRAWS[:1000]  # a million scores, 8 MB an array
    monkeypatch.setattr(distribution, "AT_ONCE", 50_000)
    predictive = Predictive(draws, LogisticRegression(3))
    tracemalloc.start()
    whole = predictive.predict_proba(rows, 0.9)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6 * 8 * distribution.AT_ONCE  # a few arrays of a chunk
    monkeypatch.setattr(distribution, "AT_ONCE", 7 * len(draws))
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
    np.testing.assert_array_equal(predictive.predict_proba(features), chances)  # it stands still while the chains go on
    assert not np.array_equal(sampler.predictive().predict_proba(features), chances)


LOGISTIC, NUMBERS = Predictive(FEW, LogisticRegression(3)), Predictive(FEW, LinearRegression(3))


@pytest.mark.parametrize(("call", "words"), [
    (lambda: LOGISTIC.predict([1.0, np.nan, 1.0]), "x must be finite, row 0 has .*drop or repair that row"),
    (lambda: LOGISTIC.predict(ROWS[:, :2]), r"x must have shape \(3,\) or \(n, 3\), got \(3, 2\)"),
    (lambda: LOGISTIC.predict(), r"x must have shape \(3,\) or \(n, 3\), got \(\)"),
    (lambda: LOGISTIC.predict([{"a": 1.0}]), "x must be numbers of shape"),  # without a reading no column has a name
    (lambda: LOGISTIC.predict_proba(ROWS, 1.0), "level must be a finite number above 0 and below 1, got 1.0; 0.9 is usual"),
    (lambda: LOGISTIC.predict_proba(ROWS, 90), "level must be a finite number above 0 and below 1, got 90"),
    (lambda: LOGISTIC.predict_dist(ROWS), "predict_dist must be asked of numbers or counts.*use predict_proba"),
    (lambda: NUMBERS.predict_proba(ROWS), "predict_proba must be asked of a logistic model.*use predict_dist"),
    (lambda: NUMBERS.predict_dist(ROWS).quantile(0), "q must be a finite number above 0 and below 1, got 0; 0.5 is"),
    (lambda: NUMBERS.predict_dist(ROWS).pdf([0.0, 1.0]), r"y must be a number or have shape \(3,\), got shape \(2,\)"),
    (lambda: NUMBERS.predict_dist(ROWS).pdf(np.inf), "y must be finite"),
    (lambda: NUMBERS.predict_dist(ROWS).pmf(1), "pmf must be asked of counts, and these responses are numbers"),
    (lambda: Predictive(FEW, PoissonRegression(3)).predict_dist(ROWS).pdf(1), "pdf must be asked of numbers"),
    (lambda: LOGISTIC.thompson(7), "rng must be of type Generator, got 7"),
    (lambda: Predictive(FEW[:0], LogisticRegression(3)), "draws must have 1 rows or more, got 0; draw more"),
    (lambda: Predictive(FEW, LogisticRegression(2)), r"draws must have shape \(n, 2\), got \(500, 3\)"),
    (lambda: Predictive(FEW, "logistic"), "problem must have kind, dim, posterior, got 'logistic'"),
    (lambda: Predictive(FEW, LogisticRegression(3), "file.csv"), "reading must have encode, names, classes, got 'file.csv'"),
    (lambda: Predictive(FEW, GradientOracle(lambda k, x: x[None], 3)),
     "problem must be of a kind in .* got 'oracle'; .* the gradient of a GradientOracle tells no response"),
])
def test_what_cannot_be_predicted_is_refused_in_words(call, words):
    with pytest.raises(ValueError, match=words):
        call()
