"""The noise at the mode and the forecast by kernels are the library's, which have known answers of their own."""

import numpy as np
import pytest
from scipy.linalg import eigh

from sampler import GradientNoise, Settings, predict_accuracy
from sampler.algorithms import PreconditionedSagaLD
from sampler.algorithms.laplace import find_mode
from sampler.kernels import forecast, gradient_noise
from sampler.kernels.chains import Knobs
from sampler.kernels.gradient_noise import NoiseModel
from sampler.problems import GaussianMean, LinearRegression, LogisticRegression, PoissonRegression, synthetic_stream

MODELS = {one.kind: one for one in (LogisticRegression, LinearRegression, PoissonRegression)}
T = 300


def knobs_of(settings):
    return Knobs(*(getattr(settings, name) for name in Knobs._fields))


def model_of(dim, rows):
    square = [np.empty((dim, dim)) for _ in range(4)]
    return NoiseModel(np.empty(dim), *square[:2], np.empty((rows, dim)), np.empty(rows), *square[2:])


def measured(kind, whitened):
    """The library's noise of 300 rows, and the kernel's."""
    stream = synthetic_stream(kind, 2, horizon=T, seed=4)
    problem, data = (GaussianMean(2), [stream.features]) if kind == "gaussian_mean" else (
        MODELS[kind](2), [stream.features, stream.labels])
    posterior = problem.posterior(*data)
    mode = find_mode(posterior)
    hessian, metric = posterior.hessian(mode), None
    if whitened:
        saga = PreconditionedSagaLD(problem, PreconditionedSagaLD.default_settings(2, kind=kind), chains=2, seed=5)
        saga.observe(*data)
        metric = saga.precision_matrix(0)
    noise = GradientNoise.of_posterior(posterior, mode, metric=metric)
    metric, prior = np.eye(2) if metric is None else metric, np.diag(problem.prior_precision)
    if kind == "gaussian_mean":
        model = model_of(2, 0)
        assert gradient_noise.gaussian_noise(stream.features, T, hessian, prior, metric, model)
    else:
        model = model_of(2, T)
        rows, targets, _ = problem.encode(*data)
        assert gradient_noise.glm_noise(problem.kind_code, rows, targets, T, mode, hessian, prior, metric, model)
    return noise, model


@pytest.mark.parametrize("reduced", [True, False])
@pytest.mark.parametrize(("kind", "whitened"), [("gaussian_mean", False), ("logistic", False), ("linear", False),
                                                ("poisson", False), ("logistic", True), ("poisson", True)])
def test_what_the_noise_does_to_a_chain_is_the_librarys(kind, whitened, reduced):
    noise, model = measured(kind, whitened)
    np.testing.assert_allclose(model.eigenvalues, noise.eigenvalues, rtol=1e-13)
    settings = Settings(eta0=0.3, batch_size=16, i_max=100, variance_reduction=reduced)
    eta = noise.step_size(settings, T)
    law, covariance = noise.stationary(T, eta, 16, reduced), np.empty((2, 2))
    assert gradient_noise.stationary(model, T, eta, 16, reduced, covariance) and law.stable
    # Eigenvectors have signs of their own: compared in X's coordinates. Both sum 300 terms, with 1e-14 of rounding.
    known = noise.vectors @ law.covariance @ noise.vectors.T
    np.testing.assert_allclose(model.vectors @ covariance @ model.vectors.T, known, rtol=0, atol=1e-11 * np.abs(known).max())
    start = np.random.default_rng(0).standard_normal((50, 2)) * 0.1
    for starts, given, reference in ((start, start, np.inf), (start[:0], None, 700)):
        accuracy = np.empty(1)
        assert forecast.predicted_accuracy(model, T, eta, knobs_of(settings), starts, 800.0, float(reference), accuracy)
        known = predict_accuracy(noise, settings, T, given, 800, None if reference == np.inf else reference)
        assert accuracy[0] == pytest.approx(known.accuracy, rel=1e-12)  # a mean of 50 bins' shares


@pytest.mark.parametrize(("i_max", "random"), [(100, False), (7, True), (24, True), (5_000, True)])
def test_run_lengths_and_a_step_beyond_the_mode_are_the_librarys(i_max, random):
    noise, model = measured("logistic", False)
    limit = predict_accuracy(noise, Settings(), T).largest_stable_eta0
    settings = Settings(eta0=0.7 * limit, batch_size=100, i_max=i_max, random_length=random)
    start, accuracy, eta = np.full((3, 2), 0.2), np.empty(1), noise.step_size(settings, T)
    assert forecast.predicted_accuracy(model, T, eta, knobs_of(settings), start, 500.0, np.inf, accuracy)
    assert accuracy[0] == pytest.approx(predict_accuracy(noise, settings, T, start, 500).accuracy, rel=1e-12)
    far = settings.replace(eta0=1.01 * limit)
    assert not forecast.predicted_accuracy(model, T, noise.step_size(far, T), knobs_of(far), start, 500.0, np.inf, accuracy)
    noisy = Settings(eta0=0.9 * limit, batch_size=1, variance_reduction=False)  # stable without noise, not with SGLD's
    law = noise.stationary(T, noise.step_size(noisy, T), 1, False)
    assert gradient_noise.stationary(model, T, noise.step_size(noisy, T), 1, False, np.empty((2, 2))) == law.stable


def test_the_spread_settles_where_the_spectral_radius_is_below_one():
    rng = np.random.default_rng(1)
    for d in (1, 2, 21):
        matrix, source = rng.random((d, d)), rng.random(d)
        matrix /= np.abs(np.linalg.eigvals(matrix)).max()
        x = source.copy()
        assert gradient_noise.settle(0.99 * matrix, x)
        np.testing.assert_allclose(x, np.linalg.solve(np.eye(d) - 0.99 * matrix, source), rtol=1e-11)
        assert not gradient_noise.settle(1.01 * matrix, source.copy())
        assert not gradient_noise.settle(np.nan * matrix, source.copy())


def test_the_largest_curvature_in_a_metric():
    hessian, metric, out = np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([[2.0, 0.5], [0.5, 1.0]]), np.empty(1)
    assert gradient_noise.largest_curvature(hessian.copy(), metric, out)
    assert out[0] == pytest.approx(eigh(hessian, metric, eigvals_only=True)[-1], rel=1e-14)
    assert not gradient_noise.largest_curvature(np.full((2, 2), np.nan), metric, out)
    assert not gradient_noise.largest_curvature(hessian, -metric, out)


def test_starts_are_kept_in_turn_and_scaled_to_the_epoch():
    epochs, counts, starts = np.zeros(2, np.int64), np.zeros(2, np.int64), np.empty((2, 3, 1))
    checkpoint, warm, mode = np.array([[10.0], [20.0], [30.0]]), np.array([[1.0], [2.0], [3.0]]), np.ones(1)
    reset, diverged = np.array([False, True, False]), np.array([0, 0, 7])
    for slot, t in ((0, 4), (1, 8), (0, 12)):  # the third takes the first one's place
        forecast.keep_starts(checkpoint, warm * t, reset, diverged, mode, slot, t, epochs, counts, starts)
    pooled = forecast.pool_starts(epochs, counts, starts, 3, 12, 4.0, 256)
    root = np.sqrt(12 / 16)  # of (8 + 4)/(12 + 4)
    np.testing.assert_allclose(pooled[:, 0], [7.0 * root, 19.0 * root, 11.0, 19.0], rtol=1e-15)
    np.testing.assert_allclose(forecast.pool_starts(epochs, counts, starts, 3, 12, 4.0, 2)[:, 0], [7.0 * root, 11.0])
    np.testing.assert_allclose(forecast.pool_starts(epochs, counts, starts, 3, 8, 4.0, 256)[:, 0], [7.0, 19.0])
    assert forecast.pool_starts(epochs, counts, starts, 3, 3, 4.0, 256).size == 0
    starts[0, 0, 0] = np.nan
    assert forecast.pool_starts(epochs, counts, starts, 3, 12, 4.0, 256).size == 0
