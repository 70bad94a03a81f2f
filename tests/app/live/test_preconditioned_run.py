"""A Live run of preconditioned chains: its path, its ball, what is measured in its own metric."""

import numpy as np
import pytest

from app.live.plotted_plane import Geometry, View
from app.live.presets import PRESETS, preset_of
from app.live.rewind import Rewind
from app.live.run import LiveRun
from app.live.run_handover import hand_over
from app.live.run_state import above_rounding
from app.state.live import default_config
from app.user_data import Given
from sampler import LinearRegression, PreconditionedSagaLD
from tests.app.live.playing import ALL, picture, play

SMALL = default_config(algorithm="preconditioned").replace(chains=8, i_max=20)


@pytest.fixture
def make():
    runs = []

    def run(config=SMALL, epochs=0, **changes):
        runs.append(LiveRun(config.replace(**changes)))
        play(runs[-1], epochs)
        return runs[-1]

    yield run
    for run in runs:
        run.close()


def test_the_run_is_the_samplers_own_path_however_it_is_sliced(make):
    whole, sliced = make(epochs=30), make()
    play(sliced, 30, steps=7)
    saga = PreconditionedSagaLD(whole.state.data.problem, SMALL.settings, 8, SMALL.seed)
    for t in range(1, 31):
        saga.observe(*whole.state.data.row(t))
    for run in (whole, sliced):
        assert np.array_equal(run.state.saga.positions, saga.positions)
        assert run.state.saga.gradient_evaluations == saga.gradient_evaluations


def test_any_epoch_comes_back_bit_for_bit(make):
    run, seen = make(), {}
    for t in range(1, 61):
        if t == 40:
            run.configure(run.state.config.replace(eta0=0.3, acceptance_radius=4.0))
        play(run, 1, steps=9)
        seen[t] = run.state.saga.positions, run.state.saga.precision_matrix(3), run.state.pool.accuracy()
    for target in (59, 33, 41, 7):
        replay = Rewind(run, target)
        while not replay.run_for(1.0, 13):
            pass
        assert type(run.state.saga) is PreconditionedSagaLD
        positions, metric, accuracy = seen[target]
        assert np.array_equal(run.state.saga.positions, positions) and run.state.pool.accuracy() == accuracy
        assert np.array_equal(run.state.saga.precision_matrix(3), metric)


@pytest.mark.parametrize("rescaled", [False, True])
def test_the_outline_of_a_known_covariance(rescaled):
    """The shadow of {x: x' H x <= 1}, H = covariance^-1, touches every tangent where the ball does."""
    rng = np.random.default_rng(0)
    root = rng.standard_normal((21, 21))
    covariance = root @ root.T
    config = default_config("logistic21").replace(rescaled=rescaled)
    geometry, view = Geometry(config, 99, np.zeros(21), covariance), View(21)
    view.projection = np.eye(21)[:, [4, 20]]
    outline = view.outline(geometry, np.linalg.inv(covariance)) / (10.0 if rescaled else 1.0)
    assert np.allclose(outline, outline.T)
    assert np.allclose(outline @ outline, covariance[np.ix_([4, 20], [4, 20])], rtol=1e-6)
    for angle in np.linspace(0, np.pi, 7):
        direction = np.array([np.cos(angle), np.sin(angle)])
        ahead = view.projection @ direction
        farthest = covariance @ ahead / np.sqrt(ahead @ covariance @ ahead)  # of the ball, in this direction
        assert np.linalg.norm(outline @ direction) == pytest.approx(farthest @ ahead, rel=1e-6)


def test_the_drawn_ball_is_that_of_the_exact_hessian_at_the_checkpoint(make):
    """With constant curvature H is the Hessian of F_t; the ball drawn at t = 30 is that of the checkpoint's epoch 16."""
    config = default_config("linear2", algorithm="preconditioned").replace(chains=8, i_max=20, follow=5)
    run = make(config, epochs=30)
    cloud = picture(run).cloud
    rows = run.state.saga.posterior.rows[:16]
    hessian = np.diag(run.state.data.problem.prior_precision) + rows.T @ rows
    ball = cloud.acceptance_ball
    assert (ball.chain, ball.radius, ball.in_force) == (5, config.acceptance_radius, True)
    assert np.allclose(ball.outline @ ball.outline, ball.radius**2 * np.linalg.inv(hessian), rtol=1e-4)
    assert np.allclose(cloud.checkpoint, run.state.saga.checkpoints[5])
    run.configure(run.state.config.replace(follow=None))
    assert picture(run).cloud.acceptance_ball.chain == 0
    run.configure(run.state.config.replace(reset=False))
    assert not picture(run).cloud.acceptance_ball.in_force


def test_chains_are_reset_from_outside_the_drawn_ball_only(make):
    run = make(epochs=20, acceptance_radius=3.2)
    seen = 0
    for _ in range(60):
        t, before, matrices = run.state.t, run.state.saga.positions, [run.state.saga.acceptance_matrix(k) for k in range(8)]
        checkpoints, in_force = run.state.saga.checkpoints, run.state.saga.acceptance_in_force
        play(run, 1)
        if t & (t - 1) == 0:
            continue  # the epoch took a new checkpoint: another ball
        for k in range(8):
            away = before[k] - checkpoints[k]
            outside = away @ matrices[k] @ away > 3.2**2
            assert run.state.saga.was_reset[k] == (outside and in_force[k])
            seen += run.state.saga.was_reset[k]
    assert seen > 0


def test_plain_chains_have_the_round_ball(make):
    cloud = picture(make(default_config().replace(chains=2, i_max=2), epochs=2)).cloud
    assert cloud.acceptance_ball is None and cloud.acceptance_distance == pytest.approx(22.0 / np.sqrt(3))


def test_measures_in_its_own_metric_are_good_and_foretold(make):
    run = make(PRESETS["metric"].config, epochs=100)
    measured = run.measures.measured(run.state)
    assert abs(measured.accuracy - measured.ceiling) < 0.05
    assert abs(measured.width_bias) < 0.25 and measured.lag < 0.3 and measured.memory < 0.5
    assert measured.predicted == pytest.approx(measured.accuracy, abs=0.04)
    assert 0.3 < measured.largest_curvature < 3.0, "the Hessian is nearly the identity in a metric that is nearly it"
    assert 0 < measured.noise_share < 0.3
    assert run.state.step_size == run.state.config.eta0 == picture(run).step_size
    assert run.verdict()[0].kind == "safe"


def test_the_gradient_variance_is_level_in_its_own_metric(make):
    run = make(epochs=256, i_max=4, chains=4)
    saga = run.history.column("saga", 256)
    early, late = (np.nanmean(saga[first:last]) for first, last in ((24, 48), (192, 256)))
    assert 1 / 3 < late / early < 3  # in plain coordinates it grows as t, eightfold here


def test_a_hot_step_is_told_in_its_own_units(make):
    run = make(eta0=5.0)
    while run.advance(ALL):
        pass
    verdict = run.verdict()[0]
    assert verdict.kind == "diverged" and 0.1 < verdict.change["eta0"] <= 2.5
    assert verdict.subtitle.startswith("preconditioned: ")
    run.configure(run.state.config.replace(**verdict.change))
    run.revive()
    play(run, 20)
    assert not run.state.halted


def test_columns_that_say_the_same_do_not_stop_the_run(make):
    rng = np.random.default_rng(0)
    column = 1e3 * rng.standard_normal((64, 1))
    rows = np.hstack([column, column])
    given = Given("mine", LinearRegression(2, prior_precision=1e-7), rows, rng.standard_normal(64))
    run = make(default_config("given", given, "preconditioned").replace(chains=8), epochs=40)
    assert picture(run).t == 40
    singular = rows.T @ rows
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.cholesky(singular)
    assert np.allclose(np.linalg.cholesky(above_rounding(singular))[:, 0], np.sqrt(singular[0, 0]), rtol=1e-11)


def test_what_it_leaves_to_other_pages_has_plain_settings(make):
    run = make(epochs=20, offset=5.0)
    left = hand_over(run)
    assert left.preconditioned and left.settings == default_config().settings.replace(offset=5.0)
    assert left.step_size == 1.0 / 25 and left.escape_distance == run.state.escape_distance
    assert np.array_equal(left.positions, run.state.saga.positions)


def test_pictures_to_try_are_known_however_they_are_shown():
    for key, preset in PRESETS.items():
        assert preset_of(preset.config.replace(follow=3, speed=1, rescaled=True)) == key
        assert preset.says.endswith(".")
    assert preset_of(default_config()) == ""
