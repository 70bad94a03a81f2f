"""A Live run of preconditioned chains: its ball, what is measured in its own metric."""

import numpy as np
import pytest

from app.live.plotted_plane import View
from app.live.run_handover import hand_over
from app.live.run_state import above_rounding
from app.state.live import default_config
from app.state.user_data import UserData
from sampler import LinearRegression
from tests.app.live.playing import picture

OWN_METRIC = default_config(algorithm="preconditioned").replace(chains=8, i_max=20)


@pytest.mark.parametrize("rescaled", [False, True])
def test_the_outline_is_a_square_root_of_the_covariance(rescaled):
    """The shadow of {x: x' H x <= 1}, H = covariance^-1, touches every tangent where the ball does."""
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
    """With constant curvature H is the Hessian of F_t; the ball drawn at t = 30 is that of the checkpoint's epoch 16."""
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


def test_plain_chains_have_the_round_ball(make):
    cloud = picture(make(epochs=2, i_max=2)).cloud
    assert cloud.acceptance_balls is None and cloud.acceptance_distance == pytest.approx(22.0 / np.sqrt(3))


def test_the_gradient_variance_is_level_in_its_own_metric(make):
    saga = make(OWN_METRIC, 256, i_max=4, chains=4).history.column("saga", 256)
    early, late = (np.nanmean(saga[first:last]) for first, last in ((24, 48), (192, 256)))
    assert 1 / 3 < late / early < 3  # in plain coordinates it grows as t, eightfold here


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


def test_what_it_leaves_to_other_pages_has_plain_settings(make):
    run = make(OWN_METRIC, 20, offset=5.0)
    left = hand_over(run)
    assert left.preconditioned and left.settings == default_config().settings.replace(offset=5.0)
    assert left.step_size == 1.0 / 25 and left.escape_distance == run.state.escape_distance
    assert np.array_equal(left.positions, run.state.saga.positions)
