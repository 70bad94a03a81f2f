"""Measurements and predictions of the kernels against those of the library, which has its own tests."""

import numpy as np
import pytest
from scipy.linalg import eigh

from sampler import GradientNoise, OnlineSagaLD, Settings, predict_accuracy
from sampler.algorithms import PreconditionedSagaLD
from sampler.algorithms.laplace import find_mode
from sampler.kernels import epoch_promise, gradient_noise, gradient_variance, histogram_accuracy, stationary_covariance
from sampler.kernels.chains import Knobs
from sampler.kernels.gradient_noise import NoiseModel
from sampler.kernels.predicted_accuracy import keep_starts, pool_starts, predicted_accuracy
from sampler.metrics import exact_ceiling, measure_gradient_variance, successive_correlation, uniform_accuracy
from sampler.problems import LogisticRegression
from sampler.theory import coupling_distance, posterior_smoothness
from tests.sampler.algorithms.streams import stream

T = 300


def knobs_of(settings):
    return Knobs(*(getattr(settings, name) for name in Knobs._fields))


def measured(kind, whitened):
    """Return the noise of 300 rows from the library and from the kernel."""
    problem, data = stream(kind, T, dim=2)
    posterior = problem.posterior(*data)
    mode = find_mode(posterior)
    hessian, metric = posterior.hessian(mode), None
    if whitened:
        saga = PreconditionedSagaLD(problem, PreconditionedSagaLD.default_settings(2, kind=problem.kind), chains=2, seed=5)
        saga.observe(*data)
        metric = saga.precision_matrix(0)
    noise = GradientNoise.of_posterior(posterior, mode, metric=metric)
    metric, prior = np.eye(2) if metric is None else metric, np.diag(problem.prior_precision)
    kept, square = 0 if kind == "gaussian" else T, [np.empty((2, 2)) for _ in range(4)]
    model = NoiseModel(np.empty(2), *square[:2], np.empty((kept, 2)), np.empty(kept), *square[2:])
    if kind == "gaussian":
        assert gradient_noise.gaussian_noise(data[0], T, hessian, prior, metric, model)
    else:
        rows, targets, _ = problem.encode(*data)
        assert gradient_noise.glm_noise(problem.kind_code, rows, targets, T, mode, hessian, prior, metric, model)
    return noise, model


@pytest.mark.parametrize("reduced", [True, False])
@pytest.mark.parametrize(("kind", "whitened"), [("gaussian", False), ("logistic", False), ("linear", False),
                                                ("poisson", False), ("logistic", True), ("poisson", True)])
def test_stationary_law_and_predicted_accuracy_are_the_librarys(kind, whitened, reduced):
    noise, model = measured(kind, whitened)
    np.testing.assert_allclose(model.eigenvalues, noise.eigenvalues, rtol=1e-13)
    settings = Settings(eta0=0.3, batch_size=16, i_max=100, variance_reduction=reduced)
    eta = noise.step_size(settings, T)
    law, covariance = noise.stationary(T, eta, 16, reduced), np.empty((2, 2))
    assert stationary_covariance.stationary(model, T, eta, 16, reduced, covariance) and law.stable
    # Eigenvectors have arbitrary signs: compared in the coordinates of X. Rounding of 300 terms is 1e-14.
    exact = noise.vectors @ law.covariance @ noise.vectors.T
    np.testing.assert_allclose(model.vectors @ covariance @ model.vectors.T, exact, rtol=0, atol=1e-11 * np.abs(exact).max())
    start = np.random.default_rng(0).standard_normal((50, 2)) * 0.1
    for starts, points, reference in ((start, start, np.inf), (start[:0], None, 700)):
        accuracy = np.empty(1)
        assert predicted_accuracy(model, T, eta, knobs_of(settings), starts, 800.0, float(reference), accuracy)
        exact = predict_accuracy(noise, settings, T, points, 800, None if reference == np.inf else reference)
        assert accuracy[0] == pytest.approx(exact.accuracy, rel=1e-12)  # a mean over 50 bins


@pytest.mark.parametrize(("i_max", "random"), [(100, False), (7, True), (24, True), (5_000, True)])
def test_run_lengths_and_a_step_beyond_the_mode_are_the_librarys(i_max, random):
    noise, model = measured("logistic", False)
    limit = predict_accuracy(noise, Settings(), T).largest_stable_eta0
    settings = Settings(eta0=0.7 * limit, batch_size=100, i_max=i_max, random_length=random)
    start, accuracy, eta = np.full((3, 2), 0.2), np.empty(1), noise.step_size(settings, T)
    assert predicted_accuracy(model, T, eta, knobs_of(settings), start, 500.0, np.inf, accuracy)
    assert accuracy[0] == pytest.approx(predict_accuracy(noise, settings, T, start, 500).accuracy, rel=1e-12)
    far = settings.replace(eta0=1.01 * limit)
    assert not predicted_accuracy(model, T, noise.step_size(far, T), knobs_of(far), start, 500.0, np.inf, accuracy)
    noisy = Settings(eta0=0.9 * limit, batch_size=1, variance_reduction=False)  # stable without noise, unstable with SGLD's
    law = noise.stationary(T, noise.step_size(noisy, T), 1, False)
    assert stationary_covariance.stationary(model, T, noise.step_size(noisy, T), 1, False, np.empty((2, 2))) == law.stable


def test_the_spread_settles_where_the_spectral_radius_is_below_one():
    rng = np.random.default_rng(1)
    for d in (1, 2, 21):
        matrix, source = rng.random((d, d)), rng.random(d)
        matrix /= np.abs(np.linalg.eigvals(matrix)).max()
        x = source.copy()
        assert stationary_covariance.settle(0.99 * matrix, x)
        np.testing.assert_allclose(x, np.linalg.solve(np.eye(d) - 0.99 * matrix, source), rtol=1e-11)
        assert not stationary_covariance.settle(1.01 * matrix, source.copy())
        assert not stationary_covariance.settle(np.nan * matrix, source.copy())


def test_the_largest_curvature_in_a_metric():
    hessian, metric, out = np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([[2.0, 0.5], [0.5, 1.0]]), np.empty(1)
    assert gradient_noise.largest_curvature(hessian.copy(), metric, out)
    assert out[0] == pytest.approx(eigh(hessian, metric, eigvals_only=True)[-1], rel=1e-14)
    assert not gradient_noise.largest_curvature(np.full((2, 2), np.nan), metric, out)
    assert not gradient_noise.largest_curvature(hessian, -metric, out)


def test_starts_are_stored_cyclically_and_scaled_to_the_epoch():
    epochs, counts, starts = np.zeros(2, np.int64), np.zeros(2, np.int64), np.empty((2, 3, 1))
    checkpoint, warm, mode = np.array([[10.0], [20.0], [30.0]]), np.array([[1.0], [2.0], [3.0]]), np.ones(1)
    reset, diverged = np.array([False, True, False]), np.array([0, 0, 7])
    for slot, t in ((0, 4), (1, 8), (0, 12)):  # the third replaces the first
        keep_starts(checkpoint, warm * t, reset, diverged, mode, slot, t, epochs, counts, starts)
    pooled = pool_starts(epochs, counts, starts, 3, 12, 4.0, 256)
    root = np.sqrt(12 / 16)  # (8 + 4)/(12 + 4)
    np.testing.assert_allclose(pooled[:, 0], [7.0 * root, 19.0 * root, 11.0, 19.0], rtol=1e-15)
    np.testing.assert_allclose(pool_starts(epochs, counts, starts, 3, 12, 4.0, 2)[:, 0], [7.0 * root, 11.0])
    np.testing.assert_allclose(pool_starts(epochs, counts, starts, 3, 8, 4.0, 256)[:, 0], [7.0, 19.0])
    assert pool_starts(epochs, counts, starts, 3, 3, 4.0, 256).size == 0
    starts[0, 0, 0] = np.nan
    assert pool_starts(epochs, counts, starts, 3, 12, 4.0, 256).size == 0


@pytest.mark.parametrize("whitened", [False, True])
@pytest.mark.parametrize("kind", ["gaussian", "logistic", "linear", "poisson"])
def test_a_chains_variances_are_the_librarys(kind, whitened):
    problem, data = stream(kind, 60, dim=2)
    saga = OnlineSagaLD(problem, Settings(eta0=0.1, batch_size=9), chains=3, seed=5)
    saga.observe(*data)
    kept, theta, metric, out = saga.snapshot().arrays, saga.positions[1], np.array([[9.0, 2.0], [2.0, 5.0]]), np.empty(3)
    metric = metric if whitened else np.eye(2)
    if kind == "gaussian":
        assert gradient_variance.gaussian_variance(kept["rows_rows"], kept["memory_values"], 1, 60, theta, metric, 9, out)
    else:
        assert gradient_variance.glm_variance(problem.kind_code, problem.curvature_bound, kept["rows_rows"],
                                              kept["rows_targets"], kept["memory_items"], 1, 60, theta, metric, 9, out)
    scores = saga.cached_scores(1)
    expected = measure_gradient_variance(saga.posterior, theta, 9, scores, None if scores is not None else
                                         saga.cached_gradients(1), metric=metric if whitened else None)
    # A cached mean has relative error 1e-16, differences from it are 1e-3 of it or more: squares have 1e-12.
    np.testing.assert_allclose(out[:2], [expected.saga, expected.sgld], rtol=1e-12)
    np.testing.assert_allclose(out[2], np.nan if expected.bound is None else expected.bound, rtol=1e-12)


def test_raise_metric_adds_the_rounding_and_rejects_invalid_metrics():
    metric = np.array([[1.0, 1.0], [1.0, 1.0]])
    assert gradient_variance.raise_metric(metric, 0.5)
    np.testing.assert_array_equal(metric, [[1.5, 1.0], [1.0, 1.5]])
    for a, b, c in ((1.0, 2.0, 1.0), (0.0, 0.0, 1.0), (np.inf, 0.0, 1.0), (1.0, 0.0, np.nan)):
        assert not gradient_variance.raise_metric(np.array([[a, b], [b, c]]), 1e-12)


def test_evenly_spaced_terms():
    np.testing.assert_array_equal(gradient_variance.evenly_spaced(3, 5), [0, 1, 2])
    np.testing.assert_array_equal(gradient_variance.evenly_spaced(7, 3), [0, 2, 4])
    many = gradient_variance.evenly_spaced(65_536, gradient_variance.MOST_ROWS)
    assert many.size == gradient_variance.MOST_ROWS and many[-1] < 65_536 and set(np.diff(many)) == {3, 4}


def test_the_smoothness_is_the_librarys():
    rng, problem, out = np.random.default_rng(2), LogisticRegression(3, [1.0, 2.0, 0.5]), np.empty(1)
    features, labels = rng.standard_normal((40, 3)), rng.integers(0, 2, 40)
    posterior, prior = problem.posterior(features, labels), np.diag(problem.prior_precision)
    metric = np.cov(rng.standard_normal((3, 9)))
    for one in (None, metric):
        assert epoch_promise.smoothness(0.25, posterior.rows, 40, prior, np.eye(3) if one is None else one, out)
        assert out[0] == pytest.approx(posterior_smoothness(posterior, one), rel=1e-12)  # rounding times condition number
    assert not epoch_promise.smoothness(0.25, posterior.rows, 40, prior, -metric, out)


def test_the_distance_of_the_start():
    rng, out = np.random.default_rng(3), np.empty(1)
    checkpoint, warm, reset = rng.standard_normal((5, 8)), rng.standard_normal((5, 8)), np.array([0, 1, 0, 1, 0], bool)
    mean, std, chains = np.array([0.5, -1.0]), np.array([1.5, 0.2]), np.array([0, 1, 4])
    laplace = np.array([[4.0, 0.3], [0.3, 0.09]])
    starts = np.where(reset[:, None], checkpoint, warm)[chains, :2]
    epoch_promise.start_distance(checkpoint, warm, reset, chains, np.eye(2)[None], mean, std, laplace, out)
    assert out[0] == pytest.approx(coupling_distance(starts, mean, np.diag(std**2)), rel=1e-14)
    metrics = np.array([[[2.0, 1.0], [1.0, 3.0]]] * 3) * np.arange(1, 4)[:, None, None]
    epoch_promise.start_distance(checkpoint, warm, reset, chains, metrics, mean, std, laplace, out)
    half = 0.3 / (2.0 * 0.3)  # the correlation, 1/2: the covariance is [[2.25, 0.15], [0.15, 0.04]]
    covariance = np.array([[2.25, 1.5 * 0.2 * half], [1.5 * 0.2 * half, 0.04]])
    squares = [(x - mean) @ m @ (x - mean) + np.trace(m @ covariance) for x, m in zip(starts, metrics, strict=True)]
    assert out[0] == pytest.approx(np.sqrt(np.mean(squares)), rel=1e-14)


@pytest.mark.parametrize("n, d", [(1, 1), (30, 2), (1024, 21)])
def test_accuracy_is_the_library_s(n, d):
    uniforms, result = np.random.default_rng(n).random((n, d)) ** 1.3, np.zeros(3)
    uniforms[0, 0] = 1.0
    histogram_accuracy.accuracy(uniforms, result)
    assert result[0] == pytest.approx(uniform_accuracy(uniforms), abs=1e-13)


@pytest.mark.parametrize("n, d", [(1, 1), (2, 2), (64, 2), (1024, 2), (1024, 21), (16384, 3)])
def test_the_ceiling_is_the_library_s(n, d):
    result, exact = np.zeros(3), exact_ceiling(n, d)
    histogram_accuracy.ceiling(n, d, result)
    # log Gamma(n) is at most 1e5 here; its rounding is an error of the probability
    assert result[0] == pytest.approx(exact.mean, abs=1e-10) and result[1] == pytest.approx(exact.sd, rel=1e-9)


def test_shape_and_memory_are_the_library_s():
    rng, result = np.random.default_rng(0), np.zeros(3)
    previous = rng.normal(size=(80, 3)) * [1.3, 0.6, 1.0] + [0.1, -0.4, 0.0]
    current = 0.5 * previous + rng.normal(size=(80, 3))
    histogram_accuracy.shape(previous, result)
    widths = previous.std(axis=0)
    expected = [widths.max() - 1.0, np.abs(previous.mean(axis=0)).max(), 1.0 - widths.min()]
    np.testing.assert_allclose(result, expected, atol=1e-14)
    histogram_accuracy.memory(previous, current, result)
    assert result[0] == pytest.approx(successive_correlation(previous, current).highest, abs=1e-13)


def test_a_constant_coordinate_has_no_memory():
    rng, result = np.random.default_rng(0), np.zeros(3)
    previous, current = np.zeros((9, 2)), rng.normal(size=(9, 2))
    histogram_accuracy.memory(previous, current, result)
    assert np.isnan(result[0])
    previous[:, 1] = -current[:, 1]
    histogram_accuracy.memory(previous, current, result)
    assert result[0] == pytest.approx(-1.0)
