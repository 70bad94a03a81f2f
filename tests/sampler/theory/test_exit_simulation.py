from dataclasses import fields

import numpy as np
import pytest
from scipy.stats import chi2

from sampler import chain_blocks
from sampler.theory.exit_simulation import ExitSimulation
from sampler.theory.exit_targets import flat_target, logistic_target, quadratic_target
from sampler.theory.survival_curve import exit_limits, survival_curve

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


@pytest.mark.parametrize("noise", [("sphere", 0.0), ("sphere", 3.0), ("radial", 3.0)])
@pytest.mark.parametrize("target", TARGETS)
def test_slices_and_neighbours_change_nothing(target, noise):
    whole = make(target, noise=noise[0], noise_bound=noise[1])
    sliced = make(target, noise=noise[0], noise_bound=noise[1], chains=211)
    assert whole.run()
    while not sliced.advance(37):
        pass
    np.testing.assert_array_equal(whole.exit_steps[:211], sliced.exit_steps)
    np.testing.assert_array_equal(whole.free_exit_steps[:211], sliced.free_exit_steps)
    np.testing.assert_array_equal(whole.paths, sliced.paths)
    assert 0 < (whole.exit_steps > 0).sum()


@pytest.mark.parametrize("noise", [("sphere", 0.0), ("sphere", 3.0), ("radial", 3.0)])
@pytest.mark.parametrize("target", TARGETS)
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


def test_the_bowl_spreads_as_its_stationary_law():
    curvature = np.array([1.0, 5.0])
    target = quadratic_target(curvature)
    run = ExitSimulation(target, 0.05, 200, 100.0, chains=2000, paths=2000, path_points=2)
    run.run()
    # ULA: variance (1/m) / (1 - eta m / 2) a coordinate; ||D||^2 has variance 2 sum v^2.
    v = 1 / curvature / (1 - 0.05 * curvature / 2)
    assert run.paths[:, -1].mean() == pytest.approx(v.sum(), abs=5 * np.sqrt(2 * (v**2).sum() / 2000))


@pytest.mark.parametrize("target", TARGETS)
def test_threads_and_slices_change_nothing(target, monkeypatch):
    monkeypatch.setattr(chain_blocks, "LEAST_WORK", 1e-3)  # any work is enough to share

    def sums(run):
        pushes = run.pushes()
        return [getattr(pushes, field.name) for field in fields(pushes)]

    one = make(target, steps=60, chains=2500, noise_bound=3.0, threads=1, paths=2000)  # four blocks
    one.run()
    for threads, slices in [(2, 60), (3, 7), (5, 60)]:
        many = make(target, steps=60, chains=2500, noise_bound=3.0, threads=threads, paths=2000)
        while not many.advance(slices):
            pass
        for name in ("exit_steps", "free_exit_steps", "paths", "displacements"):
            np.testing.assert_array_equal(getattr(one, name), getattr(many, name), err_msg=name)
        for a, b in zip(sums(one), sums(many), strict=True):
            np.testing.assert_array_equal(a, b)


def test_a_pull_only_helps():
    run = make("quadratic", radius=1.0, chains=4000)
    run.run()
    pulled, free = (run.exit_steps > 0).mean(), (run.free_exit_steps > 0).mean()
    assert pulled + 5 * np.sqrt(0.25 / 4000) < free


def test_the_curved_walk_lies_between_chain_and_free_walk():
    free, curved = make("quadratic", chains=4000), make("quadratic", chains=4000, walk_curvature=1.0)
    free.run(), curved.run()
    np.testing.assert_array_equal(free.exit_steps, curved.exit_steps)
    chain, between, loose = (
        (steps > 0).mean() for steps in (free.exit_steps, curved.free_exit_steps, free.free_exit_steps)
    )
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
    run = make(chains=20_000, steps=2000)
    seen = []
    assert not run.run(progress=seen.append, stop=lambda: len(seen) == 2)
    assert len(seen) == 2 and 0 < seen[0] < seen[1] < 1
    assert run.steps_done == round(seen[1] * 2000)
    assert run.exit_steps.max() <= run.steps_done
    assert np.isnan(run.paths[:, -1]).all()
    assert run.run()
    fresh = make(chains=20_000, steps=2000)
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


def test_survival_curve():
    exits = np.array([0, 3, 3, 7, 0, 0, 0, 0, 0, 10])
    curve = survival_curve(exits, [0, 3, 6, 10], level=0.9)
    np.testing.assert_allclose(curve.share, [1.0, 0.8, 0.8, 0.6])
    assert np.all((curve.low <= curve.share) & (curve.share <= curve.high))
    assert curve.high[0] == 1.0


def test_exit_limits_cover_as_they_say():
    low, high = exit_limits(np.array([0, 5, 100]), 100, 0.95)
    assert low[0] == 0.0 and high[2] == 1.0
    assert high[0] == pytest.approx(1 - 0.025 ** (1 / 100))
    assert low[1] == pytest.approx(0.01643, abs=1e-5) and high[1] == pytest.approx(0.11283, abs=1e-5)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("step_size", 0.0),
        ("steps", 0),
        ("radius", -1.0),
        ("start", 1.2),
        ("start", -0.1),
        ("start", np.zeros((3, 3))),
        ("start", np.full((500, 3), np.nan)),
        ("chains", 0),
        ("noise_bound", -1.0),
        ("noise", "pink"),
        ("seed", -1),
        ("threads", 0),
    ],
)
def test_bad_input_is_refused_by_name(name, value):
    with pytest.raises(ValueError, match=f"{name} must"):
        make(**{name: value})


def test_a_chain_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="chain must"):
        make().record(500)


def test_curvature_of_the_logistic_target_is_certified():
    target = TARGETS["logistic"]()
    np.testing.assert_allclose(target.gradient(np.zeros(3)), 0.0, atol=1e-12)
    m, L = target.curvature(1.5)
    rng, h = np.random.default_rng(2), 1e-5
    for _ in range(50):
        D = rng.normal(size=3)
        D *= 1.5 * rng.uniform() / np.linalg.norm(D)
        steps = np.concatenate([D + h * np.eye(3), D - h * np.eye(3)])
        slopes = target.gradient(steps)
        values = np.linalg.eigvalsh((slopes[:3] - slopes[3:]) / (2 * h))
        assert m - 1e-6 <= values[0] and values[-1] <= L + 1e-6
    assert m < values[0] and values[-1] < L


@pytest.mark.parametrize("curvature", [-1.0, [np.nan], [[1.0]]])
def test_bad_curvatures_are_refused(curvature):
    with pytest.raises(ValueError, match="curvature must be"):
        quadratic_target(curvature)


def test_no_dimension_is_refused():
    with pytest.raises(ValueError, match="dim must be"):
        flat_target(0)


def test_bad_rows_are_refused():
    with pytest.raises(ValueError, match="labels must"):
        logistic_target(FEATURES, LABELS + 3)
    with pytest.raises(ValueError, match="features must"):
        logistic_target(FEATURES[:, 0], LABELS)
    with pytest.raises(ValueError, match="prior_precision must"):
        logistic_target(FEATURES, LABELS, 0.0)


def test_displacements_are_where_every_chain_stands():
    run = ExitSimulation(quadratic_target(1.0, 3), 0.01, 60, 0.5, chains=50, seed=1)
    assert run.run(until=20) and run.steps_done == 20
    assert run.displacements.shape == (50, 3)
    np.testing.assert_allclose(run.displacements[7], run.record(7).before[20], rtol=1e-12)
    run.run()
    np.testing.assert_allclose(run.displacements[7], run.record(7).after[-1], rtol=1e-12)


def test_smoothness_holds_on_all_of_space():
    rows = np.array([[1.0, 2.0], [0.0, 0.0], [3.0, -1.0]])
    target = logistic_target(rows, [0, 1, 1], 0.5)
    assert target.smoothness == pytest.approx(np.linalg.eigvalsh(0.5 * np.eye(2) + rows.T @ rows / 4)[-1])
    assert target.smoothness >= target.curvature(5.0)[1]
    h = 1e-5
    bend = [(target.gradient([h, 0.0]) - target.gradient([-h, 0.0])) / (2 * h),
            (target.gradient([0.0, h]) - target.gradient([0.0, -h])) / (2 * h)]
    np.testing.assert_allclose(target.hessian, bend, rtol=1e-6)
    assert quadratic_target([1.0, 4.0]).smoothness == 4.0
