"""Certificate of one epoch by hand and against exact laws; LMV's constants measured on a stream."""

import math

import numpy as np
import pytest

from sampler import GaussianMean, GradientOracle, LinearRegression, LogisticRegression, PoissonRegression
from sampler.theory import posterior_smoothness
from sampler.theory.assumptions import AssumptionMeter, concentration_constant
from sampler.theory.epoch_certificate import coupling_distance, epoch_certificate

GOOD = dict(dim=2, step_size=0.01, i_max=1000, wasserstein=1.0, variance=3.0, smoothness=1.0, exit_probability=0.02)


def test_the_terms_of_the_promise_by_hand():
    certificate = epoch_certificate(**GOOD)
    assert certificate.start == pytest.approx(1.0 / 20)
    assert certificate.step == pytest.approx(0.02)
    assert certificate.noise == pytest.approx(0.01 * 3.0 * 1.01 / 2)
    assert certificate.value == pytest.approx(0.02 + math.sqrt((0.05 + 0.02 + 0.01515) / 2))
    assert certificate.divergence == certificate.start + certificate.step + certificate.noise
    assert certificate.words == "" and certificate.conditions == ()


@pytest.mark.parametrize("variance", [0.0, 2.0, 50.0])
def test_it_is_lemma_6_4_or_better(variance):
    """Equations 40 and 41 with equality give KL <= eps in both."""
    d, L, W, eps = 3, 1.7, 0.8, 0.05
    eta = eps / (2 * (L * d + variance))
    n = math.ceil(W**2 / (eta * eps))
    certificate = epoch_certificate(d, eta, n, W, variance, L, 0.0)
    assert certificate.lemma == pytest.approx(math.sqrt(eps / 2), rel=1e-6)
    assert certificate.value <= certificate.lemma
    assert certificate.divergence <= eps * (1 + 1e-9)
    assert certificate.start == pytest.approx(eps / 2, rel=1e-3)
    assert certificate.step + eta * variance == pytest.approx(eps / 2)


@pytest.mark.parametrize(("eta", "kick", "begin"), [
    (0.05, 0.0, 3.0), (0.05, 2.0, 0.0), (0.5, 0.0, 0.0), (0.5, 2.0, 3.0), (1.0, 0.0, 3.0), (1.0, 2.0, 0.0)])
def test_total_variation_of_a_weakly_convex_law_on_a_grid(eta, kick, begin):
    """F = sqrt(1 + x^2), L = 1, no curvature far out; zeta = +-kick with probability 1/2. Laws of all steps on a grid."""
    x = np.linspace(-15, 15, 751)
    h = x[1] - x[0]
    pi = np.exp(-np.sqrt(1 + x**2))
    pi /= pi.sum()
    push = x / np.sqrt(1 + x**2)
    kernel = 0.5 * sum(np.exp(-((x[None, :] - x[:, None] + eta * (push[:, None] + z)) ** 2) / (4 * eta))
                       for z in (kick, -kick))
    kernel /= kernel.sum(axis=1, keepdims=True)
    law, mean, n = np.zeros(x.size), np.zeros(x.size), 120
    law[np.abs(x - begin).argmin()] = 1.0
    wasserstein = math.sqrt((pi * (x - begin) ** 2).sum())  # exact for a point mass
    for i in range(1, n + 1):
        law = law @ kernel
        mean += (law - mean) / i
        certificate = epoch_certificate(1, eta, i, wasserstein, kick**2, 1.0, 0.0)
        # A grid of width 0.04 changes a law by less than h^2 / (4 eta) in total variation.
        assert 0.5 * np.abs(mean - pi).sum() <= certificate.value + h**2 / eta
    assert certificate.value < 1.0 or eta * kick**2 >= 2.0


def test_measured_and_certified_quantities_are_separate():
    result = epoch_certificate(**GOOD, measured=("variance", "wasserstein"))
    assert result.measured == ("wasserstein", "variance") and result.certified == ("smoothness", "exit_probability")
    with pytest.raises(ValueError, match="measured must be one of"):
        epoch_certificate(**GOOD, measured=("noise",))


@pytest.mark.parametrize(("change", "words"), [
    (dict(smoothness=None), "smoothness is not known"),
    (dict(smoothness=math.inf), "smoothness is not known"),
    (dict(wasserstein=None), "wasserstein is not known"),
    (dict(variance=None), "variance is not known"),
    (dict(exit_probability=None), "exit_probability is not known"),
    (dict(smoothness=101.0), "above 1/L"),
    (dict(random_length=False), "random step"),
])
def test_nothing_is_claimed_on_a_missing_argument(change, words):
    certificate = epoch_certificate(**(GOOD | change))
    assert certificate.value == certificate.lemma == 1.0
    assert words in certificate.conditions[0] and certificate.words == certificate.conditions[0]
    assert "not known" not in words or not set(change) & {*certificate.measured, *certificate.certified}


@pytest.mark.parametrize(("change", "words"), [
    (dict(wasserstein=10.0), "the start"), (dict(smoothness=100.0), "the step size"),
    (dict(variance=1e4), "noise"), (dict(exit_probability=1.0), "the exit probability")])
def test_a_trivial_certificate_has_its_reason(change, words):
    certificate = epoch_certificate(**(GOOD | change))
    assert certificate.value == 1.0 and words in certificate.words and certificate.conditions == ()


def test_the_coupling_is_never_nearer_than_the_best_one():
    from sampler.metrics.distances import gaussian_wasserstein

    rng = np.random.default_rng(0)
    start = rng.normal(size=(500, 3)) * [1, 2, 3] + [1, 0, 0]
    mean, covariance = np.zeros(3), np.diag([1.0, 4.0, 0.5])
    distance = coupling_distance(start, mean, covariance)
    assert distance >= gaussian_wasserstein(start.mean(axis=0), np.cov(start, rowvar=False), mean, covariance)
    assert coupling_distance(np.ones((1, 3)), mean, covariance) == pytest.approx(math.sqrt(3 + 5.5))


def test_smoothness_is_the_largest_row():
    meter = AssumptionMeter(0.25)
    for norm in (1.0, 2.0, 0.5):
        meter.add(norm, np.zeros(2))
    assert meter.smoothness == pytest.approx(1.0)
    assert AssumptionMeter(np.inf).smoothness == 0
    poisson = AssumptionMeter(np.inf)
    poisson.add(1.0, np.zeros(1))
    assert poisson.smoothness == np.inf


def test_concentration_of_a_gaussian():
    # sqrt(t + c) sqrt(tr I/(2t)): sqrt(d/2) for large t.
    constant = concentration_constant(10_000, 1.0, np.eye(2) / 20_000, [1.0, 2.0], [1.0, 2.0])
    assert constant == pytest.approx(1.0, rel=1e-4)
    moved = concentration_constant(10_000, 0.0, np.eye(2) / 20_000, [1.0, 2.0], [1.01, 2.0])
    assert moved == pytest.approx(np.sqrt(2))


@pytest.mark.parametrize("offset", [0.0, 2.0, 50.0])
def test_drift_and_the_largest_are_those_of_every_epoch(offset):
    rng = np.random.default_rng(1)
    modes, epochs = np.cumsum(rng.normal(size=(400, 2)) / np.arange(1, 401)[:, None], axis=0), np.arange(1, 401)
    meter = AssumptionMeter(0.25, offset=2.0)

    def drift(t, offset):
        last = (epochs[:t] >= t / 2) & (epochs[:t] < t)
        return (np.linalg.norm(modes[:t][last] - modes[t - 1], axis=1) * np.sqrt(epochs[:t][last] + offset)).max()

    for t, mode in enumerate(modes, start=1):
        meter.add(1.0, mode)
        if t in (2, 3, 10, 200, 400):
            assert meter.drift <= drift(t, 2.0) * (1 + 1e-12)
            assert meter.drift == pytest.approx(drift(t, 2.0), rel=1e-12 if t <= 256 else 0.08)
    meter.offset = offset  # a new offset also applies to past epochs
    largest = max(drift(t, offset) for t in range(2, 401))
    assert meter.largest_drift <= largest * (1 + 1e-12)
    # All epochs up to 256 are stored, later ones to a relative 1/256; another offset may select another pair of the
    # same epoch.
    assert meter.largest_drift == pytest.approx(largest, rel=0.03 if offset == 2.0 else 0.25)
    constants = meter.constants(np.eye(2), modes[-1], modes[-1])
    assert constants.t == 400 and constants.drift == meter.largest_drift >= meter.drift


def test_the_largest_drift_outlives_a_mode_that_has_settled():
    meter = AssumptionMeter(0.25)
    for t in range(1, 3000):
        meter.add(1.0, [0.0 if t < 100 else 1.0])
    assert meter.drift == 0.0
    assert meter.largest_drift == pytest.approx(np.sqrt(99.0))  # from epoch 99 to 100, and on to 198


def test_smoothness_of_a_posterior_by_hand():
    assert posterior_smoothness(GaussianMean(3).posterior(np.zeros((7, 3)))) == 14.0
    rows = np.array([[2.0, 0.0], [0.0, 1.0], [2.0, 0.0]])
    assert posterior_smoothness(LogisticRegression(2, [1.0, 3.0]).posterior(rows, [0, 1, 0])) == pytest.approx(3.25)
    assert posterior_smoothness(LinearRegression(2, 0.5, noise_std=0.5).posterior(rows, [0, 1, 0])) == pytest.approx(32.5)


def test_in_a_metric_it_is_that_of_the_whitened_coordinates():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(30, 3))
    posterior = LinearRegression(3, 0.5).posterior(rows, rng.normal(size=30))
    metrics = np.array([posterior.hessian(np.zeros(3)), np.eye(3), np.diag([1.0, 2.0, 9.0])])
    white = np.linalg.inv(np.linalg.cholesky(metrics))
    largest = [np.linalg.eigvalsh(C @ posterior.hessian(np.zeros(3)) @ C.T)[-1] for C in white]
    assert largest[0] == pytest.approx(1.0)
    for metric, value in zip(metrics, largest, strict=True):
        assert posterior_smoothness(posterior, metric) == pytest.approx(value)
    assert posterior_smoothness(posterior, metrics) == pytest.approx(max(largest))


def test_a_posterior_without_smoothness_is_infinite_or_none():
    assert posterior_smoothness(PoissonRegression(1).posterior([[1.0]], [2])) == np.inf
    assert posterior_smoothness(GradientOracle(lambda indices, theta: np.zeros((len(indices), 1)), 1).posterior(3)) is None
