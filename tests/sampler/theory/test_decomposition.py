import numpy as np
import pytest

from sampler.algorithms import StepTrace
from sampler.theory.decomposition import decompose
from sampler.theory.exit_simulation import ExitSimulation
from sampler.theory.exit_targets import flat_target, logistic_target, quadratic_target

RNG = np.random.default_rng(1)
ROWS = RNG.normal(size=(25, 4))
LABELS = (ROWS[:, 0] > 0) * 1.0
TARGETS = [flat_target(4), quadratic_target([0.5, 1.0, 2.0, 8.0]), logistic_target(ROWS, LABELS)]


@pytest.mark.parametrize("S", [0.0, 5.0])
@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.name)
def test_three_sums_make_the_change(target, S):
    record = ExitSimulation(target, 0.01, 2000, 50.0, start=3.0, chains=1, noise_bound=S, seed=4).record(0)
    parts = decompose(record, np.zeros(4), target.gradient)
    # A few roundings a step, of terms no larger than the largest.
    assert parts.error < 1e-14
    total = parts.pull + parts.drift + parts.martingale
    np.testing.assert_allclose(total, parts.change, atol=1e-13)
    running = sum(parts.running(part) for part in ("pull", "drift", "martingale"))
    np.testing.assert_allclose(parts.squared_distance[0] + running, parts.squared_distance, atol=1e-11)
    assert parts.running("pull").shape == (2001,) and np.all(parts.pull <= 0.0)  # it never points outward
    np.testing.assert_allclose(parts.drift, 2 * 0.01 * 4 + 0.01**2 * (record.guess**2).sum(1), rtol=1e-12)
    again = decompose(record, np.zeros(4), target.gradient(record.before))
    np.testing.assert_array_equal(again.pull, parts.pull)


def test_a_moved_centre_and_separate_corrections():
    rng = np.random.default_rng(0)
    before, guess, correction = rng.normal(size=(3, 50, 2))
    noise = rng.normal(size=(50, 2)) * np.sqrt(0.2)
    trace = StepTrace(1, 0.1, before, guess, correction, noise, before - 0.1 * (guess + correction) + noise)
    centre = np.array([3.0, -1.0])
    parts = decompose(trace, centre, lambda x: 2.0 * (x - centre))
    change = ((trace.after - centre) ** 2).sum(1) - ((before - centre) ** 2).sum(1)
    # Not consecutive points, so only the sum of the parts is compared, not the recorded distances.
    np.testing.assert_allclose(parts.pull + parts.drift + parts.martingale, change, atol=1e-12)


def test_compiled_pushes_against_records():
    run = ExitSimulation(TARGETS[1], 0.01, 400, 2.5, chains=30, noise_bound=1.0, seed=2, push_bins=6)
    run.run()
    before, after = [], []
    for chain, left in enumerate(run.exit_steps):
        record = run.record(chain)
        last = left or 400
        before.append((record.before - 0.01 * record.guess)[:last])
        after.append(record.after[:last])
    first, last = (np.linalg.norm(np.concatenate(points), axis=1) for points in (before, after))
    compiled = run.pushes()
    np.testing.assert_allclose(compiled.distance, (np.arange(6) + 0.5) * 2.5 / 6)
    for i in range(6):
        inside = (first * 6 / 2.5).astype(int) == i
        assert compiled.count[i] == inside.sum()
        for name, moved in (("plain", last - first), ("square", last**2 - first**2)):
            part = moved[inside] / (2 * 0.01)
            np.testing.assert_allclose(getattr(compiled, name)[i], part.mean(), rtol=1e-9)
            np.testing.assert_allclose(getattr(compiled, f"{name}_error")[i], part.std() / np.sqrt(part.size - 1), rtol=1e-9)
