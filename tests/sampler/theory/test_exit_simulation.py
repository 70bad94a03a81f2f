"""Simulated exits: records, decomposition of steps, threads; valid bounds compared with simulations."""

from dataclasses import fields

import numpy as np
import pytest
from scipy.stats import chi2

from sampler import threads as pool
from sampler.algorithms import StepTrace
from sampler.theory.block_bounds import geometric_time
from sampler.theory.decomposition import decompose
from sampler.theory.exit_bounds import exit_bounds
from sampler.theory.exit_simulation import ExitSimulation, bowl_levels, exit_limits
from sampler.theory.exit_targets import flat_target, logistic_target, quadratic_target

RNG = np.random.default_rng(5)
FEATURES = RNG.normal(size=(30, 3))
LABELS = (FEATURES[:, 0] + RNG.logistic(size=30) > 0).astype(float)
TARGETS = {
    "flat": lambda: flat_target(3),
    "quadratic": lambda: quadratic_target([1.0, 2.0, 4.0]),
    "logistic": lambda: logistic_target(FEATURES, LABELS, 2.0),
}


def make(target="flat", **changes):
    settings = dict(step_size=1e-3, steps=300, radius=1.2, start=0.3, chains=500, seed=3) | changes
    return ExitSimulation(TARGETS[target](), **settings)


@pytest.mark.parametrize(("target", "noise"), [("flat", ("sphere", 0.0)), ("quadratic", ("radial", 3.0)),
                                               ("logistic", ("sphere", 3.0)), ("logistic", ("radial", 3.0))])
def test_a_record_is_the_chain_itself(target, noise):
    run = make(target, noise=noise[0], noise_bound=noise[1], path_points=300)
    assert run.run(until=100) and run.steps_done == 100
    midway = run.displacements
    run.run()
    for chain in (0, int(np.argmax(run.exit_steps[:80] > 0))):
        record = run.record(chain)
        ends = record.before[100], record.after[-1]
        np.testing.assert_allclose((midway[chain], run.displacements[chain]), ends, rtol=1e-12)
        moved = record.before - 1e-3 * record.guess + record.noise
        np.testing.assert_allclose(record.after, moved, atol=1e-14)
        np.testing.assert_array_equal(record.before[1:], record.after[:-1])
        np.testing.assert_allclose((record.before**2).sum(1), run.paths[chain, :-1], rtol=1e-12)
        outside = np.linalg.norm(record.after, axis=1) >= 1.2
        assert run.exit_steps[chain] == (1 + np.argmax(outside) if outside.any() else 0)
        zeta = record.guess - run.target.gradient(record.before)
        np.testing.assert_allclose(np.linalg.norm(zeta, axis=1), noise[1], atol=1e-12)


def test_radial_noise_points_in_and_out():
    record = make(noise="radial", noise_bound=2.0, steps=2000).record(7)
    along = (record.guess * record.before).sum(1) / np.linalg.norm(record.before, axis=1)
    np.testing.assert_allclose(np.abs(along), 2.0, rtol=1e-9)
    assert abs((along > 0).mean() - 0.5) < 5 * 0.5 / np.sqrt(2000)


def test_one_step_against_the_chi_square_law():
    run = ExitSimulation(flat_target(4), 0.5, 1, 2.5, chains=20_000)
    run.run()
    truth = chi2.sf(2.5**2, 4)  # 2 eta = 1
    assert (run.exit_steps == 1).mean() == pytest.approx(truth, abs=5 * np.sqrt(truth * (1 - truth) / 20_000))


@pytest.mark.parametrize("target", TARGETS)
def test_threads_and_slices_change_nothing(target, monkeypatch):
    monkeypatch.setattr(pool, "LEAST_WORK", 1e-3)  # share any amount of work

    def sums(run):
        pushes = run.pushes()
        return [getattr(pushes, field.name) for field in fields(pushes)]

    setting = dict(steps=60, noise_bound=0.0 if target == "quadratic" else 3.0,
                   noise="radial" if target == "logistic" else "sphere", paths=2000)
    one = make(target, **setting, chains=2500, threads=1)  # four blocks
    one.run()
    few, more = (make(target, **setting, chains=chains) for chains in (211, 500))  # any chains per block
    few.run(), more.run()
    np.testing.assert_array_equal(more.exit_steps[:211], few.exit_steps)
    np.testing.assert_array_equal(more.free_exit_steps[:211], few.free_exit_steps)
    for threads, slices in [(2, 60), (3, 7), (5, 60)]:
        many = make(target, **setting, chains=2500, threads=threads)
        while not many.advance(slices):
            pass
        for name in ("exit_steps", "free_exit_steps", "paths", "displacements"):
            np.testing.assert_array_equal(getattr(one, name), getattr(many, name), err_msg=name)
        for a, b in zip(sums(one), sums(many), strict=True):
            np.testing.assert_array_equal(a, b)


def test_the_curved_walk_lies_between_chain_and_free_walk():
    free, curved = make("quadratic", chains=4000), make("quadratic", chains=4000, walk_curvature=1.0)
    free.run(), curved.run()
    np.testing.assert_array_equal(free.exit_steps, curved.exit_steps)
    flat = make()
    flat.run()
    np.testing.assert_array_equal(flat.exit_steps, flat.free_exit_steps)
    assert not make(walk_free=False).free_exit_steps.any()
    chain, between, loose = ((steps > 0).mean()
                             for steps in (free.exit_steps, curved.free_exit_steps, free.free_exit_steps))
    assert chain < between < loose
    # A bowl of the same curvature is its own comparison walk.
    bowl = ExitSimulation(quadratic_target(1.0, 2), 0.01, 200, 2.0, chains=300, walk_curvature=1.0)
    bowl.run()
    assert np.mean(bowl.exit_steps == bowl.free_exit_steps) > 0.99  # equal except for rounding at the boundary


def test_stop_and_progress():
    run = make(chains=5000, steps=2000)
    seen = []
    assert not run.run(progress=seen.append, stop=lambda: len(seen) == 2)
    assert len(seen) == 2 and 0 < seen[0] < seen[1] < 1
    assert run.steps_done == round(seen[1] * 2000)
    assert run.exit_steps.max() <= run.steps_done
    assert np.isnan(run.paths[:, -1]).all()
    assert run.run()
    fresh = make(chains=5000, steps=2000)
    fresh.run()
    np.testing.assert_array_equal(run.exit_steps, fresh.exit_steps)


def test_each_chain_has_its_own_start():
    begin = np.random.default_rng(0).normal(size=(500, 3)) * 0.1
    run = make(start=begin)
    np.testing.assert_allclose(run.paths[:, 0], (begin[:80] ** 2).sum(1))
    np.testing.assert_array_equal(run.record(499).before[0], begin[499])
    np.testing.assert_allclose(make(start=0.4).paths[:, 0], 0.16)


def test_runs_that_overflow_are_exits():
    run = ExitSimulation(quadratic_target(1.0, 2), 10.0, 2000, 5.0, start=1.0, chains=50)
    run.run()
    assert (run.exit_steps > 0).all()


@pytest.mark.parametrize("S", [0.0, 5.0])
@pytest.mark.parametrize("kind", TARGETS)
def test_three_sums_make_the_change(kind, S):
    target = TARGETS[kind]()
    record = ExitSimulation(target, 0.01, 2000, 50.0, start=3.0, chains=1, noise_bound=S, seed=4).record(0)
    parts = decompose(record, np.zeros(3), target.gradient)
    # A few roundings per step, relative to the largest term.
    assert parts.error < 1e-14
    total = parts.pull + parts.drift + parts.martingale
    np.testing.assert_allclose(total, parts.change, atol=1e-13)
    running = sum(parts.running(part) for part in ("pull", "drift", "martingale"))
    np.testing.assert_allclose(parts.squared_distance[0] + running, parts.squared_distance, atol=1e-11)
    assert parts.running("pull").shape == (2001,) and np.all(parts.pull <= 0.0)  # never outward
    np.testing.assert_allclose(parts.drift, 2 * 0.01 * 3 + 0.01**2 * (record.guess**2).sum(1), rtol=1e-12)
    again = decompose(record, np.zeros(3), target.gradient(record.before))
    np.testing.assert_array_equal(again.pull, parts.pull)


def test_a_moved_centre_and_separate_corrections():
    rng = np.random.default_rng(0)
    before, guess, correction = rng.normal(size=(3, 50, 2))
    noise = rng.normal(size=(50, 2)) * np.sqrt(0.2)
    trace = StepTrace(1, 0.1, before, guess, correction, noise, before - 0.1 * (guess + correction) + noise)
    centre = np.array([3.0, -1.0])
    parts = decompose(trace, centre, lambda x: 2.0 * (x - centre))
    change = ((trace.after - centre) ** 2).sum(1) - ((before - centre) ** 2).sum(1)
    # The points are not consecutive: only the sum of the parts is compared, not the recorded distances.
    np.testing.assert_allclose(parts.pull + parts.drift + parts.martingale, change, atol=1e-12)


def test_compiled_pushes_against_records():
    run = ExitSimulation(TARGETS["quadratic"](), 0.01, 400, 2.5, chains=30, noise_bound=1.0, seed=2, push_bins=6)
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


SETTINGS = 120
WORK = 3e6  # coordinate-steps per setting: a few seconds in total on one core
# Clopper-Pearson, 0.1 % on the lower side, for each setting without correction for their number. Seeds are fixed;
# bounds equal to the truth would have 120 x 0.001 expected false alarms, and real bounds are well above.
LEVEL = 0.998


def random_target(kind, rng):
    if kind == "logistic":
        dim = int(rng.integers(1, 13))
        features = rng.normal(size=(int(rng.integers(1, 40)), dim))
        labels = (features @ rng.normal(size=dim) + rng.logistic(size=len(features)) > 0).astype(float)
        return logistic_target(features, labels, np.exp(rng.uniform(-1, 1)))
    dim = int(np.exp(rng.uniform(0, np.log(101))))
    if kind == "flat":
        return flat_target(dim)
    return quadratic_target(np.exp(rng.uniform(0, rng.uniform(0, 3), size=dim)))


def random_setting(index):
    """Return setting ``index``: each F, with and without gradient noise, d 1..100, eta up to 2/L_F, n up to 3,000.

    The radius is close to the final distance of the chains, so that many of them exit.
    """
    rng = np.random.default_rng([2024, index])
    target = random_target(("flat", "quadratic", "logistic")[index % 3], rng)
    dim = target.dim
    steps = int(np.exp(rng.uniform(0, np.log(300 if target.rows.size else 3000))))
    least, largest = target.curvature(0.0)
    step_size = np.exp(rng.uniform(np.log(1e-3), np.log(1.9))) / max(largest, 1.0)
    time = float(geometric_time(steps, max((1 - step_size * least) ** 2, 1e-9)))
    variance = 2 * step_size * dim * time
    noise = 0.0
    if (index // 3) % 2:
        noise = np.sqrt(variance / steps) * np.exp(rng.uniform(-3, 1)) / step_size
        variance += (step_size * noise) ** 2 * time
    start = np.sqrt(variance) * rng.choice([0.0, rng.uniform(0, 1)])
    radius = np.sqrt(variance + start**2) * (1 + rng.uniform(0.2, 2.0) / np.sqrt(dim))
    m, L = target.curvature(radius)
    step_size = min(step_size, 2 / L) if L > 0 else step_size
    setting = dict(step_size=step_size, steps=steps, radius=radius, start=start, noise_bound=noise)
    return target, setting, m, L


def test_valid_bounds_are_never_below_the_truth():
    """Three of four settings have at least ten exits; bounds divided by five would be below the truth in thirty."""
    for index in range(SETTINGS):
        target, setting, m, L = random_setting(index)
        cost = setting["steps"] * (target.dim + 2) * (1 + len(target.rows))
        run = ExitSimulation(
            target, **setting, chains=int(np.clip(WORK / cost, 400, 6000)), seed=index, walk_free=False, paths=0,
            push_bins=0, noise=("sphere", "radial")[index // 6 % 2],
        )  # fmt: skip
        run.run()
        least = exit_limits(int((run.exit_steps > 0).sum()), run.chains, LEVEL)[0]
        bounds = exit_bounds(target.dim, **setting, smoothness=L, strong_convexity=m)
        for name in ("sharp", "local", "corrected", "rotation"):
            assert getattr(bounds, name) >= least, (index, name, bounds)


def test_levels_of_a_bowls_own_law_are_those_of_chi_square():
    away, precision = np.array([[1.0, -2.0, 0.5], [0.0, 0.0, 0.0]]), np.array([0.5, 2.0, 4.0])
    expected = chi2.cdf([0.5 + 8.0 + 1.0, 0.0], 3)
    np.testing.assert_allclose(bowl_levels(away, precision)[:, 0], expected, rtol=1e-12)
    for wrong, curvatures in ((away[0], precision), (away, precision[:2]), (away, -precision)):
        with pytest.raises(ValueError, match="must"):
            bowl_levels(wrong, curvatures)
