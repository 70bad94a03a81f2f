"""Slice and Gibbs sampling of coresets: calibration, exact probabilities, Laplace, agreement with plain Python."""

from itertools import product

import numpy as np
import pytest
from scipy import integrate, special, stats

from sampler.coreset import (
    CauchyLogistic,
    CoresetMCMC,
    CustomModel,
    LinearLogVariance,
    SliceSampler,
    SoftplusPoisson,
    SparseRegression,
    Truth,
    Untrained,
)
from sampler.coreset.loops import slice_on_line
from sampler.kernels.coreset_likelihoods import CAUCHY_PRIOR, LOGISTIC
from sampler.kernels.coreset_regression import acceptable, slice_along
from sampler.kernels.coreset_sparse import gamma_draw
from sampler.kernels.rng import spawn_generators


def simulated(kind, theta, rng, n=8):
    """Return a model on data simulated at ``theta``."""
    features = rng.standard_normal((n, 1))
    score = theta[0] + features[:, 0] * theta[1]
    if kind is LinearLogVariance:
        return kind(features, score + np.exp(0.5 * theta[2]) * rng.standard_normal(n))
    if kind is SoftplusPoisson:
        return kind(features, rng.poisson(np.logaddexp(0, score)))
    return kind(features, (rng.random(n) < special.expit(score)).astype(float))


@pytest.mark.parametrize(("kind", "width"), [(LinearLogVariance, 0.3), (SoftplusPoisson, 10.0), (CauchyLogistic, 0.3)])
def test_slice_steps_keep_the_posterior(kind, width):
    """Geweke (2004): theta from the prior is a posterior draw for data simulated from it, also after slice steps."""
    rng = np.random.default_rng(0)
    dim = 3 if kind is LinearLogVariance else 2
    prior = stats.cauchy if kind is CauchyLogistic else stats.norm
    after, before = [], []
    for seed in range(400):
        theta = prior.rvs(size=dim, random_state=rng)
        model = simulated(kind, theta, rng)
        model.truth = Truth(np.zeros(dim), np.ones(dim), "user values")
        run = CoresetMCMC(model, model.n, Untrained(), kernel=SliceSampler(width=width, directions=2),
                          start=np.array([theta, theta]), seed=seed).run(2)
        before.append(theta)
        after.append(run.positions[0])
    after = np.array(after)
    assert np.mean(np.abs(after - before) > 0.05) > 0.5  # they moved
    # One Kolmogorov-Smirnov test per coordinate: 7 with an error rate of 1 in 5000.
    for column in after.T:
        assert stats.kstest(column, prior.cdf).pvalue > 2e-4


DIRECTION = np.array([0.95, np.sqrt(1 - 0.95**2)])
OFFSETS = np.array([-15.0, 7.5])  # two Cauchy priors: two modes along DIRECTION with a valley that stops doubling
NONE = np.zeros(1)  # one datum without weight


def line_height(x):
    return -np.log1p((OFFSETS + x * DIRECTION) ** 2).sum()


KNOTS = np.array([-5.0, -4.5, -4.3, -3.8, 4.0, 4.5, 9.5, 10.0])
"""Piecewise linear log density: a narrow plateau near -4.4, a wide one near 7, a floor 3 lower in between."""
BENDS = 6.0 * np.array([0.0, -1.0, -1.0, 1.0, 1.0, -1.0, -1.0, 0.0])
STEEP = 200.0  # sharpness of the softplus at each knot


def two_plateaus(x):
    return (BENDS * np.logaddexp(0.0, STEEP * (x - KNOTS)) / STEEP).sum() + 6.0 * (x - KNOTS[0])


def plain_plateau_updates(width, n):
    rng, at = np.random.default_rng(3), 7.0
    for _ in range(n):
        at += slice_on_line(lambda s, at=at: two_plateaus(at + s), width, 12, rng)[0]
        yield at


def compiled_plateau_updates(width, n):
    """The same density as a weighted logistic likelihood: y z - log(1 + e^z) has one knot, weights may be negative."""
    rng, at, moved = spawn_generators(3, 1, 1)[0, 0], 7.0, np.empty(1)
    weights, none = np.append(-BENDS / STEEP, 6.0 / STEEP), np.zeros(1)
    slopes, knots = np.full(9, STEEP), np.append(KNOTS, KNOTS[0] - 20.0)
    labels = np.append(np.zeros(8), 2.0)  # 2 z - log(1 + e^z) is linear, z, far right of its knot
    for _ in range(n):
        at += slice_along(LOGISTIC, CAUCHY_PRIOR, weights, slopes * (at - knots), slopes, labels, none, none, 1,
                          width, 12, rng, moved)[0]
        yield at


@pytest.mark.parametrize("updates", [plain_plateau_updates, compiled_plateau_updates])
def test_a_narrow_and_a_wide_mode_have_their_shares(updates):
    """Doubling from the wide plateau covers the narrow one, rarely the reverse; Figure 6 corrects for it."""
    grid = np.linspace(-12, 17, 290_001)
    mass = np.exp([two_plateaus(x) for x in grid[::20]])
    share = mass[grid[::20] < 0].sum() / mass.sum()
    n = 8_000 if updates is plain_plateau_updates else 40_000
    left = np.array(list(updates(1.0, n))) < 0
    blocks = left.reshape(-1, 400).mean(axis=1)
    # Blocks of 400 updates are nearly independent; 4.5 sd of their mean.
    assert 0.02 < share < 0.3
    assert abs(left.mean() - share) < 4.5 * blocks.std() / np.sqrt(len(blocks))
    assert blocks.std() / np.sqrt(len(blocks)) < 0.3 * share  # precise enough to detect a wrong share


def could_double(x, left, right, level, width, at):
    """Return True if doubling from ``x`` can end at (left, right): no smaller aligned interval around x stops it."""
    size = width
    while size < 0.9 * (right - left):
        low = left + size * np.floor((x - left) / size)
        if line_height(at + low) <= level and line_height(at + low + size) <= level:
            return False
        size *= 2
    return True


def test_points_that_cannot_double_to_the_interval_are_rejected():
    """Neal (2003), Figure 6; the bias without this test is too small to detect in frequencies."""
    rng, seen = np.random.default_rng(5), []
    while len(seen) < 3000:
        mode, width = rng.integers(2), rng.uniform(0.2, 6)
        at = -OFFSETS[mode] / DIRECTION[mode] + 2 * rng.standard_normal()
        size = width * 2 ** rng.integers(1, 8)
        left = -size * rng.random()
        level = line_height(at) - rng.exponential()
        x = left + size * rng.random()
        if line_height(at + x) <= level or not could_double(0.0, left, left + size, level, width, at):
            continue
        fine, _ = acceptable(LOGISTIC, CAUCHY_PRIOR, NONE, NONE, NONE, NONE, OFFSETS + at * DIRECTION, DIRECTION,
                             2, x, left, left + size, level, width, np.empty(2))
        assert fine == could_double(x, left, left + size, level, width, at)
        seen.append(fine)
    assert 5 <= len(seen) - sum(seen) < 1000  # both outcomes occur


def test_compiled_and_plain_runs_agree_in_law():
    compiled = CauchyLogistic.synthetic(600, 2, seed=1, positives=200)
    rows, labels = compiled.rows[:, :3], compiled.labels

    def log_likelihood(theta, indices):
        z = rows[indices] @ theta
        return labels[indices] * z - np.logaddexp(0, z)

    plain = CustomModel(log_likelihood, lambda theta: -np.log1p(theta**2).sum(), n=600, dim=3)
    plain.truth = compiled.truth = compiled.find_truth(draws=3200, seed=2)
    kernel = SliceSampler(width=0.5)
    runs = [CoresetMCMC(model, 600, Untrained(), subsample=60, kernel=kernel, start="near", seed=1).run(600)
            for model in (plain, compiled)]
    for run in runs:
        assert run.z_score[-1] < 0.12  # 600 draws, autocorrelation time about 10, three coordinates
        assert run.variance_ratio_at([600])[0] == pytest.approx(1.0, abs=0.4)
    # Gradient norms of Eq. 4 have the same law, since both chains draw the same posterior.
    norms = [np.log(run.gradient_norms[10::5]) for run in runs]
    assert stats.ks_2samp(*norms).pvalue > 1e-3


def test_long_chains_agree_with_an_accurate_laplace():
    model = LinearLogVariance.synthetic(3000, 3, seed=0)
    truth = model.find_truth(draws=6400)
    assert truth.how == "long chains" and truth.rhat < 1.05 and truth.ess > 1000
    assert truth.laplace_gap < 0.15
    _, precision = model.laplace()
    np.testing.assert_allclose(truth.std, np.sqrt(np.diag(np.linalg.inv(precision))), rtol=0.08)
    assert model.find_truth(draws=640, stop=lambda: True) is None
    with pytest.raises(ValueError, match="draws must be"):
        model.find_truth(draws=3)


def exact_inclusion(model, weights):
    """Return P(gamma_i = 1) and E[sigma^2]: beta integrated in closed form, sigma^2 by quadrature, gamma enumerated."""
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
    rng = np.random.default_rng(0)
    features = rng.standard_normal((40, 3))
    model = SparseRegression(features, features @ np.array([0.2, 0.6, 1.1]) + 1.5 * rng.standard_normal(40))
    weights = np.random.default_rng(1).random(40) * 3 if weighted else np.ones(40)
    exact, variance = exact_inclusion(model, weights)
    assert np.any((exact > 0.1) & (exact < 0.95))  # an informative example
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
    # Mean and variance equal the shape; the variance of a square uses the fourth moment, 3 a^2 + 6 a.
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
    # 6000 draws, autocorrelation time at most 10 (slab and spike): mean squared z below 10 / 6000 * 3.
    assert everything.z_score[-1] < 0.005
    assert everything.variance_ratio_at([6000])[0] == pytest.approx(1.0, abs=0.1)
    far = CoresetMCMC(model, 100, seed=1, start="far").run(200)
    assert np.all(far.positions[:, -1] > 0)
