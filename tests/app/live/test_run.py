"""A run without an engine: the sampler's path, its measures and snapshots, plain and preconditioned."""

import numpy as np
import pytest

from app.live.plotted_plane import View
from app.live.run_handover import hand_over
from app.live.run_state import above_rounding
from app.live.snapshot_builder import SnapshotBuilder
from app.live.timeline import HORIZON
from app.state.live import default_config
from app.state.user_data import UserData
from sampler import LinearRegression, OnlineSagaLD, PreconditionedSagaLD
from tests.app.live.playing import ALL, assert_finite, picture, play


@pytest.mark.parametrize(("algorithm", "kind"), [("saga-ld", OnlineSagaLD), ("preconditioned", PreconditionedSagaLD)])
def test_the_run_equals_the_samplers_path_for_any_slicing(make, algorithm, kind):
    config = default_config(algorithm=algorithm).replace(chains=8, i_max=20)
    whole, sliced = make(config, 25), make(config, 25, steps=7)
    saga = kind(whole.state.data.problem, config.settings, 8, config.seed)
    for t in range(1, 26):
        saga.observe(*whole.state.data.row(t))
    for run in (whole, sliced):
        assert np.array_equal(run.state.saga.positions, saga.positions)
        assert run.state.saga.gradient_evaluations == saga.gradient_evaluations
    for name in ("accuracy", "median", "farthest", "memory", "cost"):
        np.testing.assert_array_equal(whole.history.column(name, 25), sliced.history.column(name, 25), err_msg=name)


@pytest.mark.parametrize("changes", [
    {"chains": 1}, {"chains": 512}, {"i_max": 1}, {"batch_size": 256}, {"offset": 0.0}, {"escape_radius": 1.0},
    {"acceptance_radius": 1.0}], ids=str)
def test_extreme_settings_give_finite_snapshots(make, changes):
    snapshot = picture(make(epochs=12, **changes))
    assert_finite(snapshot)
    assert snapshot.t == 12 and len(snapshot.series.t) == 5 and len(snapshot.cloud.contours) == 3


def test_cost_counts_the_samplers_gradients(make):
    run = make(epochs=40)
    recorded = sum(run.history.column("cost", 40)[1:]) * 8
    assert recorded == pytest.approx(run.state.saga.gradient_evaluations, rel=1e-6)
    assert run.history.column("full", 40)[40] == pytest.approx(40 * run.state.saga.run_lengths.mean())


def test_exits_and_resets_are_counted_and_shown(make):
    run = make(epochs=40, escape_radius=3.0, acceptance_radius=5.0)
    assert run.history.count("exits", 40) > 0 and run.history.count("resets", 40) > 0
    farthest = run.history.column("farthest", 40)
    exits = np.array([run.history.count("exits", t, 1) for t in range(41)])
    assert ((exits > 0) == (np.nan_to_num(farthest) > 1)).all()
    frames, rings = SnapshotBuilder(1), 0
    picture(run, frames)
    for _ in range(20):
        play(run, 1)
        cloud = picture(run, frames).cloud
        assert len(cloud.resets) == int(run.state.saga.was_reset.sum())
        reach = np.linalg.norm(cloud.exits[:, 1:] - cloud.mode, axis=1)
        assert (reach > cloud.escape_distance * (1 - 1e-4)).all()
        rings += len(reach)
    assert rings == run.history.count("exits", 60, 20) > 0
    before = picture(run, frames).cloud
    assert np.array_equal(before.exits, cloud.exits) and not before.reset.any()


@pytest.mark.parametrize(("algorithm", "eta0", "largest"), [("saga-ld", 30.0, 30.0), ("preconditioned", 5.0, 2.5)])
def test_a_divergent_step_size_stops_the_run_and_suggests_an_action(make, algorithm, eta0, largest):
    run = make(default_config("linear2", algorithm=algorithm), chains=8, eta0=eta0)
    while run.advance(ALL):
        pass
    snapshot, where = picture(run), run.state.saga.divergence
    assert_finite(snapshot)
    verdict = snapshot.verdict
    assert run.state.halted and verdict.kind == "diverged"
    assert f"epoch {where.epoch}, step {where.step}" in verdict.sentence and 0 < verdict.change["eta0"] < largest
    assert verdict.subtitle.startswith("preconditioned: ") == (algorithm == "preconditioned")
    run.configure(run.state.config.replace(**verdict.change))
    run.revive()
    play(run, 20)
    assert not run.state.halted and run.timeline.events(1e9)[-1].kind == "chains"
    assert_finite(picture(run))


def test_the_suggested_step_size_is_below_the_stability_limit(make):
    run = make(default_config("gaussian2"), 50, chains=8)
    # Hessian 2 t I: stable below eta0 = (t + c)/t
    assert 0.5 < run.measures.measured(run.state).largest_eta0 < 51 / 50


def test_the_ball_is_constant_in_the_rescaled_view(make):
    run, frames = make(rescaled=True), SnapshotBuilder(1)
    for _ in range(10):
        play(run, 1)
        cloud = picture(run, frames).cloud
        expected = (run.state.saga.positions - run.state.tracker.mode) * np.sqrt(run.state.t + 1)
        np.testing.assert_allclose(cloud.positions, expected, rtol=1e-5, atol=1e-5)
        assert cloud.escape_distance == 16.0 and np.allclose(cloud.mode, 0)


def test_principal_axes_show_the_widest_spread(make):
    run = make(default_config("logistic21"), 20, chains=8, axes="principal")
    cloud = picture(run).cloud
    values = np.linalg.eigvalsh(run.state.tracker.covariance)
    loop = cloud.contours[0] - cloud.mode
    assert np.ptp(loop[:, 0]) / np.ptp(loop[:, 1]) == pytest.approx(np.sqrt(values[-1] / values[-2]), rel=0.02)
    assert cloud.axis_names == ("widest axis", "second axis")


def test_window_stays_put_between_checkpoints(make):
    run, frames, windows = make(epochs=16), SnapshotBuilder(1), []
    for _ in range(20):
        cloud = picture(run, frames).cloud
        windows.append((run.state.t >= 32, cloud.half_width, tuple(cloud.center)))
        play(run, 1)
    assert len(set(windows)) == 2


def test_assumption_ticks_differ_between_streams(make):
    def ticks(stream, epochs=100):
        return tuple(line.ok for line in picture(make(epochs=epochs, chains=2, stream=stream, i_max=2)).assumptions)

    assert ticks("paper") == (True, True, True)
    assert ticks("outliers")[0] is False
    assert ticks("separable")[1] is False
    assert ticks("ill_conditioned", 200)[:2] == (False, False)
    assert ticks("drifting", 200)[2] is False


def test_memory_is_bounded_by_the_horizon(make):
    run = make(epochs=300, chains=2, i_max=1)
    assert len(run.state.pool._epochs) == 16 and len(run.effects._exits) <= 32
    assert [kept.t for kept in run.saved_states.states] == [0, 16, 32, 64, 128, 256]
    assert 300 < len(run.history.column("cost", HORIZON)) < 750 < HORIZON


OWN_METRIC = default_config(algorithm="preconditioned").replace(chains=8, i_max=20)


@pytest.mark.parametrize("rescaled", [False, True])
def test_the_outline_is_a_square_root_of_the_covariance(rescaled):
    """The projection of {x: x' H x <= 1}, H = covariance^-1, has the ball's extent in every direction."""
    root = np.random.default_rng(0).standard_normal((21, 21))
    covariance = root @ root.T
    view = View()
    view.look(default_config("logistic21").replace(rescaled=rescaled), 99, np.zeros(21), covariance, np.zeros(21),
              [f"x{k}" for k in range(21)])
    view.projection = np.eye(21)[:, [4, 20]]
    outline = view.shadow(np.linalg.inv(covariance))
    assert np.allclose(outline, outline.T)
    assert np.allclose(outline @ outline, covariance[np.ix_([4, 20], [4, 20])], rtol=1e-6)
    assert np.allclose(view.shape(covariance), outline * (10.0 if rescaled else 1.0))
    for angle in np.linspace(0, np.pi, 7):
        direction = np.array([np.cos(angle), np.sin(angle)])
        ahead = view.projection @ direction
        farthest = covariance @ ahead / np.sqrt(ahead @ covariance @ ahead)  # of the ball, in this direction
        assert np.linalg.norm(outline @ direction) == pytest.approx(farthest @ ahead, rel=1e-6)


@pytest.mark.parametrize("rescaled", [False, True])
def test_the_drawn_ball_is_that_of_the_exact_hessian_at_the_checkpoint(make, rescaled):
    """With constant curvature H is the Hessian of F_t; the ball at t = 30 is that of the checkpoint at epoch 16."""
    config = default_config("linear2", algorithm="preconditioned").replace(chains=8, i_max=20, follow=5, rescaled=rescaled)
    run = make(config, 30)
    cloud = picture(run).cloud
    rows = run.state.saga.posterior.rows[:16]
    hessian = np.diag(run.state.data.problem.prior_precision) + rows.T @ rows
    (xx, xy, yy, in_force, radius), scale = cloud.acceptance_balls[5], np.sqrt(31) if rescaled else 1.0
    assert (radius, in_force) == (config.acceptance_radius, True)
    outline = np.array([[xx, xy], [xy, yy]])
    assert np.allclose(outline @ outline, (scale * radius) ** 2 * np.linalg.inv(hessian), rtol=1e-4)
    assert 0.3 < run.measures.measured(run.state).largest_curvature < 3.0, "1 in a metric that is the Hessian"
    origin = run.state.tracker.mode if rescaled else 0.0
    assert np.allclose(cloud.checkpoints[5], scale * (run.state.saga.checkpoints[5] - origin), rtol=1e-4, atol=1e-5)
    run.configure(run.state.config.replace(reset=False))
    assert not picture(run).cloud.acceptance_balls[:, 3].any()


def test_plain_chains_have_a_round_ball(make):
    cloud = picture(make(epochs=2, i_max=2)).cloud
    assert cloud.acceptance_balls is None and cloud.acceptance_distance == pytest.approx(22.0 / np.sqrt(3))


def test_the_preconditioned_gradient_variance_is_constant_over_time(make):
    saga = make(OWN_METRIC, 256, i_max=4, chains=4).history.column("saga", 256)
    early, late = (np.nanmean(saga[first:last]) for first, last in ((24, 48), (192, 256)))
    assert 1 / 3 < late / early < 3  # without preconditioning it grows as t, eightfold here


def test_collinear_columns_do_not_stop_the_run(make):
    rng = np.random.default_rng(0)
    column = 1e3 * rng.standard_normal((64, 1))
    rows = np.hstack([column, column])
    user_data = UserData("mine", LinearRegression(2, prior_precision=1e-7), rows, rng.standard_normal(64))
    assert picture(make(default_config("given", user_data, "preconditioned"), 40, chains=8)).t == 40
    singular = rows.T @ rows
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.cholesky(singular)
    assert np.allclose(np.linalg.cholesky(above_rounding(singular))[:, 0], np.sqrt(singular[0, 0]), rtol=1e-11)


def test_a_preconditioned_run_hands_over_plain_settings(make):
    run = make(OWN_METRIC, 20, offset=5.0)
    left = hand_over(run)
    assert left.preconditioned and left.settings == default_config().settings.replace(offset=5.0)
    assert left.step_size == 1.0 / 25 and left.escape_distance == run.state.escape_distance
    assert np.array_equal(left.positions, run.state.saga.positions)
