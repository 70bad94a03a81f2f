"""Long chains as the truth of a coreset, and the distance from it, against exact values."""

import numpy as np
import pytest
from scipy import stats
from scipy.signal import lfilter

from sampler import threads as pool
from sampler.coreset import BradleyTerry, CauchyLogistic, LinearLogVariance, SoftplusPoisson
from sampler.coreset.full_data_posterior import HEAVY_DF, drawn_truth, long_chains, student_log_density
from sampler.coreset.run_record import gaussian_floor, variance_ratios, window_means, z_scores
from sampler.metrics.diagnostics import chain_diagnostics


@pytest.mark.parametrize("dim", [1, 2, 7])
def test_students_density_is_scipys(dim):
    points = np.random.default_rng(0).normal(size=(20, dim)) * np.geomspace(0.1, 30, 20)[:, None]
    scipys = stats.multivariate_t(shape=np.eye(dim), df=HEAVY_DF).logpdf(points)
    ours = student_log_density(points)
    np.testing.assert_allclose(ours - ours[0], scipys - scipys[0], rtol=1e-12, atol=1e-12)


def test_the_draws_do_not_depend_on_the_number_of_threads(monkeypatch):
    monkeypatch.setattr(pool, "LEAST_WORK", 1e-3)  # share any amount of work
    model = BradleyTerry.synthetic(500, 6)
    drawn = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(pool, "_default", threads)
        drawn.append(long_chains(model, draws=640))
    one, *many = drawn
    for other in many:
        np.testing.assert_array_equal(one.mean, other.mean)
        np.testing.assert_array_equal(one.std, other.std)


def test_noise_of_a_truth_is_the_mean_squared_error_of_its_means():
    """Independent draws, and an autoregression of 0.9 with an ESS 19 times smaller: (1 + 19)/2 over the draws."""
    white = np.random.default_rng(0).normal(size=(32, 1000, 2))
    white[..., 1] = lfilter([np.sqrt(0.19)], [1, -0.9], white[..., 1], axis=1)
    states = np.array([5.0, 0.0]) + np.array([2.0, 1.0]) * white[:, 300:]
    result = drawn_truth(states, "Gibbs")
    errors = chain_diagnostics(states).mcse / result.std
    assert result.noise == pytest.approx((errors[0] ** 2 + errors[1] ** 2) / 2, rel=1e-9)
    # A chain of 700 draws has an ESS of 37: its error is accurate to 12 %, the square to 25 %.
    assert result.noise * states[..., 0].size == pytest.approx(10.0, rel=0.3)
    cloud = states.reshape(-1, 2)
    np.testing.assert_allclose(result.mean, cloud.mean(axis=0))
    np.testing.assert_allclose(result.std, np.sqrt(((cloud - cloud.mean(axis=0)) ** 2).sum(axis=0) / (len(cloud) - 1)))
    assert result.ess == pytest.approx(22_400 / 19, rel=0.3) and result.rhat < 1.06
    with_laplace = drawn_truth(states, "long chains", result.mean + [3.0, 0.2] * result.std)
    assert with_laplace.laplace_gap == pytest.approx(3.0) and result.laplace_gap is None


@pytest.mark.parametrize("model", [LinearLogVariance.synthetic(500, 3), CauchyLogistic.synthetic(500, 3, positives=3.0),
                                   SoftplusPoisson.synthetic(500), BradleyTerry.synthetic(500, 5)], ids=repr)
def test_a_mode_has_zero_gradient_and_the_precision_of_its_curvature(model):
    mode, precision = model.laplace()
    gradient, hessian = model.derivatives(mode)
    assert np.sqrt(gradient @ np.linalg.solve(precision, gradient)) < 1e-4  # in standard deviations
    np.testing.assert_allclose(precision, -hessian)
    assert np.linalg.eigvalsh(precision)[0] > 0


def test_scores_use_the_second_half_minus_the_truths_noise():
    draws = np.array([[9.0, 9.0], [1.0, -2.0], [3.0, 0.0], [0.5, 0.1], [0.3, 0.3]])  # sums over 2 chains, by iteration
    sums = np.vstack([np.zeros(2), draws.cumsum(axis=0)])
    at = np.array([2, 5])  # iterations 2; 3, 4, 5
    means = np.array([[1.0, -2.0], [3.8 / 3, 0.4 / 3]]) / 2
    np.testing.assert_allclose(window_means(sums, 2, at), means)
    plain = (means**2).mean(axis=1)
    np.testing.assert_allclose(z_scores(sums, 2, at), plain)
    np.testing.assert_allclose(z_scores(sums, 2, at, 0.01), plain - 0.01)
    # The noise is the lower limit: 0.625 - 0.5 and 0.205 - 0.5 both give 0.5, not 0.
    assert z_scores(sums, 2, at, 0.5).tolist() == [0.5, 0.5]
    squares = np.vstack([np.zeros(2), (draws**2 + 1).cumsum(axis=0)])
    spread = np.array([[2.0, 5.0], [(10 + 1.25 + 1.09) / 3, (1 + 1.01 + 1.09) / 3]]) / 2
    np.testing.assert_allclose(variance_ratios(sums, squares, 2, at), (spread - means**2).mean(axis=1))
    assert gaussian_floor(1000, 40, 18, 500.0) == pytest.approx((25 - 1) * 20 / 250)
