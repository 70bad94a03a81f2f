"""Likelihoods against NumPy's, derivatives against differences, shapes of generated data, a coreset's oracle."""

import numpy as np
import pytest

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
from sampler.coreset.full_data_posterior import drawn_truth
from sampler.coreset.posterior_error import z_scores
from sampler.kernels.coreset_families import POISSON, aux_at, fill_terms, log_prior, weighted_terms
from sampler.kernels.coreset_full_data import log_posteriors
from sampler.kernels.lanes import aligned_zeros, lanes_for, padded

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


@pytest.mark.parametrize("model", SCORES, ids=IDS)
def test_gradients_are_differences(model):
    theta = 0.5 * np.random.default_rng(1).standard_normal(model.dim)
    rows, labels = model.rows[:5], model.labels[:5]
    got, prior = model.term_gradients(theta, rows, labels), model.prior_gradient(theta)
    for i, e in enumerate(1e-5 * np.eye(model.dim)):
        rise = (model.terms(theta + e, rows, labels) - model.terms(theta - e, rows, labels)) / 2e-5
        np.testing.assert_allclose(got[:, i], rise, rtol=1e-5, atol=1e-6)
        assert prior[i] == pytest.approx((model.log_prior(theta + e) - model.log_prior(theta - e)) / 2e-5, abs=1e-6)


@pytest.mark.parametrize("model", SCORES[:4], ids=IDS[:4])
def test_hessians_are_differences_of_gradients(model):
    theta = 0.5 * np.random.default_rng(1).standard_normal(model.dim)
    gradient, hessian = model.derivatives(theta)
    for i, e in enumerate(1e-5 * np.eye(model.dim)):
        rise = (model.derivatives(theta + e)[0] - model.derivatives(theta - e)[0]) / 2e-5
        np.testing.assert_allclose(hessian[i], rise, rtol=1e-4, atol=1e-4 * np.abs(hessian).max())
        slope = (model.log_posterior(theta + e) - model.log_posterior(theta - e)) / 2e-5
        assert gradient[i] == pytest.approx(slope, rel=1e-4, abs=1e-4 * np.abs(gradient).max())


@pytest.mark.parametrize(("make", "n", "dim"), [
    (GaussianLocation, 10_000, 20), (SparseRegression, 50_000, 11), (LinearLogVariance, 98_673, 12),
    (CauchyLogistic, 98_673, 11), (SoftplusPoisson, 15_641, 9), (BradleyTerry, 26_651, 30),
])
def test_generated_data_have_the_papers_shape(make, n, dim):
    model = make.synthetic()
    assert (model.n, model.dim, len(model.names)) == (n, dim, dim)
    assert np.array_equal(model.rows[:50], make.synthetic().rows[:50])
    assert not np.array_equal(model.rows[:50], make.synthetic(seed=1).rows[:50])


def test_rare_positives_are_half_of_a_coreset_while_there_are_enough():
    model, rng = CauchyLogistic.synthetic(seed=0), np.random.default_rng(0)
    positives = int(model.labels.sum())
    assert 30 < positives < 90  # a Poisson number around 57
    for size, taken in ((20, 10), (21, 11), (1000, positives)):
        chosen = model.pick(size, rng)
        assert len(set(chosen)) == size and model.labels[chosen].sum() == taken
    mostly = CauchyLogistic(np.ones((10, 1)), np.arange(10) > 1)
    assert len(set(mostly.pick(9, rng))) == 9


def test_bradley_terry_hardly_moves_its_prior():
    truth = BradleyTerry.synthetic(5000, 6).find_truth(draws=3200)
    # 3200 draws with an autocorrelation time of some 4: deviations to 0.025, and the data take a percent or two off.
    assert np.all(np.abs(truth.std - 1) < 0.1) and np.all(np.abs(truth.mean) < 1)


def test_the_gaussian_truth_is_exact():
    model = GaussianLocation(np.array([[1.0, 2.0], [3.0, -1.0], [2.0, 5.0]]))
    np.testing.assert_allclose(model.truth.mean, [1.5, 1.5])
    np.testing.assert_allclose(model.truth.std, 0.5)
    assert model.truth.how == "exact" and model.truth.laplace_gap is None


def test_the_noise_of_a_drawn_truth_is_one_over_its_effective_draws():
    # 12,800 independent draws a coordinate: 1 / 12,800. The estimate of an effective size from 32 chains of 400 errs by
    # some 5 % a coordinate, less on average over 20; AR(1) with coefficient 0.6 divides the draws by (1 + .6) / (1 - .6).
    noise = np.random.default_rng(0).standard_normal((32, 400, 20))
    assert drawn_truth(noise, "long chains").noise == pytest.approx(1 / 12_800, rel=0.05)
    slow = noise.copy()
    for i in range(1, 400):
        slow[:, i] = 0.6 * slow[:, i - 1] + 0.8 * noise[:, i]
    assert drawn_truth(slow, "long chains").noise == pytest.approx(4 / 12_800, rel=0.1)
    assert GaussianLocation(noise[0]).truth.noise == 0


def test_a_z_score_is_unbiased_whatever_the_truth_was_estimated_with():
    # A run whose means are off by delta_j, scored against truths of 100 draws: the truths' errors e_j have variance
    # 0.01, so the plain score averages delta^2 + 0.01. One score's variance is (4 delta^2 0.01 + 2 * 0.01^2) / 10,
    # averaged over 4,000 truths and 10 coordinates: sd 0.00037 with delta = 0.3. Five of them.
    rng, delta, noise = np.random.default_rng(1), np.full(10, 0.3), 0.01
    found = []
    for _ in range(4000):
        sums = np.cumsum(np.vstack([np.zeros(10), np.tile(delta - rng.normal(0, np.sqrt(noise), 10), (4, 1))]), axis=0)
        found.append([z_scores(sums, 1, np.array([4]))[0], z_scores(sums, 1, np.array([4]), noise)[0]])
    plain, corrected = np.mean(found, axis=0)
    sd = np.sqrt((4 * 0.09 * noise + 2 * noise**2) / 10 / 4000)
    assert abs(corrected - 0.09) < 5 * sd < abs(plain - 0.09)


def test_a_truth_must_make_sense():
    with pytest.raises(ValueError, match="std above 0"):
        Truth(np.zeros(2), np.array([1.0, 0.0]), "given")


@pytest.mark.parametrize("model", SCORES, ids=IDS)
def test_a_coreset_is_a_problem_for_langevin_samplers(model):
    model.truth = Truth(np.zeros(model.dim), np.ones(model.dim), "given")
    coreset = CoresetMCMC(model, 20, seed=0).run(100).coreset
    posterior = coreset.oracle().posterior(len(coreset))
    theta = 0.1 * np.ones(model.dim)
    gradient = posterior.gradient(theta)
    for i, e in enumerate(1e-5 * np.eye(model.dim)):
        slope = (coreset.log_posterior(theta + e) - coreset.log_posterior(theta - e)) / 2e-5
        assert -gradient[i] == pytest.approx(slope, rel=1e-4, abs=1e-4 * np.abs(gradient).max())


def test_an_empty_coreset_has_no_oracle():
    coreset = CoresetMCMC(SCORES[-1], 5).start().coreset
    coreset.weights[:] = 0
    with pytest.raises(ValueError, match="all be zero"):
        coreset.oracle()
