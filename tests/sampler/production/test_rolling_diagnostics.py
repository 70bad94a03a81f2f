"""Draws of a narrowing posterior are compared in one unit: that of the last epoch."""

import numpy as np
import pytest

from sampler import GaussianMean, LinearRegression, LogisticRegression
from sampler.metrics.diagnostics import chain_diagnostics
from sampler.production.run_diagnostics import ModeLag, SampleWindow
from sampler.reference.modes import find_mode


def test_diagnostics_are_those_of_draws_in_the_last_epochs_units():
    rng, offset, epochs = np.random.default_rng(0), 3.0, np.arange(1, 201)
    law = rng.normal(size=(200, 8, 2))  # (epochs, chains, d)
    law -= law.mean(axis=1, keepdims=True)
    for half in (law[:100], law[100:]):  # as wide as each other: the window makes them so
        half /= half.std(axis=(0, 1))
    window = SampleWindow(200, offset)
    for t, draws in zip(epochs, law, strict=True):
        window.add(t, draws / np.sqrt(t + offset))  # a posterior as wide as 1/sqrt(t + c): from 1/2 down to 1/14
    found = window.diagnostics()
    known = chain_diagnostics(np.swapaxes(law, 0, 1) / np.sqrt(200 + offset))
    for name in ("rhat", "ess", "mcse"):
        # R-hat and ESS are of ranks, and rounding parts draws that were equal.
        np.testing.assert_allclose(getattr(found, name), getattr(known, name), rtol=1e-4)


def exact_window(rng, first: int, every: int, dim: int, extra=lambda k: 0.0) -> SampleWindow:
    """32 chains of exact draws of a Gaussian mean's posterior, N(mean of t rows, I/(2t)), every so many epochs."""
    window, t, total = SampleWindow(200), first, rng.normal(0.0, np.sqrt(0.5 * first), dim)
    for k in range(200):
        samples = total / t + extra(k) / np.sqrt(2.0 * t) + rng.normal(0.0, np.sqrt(0.5 / t), (32, dim))
        window.add(t, samples)
        total, t = total + rng.normal(0.0, np.sqrt(0.5 * every), dim), t + every
    return window


def test_chains_that_drift_together_are_seen_though_rhat_is_one():
    rng = np.random.default_rng(1)
    drifting = exact_window(rng, 5000, 10, 3, lambda k: 10.0 * k / 199)
    assert drifting.diagnostics().rhat.max() < 1.02
    # The halves' means are 5 widths apart; the posterior itself moves by sqrt(0.4/3) of one, the chains' noise is 0.25.
    assert drifting.common_drift() > 7.0


def test_exact_draws_drift_no_more_than_chance():
    # Largest of d normal scores, at most: below 3.6 but once in 1,000 at d = 3; the noise of chains is overstated.
    for first, every in ((5000, 10), (50, 100), (400, 1)):
        found = [exact_window(np.random.default_rng(seed), first, every, 3).common_drift() for seed in range(30)]
        assert max(found) < 4.2
        # Their mean square a coordinate would be 1 if a half's draws were alike; it is that of the mode's walk alone.
        assert np.mean(found) > 0.3
    single = SampleWindow(10)
    for t in range(1, 11):
        single.add(t, np.zeros((3, 2)))
    assert single.common_drift() is None


def test_lag_is_the_distance_from_the_mode_beyond_chance():
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(400, 2))
    posterior = GaussianMean(2).posterior(rows)  # N(mean, I/800)
    exact = rows.mean(axis=0) + rng.normal(size=(64, 2)) / np.sqrt(800)
    lag = ModeLag()
    lag.look(posterior, exact)
    # Chance: sqrt(2 log 4 / 64) = 0.208; a mean of 64 draws is off by 1/8 a coordinate, so 0.3 is six sd away.
    assert lag.value < 0.3
    for away in (3.0, 10.0):
        lag = ModeLag()
        lag.look(posterior, exact + away / np.sqrt(800))
        off = (exact.mean(axis=0) - rows.mean(axis=0)) * np.sqrt(800) + away
        assert abs(lag.value - (off.max() - np.sqrt(np.log(4.0) / 32))) < 1e-9
    again = ModeLag()
    again.restore(*lag.state())
    assert again.value == lag.value
    again.look(GaussianMean(2).posterior(rows[:401]), exact)  # 400 rows: less than 2 % more, nothing new
    assert again.value == lag.value
    flat = ModeLag()
    flat.look(LogisticRegression(3, prior_precision=0.0).posterior(np.eye(3)[:1], np.ones(1)), np.zeros((4, 3)))
    assert flat.value is None


def test_the_lag_the_widths_and_the_law_are_those_of_the_modes_normal_law():
    """Of two chains, one posterior width on either side of a point three widths from the mode, in correlated coordinates."""
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(200, 2)) @ [[1.0, 0.9], [0.0, 0.3]]
    posterior = LinearRegression(2).posterior(rows, rng.normal(size=200))
    mode, covariance = find_mode(posterior), np.linalg.inv(posterior.hessian(np.zeros(2)))
    lag, sd = ModeLag(), np.sqrt(np.diagonal(covariance))
    lag.look(posterior, mode + sd * np.array([[4.0], [2.0]]))
    assert (lag.widest, lag.narrowest) == pytest.approx((np.sqrt(2), np.sqrt(2)))
    assert lag.value == pytest.approx(3 - np.sqrt(2 * np.log(4) / 2))
    # 100,000 draws: a variance is known to sqrt(2/100,000) = 0.45 %.
    np.testing.assert_allclose(np.cov(lag.law(100_000).T), covariance, rtol=0.02)
