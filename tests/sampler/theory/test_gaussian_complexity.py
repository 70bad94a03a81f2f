"""Gradients that a Gaussian target costs: against the step-by-step recursion, by hand for small eps, and Table 1."""

import numpy as np
import pytest

from sampler.algorithms.offline_sgld import OfflineSGLD
from sampler.theory.gaussian_complexity import TABLE_1, complexity_exponents, least_steps
from sampler.theory.gaussian_recursions import GaussianExperiment


@pytest.mark.parametrize("sigma", [0.0, 2.0])
def test_it_is_the_first_step_of_the_recursion_at_its_best_step_size(sigma):
    eps, kappa, dim = 0.05, 4.0, 3
    curvature = np.linspace(1 / kappa, 1.0, dim)
    eta = np.geomspace(1e-3, 1.5, 400)[:, None]
    mean, variance, best = np.ones((400, dim)), np.zeros((400, dim)), 0
    while not best or ((mean**2).sum(axis=1) + ((np.sqrt(variance) - curvature**-0.5) ** 2).sum(axis=1)).min() > eps**2:
        assert best < 3000
        mean = (1 - eta * curvature) * mean
        variance = (1 - eta * curvature) ** 2 * variance + 2 * eta + eta**2 * curvature**2 * sigma**2
        best += 1
    # Steps are whole here and real there; 400 step sizes cost another per cent.
    found = least_steps(eps, kappa, dim, sigma)
    assert best - 1 - 0.01 * best <= found <= best


def test_the_limit_it_stands_for_is_that_of_many_data():
    """Data with covariance sigma^2 I exactly: the class's own W2 after so many steps is eps."""
    sigma, dim, n = 2.0, 2, 4
    data = sigma * np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    experiment = GaussianExperiment(data, np.linspace(0.25, 1.0, dim), np.ones(dim))
    steps = least_steps(0.05, 4.0, dim, sigma)
    values = [experiment.wasserstein(OfflineSGLD(eta), np.ceil(steps) / n) for eta in np.geomspace(1e-3, 0.1, 300)]
    assert min(values) == pytest.approx(0.05, rel=0.02)


def test_bias_in_proportion_to_eta_makes_one_over_eps():
    """For small eps W2 = eta sqrt(sum l)/4 is the full gradient's bias, so steps are about log(1/eps) / (eps mu)."""
    for name in TABLE_1:
        found = complexity_exponents(name, epsilon=1e-6)
        # d log T / d log eps = -1 - 1/log(..): the logarithm is near 15 here.
        assert -1.15 < found.epsilon < -1.0
        assert found.dim == pytest.approx(0.5, abs=0.1)
    noisy = complexity_exponents("SGLD", epsilon=1e-6, sigma=100.0)
    assert noisy.sigma == pytest.approx(2.0, abs=0.05)


def test_noise_adds_to_the_variance_so_that_steps_grow_with_one_over_eps():
    """W2 of the stationary law is (eta/4) sqrt(sum l (1 + l sigma^2/b)^2) to first order: derived in the module's text."""
    eps, kappa, dim = 1e-5, 10.0, 10
    curvature = np.linspace(1 / kappa, 1.0, dim)
    quiet = least_steps(eps, kappa, dim, 0.0)
    for sigma, b in ((3.0, 1), (3.0, 4), (30.0, 1)):
        times = np.sqrt((curvature * (1 + curvature * sigma**2 / b) ** 2).sum() / curvature.sum())
        # At a given eps the best eta falls by this factor, all else alike; eta^2 is left out, at eta below 2e-5.
        assert least_steps(eps, kappa, dim, sigma, b) / quiet == pytest.approx(times, rel=1e-3)
    # With a share of eps^2 for what is left of the start: k = kappa log(..)/eta, the first coordinate's sqrt(kappa) - 1 the
    # slowest, of mean 1 and spread -a^2k sqrt(kappa)/2. Over the share the minimum is flat: 2 % leaves it and the others.
    share = np.linspace(0.5, 0.9999, 2000)
    eta = 4 * share * eps / np.sqrt(curvature.sum())
    steps = np.log(1 / (eps * np.sqrt(1 - share**2))) / -np.log1p(-eta / kappa)
    assert quiet == pytest.approx(steps.min(), rel=0.02)
    # Twice kappa leaves sum l nearly alone: 2 sqrt(1.05/1.1), 0.966 as an exponent; twice d makes sqrt(2) of it.
    found = complexity_exponents("LMC", eps)
    assert found.kappa == pytest.approx(1 + 0.5 * np.log2(1.05 / 1.1), abs=2e-3)
    assert found.dim == pytest.approx(0.5, abs=2e-3)


@pytest.mark.parametrize("name", TABLE_1)
@pytest.mark.parametrize("epsilon", [1e-2, 1e-3, 1e-4])
def test_the_printed_exponents_are_never_smaller(name, epsilon):
    found, printed = complexity_exponents(name, epsilon), TABLE_1[name]
    assert -found.epsilon <= -printed[0] + 0.2  # the logarithm that O~ hides
    assert found.kappa <= printed[1] and found.dim <= printed[2] + 0.1 and found.sigma <= printed[3] + 0.01


def test_bad_input_is_refused_by_name():
    for name, value in (("epsilon", 0.0), ("kappa", 0.5), ("dim", 0), ("sigma", -1.0)):
        with pytest.raises(ValueError, match=f"{name} must"):
            least_steps(**({"epsilon": 0.1, "kappa": 2.0, "dim": 2, "sigma": 0.0} | {name: value}))
    with pytest.raises(ValueError, match="sampler must"):
        complexity_exponents("SAGA")
