"""Hit-and-run slice sampling: calibration, Laplace, and agreement with plain Python."""

import numpy as np
import pytest
from scipy import special, stats

from sampler.coreset import (
    CauchyLogistic,
    CoresetMCMC,
    CustomModel,
    HotDoG,
    LinearLogVariance,
    SliceSampler,
    SoftplusPoisson,
    Truth,
    Untrained,
)
from sampler.coreset.machines.plain import slice_on_line


def simulated(kind, theta, rng, n=8):
    """A model on data of its own likelihood at ``theta``."""
    features = rng.standard_normal((n, 1))
    if kind is LinearLogVariance:
        score = theta[0] + features[:, 0] * theta[1]
        return kind(features, score + np.exp(0.5 * theta[2]) * rng.standard_normal(n))
    score = theta[0] + features[:, 0] * theta[1]
    if kind is SoftplusPoisson:
        return kind(features, rng.poisson(np.logaddexp(0, score)))
    return kind(features, (rng.random(n) < special.expit(score)).astype(float))


@pytest.mark.parametrize("kind", [LinearLogVariance, SoftplusPoisson, CauchyLogistic])
@pytest.mark.parametrize("width", [0.3, 10.0])
def test_a_posterior_draw_stays_one(kind, width):
    """Geweke (2004): theta from the prior is a posterior draw given data simulated from it; slice steps keep it one."""
    rng = np.random.default_rng(0)
    dim = 3 if kind is LinearLogVariance else 2
    prior = stats.cauchy if kind is CauchyLogistic else stats.norm
    after, before = [], []
    for seed in range(600):
        theta = prior.rvs(size=dim, random_state=rng)
        model = simulated(kind, theta, rng)
        model.truth = Truth(np.zeros(dim), np.ones(dim), "given")
        run = CoresetMCMC(model, model.n, Untrained(), kernel=SliceSampler(width=width, directions=2),
                          start=np.array([theta, theta]), seed=seed).run(2)
        before.append(theta)
        after.append(run.positions[0])
    after = np.array(after)
    assert np.mean(np.abs(after - before) > 0.05) > 0.5  # they moved
    # A Kolmogorov-Smirnov test a coordinate: 14 of them, each wrong once in 5000.
    for column in after.T:
        assert stats.kstest(column, prior.cdf).pvalue > 2e-4


@pytest.mark.parametrize("width", [0.02, 1.0, 50.0])
def test_a_bimodal_line_is_sampled_whole(width):
    """Doubling without its acceptance test favours the wrong mode; two normals of 30 and 70 % tell."""
    def height(x):
        return np.logaddexp(np.log(0.3) - 0.5 * (x + 2) ** 2, np.log(0.7) - 0.5 * ((x - 2) / 0.5) ** 2 - np.log(0.5))

    rng, x, draws = np.random.default_rng(3), 0.0, []
    for _ in range(4000):
        step, _ = slice_on_line(lambda s, at=x: height(at + s), width, 12, rng)
        x += step
        draws.append(x)
    right = np.array(draws) > 0
    # Autocorrelation of the mode's indicator, then 4.5 deviations of its mean.
    centred = right - 0.7
    lags = [np.mean(centred[:-k] * centred[k:]) / 0.21 for k in range(1, 60)]
    tau = max(1.0, 1 + 2 * np.sum(lags))
    assert abs(right.mean() - 0.7) < 4.5 * np.sqrt(0.21 * tau / len(draws))


LOGISTIC = CauchyLogistic.synthetic(600, 2, seed=1, positives=200)


@pytest.mark.parametrize("model", [
    LOGISTIC, LinearLogVariance.synthetic(600, 2, seed=1), SoftplusPoisson.synthetic(600, 2, seed=1),
], ids=["logistic", "linear", "poisson"])
def test_slice_draws_agree_with_laplace(model):
    mode, precision = model.laplace()
    # Newton's derivatives are those of the density.
    height = model.log_posterior
    for i in range(model.dim):
        e = np.zeros(model.dim)
        e[i] = 1e-3 / np.sqrt(precision[i, i])
        assert height(mode + e) < height(mode) > height(mode - e)
        bend = (2 * height(mode) - height(mode + 1e3 * e) - height(mode - 1e3 * e)) / (1e3 * e[i]) ** 2
        assert bend == pytest.approx(precision[i, i], rel=0.05)
    model.truth = Truth(mode, np.sqrt(np.diag(np.linalg.inv(precision))), "given")
    run = CoresetMCMC(model, model.n, Untrained(), kernel=SliceSampler(width=1.0), start="near", seed=4).run(4000)
    # Skewness moves the mean off the mode by 0.1 of a deviation at most on these data (a squared z of 0.01); 4000
    # draws with an autocorrelation time of some 10 add 0.0025.
    assert run.z_score[-1] < 0.03
    assert run.variance_ratio_at([4000])[0] == pytest.approx(1.0, abs=0.15)


def test_compiled_and_plain_runs_agree_in_law():
    rows, labels = LOGISTIC.rows[:, :3], LOGISTIC.labels

    def log_likelihood(theta, indices):
        z = rows[indices] @ theta
        return labels[indices] * z - np.logaddexp(0, z)

    plain = CustomModel(log_likelihood, lambda theta: -np.log1p(theta**2).sum(), n=600, dim=3)
    truth = LOGISTIC.find_truth(draws=3200, seed=2)
    plain.truth = LOGISTIC.truth = truth
    kernel = SliceSampler(width=0.5)
    runs = [CoresetMCMC(model, 600, Untrained(), subsample=60, kernel=kernel, start="near", seed=1).run(1500)
            for model in (plain, LOGISTIC)]
    for run in runs:
        assert run.z_score[-1] < 0.05  # 1500 draws, autocorrelation time of some 10, three coordinates
        assert run.variance_ratio_at([1500])[0] == pytest.approx(1.0, abs=0.25)
    # Eq. 4's size, too: both chains draw the same posterior, so gradient norms have one law.
    norms = [np.log(run.gradient_norms[10::5]) for run in runs]
    assert stats.ks_2samp(*norms).pvalue > 1e-3


def test_long_chains_agree_with_laplace_where_it_is_right():
    model = LinearLogVariance.synthetic(3000, 3, seed=0)
    truth = model.find_truth(draws=6400)
    assert truth.how == "long chains" and truth.rhat < 1.05 and truth.ess > 1000
    assert truth.laplace_gap < 0.15
    np.testing.assert_allclose(truth.std, truth.laplace_std, rtol=0.08)
    assert model.find_truth(draws=640, stop=lambda: True) is None
    with pytest.raises(ValueError, match="draws must be"):
        model.find_truth(draws=3)


def test_hot_dog_improves_a_poisson_coreset():
    model = SoftplusPoisson.synthetic(3000, 2, seed=0)
    model.truth = Truth(model.laplace()[0], np.sqrt(np.diag(np.linalg.inv(model.laplace()[1]))), "given")
    hot, untrained = (CoresetMCMC(model, 100, optimizer, seed=1).run(6000) for optimizer in (HotDoG(), Untrained()))
    assert hot.hot_start_iteration == untrained.hot_start_iteration
    assert untrained.z_score[-1] > 10 * hot.z_score[-1]
    assert hot.likelihood_terms > 2 * 200 * (6000 - hot.hot_start_iteration)
