"""Prequential scores, calibration, drift alarm, diagnostics of chains, lag from the mode, gates."""

import numpy as np
import pytest
from scipy import stats

from sampler import GaussianMean, LinearRegression, LogisticRegression, PoissonRegression
from sampler.metrics.diagnostics import chain_diagnostics
from sampler.production import DriftAlarm, Gates
from sampler.production.drift_alarm import gains
from sampler.production.gates import failed
from sampler.production.prequential import class_reliability, level_reliability, log_scores, predictive_levels
from sampler.production.run_diagnostics import ModeLag, SampleWindow, next_look
from sampler.production.run_monitor import Watch
from sampler.reference.mode_tracker import find_mode


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return rng.normal(size=(7, 2)), rng.normal(size=(11, 2)), rng


def test_scores_are_log_means_of_the_models_densities(data):
    x, theta, rng = data
    z = x @ theta.T
    y = (rng.random(7) < 0.5).astype(float)
    p = 1 / (1 + np.exp(-z))
    np.testing.assert_allclose(log_scores(LogisticRegression(2), x, y, theta),
                               np.log(np.where(y[:, None] > 0, p, 1 - p).mean(axis=1)))
    counts = rng.poisson(2.0, 7)
    np.testing.assert_allclose(log_scores(PoissonRegression(2), x, counts, theta),
                               np.log(stats.poisson.pmf(counts[:, None], np.exp(z)).mean(axis=1)))
    real = rng.normal(size=7)
    np.testing.assert_allclose(log_scores(LinearRegression(2, noise_std=0.7), x, real, theta),
                               np.log(stats.norm.pdf(real[:, None], z, 0.7).mean(axis=1)))
    means = [np.mean([stats.multivariate_normal.pdf(row, t, 0.5 * np.eye(2)) for t in theta]) for row in x]
    np.testing.assert_allclose(log_scores(GaussianMean(2), x, None, theta), np.log(means))


def test_levels_are_predictive_probabilities(data):
    x, theta, rng = data
    z = x @ theta.T
    counts = rng.poisson(2.0, 7)
    levels = predictive_levels(PoissonRegression(2), x, counts, theta)
    assert levels.shape == (7, 1, 2)
    for side, upto in ((0, counts - 1), (1, counts)):
        np.testing.assert_allclose(levels[:, 0, side], stats.poisson.cdf(upto[:, None], np.exp(z)).mean(axis=1), atol=1e-12)
    levels = predictive_levels(LogisticRegression(2), x, np.ones(7), theta)
    np.testing.assert_allclose(levels, np.tile((1 / (1 + np.exp(-z))).mean(axis=1)[:, None, None], (1, 1, 2)))
    levels = predictive_levels(GaussianMean(2), x, None, theta)  # per coordinate: N(theta_i, 1/2)
    expected = stats.norm.cdf((x[:, None] - theta[None]) * np.sqrt(2)).mean(axis=1)
    np.testing.assert_allclose(levels, np.repeat(expected[..., None], 2, axis=2))


def test_over_and_underconfident_forecasts_are_not_calibrated():
    rng = np.random.default_rng(1)
    p, levels = rng.uniform(0.05, 0.95, 20_000), np.repeat(rng.random((20_000, 1, 1)), 2, axis=2)
    y = (rng.random(20_000) < p).astype(float)
    assert class_reliability(np.where(p > 0.5, 0.99, 0.01), y).error > 0.2
    assert level_reliability(0.5 + 0.2 * (levels - 0.5)).error > 0.1


@pytest.mark.parametrize(("problem", "truth", "draw"), [
    *((GaussianMean(d), 0.3, lambda rng, n, d=d: rng.normal(0.3, np.sqrt(0.5), (n, d))) for d in (2, 5, 20)),
    *((PoissonRegression(1), np.log(rate), lambda rng, n, rate=rate: rng.poisson(rate, n)) for rate in (0.1, 0.5, 1.0)),
    (LinearRegression(1, noise_std=0.7), 0.3, lambda rng, n: rng.normal(0.3, 0.7, n)),
    (LogisticRegression(1), 0.3, lambda rng, n: (rng.random(n) < 1 / (1 + np.exp(-0.3))).astype(float)),
])
def test_the_true_model_of_any_kind_is_calibrated(problem, truth, draw):
    # One sample at the truth (for counts the log rate). The Kolmogorov distance of n data from their law exceeds
    # 1.95/sqrt(n) with probability 1e-3, with or without jumps; the error is a mean of gaps. Averages over coordinates had
    # errors of 0.090, 0.157, 0.209 here, halves of jumps 0.226, 0.126, 0.084.
    rng, n = np.random.default_rng(12), 20_000
    data = draw(rng, n)
    rows = (data, None) if problem.kind == "gaussian_mean" else (np.ones((n, 1)), data)
    levels = predictive_levels(problem, *rows, np.full((1, problem.dim), truth))
    if problem.kind == "logistic":
        reliability = class_reliability(levels[:, 0, 0], data)
    else:
        reliability = level_reliability(levels)
    assert reliability.error < 1.95 / np.sqrt(n)
    assert reliability.error < 4 * reliability.noise


def test_the_noise_is_the_error_of_a_calibrated_model():
    rng = np.random.default_rng(13)
    kinds = {
        "levels": lambda: level_reliability(np.repeat(rng.random((500, 3, 1)), 2, axis=2)),
        "counts": lambda: (lambda y: level_reliability(np.stack([stats.poisson.cdf(y - 1, 0.5), stats.poisson.cdf(y, 0.5)],
                                                                axis=-1)[:, None]))(rng.poisson(0.5, 500)),
        "classes": lambda: (lambda p: class_reliability(p, (rng.random(500) < p).astype(float)))(rng.random(500)),
    }
    for name, make in kinds.items():
        reliabilities = [make() for _ in range(100)]
        errors = [each.error for each in reliabilities]
        # The mean of 100 errors has a standard error of a tenth of their sd; the normal law of a gap is accurate to 5 %.
        noise = 4 * np.std(errors) / np.sqrt(100) + 0.05 * np.mean(errors)
        assert np.mean([each.noise for each in reliabilities]) == pytest.approx(np.mean(errors), abs=noise), name


def rare_class(rng, n, share):
    return np.log(np.where(rng.random(n) < share, share, 1 - share))


UNCHANGING = {
    "a class of 0.2 %": lambda rng, n: rare_class(rng, n, 0.002),
    "no mean": lambda rng, n: rng.standard_cauchy(n),
    "always the same": lambda rng, n: np.full(n, -1.0),
    "counts": lambda rng, n: np.log(0.1) * rng.poisson(0.1, n) - 0.1,
}


def test_bets_are_fair_and_the_capital_is_a_martingale():
    at = (np.arange(40_000) + 0.5) / 40_000
    fair = np.mean([np.exp(gains(p)) for p in at], axis=0)
    # The midpoint rule on p^(k-1), k >= 0.6, is low by about 0.6 (1/40000)^0.6 = 1e-3; on steps by at most 1e-3.
    np.testing.assert_allclose(fair, 1.0, atol=2.5e-3)
    # Conditional on the past, the mean capital after the next p-value is the current one; 2,000 midpoints: error 8e-3.
    rng, alarm = np.random.default_rng(5), DriftAlarm(false_alarm=1e-12)
    for past in (0, 30):
        for p in 1.0 - rng.random(past):
            alarm._n += 1
            alarm._bet(p)
        before, kept, after = alarm.log_capital, alarm.state(), []
        for p in (np.arange(2000) + 0.5) / 2000:
            alarm.restore(kept)
            alarm._n += 1
            alarm._bet(p)
            after.append(alarm.log_capital)
        assert np.mean(np.exp(after)) == pytest.approx(np.exp(before), rel=9e-3)
        assert np.std(after) > 0.01
        alarm.restore(kept)


def test_p_values_are_independent_and_uniform_whatever_the_law():
    rng = np.random.default_rng(6)
    for law in UNCHANGING.values():
        alarm, p_values = DriftAlarm(), []
        alarm._bet = p_values.append
        alarm.add(law(rng, 4200))
        p = np.array(p_values)
        assert stats.kstest(p, "uniform").pvalue > 1e-3
        # Four sd of the correlation of 4,000 independent pairs: 4/sqrt(4000) = 0.063.
        assert abs(np.corrcoef(p[1:], p[:-1])[0, 1]) < 0.063


def test_the_alarm_detects_a_change_soon_and_estimates_its_beginning():
    rng = np.random.default_rng(3)
    for fall, latest, off in ((1.0, 150, 20), (0.5, 450, 100)):
        scores = rng.normal(-0.5, 1.0, 6000)
        scores[4000:] -= fall
        alarm = DriftAlarm()
        alarm.add(scores)
        # The capital must grow by log(1000 * 20 * 4000 * 9.3^2) = 22.6. A score one sd (half a sd) worse adds up to 0.43
        # (0.11) per datum after blurring: 52 (205) data, doubled as a margin.
        first = alarm.drifts[0]
        assert 4000 < first.at <= 4000 + latest and abs(first.since - 4001) <= off


def test_the_alarm_ignores_a_stream_whose_predictions_improve():
    scores = np.random.default_rng(7).normal(size=5000) - 3.0 / np.sqrt(np.arange(1, 5001))
    alarm = DriftAlarm()
    alarm.add(scores)
    assert not alarm.drifts and alarm.log_capital < 0.0


@pytest.mark.parametrize(("times", "seconds"), [
    ([], 0.0), ([(100, 0.2), (100, 30.0)], 0.002), ([(100, 30.0), (100, 0.2), (39, 0.117)], 0.003),
    ([(100, 30.0)] * 2 + [(100, 0.2)], 0.3),
], ids=["none", "a stall", "compiled in the first block", "slow"])
def test_a_stalled_block_does_not_count_as_slow(times, seconds):
    watch = Watch(LogisticRegression(2), Gates(), 4, 1.0)
    watch._times.extend(times)
    assert watch.seconds_per_epoch == pytest.approx(seconds)


@pytest.mark.parametrize(("gate", "limit", "bad"), [
    ("max_width", 1.25, 1.4), ("min_width", 0.8, 0.7), ("max_score_loss", 0.01, 0.02),
    ("max_rhat", 1.05, 1.2), ("max_lag", 1.0, 1.5), ("max_common_drift", 8.0, 20.0), ("min_predictive_score", -0.6, -0.7),
    ("max_reset_rate", 0.1, 0.2), ("max_seconds_per_epoch", 0.05, 0.1), ("drift", True, None),
])
def test_each_gate_passes_fails_and_names_itself(gate, limit, bad):
    gates, drift = Gates(**{gate: limit}), 900 if gate == "drift" else None
    assert failed(gates, 1000, {gate: limit}, None) is None  # a value at the limit passes
    failure = failed(gates, 1000, {gate: bad}, drift)
    assert failure.gate == gate and gate in failure.words and "1,000" in failure.words
    assert failed(gates, gates.warm_up, {gate: bad}, drift).gate == gate
    assert failed(gates, gates.warm_up - 1, {gate: bad}, drift) is None
    assert failed(Gates(), 1000, {gate: bad}, drift) is None


@pytest.mark.parametrize(("values", "words"), [
    ({"max_rhat": 0.5}, "gates.max_rhat must be a number in \\[1, inf\\], got 0.5"),
    ({"max_reset_rate": "x"}, "max_reset_rate"), ({"drift": 1}, "gates.drift must be true or false"),
    ({"note": 5}, "gates.note must be text, got 5"),
    ({"warm_up": -1}, "warm_up"), ({"max_rhat": float("nan")}, "max_rhat"), ({"max_rhut": 1.1}, "no gate 'max_rhut'"),
])
def test_invalid_gates_are_rejected(values, words):
    with pytest.raises(ValueError, match=words):
        Gates.from_dict(values)


def test_a_look_at_the_checkpoint_is_made_after_it():
    """Row 33 is predicted by the current chains in a resumed run as in an uninterrupted one."""
    rng, problem = np.random.default_rng(0), GaussianMean(2)
    rows, first, later = rng.normal(size=(33, 2)), *rng.normal(size=(2, 4, 2))
    whole, again, earlier = (Watch(problem, Gates(), 4, 0.0) for _ in range(3))
    whole.predict(rows[:32], None, first)
    plain, arrays = whole.state()
    again.restore(plain, arrays)
    earlier.restore({name: value for name, value in plain.items() if name != "due"}, arrays)  # of an earlier release
    expected, *others = (watch.predict(rows[32:], None, later) for watch in (whole, again, earlier))
    assert next_look(31) == 32 and others == [expected, expected]


def test_the_worst_of_a_run_is_its_widest_and_its_narrowest_look():
    watch = Watch(GaussianMean(2), Gates(), 4, 0.0)
    for wide, narrow in ((1.1, 0.9), (1.3, 0.7), (1.2, 0.8)):
        watch.lag.widest, watch.lag.narrowest = wide, narrow
        watch.judge(1000)
    assert (watch.worst["max_width"], watch.worst["min_width"]) == (1.3, 0.7)


def test_diagnostics_are_those_of_draws_in_the_last_epochs_units():
    rng, offset, epochs = np.random.default_rng(0), 3.0, np.arange(1, 201)
    law = rng.normal(size=(200, 8, 2))  # (epochs, chains, d)
    law -= law.mean(axis=1, keepdims=True)
    for half in (law[:100], law[100:]):  # normalised, as the window does
        half /= half.std(axis=(0, 1))
    window = SampleWindow(200, offset)
    for t, draws in zip(epochs, law, strict=True):
        window.add(t, draws / np.sqrt(t + offset))  # a posterior of width 1/sqrt(t + c): from 1/2 to 1/14
    computed = window.diagnostics()
    expected = chain_diagnostics(np.swapaxes(law, 0, 1) / np.sqrt(200 + offset))
    for name in ("rhat", "ess", "mcse"):
        # R-hat and ESS use ranks, and rounding breaks ties.
        np.testing.assert_allclose(getattr(computed, name), getattr(expected, name), rtol=1e-4)


def exact_window(rng, first: int, every: int, dim: int, extra=lambda k: 0.0) -> SampleWindow:
    """Return a window of 32 chains of exact draws, N(mean of t rows, I/(2t)), one every ``every`` epochs."""
    window, t, total = SampleWindow(200), first, rng.normal(0.0, np.sqrt(0.5 * first), dim)
    for k in range(200):
        samples = total / t + extra(k) / np.sqrt(2.0 * t) + rng.normal(0.0, np.sqrt(0.5 / t), (32, dim))
        window.add(t, samples)
        total, t = total + rng.normal(0.0, np.sqrt(0.5 * every), dim), t + every
    return window


def test_common_drift_is_detected_although_rhat_is_one():
    rng = np.random.default_rng(1)
    drifting = exact_window(rng, 5000, 10, 3, lambda k: 10.0 * k / 199)
    assert drifting.diagnostics().rhat.max() < 1.02
    # The means of the halves differ by 5 widths; the posterior moves by sqrt(0.4/3), the noise of the chains is 0.25.
    assert drifting.common_drift() > 7.0


def test_exact_draws_drift_no_more_than_chance():
    # At most the largest of d normal scores: above 3.6 with probability 1e-3 at d = 3; the noise of chains is overstated.
    for first, every in ((5000, 10), (50, 100), (400, 1)):
        drifts = [exact_window(np.random.default_rng(seed), first, every, 3).common_drift() for seed in range(30)]
        assert max(drifts) < 4.2
        # The mean square per coordinate would be 1 for equal draws within a half; it is that of the mode's walk alone.
        assert np.mean(drifts) > 0.3
    single = SampleWindow(10)
    for t in range(1, 11):
        single.add(t, np.zeros((3, 2)))
    assert single.common_drift() is None


def test_few_new_rows_give_no_look_and_a_missing_mode_no_lag():
    rng, lag, flat = np.random.default_rng(2), ModeLag(), ModeLag()
    rows = rng.normal(size=(401, 2))
    lag.look(GaussianMean(2).posterior(rows[:400]), rng.normal(size=(64, 2)))
    before = lag.value
    lag.look(GaussianMean(2).posterior(rows), np.zeros((64, 2)))  # less than 2 % more
    assert lag.value == before > 0
    flat.look(LogisticRegression(3, prior_precision=0.0).posterior(np.eye(3)[:1], np.ones(1)), np.zeros((4, 3)))
    assert flat.value is None


def test_the_lag_the_widths_and_the_law_are_those_of_the_modes_normal_law():
    """Two chains, one posterior width on each side of a point three widths from the mode, in correlated coordinates."""
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(200, 2)) @ [[1.0, 0.9], [0.0, 0.3]]
    posterior = LinearRegression(2).posterior(rows, rng.normal(size=200))
    mode, covariance = find_mode(posterior), np.linalg.inv(posterior.hessian(np.zeros(2)))
    lag, sd = ModeLag(), np.sqrt(np.diagonal(covariance))
    lag.look(posterior, mode + sd * np.array([[4.0], [2.0]]))
    assert (lag.widest, lag.narrowest) == pytest.approx((np.sqrt(2), np.sqrt(2)))
    assert lag.value == pytest.approx(3 - np.sqrt(2 * np.log(4) / 2))
    # 100,000 draws: the relative error of a variance is sqrt(2/100,000) = 0.45 %.
    np.testing.assert_allclose(np.cov(lag.law(100_000).T), covariance, rtol=0.02)
