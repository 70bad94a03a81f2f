"""The Gaussian experiment: recursions against brute force, against simulated chains, and against known distances."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

from sampler.algorithms.cv_uld import CvULD
from sampler.algorithms.offline_sgld import OfflineSGLD
from sampler.algorithms.saga_ld import SagaLD
from sampler.algorithms.svrg_ld import SvrgLD
from sampler.theory.gaussian_recursions import (
    GaussianExperiment,
    _Dynamics,
    _saga_map,
    chains_wasserstein,
    gaussian_experiment,
)

PASSES = (1, 2, 5, 10)


def family(n):
    return {"SGLD": OfflineSGLD(), "SAGA-LD": SagaLD(), "SVRG-LD": SvrgLD(),
            "SVRG-LD+ n/2": SvrgLD(anchor_batch=n // 2), "SVRG-LD+ n/5": SvrgLD(anchor_batch=n // 5)}


# W2 with the best step size of each cell; 3.1 is the start: the first pass goes to the table or the anchor.
KNOWN = {
    500: {"SGLD": (.0202, .0126, .0055, .0032), "SAGA-LD": (3.1, .0146, .0048, .0024),
          "SVRG-LD": (3.1, .0182, .0073, .0040), "SVRG-LD+ n/2": (.0312, .0204, .0103, .0054),
          "SVRG-LD+ n/5": (.0361, .0245, .0120, .0064)},
    50_000: {"SGLD": (.0004, .0002, .0002, .0002), "SAGA-LD": (3.1, .0003, .0002, .0002),
             "SVRG-LD": (3.1, .0003, .0001, .0001), "SVRG-LD+ n/2": (.0006, .0003, .0002, .0001),
             "SVRG-LD+ n/5": (.0007, .0004, .0002, .0001)},
}


@pytest.mark.parametrize("n", KNOWN)
def test_best_distances(n):
    # Values are known to four decimals; they depend on the data drawn (by 5 % at n = 500) and at n = 50,000 come
    # from step sizes of 1e-4 and more.
    experiment = gaussian_experiment(n)
    for name, sampler in family(n).items():
        for passes, known in zip(PASSES, KNOWN[n][name], strict=True):
            best = experiment.best_step_size(sampler, passes, smallest=1e-4 if n == 50_000 else 1e-7)
            value = experiment.wasserstein(replace(sampler, step_size=best), passes)
            assert value == pytest.approx(known, abs=0.1 * known + 5e-5), (name, passes)


@pytest.mark.parametrize("sampler, passes, known", [
    (OfflineSGLD(), 0.1, .0249), (SvrgLD(anchor_batch=5000), 0.2, .0104), (SvrgLD(anchor_batch=10_000), 0.5, .0102),
    (SvrgLD(), 1.5, .0101), (SagaLD(), 10, .0203)])
def test_distances_at_one_common_step_size(sampler, passes, known):
    value = gaussian_experiment(50_000).wasserstein(replace(sampler, step_size=0.0113), passes)
    assert value == pytest.approx(known, rel=0.02)


def test_the_start_is_at_the_known_distance():
    assert gaussian_experiment(500).wasserstein(SagaLD(0.01), 0) == pytest.approx(3.10, abs=0.01)


def brute_force(experiment, sampler, passes, chains=20_000):
    run = sampler.sample(experiment.problem, experiment.data, passes=passes, chains=chains, seed=11,
                         start=experiment.start, record=[passes])
    return run.positions


@pytest.mark.parametrize("sampler, passes", [
    (OfflineSGLD(0.2, 1), 0.7), (OfflineSGLD(0.2, 3), 2.0), (SagaLD(0.3, 1), 2.0), (SagaLD(0.3, 1), 4.0),
    (SagaLD(0.3, 4), 3.0), (SvrgLD(0.2, 1), 3.0), (SvrgLD(0.2, 1, 10, 4), 2.7), (SvrgLD(0.2, 2, 7, 5), 3.0),
    (SvrgLD(0.2, 2, store_anchor=True), 3.0)], ids=str)
def test_simulated_chains_have_the_recursions_moments(sampler, passes):
    rng = np.random.default_rng(7)
    experiment = GaussianExperiment(2.0 * rng.standard_normal((24, 3)), np.array([0.5, 1.0, 2.0]),
                                    np.array([3.0, -1.0, 0.0]))
    positions = brute_force(experiment, sampler, passes)
    mean, covariance = experiment.moments(sampler, passes)
    k = len(positions)
    spread = np.sqrt(np.diag(covariance))
    # Standard errors: of a mean sd/sqrt(K); of a covariance sqrt((C_ii C_jj + C_ij^2)/K) for Gaussian chains, and
    # twice that covers the excess kurtosis of discrete batches. 5 of them for 12 numbers in 9 cases.
    assert np.abs(positions.mean(axis=0) - mean).max() < 5 * (spread / np.sqrt(k)).max()
    error = np.sqrt((np.outer(spread, spread) ** 2 + covariance**2) / k)
    assert (np.abs(np.cov(positions, rowvar=False) - covariance) < 7 * error).all()


def test_the_recursions_would_notice_a_shared_anchor_batch():
    # One batch for all chains moves them together: their mean is off by about sd(e), far beyond its Monte Carlo error.
    experiment = gaussian_experiment(60, dim=3)
    rng = np.random.default_rng(0)
    sampler = SvrgLD(0.2, 1, 12, 12)
    mean, covariance = experiment.moments(sampler, 3.0)
    x = np.zeros((4000, 3))
    for _ in range(5):
        anchor = experiment.data[rng.choice(60, 12, replace=False)].mean(axis=0)
        for _ in range(12):
            x += -0.2 * experiment.curvatures * (x - anchor) + np.sqrt(0.4) * rng.standard_normal(x.shape)
    off = np.abs(x.mean(axis=0) - mean) / np.sqrt(np.diag(covariance) / 4000)
    assert off.max() > 5


def test_chains_score_the_floor_when_exact_and_the_distance_when_far():
    experiment = gaussian_experiment(500)
    mean, covariance = experiment.target
    rng = np.random.default_rng(0)
    draws = [chains_wasserstein(rng.multivariate_normal(mean, covariance, 2000), experiment) for _ in range(40)]
    scores, floor = [value**2 for value, _ in draws], draws[0][1]
    # 65 parameters, so the squared score has relative sd about sqrt(2/65) = 0.18; the mean of 40 has 0.028
    assert np.mean(scores) == pytest.approx(floor**2, rel=0.12)
    # (tr P + d (d + 1)/4 average variance)/K is the same for equal variances: 0.045 for 20,000 chains
    assert floor * np.sqrt(2000 / 20_000) == pytest.approx(0.042, abs=0.004)
    sampler = SvrgLD(0.01, anchor_batch=100)
    points = sampler.sample(experiment.problem, experiment.data, passes=0.4, chains=2000, start=experiment.start)
    for c in points.trace:
        exact = experiment.wasserstein(sampler, c.passes)
        if exact > 0.3:
            assert chains_wasserstein(c.positions, experiment)[0] == pytest.approx(exact, rel=0.1)


@pytest.mark.parametrize("passes", [0.5, 1.3, 2.0, 6.0])
def test_underdamped_chains_follow_their_recursion(passes):
    experiment = gaussian_experiment(40, dim=3)
    sampler = CvULD(0.3, anchor_every=7, batch_size=2)
    mean, covariance = experiment.moments(sampler, passes)
    chains = 20_000
    run = sampler.sample(experiment.problem, experiment.data, passes=passes, chains=chains, start=experiment.start)
    spread = np.diagonal(covariance)
    # Five standard errors: of a mean sqrt(v / K), of a covariance sqrt(2 v v' / K) at most.
    np.testing.assert_allclose(run.positions.mean(axis=0), mean, atol=5 * np.sqrt(spread.max() / chains) + 1e-12)
    np.testing.assert_allclose(np.cov(run.positions, rowvar=False), covariance,
                               atol=5 * np.sqrt(2 / chains) * spread.max() + 1e-12)


def test_what_it_refuses():
    experiment = gaussian_experiment(50)
    with pytest.raises(ValueError, match="sampler must be an OfflineSGLD, SagaLD, SvrgLD or CvULD, got object"):
        experiment.moments(object(), 1)
    with pytest.raises(ValueError, match=r"anchor_batch must be None \(all data\) for CvULD here, got 20"):
        experiment.moments(CvULD(0.1, anchor_batch=20), 1)
    with pytest.raises(ValueError, match="step_size must be a number here"):
        experiment.moments(SagaLD(), 1)
    with pytest.raises(ValueError, match="store_anchor must be False"):
        experiment.moments(SvrgLD(0.1, anchor_batch=10, store_anchor=True), 1)
    with pytest.raises(ValueError, match=r"anchor_batch must be .* \[1, 50\]"):
        experiment.moments(SvrgLD(0.1, anchor_batch=51), 1)
    with pytest.raises(ValueError, match="passes must be in"):
        experiment.moments(SagaLD(0.1), -1)
    with pytest.raises(ValueError, match="K > d"):
        chains_wasserstein(np.zeros((5, 10)), experiment)
    assert experiment.wasserstein(SagaLD(3.0), 500) == np.inf


@pytest.mark.parametrize("n, anchors", [(2, 1), (4, 2), (4, 3), (5, 5)])
def test_the_anchors_error_is_the_mean_over_all_subsets(n, anchors):
    """SVRG-LD+ draws its anchor batch without replacement: all subsets of three small data sets, one epoch of m steps."""
    rng = np.random.default_rng(n)
    experiment = GaussianExperiment(rng.standard_normal((n, 2)), np.array([0.5, 2.0]), np.array([1.0, -1.0]))
    eta, m, centre = 0.2, 3, experiment.data.mean(axis=0)
    _, found = experiment.moments(SvrgLD(eta, 1, anchors, m), (anchors + 2 * m) / n)
    shrink = 1 - eta * experiment.curvatures
    still = np.diag(2 * eta * (1 - shrink ** (2 * m)) / (1 - shrink**2))
    # Given the batch the chain is Gaussian about a mean that its batch's mean pulls by 1 - (1 - eta l)^m.
    pulls = [(1 - shrink**m) * (experiment.data[list(batch)].mean(axis=0) - centre)
             for batch in combinations(range(n), anchors)]
    np.testing.assert_allclose(found, still + np.cov(np.array(pulls), rowvar=False, bias=True), atol=1e-12)


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
