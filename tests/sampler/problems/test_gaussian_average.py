"""The Gaussian experiment's problem against its formulas."""

import numpy as np
import pytest
from scipy.optimize import check_grad

from sampler.problems.gaussian_average import GaussianAverage


def test_potential_gradient_hessian_and_terms_agree():
    rng = np.random.default_rng(0)
    data, curvatures = rng.standard_normal((30, 3)), np.array([0.5, 1.0, 2.0])
    posterior = GaussianAverage(curvatures).posterior(data)
    theta = rng.standard_normal((4, 3))
    for x in theta:
        assert check_grad(posterior.potential, posterior.gradient, x) < 1e-5
        np.testing.assert_allclose(posterior.term_gradients(x).sum(axis=0), posterior.gradient(x))
        np.testing.assert_array_equal(posterior.term_gradients(x, [3, 0]), posterior.term_gradients(x)[[3, 0]])
        average, least = (np.mean([0.5 * (z - y) @ np.diag(curvatures) @ (z - y) for y in data])
                          for z in (x, data.mean(axis=0)))
        assert posterior.potential(x) == pytest.approx(average - least)
    np.testing.assert_array_equal(posterior.hessian(theta[0]), np.diag(curvatures))
    assert posterior.potential(theta).shape == (4,) and posterior.gradient(theta).shape == (4, 3)


@pytest.mark.parametrize("curvatures", [[], [1.0, 0.0], [np.nan], [[1.0]], [-1.0]])
def test_curvatures_must_be_positive(curvatures):
    with pytest.raises(ValueError, match="curvatures must be a list of numbers in"):
        GaussianAverage(curvatures)


def test_labels_are_refused():
    with pytest.raises(ValueError, match="labels must be left out for GaussianAverage"):
        GaussianAverage([1.0]).posterior(np.zeros((2, 1)), np.zeros(2))
