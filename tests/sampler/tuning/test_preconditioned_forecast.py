"""Forecasts in whitened coordinates, compared with analytic values and chains."""

import numpy as np
import pytest

from sampler import (
    GaussianMean,
    GradientOracle,
    LinearRegression,
    LogisticRegression,
    PoissonRegression,
    PreconditionedSagaLD,
    Settings,
    Sweep,
    advise,
)
from sampler.tuning import AlgorithmSettings, Forecast, Grid, forecast_of
from sampler.tuning.preconditioned_forecast import low_rank_of, precision_at
from tests.sampler.tuning.preconditioned import TEN, compare, stream


def whitened(kind, dim, condition, rows):
    return forecast_of("preconditioned", Forecast(*stream(kind, dim, condition, rows=rows)))


@pytest.mark.parametrize("problem", [LogisticRegression(3), PoissonRegression(3)])
def test_row_weights_of_the_metric(problem):
    """max(min((h + a^2)/2, 2 m), m min(1, 2 d/t)); m: the majorant of Jaakkola and Jordan, or the logarithmic mean."""
    rng = np.random.default_rng(0)
    rows, theta = 2.0 * rng.normal(size=(40, 3)), np.array([1.0, -0.5, 0.3])
    scores = rows @ theta
    mean = problem.mean_function(scores)
    if problem.kind == "logistic":
        y = (rng.random(40) < 0.5).astype(float)
        h, square, majorant = mean * (1 - mean), (mean - y) ** 2, np.tanh(scores / 2) / (2 * scores)
    else:
        y = rng.poisson(2.0, 40).astype(float)
        h, square, majorant = mean, y, (mean - y - 0.5) / np.log(mean / (y + 0.5))
    weights = np.maximum(np.minimum(0.5 * (h + square), 2 * majorant), majorant * 6 / 40)
    np.testing.assert_allclose(precision_at(problem.posterior(rows, y), theta), np.eye(3) + (rows.T * weights) @ rows)


def test_exact_metrics_whiten_the_posterior():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 2)) * [10.0, 1.0]
    own = GradientOracle(lambda i, x: (rows[i] @ x - 1.0)[:, None] * rows[i], 2, lambda x: x, factor=lambda i, x: rows[i],
                         prior_curvature=1.0)
    for plain in (Forecast(GaussianMean(2), rows), Forecast(own, terms=60)):
        forecast = forecast_of("preconditioned", plain)
        np.testing.assert_allclose(forecast.noise.eigenvalues, 1.0, rtol=1e-5)
        assert forecast(Settings(eta0=0.2, i_max=30, batch_size=64)).accuracy > 0.9


def test_the_predicted_low_rank_metric_is_the_samplers():
    # Two strong factors: the error of the power iteration is (1/20)^8.
    rng = np.random.default_rng(0)
    rows = 5.0 * rng.normal(size=(32, 2)) @ rng.normal(size=(2, 5)) + 0.3 * rng.normal(size=(32, 5))
    problem, settings = LinearRegression(5), Settings(eta0=0.1, batch_size=6, i_max=4)
    saga = PreconditionedSagaLD(problem, settings, chains=1, metric="low-rank 2")
    saga.observe(rows, rows[:, 0])
    low_rank = low_rank_of(saga.posterior.hessian(np.zeros(5)), 2, 32)
    np.testing.assert_allclose(saga.precision_matrix(0), low_rank, atol=2e-2 * np.diagonal(low_rank).max())


def test_linear_regression_is_isotropic_in_whitened_coordinates_for_any_condition_number():
    forecast = whitened("linear", 4, 1e6, 300)
    np.testing.assert_allclose(forecast.noise.eigenvalues, 1.0, rtol=1e-8)
    # (1 - eta0)^n over n uniform on 1..i_max, a geometric sum
    result = forecast(Settings(eta0=0.2, i_max=10, batch_size=64))
    assert result.memory == pytest.approx(np.mean(0.8 ** np.arange(1, 11)), rel=1e-6)


def test_the_variance_grows_by_the_formula():
    # Normal rows and constant curvature: 1 + eta0 (1/2 + (1 - e)(d + 3/2)/b) to first order in eta0 N, with e the share of
    # its deviation that a datum's anchor retains. Fourth moments of 1,500 rows have errors of a few per cent.
    forecast = whitened("linear", 8, 100.0, 1500)
    for eta0, b in ((0.002, 2), (0.01, 8), (0.01, 64)):
        inflation = forecast._inflation(Settings(eta0=eta0, batch_size=b))[0].mean() - 1
        formula = eta0 * (0.5 + (1 - b / (b + eta0 * 1500)) * (8 + 1.5) / b)
        assert inflation == pytest.approx(formula, rel=0.12)


def test_advice_is_for_the_algorithm_and_independent_of_the_condition_number():
    for condition in (1.0, 1e4):
        advice = advise(whitened("logistic", 5, condition, 256))
        assert isinstance(advice.settings, AlgorithmSettings) and advice.settings.algorithm == "preconditioned"
        assert advice.forecast.true_accuracy > 0.97 and advice.forecast.memory <= 0.475 and advice.forecast.cost < 300
        assert advice.settings.acceptance_radius == 20.0 > PreconditionedSagaLD.default_settings(5).acceptance_radius
        assert 0.8 < advice.curvature < 1.5


def test_unsupported_models_are_refused():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(40, 2))
    unknown = GradientOracle(lambda i, x: x - features[i], 2)
    with pytest.raises(ValueError, match="must be a model whose curvature is known"):
        forecast_of("preconditioned", Forecast(unknown, terms=40))
    flat = LinearRegression(2, prior_precision=0.0)
    with pytest.raises(ValueError, match="prior_precision must be above 0"):
        forecast_of("preconditioned", Forecast(flat, features, features[:, 0]))
    with pytest.raises(ValueError, match="prior_precision must be above 0"):
        Sweep(flat, features, features[:, 0], Grid(0.1, 5, 9, 20.0, "preconditioned"))
    with pytest.raises(ValueError, match="algorithm must be one of saga-ld, preconditioned, got 'newton'"):
        Grid(0.1, 5, 9, 20.0, "newton")
    plain = Forecast(LinearRegression(2), features, features[:, 0])
    assert forecast_of("saga-ld", plain) is plain


@pytest.mark.slow
@pytest.mark.parametrize("each", TEN, ids=str)
def test_the_default_costs_less_than_twice_the_best_tuned_setting_on_ten_streams(each):
    result = compare(*each)
    assert result.advised.cost <= 2 * result.default.cost
    assert result.ratio <= 2 and result.lost == 0 and result.missing < 0.015 and result.error < 0.012
    # With 8 rows per dimension and large scores the preconditioner's floor, 2 d/t of the majorant, still shortens steps.
    assert result.verdict == "safe" or each == ("logistic", 50, 10) and result.verdict == "cold"
