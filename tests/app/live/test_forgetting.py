"""Live with forgetting: chains, target and measures refer to the last rows; rewinding is exact."""

import numpy as np
import pytest

from app.live.plotted_plane import View
from app.live.rewind import Rewind
from app.live.run import LiveRun
from app.state.live import WINDOW, default_config
from sampler import GridReference
from sampler.algorithms.laplace import find_mode
from tests.app.live.playing import play, reach

END = WINDOW + 60


@pytest.fixture(scope="module", params=["saga-ld", "preconditioned"])
def run(request):
    """Run with a drifting truth, sixty epochs after the first row was forgotten."""
    config = default_config(algorithm=request.param).replace(chains=32, stream="drifting", seed=7, forget=True)
    run = LiveRun(config)
    play(run, END, 60)
    yield run
    run.close()


def test_all_measures_refer_to_the_last_rows(run):
    state = run.state
    assert (state.t, state.count, state.saga.t, state.tracker.t) == (END, WINDOW, WINDOW, WINDOW)
    rows = [np.array(part) for part in zip(*(state.data.row(t) for t in range(END - WINDOW + 1, END + 1)), strict=True)]
    posterior = state.data.problem.posterior(*rows)
    mode = find_mode(posterior)
    sd = np.sqrt(np.diagonal(np.linalg.inv(posterior.hessian(mode))))
    np.testing.assert_allclose(state.tracker.mode, mode, atol=0.01 * sd.min())
    grid = GridReference(state.data.problem)
    for row, label in zip(*rows, strict=True):
        grid.add(row, label)
    np.testing.assert_allclose(state.truth.mean, grid.mean, atol=1e-3 * sd.min())
    np.testing.assert_allclose(state.truth.std, grid.std, rtol=1e-3)
    # 16 epochs of 32 chains against the window's marginals: the score of exact draws less 4 standard deviations
    ceiling, spread = state.pool.ceiling()
    assert state.pool.accuracy() > ceiling - 4 * spread - 0.05
    assert state.escape_distance == pytest.approx(state.config.escape_radius / np.sqrt(WINDOW + state.saga.settings.offset))
    assert abs(run.measures.measured(state).predicted - state.pool.accuracy()) < 0.05 and run.verdict()[0].kind == "safe"
    full = run.history.column("full", END)[-1] / run.history.column("cost", END)[-1]
    assert 0 < full < 2 * WINDOW  # full data are those of the window
    lines = state.assumptions
    assert [line.ok for line in lines] == [None] * 3 and lines[2].text == "D = unknown"
    # C of the window: root second moment times the root of the count, to the displayed digit
    assert float(lines[1].text.removeprefix("C = ")) == pytest.approx(
        np.sqrt((sd**2).sum() * (WINDOW + state.saga.settings.offset)), abs=0.06)
    # A row is forgotten before the 201st arrives, and plain chains restart checkpoints: 0, 1, 2, 4, ... epochs later.
    taken, series = [8, 16, 32, 64, 128], run.history.series(END, ())
    if state.preconditioned:
        assert not state.saga.acceptance_in_force.any()
    else:
        taken += [WINDOW + age for age in (0, 1, 2, 4, 8, 16, 32)]
    for read in (series, series.recent):
        assert read.checkpoints == sorted({max(epoch for epoch in taken if epoch < t) for t in read.t if t > 8})


def test_the_view_follows_the_mode_and_contains_every_ball():
    """A mode on a circle: balls of 200 data are entirely visible at each epoch, with few moves of the view."""
    config, covariance, view = default_config().replace(forget=True), np.diag([0.005, 0.01]), View()
    centers = []
    for t in range(250, 2000):
        mode = 2 * np.array([np.cos(t / 300), np.sin(t / 300)])
        view.look(config, t, mode, covariance, mode, ["x", "y"], WINDOW)
        assert np.abs(mode - view.center).max() + view.radius(config.escape_radius) <= view.half_width
        centers.append(tuple(view.center))
    assert 3 < len(set(centers)) < 40
    view.look(config.replace(forget=False), 3000, mode + 9, covariance, mode, ["x", "y"])
    assert np.allclose(view.center, mode)  # without forgetting it stays until the next power of two
    view.look(config.replace(rescaled=True), 3000, mode + 9, covariance, mode, ["x", "y"], WINDOW)
    assert np.allclose(view.center, 0)


def test_an_epoch_is_restored_bit_for_bit(run):
    kept = run.state.copy()
    expected = {}
    for t in (END + 1, END + 2):
        play(run, 1, 60)
        expected[t] = run.state.saga.positions
    reach(Rewind(run, END + 1))
    assert run.state.t == END + 1
    np.testing.assert_array_equal(run.state.saga.positions, expected[END + 1])
    run.restore(kept)
    run.forget_future()
    play(run, 2, 60)
    np.testing.assert_array_equal(run.state.saga.positions, expected[END + 2])


def test_a_divergence_is_reported_with_the_epoch_of_the_run(run):
    saga = run.state.saga
    saga._state.diverged_epoch[3] = saga.t  # as if its last step had diverged
    assert run.state.diverged_at == (3, run.state.t, 0)
    saga._state.diverged_epoch[3] = 0
