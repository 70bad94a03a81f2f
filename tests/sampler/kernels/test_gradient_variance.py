"""Variances of a chain's gradient by the kernel: by hand, and the library's."""

import numpy as np
import pytest

from sampler import OnlineSagaLD, Settings
from sampler.kernels import gradient_variance
from sampler.metrics import measure_gradient_variance
from sampler.problems import GaussianMean, LinearRegression, LogisticRegression, PoissonRegression, synthetic_stream

MODELS = {one.kind: one for one in (LogisticRegression, LinearRegression, PoissonRegression)}


def test_two_terms_by_hand():
    rows, values, out = np.array([[0.0], [2.0]]), np.array([[[1.0], [3.0]]]), np.empty(3)
    assert gradient_variance.gaussian_variance(rows, values, 0, 2, np.ones(1), np.full((1, 1), 4.0), 2, out)
    # Gradients 2 (1 - y) are 2 and -2: 2^2 x 4/2 = 8; less the cached 1 and 3 they are 1 and -5, 3 about their mean: 18.
    # The metric takes lengths by 2, squares by 4.
    np.testing.assert_array_equal(out[:2], [18.0 / 4, 8.0 / 4])
    assert np.isnan(out[2])


@pytest.mark.parametrize("whitened", [False, True])
@pytest.mark.parametrize("kind", ["gaussian_mean", *MODELS])
def test_a_chains_variances_are_the_librarys(kind, whitened):
    stream = synthetic_stream(kind, 2, horizon=60, seed=4)
    problem = GaussianMean(2) if kind == "gaussian_mean" else MODELS[kind](2)
    saga = OnlineSagaLD(problem, Settings(eta0=0.1, batch_size=9), chains=3, seed=5)
    saga.observe(*([stream.features] if kind == "gaussian_mean" else [stream.features, stream.labels]))
    kept, theta, metric, out = saga.snapshot().arrays, saga.positions[1], np.array([[9.0, 2.0], [2.0, 5.0]]), np.empty(3)
    metric = metric if whitened else np.eye(2)
    if kind == "gaussian_mean":
        assert gradient_variance.gaussian_variance(kept["rows_rows"], kept["memory_values"], 1, 60, theta, metric, 9, out)
    else:
        assert gradient_variance.glm_variance(problem.kind_code, problem.curvature_bound, kept["rows_rows"],
                                              kept["rows_targets"], kept["memory_items"], 1, 60, theta, metric, 9, out)
    scores = saga.cached_scores(1)
    known = measure_gradient_variance(saga.posterior, theta, 9, scores, None if scores is not None else
                                      saga.cached_gradients(1), metric=metric if whitened else None)
    # A cached mean keeps 1e-16 of itself, and the differences to it are 1e-3 of it or more: squares keep 1e-12.
    np.testing.assert_allclose(out[:2], [known.saga, known.sgld], rtol=1e-12)
    np.testing.assert_allclose(out[2], np.nan if known.bound is None else known.bound, rtol=1e-12)


def test_a_metric_is_raised_by_its_rounding_and_judged():
    metric = np.array([[1.0, 1.0], [1.0, 1.0]])
    assert gradient_variance.raise_metric(metric, 0.5)
    np.testing.assert_array_equal(metric, [[1.5, 1.0], [1.0, 1.5]])
    for a, b, c in ((1.0, 2.0, 1.0), (0.0, 0.0, 1.0), (np.inf, 0.0, 1.0), (1.0, 0.0, np.nan)):
        assert not gradient_variance.raise_metric(np.array([[a, b], [b, c]]), 1e-12)


def test_of_many_terms_so_many_are_read_that_are_evenly_spaced():
    np.testing.assert_array_equal(gradient_variance.evenly(3, 5), [0, 1, 2])
    np.testing.assert_array_equal(gradient_variance.evenly(7, 3), [0, 2, 4])
    many = gradient_variance.evenly(65_536, gradient_variance.MOST_ROWS)
    assert many.size == gradient_variance.MOST_ROWS and many[-1] < 65_536 and set(np.diff(many)) == {3, 4}
