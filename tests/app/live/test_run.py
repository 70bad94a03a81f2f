import dataclasses

import numpy as np
import pytest

from app.live.run import LiveRun
from app.live.snapshot import HORIZON
from app.live.snapshot_builder import SnapshotBuilder
from app.state.live import LiveConfig, default_config
from app.state.problem_menu import PROBLEMS, STREAMS
from sampler import OnlineSagaLD, Settings
from tests.app.live.playing import ALL, picture, play

SMALL = default_config().replace(chains=8)


@pytest.fixture
def make():
    runs = []

    def run(config=SMALL, epochs=0, **changes):
        settings = {name: value for name, value in changes.items() if hasattr(config.settings, name)}
        rest = {name: value for name, value in changes.items() if name not in settings}
        runs.append(LiveRun(config.replace(settings=config.settings.replace(**settings), **rest)))
        play(runs[-1], epochs)
        return runs[-1]

    yield run
    for run in runs:
        run.close()


def arrays(value):
    """Every array and number inside a snapshot."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, float):
        yield np.array(value)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from arrays(item)
    elif dataclasses.is_dataclass(value) and not isinstance(value, LiveConfig):
        for field in dataclasses.fields(value):
            yield from arrays(getattr(value, field.name))


def assert_finite(snapshot):
    for array in arrays(snapshot):
        assert array.dtype.kind in "fiub" and np.isfinite(array).all()


def test_the_run_is_the_samplers_own_path(make):
    run = make(epochs=30)
    saga = OnlineSagaLD(run.state.data.problem, run.state.config.settings, 8, run.state.config.seed)
    for t in range(1, 31):
        saga.observe(*run.state.data.row(t))
    assert np.array_equal(run.state.saga.positions, saga.positions)
    assert run.state.saga.gradient_evaluations == saga.gradient_evaluations


def test_slices_and_epochs_give_the_same_run(make):
    whole, sliced = make(epochs=25), make()
    play(sliced, 25, steps=7)
    assert np.array_equal(whole.state.saga.positions, sliced.state.saga.positions)
    for name in ("accuracy", "median", "farthest", "memory", "cost"):
        assert np.array_equal(whole.history.column(name, 25), sliced.history.column(name, 25), equal_nan=True), name


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("stream", STREAMS)
def test_every_problem_runs_on_every_stream_without_a_nan(make, problem, stream):
    run = make(default_config(problem).replace(chains=4, stream=stream), epochs=12)
    snapshot = picture(run)
    assert_finite(snapshot)
    assert snapshot.t == 12 and len(snapshot.series.t) == 5 and len(snapshot.meters) == 4
    assert len(snapshot.assumptions) == 3 and snapshot.cloud.positions.shape == (4, 2)
    assert all(len(loop) > 8 for loop in snapshot.cloud.contours) and len(snapshot.cloud.contours) == 3


@pytest.mark.parametrize("changes", [
    {"chains": 1}, {"chains": 512}, {"i_max": 1}, {"batch_size": 256}, {"offset": 0.0}, {"random_length": False},
    {"refresh": False}, {"reset": False}, {"variance_reduction": False}, {"escape_radius": 1.0},
    {"acceptance_radius": 1.0},
], ids=str)
def test_extreme_knobs_give_finite_pictures(make, changes):
    run = make(epochs=20, **changes)
    assert_finite(picture(run))
    assert run.state.t == 20


def test_measures_of_a_good_run_are_good(make):
    run = make(default_config().replace(seed=2), epochs=60)
    measured = run.measures.measured(run.state)
    # 1,024 draws a pool: sd of the accuracy 0.0066 when independent, twice that with the memory there is
    assert abs(measured.accuracy - measured.ceiling) < 0.05
    assert abs(measured.width_bias) < 0.2 and measured.lag < 0.3 and measured.memory < 0.5
    assert 0 < measured.noise_share < 0.2 and 0.85 < measured.predicted < 0.96
    assert run.verdict()[0].kind == "safe"


def test_cost_counts_the_samplers_gradients(make):
    run = make(epochs=40)
    recorded = run.history.column("cost", 40)[1:].sum() * 8
    assert recorded == pytest.approx(run.state.saga.gradient_evaluations, rel=1e-6)
    lengths = run.state.saga.run_lengths.mean()
    assert run.history.column("full", 40)[40] == pytest.approx(40 * lengths)


def test_exits_and_resets_are_counted_and_shown(make):
    run = make(epochs=40, escape_radius=3.0, acceptance_radius=5.0)
    assert run.history.count("exits", 40) > 0 and run.history.count("resets", 40) > 0
    farthest = run.history.column("farthest", 40)
    exits = np.array([run.history.count("exits", t, 1) for t in range(41)])
    assert ((exits > 0) == (np.nan_to_num(farthest) > 1)).all()
    frames, rings = SnapshotBuilder(1, 0), 0
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


def test_a_hot_step_stops_the_run_and_says_what_to_do(make):
    run = make(default_config("linear2").replace(chains=8), eta0=30.0)
    while run.advance(ALL):
        pass
    assert run.state.halted and run.state.done
    snapshot = picture(run)
    assert_finite(snapshot)
    verdict = snapshot.verdict
    where = run.state.saga.divergence
    assert verdict.kind == "diverged" and f"epoch {where.epoch}, step {where.step}" in verdict.sentence
    config = run.state.config.replace(settings=run.state.config.settings.replace(**verdict.change))
    run.configure(config)
    run.revive()
    play(run, 40)
    assert not run.state.halted and run.timeline.events(1e9)[-1].kind == "chains"
    assert_finite(picture(run))


def test_offered_step_is_stable_by_the_known_limit(make):
    run = make(default_config("gaussian2").replace(chains=8), epochs=50)
    largest = run.measures.measured(run.state).largest_eta0
    # Hessian 2 t I: stable below eta0 = (t + c)/t
    assert 0.5 < largest < 51 / 50


def test_the_horizon_ends_the_run(make, monkeypatch):
    monkeypatch.setattr("app.live.run_data.HORIZON", 20)
    run = make(epochs=20)
    assert run.state.ended and not run.advance(ALL) and run.state.t == 20


def test_rescaled_view_holds_the_ball_still(make):
    run, frames = make(rescaled=True), SnapshotBuilder(1, 0)
    radii, modes = set(), []
    for _ in range(10):
        play(run, 1)
        cloud = picture(run, frames).cloud
        radii.add(cloud.escape_distance)
        modes.append(cloud.mode)
        expected = (run.state.saga.positions - run.state.tracker.mode) * np.sqrt(run.state.t + 1)
        assert np.allclose(cloud.positions, expected, rtol=1e-5, atol=1e-5)
    assert radii == {16.0} and np.allclose(modes, 0)


def test_principal_axes_show_the_widest_spread(make):
    run = make(default_config("logistic21").replace(chains=8, axes="principal"), epochs=20)
    cloud = picture(run).cloud
    values = np.linalg.eigvalsh(run.state.tracker.covariance)
    loop = cloud.contours[0] - cloud.mode
    ratio = np.ptp(loop[:, 0]) / np.ptp(loop[:, 1])
    assert ratio == pytest.approx(np.sqrt(values[-1] / values[-2]), rel=0.02)
    assert cloud.axis_names == ("widest axis", "second axis")


def test_window_stays_put_between_checkpoints(make):
    run, frames = make(epochs=16), SnapshotBuilder(1, 0)
    windows = []
    for _ in range(20):
        cloud = picture(run, frames).cloud
        windows.append((run.state.t, cloud.half_width, tuple(cloud.center)))
        play(run, 1)
    assert len({window[1:] for window in windows if window[0] < 32}) == 1
    assert len({window[1:] for window in windows}) == 2


def test_assumption_ticks_tell_the_streams_apart(make):
    def ticks(stream):
        run = make(default_config().replace(chains=2, stream=stream), epochs=400, i_max=2)
        return tuple(line.ok for line in picture(run).assumptions)

    assert ticks("paper") == (True, True, True)
    assert ticks("outliers")[0] is False
    assert ticks("separable")[1] is False
    assert ticks("ill_conditioned")[:2] == (False, False)
    assert ticks("drifting")[2] is False


def test_a_grid_and_a_gaussian_agree_on_a_gaussian():
    from app.live.truth import GaussianTruth, GridTruth
    from sampler import LinearRegression
    from sampler.reference import ModeTracker

    rng = np.random.default_rng(3)
    tracker = ModeTracker(LinearRegression(2))
    grid, gaussian = GridTruth(tracker), GaussianTruth(tracker)
    for _ in range(30):
        row = rng.standard_normal(2), rng.standard_normal()
        tracker.add(*row)
        grid.add(*row)
    points = tracker.mode + 0.3 * rng.standard_normal((50, 2))
    assert np.allclose(grid.uniforms(points), gaussian.uniforms(points), atol=1e-4)
    for one, other in zip(grid.contours(np.eye(2)), gaussian.contours(np.eye(2)), strict=True):
        assert np.allclose(one.min(axis=0), other.min(axis=0), atol=0.02)
        assert np.allclose(one.max(axis=0), other.max(axis=0), atol=0.02)


def test_settings_of_a_config_are_the_samplers(make):
    run = make(epochs=3)
    run.advance(2)
    run.configure(run.state.config.replace(settings=Settings(eta0=0.5, batch_size=2, i_max=30)))
    assert run.state.saga.settings == run.state.config.settings and not run.state.done
    (event, *others) = run.timeline.events(1e9)
    assert 3 < event.t < 4 and len(others) == 4


def test_memory_is_bounded_by_the_horizon(make):
    run = make(default_config().replace(chains=2), i_max=1, epochs=600)
    assert len(run.state.pool._uniforms) == 16 and len(run.effects._exits) <= 32
    assert [kept.t for kept in run.keeper.states] == [16, 32, 64, 128, 256, 512]
    assert 600 < run.history._columns.shape[1] < 1500 < HORIZON
