import numpy as np
import pytest

from sampler.theory.decomposition import decompose, pushes_by_distance
from sampler.theory.exit_simulation import ChainRecord, ExitSimulation
from sampler.theory.exit_targets import flat_target, logistic_target, quadratic_target

RNG = np.random.default_rng(1)
ROWS = RNG.normal(size=(25, 4))
LABELS = (ROWS[:, 0] > 0) * 1.0
TARGETS = [flat_target(4), quadratic_target([0.5, 1.0, 2.0, 8.0]), logistic_target(ROWS, LABELS)]


@pytest.mark.parametrize("S", [0.0, 5.0])
@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.name)
def test_three_sums_make_the_change(target, S):
    run = ExitSimulation(target, 0.01, 2000, 50.0, start=3.0, chains=1, noise_bound=S, seed=4)
    parts = decompose(run.record(0), np.zeros(4), target.gradient)
    # A few roundings a step, of terms no larger than the largest.
    assert parts.error < 1e-14
    total = parts.pull + parts.drift + parts.martingale
    np.testing.assert_allclose(total, parts.change, atol=1e-13)
    running = parts.running_pull + parts.running_drift + parts.running_martingale
    np.testing.assert_allclose(parts.squared_distance[0] + running, parts.squared_distance, atol=1e-11)
    assert parts.running_pull.shape == (2001,)


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.name)
def test_pull_never_points_outward_and_drift_is_2_eta_d_and_a_little(target):
    record = ExitSimulation(target, 0.01, 2000, 50.0, chains=1, noise_bound=5.0).record(0)
    parts = decompose(record, np.zeros(4), target.gradient(record.before))
    assert np.all(parts.pull <= 0.0)
    extra = 0.01**2 * (record.guess**2).sum(1)
    np.testing.assert_allclose(parts.drift, 2 * 0.01 * 4 + extra, rtol=1e-12)


def test_the_martingale_has_mean_zero():
    parts = decompose(
        ExitSimulation(TARGETS[1], 0.01, 20_000, 50.0, chains=1, noise_bound=5.0, seed=9).record(0),
        np.zeros(4),
        TARGETS[1].gradient,
    )
    error = parts.martingale.std() / np.sqrt(parts.martingale.size)
    assert abs(parts.martingale.mean()) < 5 * error
    # It would be noticed if the drift were left in: 2 eta d is many standard errors.
    assert parts.drift.mean() > 8 * error


def test_a_moved_centre_and_separate_corrections():
    rng = np.random.default_rng(0)
    before, guess, correction = rng.normal(size=(3, 50, 2))
    noise = rng.normal(size=(50, 2)) * np.sqrt(0.2)
    trace = ChainRecord(before, guess, correction, noise, before - 0.1 * (guess + correction) + noise, 0.1)
    centre = np.array([3.0, -1.0])
    parts = decompose(trace, centre, lambda x: 2.0 * (x - centre))
    change = ((trace.after - centre) ** 2).sum(1) - ((before - centre) ** 2).sum(1)
    # Not consecutive points, so only the sum of the parts is compared, not the recorded distances.
    np.testing.assert_allclose(parts.pull + parts.drift + parts.martingale, change, atol=1e-12)


def test_the_noise_pushes_the_square_alike_everywhere_and_the_distance_not():
    run = ExitSimulation(flat_target(3), 1e-3, 1000, 2.0, chains=4000, seed=2, push_bins=10)
    run.run()
    pushes = run.pushes()
    inside = np.where(run.exit_steps > 0, run.exit_steps, 1000).sum()
    assert pushes.count.sum() == inside
    # d a step over 2 eta in each bin, within five standard errors.
    assert np.all(np.abs(pushes.square - 3.0) < 5 * pushes.square_error)
    # (d - 1)/(2 ||D||) for the distance, bent within a bin: compare far from the mode.
    assert np.all(np.abs(pushes.plain - 1.0 / pushes.distance)[3:] < 5 * pushes.plain_error[3:] + 0.03)
    assert pushes.plain[0] > 4 * pushes.plain[5]


def test_compiled_pushes_against_records():
    run = ExitSimulation(TARGETS[1], 0.01, 400, 2.5, chains=30, noise_bound=1.0, seed=2, push_bins=6)
    run.run()
    before, after = [], []
    for chain, left in enumerate(run.exit_steps):
        record = run.record(chain)
        last = left or 400
        before.append((record.before - 0.01 * record.guess)[:last])
        after.append(record.after[:last])
    again = pushes_by_distance(np.concatenate(before), np.concatenate(after), 0.01, 2.5, bins=6)
    compiled = run.pushes()
    for name in ("distance", "count", "plain", "plain_error", "square", "square_error"):
        np.testing.assert_allclose(getattr(compiled, name), getattr(again, name), rtol=1e-9)


def test_bins_nobody_visited_are_nan():
    pushes = pushes_by_distance(np.full((5, 2), 0.1), np.full((5, 2), 0.2), 0.1, 1.0, bins=4)
    assert np.isnan(pushes.square[1:]).all() and pushes.count[0] == 5
    assert pushes.square[0] == pytest.approx(0.06 / 0.2)


def test_bad_input_is_refused():
    record = ExitSimulation(flat_target(2), 0.1, 5, 10.0, chains=1).record(0)
    with pytest.raises(ValueError, match="centre must"):
        decompose(record, np.zeros(3), flat_target(2).gradient)
    with pytest.raises(ValueError, match="gradient must"):
        decompose(record, np.zeros(2), np.zeros((4, 2)))
    empty = ChainRecord(*[np.zeros((0, 2))] * 5, 0.1)
    with pytest.raises(ValueError, match="trace must"):
        decompose(empty, np.zeros(2), flat_target(2).gradient)
