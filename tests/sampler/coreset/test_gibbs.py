"""Gibbs for the sparse regression against exact inclusion probabilities, and its coreset runs."""

from itertools import product

import numpy as np
import pytest
from scipy import integrate

from sampler.coreset import CoresetMCMC, SparseRegression, Untrained
from sampler.kernels.coreset_sparse import gamma_draw
from sampler.kernels.rng import spawn_generators


def example(seed=0):
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((40, 3))
    labels = features @ np.array([0.2, 0.6, 1.1]) + 1.5 * rng.standard_normal(40)
    return SparseRegression(features, labels)


def exact_inclusion(model, weights):
    """P(gamma_i = 1) and E[sigma^2]: beta summed out in closed form, sigma^2 by quadrature, gamma by enumeration."""
    nu, scale, share, spike, slab = model.constants
    x, y = model.rows[:, :3], model.labels
    xtx, xty, yty = (x * weights[:, None]).T @ x, x.T @ (weights * y), weights @ y**2

    def log_density(gamma, log_variance):
        variance = np.exp(log_variance)
        prior = np.where(gamma, slab, spike) ** -2.0
        a = xtx / variance + np.diag(prior)
        b = xty / variance
        return (-0.5 * weights.sum() * log_variance - 0.5 * yty / variance + 0.5 * b @ np.linalg.solve(a, b)
                - 0.5 * np.linalg.slogdet(a)[1] + 0.5 * np.log(prior).sum() - 0.5 * nu * log_variance
                - 0.5 * nu * scale / variance + np.sum(np.where(gamma, np.log(share), np.log(1 - share))))

    grid = np.linspace(-1.5, 3, 401)
    models = [np.array(gamma) for gamma in product((False, True), repeat=3)]
    logs = np.array([[log_density(gamma, u) for u in grid] for gamma in models])
    mass = np.exp(logs - logs.max())
    totals = integrate.trapezoid(mass, grid, axis=1)
    variance = integrate.trapezoid(mass * np.exp(grid), grid, axis=1).sum() / totals.sum()
    return np.array(models).T.astype(float) @ totals / totals.sum(), variance


@pytest.mark.parametrize("weighted", [False, True])
def test_inclusion_probabilities_are_exact(weighted):
    model = example()
    weights = np.random.default_rng(1).random(40) * 3 if weighted else np.ones(40)
    exact, variance = exact_inclusion(model, weights)
    assert np.any((exact > 0.1) & (exact < 0.95))  # an example that can tell
    thetas, included = model.gibbs(weights, np.arange(40), 60_000, seed=2)
    blocks = included[5000:].reshape(-1, 500, 3).mean(axis=1)  # blocks of 500 draws are independent
    error = blocks.std(axis=0) / np.sqrt(len(blocks))
    assert np.all(np.abs(blocks.mean(axis=0) - exact) < 4.5 * error + 1e-3)
    variances = thetas[5000:, -1].reshape(-1, 500).mean(axis=1)
    assert abs(variances.mean() - variance) < 4.5 * variances.std() / np.sqrt(len(variances))


@pytest.mark.parametrize("shape", [0.05, 0.7, 1.0, 30.0])
def test_gamma_draws(shape):
    rng, pair = spawn_generators(3, 1, 1)[0, 0], np.empty(2)
    draws = np.array([gamma_draw(shape, rng, pair) for _ in range(40_000)])
    # Mean and variance are both the shape; the variance of a square needs the fourth moment, 3 a^2 + 6 a.
    assert draws.mean() == pytest.approx(shape, abs=4.5 * np.sqrt(shape / 40_000))
    assert draws.var() == pytest.approx(shape, abs=4.5 * np.sqrt((2 * shape**2 + 6 * shape) / 40_000))


def test_the_truth_of_the_papers_shape():
    model = SparseRegression.synthetic(n=5000, dim=6, seed=0)
    truth = model.find_truth(draws=20_000)
    assert truth.how == "Gibbs" and truth.rhat < 1.01
    assert np.all(np.abs(truth.mean[:3]) < 1.0) and np.all(np.abs(truth.mean[3:6] - 5.0) < 5 * truth.std[3:6])
    assert truth.mean[-1] == pytest.approx(625, rel=0.08)
    assert model.find_truth(stop=lambda: True) is None


def test_coreset_runs_leave_the_posterior_invariant():
    model = SparseRegression.synthetic(n=2000, dim=4, seed=0)
    model.truth = model.find_truth(draws=40_000)
    everything = CoresetMCMC(model, model.n, Untrained(), seed=0).run(6000)
    # 6000 draws, autocorrelation time of at most 10 (slab and spike): mean squared z below 10 / 6000 * 3.
    assert everything.z_score[-1] < 0.005
    assert everything.variance_ratio_at([6000])[0] == pytest.approx(1.0, abs=0.1)
    far = CoresetMCMC(model, 100, seed=1, start="far").run(200)
    assert np.all(far.positions[:, -1] > 0)


def test_gradients_in_theta_are_refused():
    model = SparseRegression.synthetic(n=200, dim=2)
    with pytest.raises(ValueError, match="gradients in theta"):
        CoresetMCMC(model, 20, Untrained()).run(5).coreset.oracle()
