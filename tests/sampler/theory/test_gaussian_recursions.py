"""Gaussian experiment: recursions against brute force and simulated chains; gradients to reach a target."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

from sampler.algorithms.cv_uld import CvULD
from sampler.algorithms.offline_langevin import OfflineSGLD, SagaLD, SvrgLD
from sampler.theory.gaussian_complexity import TABLE_1, complexity_exponents, least_steps
from sampler.theory.gaussian_recursions import (
    GaussianExperiment,
    _Dynamics,
    _saga_map,
    chains_wasserstein,
    gaussian_experiment,
)
from tests.sampler.theory.best_distances import DISTANCES, PASSES


@pytest.mark.parametrize("n", DISTANCES)
def test_best_distances(n):
    # At n = 50,000 step sizes are at least 1e-4.
    experiment = gaussian_experiment(n)
    family = {"sgld": OfflineSGLD(), "saga": SagaLD(), "svrg": SvrgLD(), "half": SvrgLD(anchor_batch=n // 2),
              "plus": SvrgLD(anchor_batch=n // 5)}
    for name, sampler in family.items():
        for passes, distance in zip(PASSES, DISTANCES[n][name], strict=True):
            best = experiment.best_step_size(sampler, passes, smallest=1e-4 if n == 50_000 else 1e-7)
            value = experiment.wasserstein(replace(sampler, step_size=best), passes)
            assert value == pytest.approx(distance, abs=0.1 * distance + 5e-5), (name, passes)


@pytest.mark.parametrize("sampler, passes", [
    (OfflineSGLD(0.2, 3), 2.0), (SagaLD(0.3, 1), 4.0), (SagaLD(0.3, 4), 3.0), (SvrgLD(0.2, 1, 10, 4), 2.7),
    (SvrgLD(0.2, 2, store_anchor=True), 3.0), (CvULD(0.3, anchor_every=7, batch_size=2), 2.6)], ids=str)
def test_simulated_chains_have_the_recursions_moments(sampler, passes):
    rng = np.random.default_rng(7)
    experiment = GaussianExperiment(2.0 * rng.standard_normal((24, 3)), np.array([0.5, 1.0, 2.0]),
                                    np.array([3.0, -1.0, 0.0]))
    positions = sampler.sample(experiment.problem, experiment.data, passes=passes, chains=5_000, seed=11,
                               start=experiment.start, record=[passes]).positions
    mean, covariance = experiment.moments(sampler, passes)
    k = len(positions)
    spread = np.sqrt(np.diag(covariance))
    # Standard errors: sd/sqrt(K) of a mean; sqrt((C_ii C_jj + C_ij^2)/K) of a covariance of Gaussian chains, with a
    # margin for the excess kurtosis of discrete batches. Five of them for 12 numbers in 6 cases.
    assert np.abs(positions.mean(axis=0) - mean).max() < 5 * (spread / np.sqrt(k)).max()
    error = np.sqrt((np.outer(spread, spread) ** 2 + covariance**2) / k)
    assert (np.abs(np.cov(positions, rowvar=False) - covariance) < 7 * error).all()


def test_exact_draws_score_the_floor():
    experiment = gaussian_experiment(500)
    mean, covariance = experiment.target
    rng = np.random.default_rng(0)
    draws = [chains_wasserstein(rng.multivariate_normal(mean, covariance, 2000), experiment) for _ in range(40)]
    scores, floor = [value**2 for value, _ in draws], draws[0][1]
    # 65 parameters, so the squared score has relative sd about sqrt(2/65) = 0.18; the mean of 40 has 0.028
    assert np.mean(scores) == pytest.approx(floor**2, rel=0.12)
    # (tr P + d (d + 1)/4 average variance)/K is the same for equal variances: 0.045 for 20,000 chains
    assert floor * np.sqrt(2000 / 20_000) == pytest.approx(0.042, abs=0.004)


def test_unsupported_samplers_are_errors():
    experiment = gaussian_experiment(50)
    with pytest.raises(ValueError, match="sampler must be an OfflineSGLD, SagaLD, SvrgLD or CvULD, got object"):
        experiment.moments(object(), 1)
    with pytest.raises(ValueError, match=r"anchor_batch must be None \(all data\) for CvULD here, got 20"):
        experiment.moments(CvULD(0.1, anchor_batch=20), 1)
    with pytest.raises(ValueError, match="store_anchor must be False"):
        experiment.moments(SvrgLD(0.1, anchor_batch=10, store_anchor=True), 1)
    assert experiment.wasserstein(SagaLD(3.0), 500) == np.inf


@pytest.mark.parametrize("n, anchors", [(2, 1), (4, 2), (4, 3), (5, 5)])
def test_the_anchors_error_is_the_mean_over_all_subsets(n, anchors):
    """SVRG-LD+ draws its anchor batch without replacement: all subsets of three small data sets, one epoch of m steps."""
    rng = np.random.default_rng(n)
    experiment = GaussianExperiment(rng.standard_normal((n, 2)), np.array([0.5, 2.0]), np.array([1.0, -1.0]))
    eta, m, centre = 0.2, 3, experiment.data.mean(axis=0)
    _, covariance = experiment.moments(SvrgLD(eta, 1, anchors, m), (anchors + 2 * m) / n)
    shrink = 1 - eta * experiment.curvatures
    still = np.diag(2 * eta * (1 - shrink ** (2 * m)) / (1 - shrink**2))
    # Conditional on the batch, the chain is Gaussian; the batch's mean shifts its mean by a share 1 - (1 - eta l)^m.
    pulls = [(1 - shrink**m) * (experiment.data[list(batch)].mean(axis=0) - centre)
             for batch in combinations(range(n), anchors)]
    np.testing.assert_allclose(covariance, still + np.cov(np.array(pulls), rowvar=False, bias=True), atol=1e-12)


@pytest.mark.parametrize("n, b", [(1, 1), (2, 3), (3, 1), (3, 2), (4, 3)])
def test_sagas_map_is_the_mean_over_all_batches(n, b):
    rng = np.random.default_rng(n + b)
    eta, curvatures = 0.3, np.array([0.5, 2.0])
    x, u = rng.standard_normal(2), rng.standard_normal((n, 2))

    def moments(x, u):
        mean = u.mean(axis=0)
        return np.stack([np.outer(x, x), u.T @ u / n, np.outer(mean, mean), np.outer(mean, x), np.outer(x, mean),
                         np.ones((2, 2))], axis=-1)

    expected = np.zeros((2, 2, 6))
    for batch in product(range(n), repeat=b):
        gradient = curvatures * (x + u.mean(axis=0) - u[list(batch)].mean(axis=0))
        table = u.copy()
        table[list(batch)] = x
        expected += moments(x - eta * gradient, table) / n**b
    expected[..., 0] += 2 * eta * np.eye(2)
    ours = np.einsum("ijrs,ijs->ijr", _saga_map(_Dynamics(curvatures, eta), n, b), moments(x, u))
    np.testing.assert_allclose(ours, expected, atol=1e-12)


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
    # Steps are integers here, real numbers in `least_steps`; the grid of 400 step sizes costs one per cent.
    steps = least_steps(eps, kappa, dim, sigma)
    assert best - 1 - 0.01 * best <= steps <= best


def test_noise_adds_to_the_variance_so_that_steps_grow_with_one_over_eps():
    """W2 of the stationary law is (eta/4) sqrt(sum l (1 + l sigma^2/b)^2) to first order, as derived in the module."""
    eps, kappa, dim = 1e-5, 10.0, 10
    curvature = np.linspace(1 / kappa, 1.0, dim)
    quiet = least_steps(eps, kappa, dim, 0.0)
    for sigma, b in ((3.0, 1), (3.0, 4), (30.0, 1)):
        times = np.sqrt((curvature * (1 + curvature * sigma**2 / b) ** 2).sum() / curvature.sum())
        # At fixed eps the best eta decreases by this factor; terms in eta^2 are omitted, eta below 2e-5.
        assert least_steps(eps, kappa, dim, sigma, b) / quiet == pytest.approx(times, rel=1e-3)
    # With a share of eps^2 for the remaining start: k = kappa log(..)/eta, where the first coordinate is the slowest, with
    # mean 1 and spread -a^2k sqrt(kappa)/2. The minimum over the share is flat: 2 % covers it and the other coordinates.
    share = np.linspace(0.5, 0.9999, 2000)
    eta = 4 * share * eps / np.sqrt(curvature.sum())
    steps = np.log(1 / (eps * np.sqrt(1 - share**2))) / -np.log1p(-eta / kappa)
    assert quiet == pytest.approx(steps.min(), rel=0.02)
    # Doubling kappa hardly changes sum l: 2 sqrt(1.05/1.1), an exponent of 0.966; doubling d gives sqrt(2).
    exponents = complexity_exponents("LMC", eps)
    assert exponents.kappa == pytest.approx(1 + 0.5 * np.log2(1.05 / 1.1), abs=2e-3)
    assert exponents.dim == pytest.approx(0.5, abs=2e-3)


@pytest.mark.parametrize("name", TABLE_1)
@pytest.mark.parametrize("epsilon", [1e-2, 1e-3, 1e-4])
def test_the_printed_exponents_are_never_smaller(name, epsilon):
    exponents, printed = complexity_exponents(name, epsilon), TABLE_1[name]
    assert -exponents.epsilon <= -printed[0] + 0.2  # the logarithm that O~ hides
    assert exponents.kappa <= printed[1] and exponents.dim <= printed[2] + 0.1 and exponents.sigma <= printed[3] + 0.01
