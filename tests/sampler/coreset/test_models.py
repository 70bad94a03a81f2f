"""Likelihoods against NumPy, derivatives against differences, generated data, oracles and predictions."""

import numpy as np
import pytest
from scipy.special import expit

from sampler.coreset import (
    BradleyTerry,
    CauchyLogistic,
    CoresetMCMC,
    GaussianLocation,
    LinearLogVariance,
    SoftplusPoisson,
    SparseRegression,
    Truth,
)
from sampler.kernels.coreset_likelihoods import POISSON, aux_at, fill_terms, log_posteriors, log_prior, weighted_terms
from sampler.kernels.simd_lanes import aligned_zeros, lanes_for, padded
from sampler.problems.base import central_differences

SCORES = [
    LinearLogVariance.synthetic(50, 3), CauchyLogistic.synthetic(50, 3, positives=20), SoftplusPoisson.synthetic(50, 3),
    BradleyTerry.synthetic(60, 5), GaussianLocation.synthetic(50, 4),
]
IDS = [type(model).__name__ for model in SCORES]


@pytest.mark.parametrize("model", SCORES, ids=IDS)
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_compiled_terms_are_numpys(model, scale):
    rng = np.random.default_rng(0)
    theta = scale * rng.standard_normal(model.dim)
    z, expected = model.rows[:, :len(theta)] @ theta, model.log_likelihood(theta)
    aux, out = aux_at(model.family, theta, model.dim), np.empty(model.n)
    w, slope = rng.random(model.n), rng.random(model.n)
    fill_terms(model.family, z, model.labels, aux, out)
    np.testing.assert_allclose(out, expected, rtol=1e-11, atol=1e-11)
    moved = weighted_terms(model.family, w, z - 0.7 * slope, slope, 0.7, model.labels, aux)
    assert moved == pytest.approx(w @ expected, rel=1e-10, abs=1e-10)
    assert log_prior(model.prior, theta, model.dim) == pytest.approx(model.log_prior(theta), rel=1e-12)
    thetas, heights = aligned_zeros((1, padded(model.dim))), np.empty(1)
    thetas[0, :model.dim] = theta
    log_posteriors(lanes_for(model.dim), model.family, model.prior, model.rows, model.labels, thetas, model.dim,
                   heights)
    assert heights[0] == pytest.approx(expected.sum() + model.log_prior(theta), rel=1e-10)


def test_poisson_terms_far_below_zero_do_not_underflow():
    z, y = np.array([-800.0, -60.0, -16.0, -14.9, 0.0, 40.0, 900.0]), np.full(7, 3.0)
    out = np.empty(7)
    fill_terms(POISSON, z, y, 0.0, out)
    rate = np.log1p(np.exp(np.minimum(z, 40.0))) + np.maximum(z - 40.0, 0)
    expected = y * np.where(z < -30, z, np.log(np.maximum(rate, 1e-300))) - rate
    np.testing.assert_allclose(out, expected, rtol=1e-8)
    model = SoftplusPoisson(np.ones((7, 1)), y, intercept=False)
    np.testing.assert_allclose(model.score_terms(z, y)[0], expected, rtol=1e-8)


@pytest.mark.parametrize("model", SCORES[:4], ids=IDS[:4])
def test_hessians_are_differences_of_gradients(model):
    theta = 0.5 * np.random.default_rng(1).standard_normal(model.dim)
    gradient, hessian = model.derivatives(theta)
    rises = central_differences(lambda x: model.derivatives(x)[0], theta)
    slopes = central_differences(model.log_posterior, theta)
    np.testing.assert_allclose(hessian, rises, rtol=1e-4, atol=1e-4 * np.abs(hessian).max())
    np.testing.assert_allclose(gradient, slopes, rtol=1e-4, atol=1e-4 * np.abs(gradient).max())


def test_rare_positives_are_up_to_half_of_a_coreset():
    model, rng = CauchyLogistic.synthetic(seed=0), np.random.default_rng(0)
    positives = int(model.labels.sum())
    assert 30 < positives < 90  # Poisson with mean 57
    for size, taken in ((20, 10), (21, 11), (1000, positives)):
        chosen = model.pick(size, rng)
        assert len(set(chosen)) == size and model.labels[chosen].sum() == taken
    mostly = CauchyLogistic(np.ones((10, 1)), np.arange(10) > 1)
    assert len(set(mostly.pick(9, rng))) == 9


def test_the_gaussian_truth_is_exact():
    model = GaussianLocation(np.array([[1.0, 2.0], [3.0, -1.0], [2.0, 5.0]]))
    np.testing.assert_allclose(model.truth.mean, [1.5, 1.5])
    np.testing.assert_allclose(model.truth.std, 0.5)
    assert model.truth.how == "exact" and model.truth.laplace_gap is None


@pytest.mark.parametrize("model", SCORES, ids=IDS)
def test_a_coreset_is_a_problem_for_langevin_samplers(model):
    model.truth = Truth(np.zeros(model.dim), np.ones(model.dim), "user values")
    coreset = CoresetMCMC(model, 20, seed=0).run(100).coreset
    theta = 0.1 * np.ones(model.dim)
    gradient = coreset.oracle().posterior(len(coreset)).gradient(theta)
    slopes = central_differences(coreset.log_posterior, theta)
    np.testing.assert_allclose(-gradient, slopes, rtol=1e-4, atol=1e-4 * np.abs(gradient).max())


RNG = np.random.default_rng(0)
ROWS = np.column_stack([np.ones(5), RNG.normal(size=(5, 2))])


@pytest.mark.parametrize(("model", "means"), [
    (CauchyLogistic.synthetic(50, 2, positives=20), expit),
    (SoftplusPoisson.synthetic(50, 2), lambda z: np.log(1 + np.exp(z))),
], ids=lambda value: type(value).__name__)
def test_the_mean_uses_the_models_link(model, means):
    draws = RNG.normal(size=(30, 3))
    predictive = model.predictive(draws)
    mean = predictive.predict_proba(ROWS)[:, 1] if means is expit else predictive.predict(ROWS)
    np.testing.assert_allclose(mean, means(ROWS @ draws.T).mean(axis=1), rtol=1e-12)


@pytest.mark.parametrize(("model", "last", "variance"), [
    (LinearLogVariance.synthetic(50, 2), RNG.normal(size=30), np.exp),
    (SparseRegression.synthetic(50, 3), RNG.gamma(3, size=30), np.array),
], ids=lambda value: type(value).__name__)
def test_each_draw_has_its_own_noise(model, last, variance):
    draws = np.column_stack([RNG.normal(size=(30, 3)), last])
    scores, law = ROWS @ draws[:, :3].T, model.predictive(draws).predict_dist(ROWS)
    np.testing.assert_allclose(law.mean, scores.mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(law.sd**2, variance(last).mean() + scores.var(axis=1), rtol=1e-12)
    density = np.exp(-0.5 * scores**2 / variance(last)) / np.sqrt(2 * np.pi * variance(last))
    np.testing.assert_allclose(law.pdf(0.0), density.mean(axis=1), rtol=1e-12)


def test_predictions_of_a_location_and_of_a_game():
    draws = RNG.normal(size=(30, 3))
    np.testing.assert_allclose(GaussianLocation(ROWS).predictive(draws).predict_dist().sd**2, 1 + draws.var(axis=0))
    games = BradleyTerry([0, 1], [1, 2], [1.0, 0.0])
    chances = games.predictive(400 * draws).predict_proba(games.rows[:, :3])[:, 1]
    np.testing.assert_allclose(chances, expit(draws[:, :2] - draws[:, 1:]).mean(axis=0), rtol=1e-12)


def test_a_run_predicts_from_its_chains():
    run = CoresetMCMC(CauchyLogistic.synthetic(200, 2, positives=80), size=20, chains=4, hot_start=False).start()
    with pytest.raises(ValueError, match="predictive needs draws, and there are none yet; advance the run first"):
        run.predictive()
    run.advance(50)
    np.testing.assert_array_equal(run.predictive().draws, run.positions)
    assert run.predictive().predict_proba(ROWS, 0.9)[1].shape == (5, 2)
