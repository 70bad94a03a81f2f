"""Hit-and-run slice sampling: calibration, Laplace, and agreement with plain Python."""

import numpy as np
import pytest
from scipy import special, stats

from sampler.coreset import (
    CauchyLogistic,
    CoresetMCMC,
    CustomModel,
    LinearLogVariance,
    SliceSampler,
    SoftplusPoisson,
    Truth,
    Untrained,
)
from sampler.coreset.loops import slice_on_line
from sampler.kernels.coreset_families import CAUCHY_PRIOR
from sampler.kernels.coreset_families import LOGISTIC as LOGISTIC_FAMILY
from sampler.kernels.coreset_regression import acceptable, slice_along
from sampler.kernels.rng import spawn_generators


def simulated(kind, theta, rng, n=8):
    """A model on data of its own likelihood at ``theta``."""
    features = rng.standard_normal((n, 1))
    score = theta[0] + features[:, 0] * theta[1]
    if kind is LinearLogVariance:
        return kind(features, score + np.exp(0.5 * theta[2]) * rng.standard_normal(n))
    if kind is SoftplusPoisson:
        return kind(features, rng.poisson(np.logaddexp(0, score)))
    return kind(features, (rng.random(n) < special.expit(score)).astype(float))


@pytest.mark.parametrize(("kind", "width"), [(LinearLogVariance, 0.3), (SoftplusPoisson, 10.0), (CauchyLogistic, 0.3)])
def test_a_posterior_draw_stays_one(kind, width):
    """Geweke (2004): theta from the prior is a posterior draw given data simulated from it; slice steps keep it one."""
    rng = np.random.default_rng(0)
    dim = 3 if kind is LinearLogVariance else 2
    prior = stats.cauchy if kind is CauchyLogistic else stats.norm
    after, before = [], []
    for seed in range(400):
        theta = prior.rvs(size=dim, random_state=rng)
        model = simulated(kind, theta, rng)
        model.truth = Truth(np.zeros(dim), np.ones(dim), "given")
        run = CoresetMCMC(model, model.n, Untrained(), kernel=SliceSampler(width=width, directions=2),
                          start=np.array([theta, theta]), seed=seed).run(2)
        before.append(theta)
        after.append(run.positions[0])
    after = np.array(after)
    assert np.mean(np.abs(after - before) > 0.05) > 0.5  # they moved
    # A Kolmogorov-Smirnov test a coordinate: 7 of them, each wrong once in 5000.
    for column in after.T:
        assert stats.kstest(column, prior.cdf).pvalue > 2e-4


DIRECTION = np.array([0.95, np.sqrt(1 - 0.95**2)])
APART = np.array([-15.0, 7.5])  # two Cauchy priors: two modes along DIRECTION, a valley that stops a doubling
NONE = np.zeros(1)  # one datum without weight


def line_height(x):
    return -np.log1p((APART + x * DIRECTION) ** 2).sum()


KNOTS = np.array([-5.0, -4.5, -4.3, -3.8, 4.0, 4.5, 9.5, 10.0])
"""A log density of straight lines: a narrow plateau about -4.4, a wide one about 7, a floor 3 lower between them."""
BENDS = 6.0 * np.array([0.0, -1.0, -1.0, 1.0, 1.0, -1.0, -1.0, 0.0])
STEEP = 200.0  # each bend of slope is a softplus this sharp


def two_plateaus(x):
    return (BENDS * np.logaddexp(0.0, STEEP * (x - KNOTS)) / STEEP).sum() + 6.0 * (x - KNOTS[0])


def plain_plateau_updates(width, n):
    rng, at = np.random.default_rng(3), 7.0
    for _ in range(n):
        at += slice_on_line(lambda s, at=at: two_plateaus(at + s), width, 12, rng)[0]
        yield at


def compiled_plateau_updates(width, n):
    """The same lines as a weighted logistic likelihood: y z - log(1 + e^z) bends once, weights may be negative."""
    rng, at, moved = spawn_generators(3, 1, 1)[0, 0], 7.0, np.empty(1)
    weights, none = np.append(-BENDS / STEEP, 6.0 / STEEP), np.zeros(1)
    slopes, knots = np.full(9, STEEP), np.append(KNOTS, KNOTS[0] - 20.0)
    labels = np.append(np.zeros(8), 2.0)  # 2 z - log(1 + e^z) is the line z, far right of its own bend
    for _ in range(n):
        at += slice_along(LOGISTIC_FAMILY, CAUCHY_PRIOR, weights, slopes * (at - knots), slopes, labels, none, none, 1,
                          width, 12, rng, moved)[0]
        yield at


@pytest.mark.parametrize("updates", [plain_plateau_updates, compiled_plateau_updates])
def test_a_narrow_and_a_wide_mode_have_their_shares(updates):
    """Doubling from the wide plateau covers the narrow one, hardly ever the other way: Figure 6 makes up for that."""
    grid = np.linspace(-12, 17, 290_001)
    mass = np.exp([two_plateaus(x) for x in grid[::20]])
    share = mass[grid[::20] < 0].sum() / mass.sum()
    n = 8_000 if updates is plain_plateau_updates else 40_000
    left = np.array(list(updates(1.0, n))) < 0
    blocks = left.reshape(-1, 400).mean(axis=1)
    # Blocks of 400 updates are nearly independent; 4.5 deviations of their mean.
    assert 0.02 < share < 0.3
    assert abs(left.mean() - share) < 4.5 * blocks.std() / np.sqrt(len(blocks))
    assert blocks.std() / np.sqrt(len(blocks)) < 0.3 * share  # and a wrong share would be seen


def could_double(x, left, right, level, width, at):
    """Whether doubling from ``x`` can end at (left, right): no smaller aligned interval around x stops it first."""
    size = width
    while size < 0.9 * (right - left):
        low = left + size * np.floor((x - left) / size)
        if line_height(at + low) <= level and line_height(at + low + size) <= level:
            return False
        size *= 2
    return True


def test_points_that_could_not_have_doubled_to_the_interval_are_refused():
    """Neal (2003), Figure 6; leaving the test out biases draws too little for their frequencies to tell."""
    rng, seen = np.random.default_rng(5), []
    while len(seen) < 3000:
        mode, width = rng.integers(2), rng.uniform(0.2, 6)
        at = -APART[mode] / DIRECTION[mode] + 2 * rng.standard_normal()
        size = width * 2 ** rng.integers(1, 8)
        left = -size * rng.random()
        level = line_height(at) - rng.exponential()
        x = left + size * rng.random()
        if line_height(at + x) <= level or not could_double(0.0, left, left + size, level, width, at):
            continue
        fine, _ = acceptable(LOGISTIC_FAMILY, CAUCHY_PRIOR, NONE, NONE, NONE, NONE, APART + at * DIRECTION, DIRECTION,
                             2, x, left, left + size, level, width, np.empty(2))
        assert fine == could_double(x, left, left + size, level, width, at)
        seen.append(fine)
    assert 5 <= len(seen) - sum(seen) < 1000  # both answers occur


LOGISTIC = CauchyLogistic.synthetic(600, 2, seed=1, positives=200)


def test_compiled_and_plain_runs_agree_in_law():
    rows, labels = LOGISTIC.rows[:, :3], LOGISTIC.labels

    def log_likelihood(theta, indices):
        z = rows[indices] @ theta
        return labels[indices] * z - np.logaddexp(0, z)

    plain = CustomModel(log_likelihood, lambda theta: -np.log1p(theta**2).sum(), n=600, dim=3)
    truth = LOGISTIC.find_truth(draws=3200, seed=2)
    plain.truth = LOGISTIC.truth = truth
    kernel = SliceSampler(width=0.5)
    runs = [CoresetMCMC(model, 600, Untrained(), subsample=60, kernel=kernel, start="near", seed=1).run(600)
            for model in (plain, LOGISTIC)]
    for run in runs:
        assert run.z_score[-1] < 0.12  # 600 draws, autocorrelation time of some 10, three coordinates
        assert run.variance_ratio_at([600])[0] == pytest.approx(1.0, abs=0.4)
    # Eq. 4's size, too: both chains draw the same posterior, so gradient norms have one law.
    norms = [np.log(run.gradient_norms[10::5]) for run in runs]
    assert stats.ks_2samp(*norms).pvalue > 1e-3


def test_long_chains_agree_with_laplace_where_it_is_right():
    model = LinearLogVariance.synthetic(3000, 3, seed=0)
    truth = model.find_truth(draws=6400)
    assert truth.how == "long chains" and truth.rhat < 1.05 and truth.ess > 1000
    assert truth.laplace_gap < 0.15
    _, precision = model.laplace()
    np.testing.assert_allclose(truth.std, np.sqrt(np.diag(np.linalg.inv(precision))), rtol=0.08)
    assert model.find_truth(draws=640, stop=lambda: True) is None
    with pytest.raises(ValueError, match="draws must be"):
        model.find_truth(draws=3)
