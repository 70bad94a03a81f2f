"""The ladder's run, animation clock, picture and texts."""

from dataclasses import replace

import numpy as np
import pytest

from app.canvas.frame_bytes import encode
from app.offline import ladder_words as words
from app.offline.ladder_plane import PlaneView, Player, plane_of
from app.offline.ladder_run import affordable, run_ladder, sampler_of
from app.offline.shipped_results import FRAMES, shipped_results, thinned
from app.state.offline import LADDER, LadderConfig
from tests.app.jobs.waiting import finish


def ladder_update(config):
    return finish(run_ladder, config)


@pytest.fixture(scope="module")
def run():
    update = ladder_update(LadderConfig(terms=200, chains=400, i_max=150, eta0=1.0))
    assert update.error == ""
    return update.value


def test_it_ends_at_the_posterior_and_counts_its_cost(run):
    assert run.complete and run.rungs == 9 == len(run.truths) and run.betas[:2] == (1 / 200, 1 / 100)
    assert run.last == run.total == 9 * 60
    assert run.evaluations[-1] == run.cost == sampler_of(run.config).cost(200) == 9 * (200 + 9 * 150)
    assert run.steps[-1] == 9 * 150 and run.full_cost == 200 * 9 * 150
    for rung in range(3, run.rungs):
        truth = run.truths[rung]  # four standard deviations of the score of exact draws; eta0 lambda adds a few per cent
        assert run.accuracy(rung) > truth.ceiling - 4 * truth.ceiling_sd - 0.01
    assert run.plain > run.truths[-1].ceiling - 4 * run.truths[-1].ceiling_sd - 0.01
    assert run.plain_evaluations == 200 + 9 * 9 * 150
    assert words.heading(run) == "The ladder ends at the posterior."
    body = words.body(run)
    assert f"<b>{run.cost:,}</b>" in body and "Without the ladder" in body
    rows = words.rungs_csv(run).splitlines()
    assert len(rows) == 10 and rows[-1].startswith("9,1,1350,13950,")


def test_each_rung_belongs_to_its_frames(run):
    assert [run.rung(frame) for frame in (0, 1, 60, 61, 540)] == [0, 0, 0, 1, 8]
    assert np.array_equal(run.end(0), run.frames[60]) and run.end(8) is run.frames[-1]
    spreads = [run.end(rung).std() for rung in range(run.rungs)]
    assert spreads[-1] < spreads[0] / 5  # the cloud contracts


def test_a_frame_holds_points_window_and_contours(run):
    view = PlaneView(run, run.config)
    cloud = view.cloud(300)
    assert len(cloud.contours) == len(cloud.rung.contours) == 3 and cloud.half_width == view.window(4)[1]
    np.testing.assert_allclose(cloud.positions, run.frames[300], rtol=1e-6)
    np.testing.assert_allclose(view.cloud(300.5).positions, (run.frames[300] + run.frames[301]) / 2, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(cloud.rung.start, 10 / np.sqrt(2) * np.ones(2))
    assert view.cloud(run.last).rung.contours == ()  # the posterior's contours are drawn already
    data = encode(cloud, sequence=1, frame=300, t=5, run=1)
    assert np.frombuffer(data, np.int32)[:16].tolist() == [1, 1, 300, 5, 1, 400, 1 + 8, -1, 0, 0, 3, 1, 0, 0, 3, 0]
    assert len(data) == 4 * (16 + 9 + 800 + 13 + 2 + 6 * 128)
    halves = [view.window(rung)[1] for rung in range(run.rungs)]
    assert all(a >= b for a, b in zip(halves, halves[1:], strict=False)) and halves[-1] < halves[0] / 3
    fixed = PlaneView(run, run.config.replace(zoom="fixed"))
    assert fixed.window(0)[1] == fixed.window(8)[1] == halves[0]
    inside = np.abs(run.frames[0] - view.window(0)[0]).max()
    assert inside <= halves[0]  # the cold start is in sight
    share = np.mean([np.abs(run.truths[4].cdf(loop.astype(float)) - 0.5).max() for loop in cloud.rung.contours])
    assert 0.2 < share < 0.5  # contours run round the tempered target


def test_the_clock_turns_seconds_into_frames_and_waits_for_missing_ones():
    head = Player(per_rung=60, rungs=2, rate=0.5)
    assert head.tick(10.0, 100) == 0 and head.tick(10.125, 100) == 3 and head.tick(10.25, 4) == 4
    head.step(200)
    assert head.frame == 60 and not head.playing and head.tick(99.0, 200) == 60
    head.step(200)
    assert head.frame == 120 == head.end and head.over
    head.restart()
    assert head.frame == 0 and head.playing
    head.seek(5000, 90)
    assert head.frame == 90
    head.restart()
    assert head.tick(5.0, 120) == 0 and head.tick(50.0, 120) < 10  # a stall does not make it jump
    for k in range(200):
        head.tick(50.0 + 0.25 * k, 120)
    assert head.over and not head.playing


def test_the_heading_of_too_long_a_step_and_of_a_cancelled_run(run):
    cut = replace(run, frames=run.frames[:200], accuracies=run.accuracies[:3])
    assert words.heading(cut) == "Cancelled: completed rungs are kept."
    run = ladder_update(LadderConfig(terms=64, chains=64, eta0=20.0, i_max=200)).value
    assert words.heading(run) == "The ladder ends short of the posterior." and words.look(run)[0] == "warn"
    assert "is too long</b>: above 2 steps are unstable" in words.body(run)
    gone = replace(run, trouble="diverged")
    assert words.heading(gone) == "The chains diverged." and "too long for the curvature" in words.body(gone)


def test_excessive_work_is_limited_with_a_note():
    config, notes = affordable(LadderConfig(terms=16_384, i_max=20_000, batch_size=1000, chains=1000))
    assert config.chains == 16 and "16 chains instead of 1,000" in notes[0]
    assert affordable(LadderConfig()) == (LadderConfig(), ())


def test_the_shipped_ladder_is_the_default_one():
    shipped = shipped_results()[LADDER]
    assert shipped.config == LadderConfig() and shipped.complete and shipped.last == shipped.total == 11 * FRAMES
    fresh = thinned(ladder_update(LadderConfig()).value)
    for ours, theirs in ((shipped.frames, fresh.frames), (shipped.accuracies, fresh.accuracies),
                         (shipped.evaluations, fresh.evaluations), (shipped.steps, fresh.steps)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=2e-3)
    assert shipped.plain == pytest.approx(fresh.plain, rel=1e-4) and shipped.cost == fresh.cost
    assert words.body(shipped) == words.body(fresh)
    assert len(PlaneView(shipped, shipped.config).cloud(3.5).rung.contours) == 3


def test_many_dimensions_are_drawn_on_chosen_or_principal_axes():
    config = LadderConfig(target="many", terms=16, chains=64, i_max=50, axes="principal")
    run = ladder_update(config).value
    assert run.frames[0].shape == (64, 21) and all(truth.draws > 50 for truth in run.truths)
    projection, _ = plane_of(run, config)
    variances = np.diagonal(projection.T @ run.covariance @ projection)
    np.testing.assert_allclose(variances, np.linalg.eigvalsh(run.covariance)[::-1][:2])
    assert plane_of(run, config.replace(axes=(2, 20)))[1] == ("θ₃", "intercept")
    assert PlaneView(run, config).cloud(10).positions.shape == (64, 2)
