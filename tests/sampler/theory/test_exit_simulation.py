from dataclasses import fields

import numpy as np
import pytest
from scipy.stats import chi2

from sampler import threads as pool
from sampler.theory.exit_simulation import ExitSimulation
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
    run.run()
    for chain in (0, int(np.argmax(run.exit_steps[:80] > 0))):
        record = run.record(chain)
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
    monkeypatch.setattr(pool, "LEAST_WORK", 1e-3)  # any work is enough to share

    def sums(run):
        pushes = run.pushes()
        return [getattr(pushes, field.name) for field in fields(pushes)]

    setting = dict(steps=60, noise_bound=0.0 if target == "quadratic" else 3.0,
                   noise="radial" if target == "logistic" else "sphere", paths=2000)
    one = make(target, **setting, chains=2500, threads=1)  # four blocks
    one.run()
    few, more = (make(target, **setting, chains=chains) for chains in (211, 500))  # how many share a block does not count
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
    chain, between, loose = ((steps > 0).mean()
                             for steps in (free.exit_steps, curved.free_exit_steps, free.free_exit_steps))
    assert chain < between < loose
    # A bowl of that very curvature is its own comparison walk.
    bowl = ExitSimulation(quadratic_target(1.0, 2), 0.01, 200, 2.0, chains=300, walk_curvature=1.0)
    bowl.run()
    assert np.mean(bowl.exit_steps == bowl.free_exit_steps) > 0.99  # equal but for rounding at the line


def test_the_flat_chain_is_the_free_walk():
    run = make()
    run.run()
    np.testing.assert_array_equal(run.exit_steps, run.free_exit_steps)
    assert not make(walk_free=False).free_exit_steps.any()


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


def test_starts_given_one_by_one():
    begin = np.random.default_rng(0).normal(size=(500, 3)) * 0.1
    run = make(start=begin)
    np.testing.assert_allclose(run.paths[:, 0], (begin[:80] ** 2).sum(1))
    np.testing.assert_array_equal(run.record(499).before[0], begin[499])
    np.testing.assert_allclose(make(start=0.4).paths[:, 0], 0.16)


def test_runs_that_overflow_are_exits():
    run = ExitSimulation(quadratic_target(1.0, 2), 10.0, 2000, 5.0, start=1.0, chains=50)
    run.run()
    assert (run.exit_steps > 0).all()


def test_displacements_are_where_every_chain_stands():
    run = ExitSimulation(quadratic_target(1.0, 3), 0.01, 60, 0.5, chains=50, seed=1)
    assert run.run(until=20) and run.steps_done == 20
    assert run.displacements.shape == (50, 3)
    np.testing.assert_allclose(run.displacements[7], run.record(7).before[20], rtol=1e-12)
    run.run()
    np.testing.assert_allclose(run.displacements[7], run.record(7).after[-1], rtol=1e-12)
