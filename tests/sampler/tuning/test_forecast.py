
import numpy as np
import pytest

from sampler import GaussianMean, GradientOracle, LinearRegression, Settings, Sweep, advise, find_mode
from sampler.tuning import Forecast, Grid, forecast_of
from sampler.tuning.advisor import advised_radius
from sampler.tuning.forecast import pooled_law
from tests.sampler.algorithms.streams import CountingOracle
from tests.sampler.tuning.preconditioned import stream


@pytest.fixture(scope="module")
def logistic():
    problem, features, labels = stream("logistic", 5, 4.0, rows=256)
    return problem, features, labels, Forecast(problem, features, labels)


def test_a_gaussian_mean_has_its_exact_width():
    # ULA's stationary variance is 1/(2t) / (1 - eta0 t/(t + c)); with equal terms the only gradient noise is from the
    # cache's age, which a batch of all t terms makes small. So the width at t = 400 follows from eta0 alone.
    rng = np.random.default_rng(0)
    forecast = Forecast(GaussianMean(2), rng.normal(size=(400, 2)))
    settings = Settings(eta0=0.3, batch_size=4000, i_max=200, offset=2.0)
    exact = (1 - 0.3 * 400 / 402) ** -0.5
    assert forecast(settings).width == pytest.approx(exact, abs=0.005)
    assert forecast(settings).memory < 0.02 and forecast(settings).lag < 0.01
    assert not forecast(settings.replace(eta0=1.1)).stable


@pytest.mark.parametrize(("condition", "grid", "trusted"), [
    (4.0, Grid((0.003, 0.03, 0.3, 3.0), (5, 50), (9,), (1000.0,)), 6),  # cold, good and hot cells
    (50.0, Grid((0.02, 0.1, 0.3), (10, 40), (9,), (30.0,), "preconditioned"), 4)])
def test_forecasts_agree_with_a_sweep(condition, grid, trusted):
    problem, features, labels = stream("logistic", 5, condition, rows=256)
    forecast = forecast_of(grid.algorithm, Forecast(problem, features, labels))
    sweep = Sweep(problem, features, labels, grid, chains=64, workers=0, prune=False)
    sweep.rungs = sweep.rungs[-1:]
    cells = sweep.run().cells
    forecasts = forecast.many([Settings(eta0=c.eta0, i_max=c.i_max, batch_size=9) for c in cells])
    # The small-step model marks long steps as not trusted.
    assert [f.trusted for f in forecasts] == [True] * trusted + [False] * 2
    forecasts, cells = forecasts[:6], cells[:6]
    assert all(cell.algorithm == grid.algorithm and cell.diverged is None for cell in cells)
    errors = np.abs([f.accuracy - c.accuracy for f, c in zip(forecasts, cells, strict=True)])
    # Pooled accuracy of 1,024 draws has sd 0.005 in 5 dimensions if chains mix, about 0.02 if they hardly move; the
    # model's mean error on the paper's data was 0.005.
    assert errors.mean() < 0.02 and errors.max() < 0.05
    memory = np.abs([f.memory - c.memory for f, c in zip(forecasts, cells, strict=True)])
    assert memory.max() < 0.15  # 1/sqrt(64) = 0.12 in a single epoch, 16 are pooled; slowest direction and coordinate


def test_many_equals_single_forecasts(logistic):
    forecast = logistic[3]
    settings = [Settings(eta0=e, i_max=i, batch_size=b) for e, i, b in ((0.1, 10, 9), (1.0, 100, 64), (50.0, 10, 9))]
    for alone, together in zip(map(forecast, settings), forecast.many(settings), strict=True):
        np.testing.assert_allclose(list(alone.__dict__.values()), list(together.__dict__.values()), rtol=1e-12)


def test_the_rule_of_thumb_is_a_fifth_over_the_largest_curvature(logistic):
    problem, features, labels, forecast = logistic
    posterior = problem.posterior(features, labels)
    largest = np.linalg.eigvalsh(posterior.hessian(find_mode(posterior)))[-1]
    assert forecast.largest_curvature == pytest.approx(largest, rel=1e-6)
    assert advise(forecast, Settings(offset=2.0)).start == pytest.approx(0.2 * 258 / largest, rel=1e-6)


def test_a_gradient_alone_gets_the_same_advice(logistic):
    problem, features, labels, forecast = logistic
    own = GradientOracle(CountingOracle(problem, (features, labels)).gradients, 5, lambda theta: theta)
    advice = advise(Forecast(own, terms=256))
    assert 1 / 3 < advice.settings.eta0 / advise(forecast).settings.eta0 < 3
    assert any("same curvature" in words for words in advice.assumptions)


def test_advice_mixes_is_accurate_and_lists_its_assumptions(logistic):
    advice = advise(logistic[3], Settings(offset=1.0, refresh=False))
    # 0.85 of the width limit, 10 %, and 0.95 of the memory limit, 50 %
    assert advice.forecast.widest <= 1.085 and advice.forecast.memory <= 0.475 and advice.forecast.true_accuracy > 0.97
    assert advice.settings.offset == 1.0 and advice.settings.refresh is False
    assert len(advice.assumptions) >= 3
    # The smallest i_max that mixes: half of it does not.
    half = advice.settings.replace(i_max=advice.settings.i_max // 2)
    assert logistic[3](half).memory > 0.475


def test_one_heavy_row_shortens_the_advised_step():
    """Its step, the fraction eta0 |u|^2 / b of the way to that row's response, is at most 0.7: no overshoot."""
    rng = np.random.default_rng(0)
    x, weight = rng.normal(size=(200, 3)), 300.0
    heavy = np.vstack([x, np.full(3, 10.0)])  # |u|^2 = 300
    even, uneven = (advise(Forecast(LinearRegression(3), rows, rows[:, 0] + rng.normal(size=len(rows)))).settings
                    for rows in (x, heavy))
    assert uneven.eta0 * weight <= 0.7 * uneven.batch_size and even.eta0 * weight > 0.7 * even.batch_size


def test_epochs_are_pooled_as_one_normal_law():
    centre, width = pooled_law([(np.zeros(1), np.ones(1)), (np.full(1, 2.0), np.full(1, 3.0))])
    assert (centre[0], width[0]) == pytest.approx((1.0, np.sqrt(5.0 + 1.0)))


def test_the_acceptance_radius_covers_three_spreads_and_the_path_to_the_mode(logistic):
    forecast = logistic[3]
    for settings in (Settings(eta0=0.01, i_max=1), Settings(eta0=1.0, i_max=100)):
        spread = np.sqrt(3 * (1 / forecast.noise.eigenvalues).sum() * (256 + settings.offset))
        least = max(3 * spread, spread + 1.5 * forecast.stride(settings))
        assert least <= advised_radius(forecast, settings) * (1 + 1e-9) < 1.3 * least


def test_a_forecast_is_trusted_if_every_direction_is(logistic):
    forecast, cases = logistic[3], set()
    for eta0 in np.geomspace(0.1, 8.0, 12):
        law = forecast.noise.stationary(256, eta0 / 258, 1, True)
        if law.stable:
            wider = law.variances * forecast.noise.eigenvalues - 1
            cases.add((wider.min() <= 0.5, trusted := wider.max() <= 0.5))
            assert forecast(Settings(eta0=eta0, batch_size=1, offset=2.0)).trusted == trusted
    assert {(True, True), (True, False)} <= cases
