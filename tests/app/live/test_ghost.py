"""A run kept as a ghost: its curves and outlines stay as they were, what differs is said in words."""

import numpy as np
import pytest

from app.live.cloud_outlines import MOST_COORDINATES, CloudOutlines
from app.live.commands import Configure, Epoch, KeepGhost, LetGhostGo, Restart, Rewind
from app.live.ghost import Ghost, compare
from app.live.run import LiveRun
from app.live.worker import Worker
from app.state.live import default_config

START = default_config().replace(chains=8)


def play(run, t):
    while run.state.t < t or not run.state.done:
        run.advance(50)


@pytest.fixture
def lived():
    run = LiveRun(START)
    play(run, 40)
    yield run
    run.close()


def test_a_ghost_stays_as_it_was_kept(lived):
    samples = lived.state.saga.positions.copy()
    ghost = Ghost.of(lived)
    accuracy = ghost.series.accuracy.copy()
    mean, covariance = ghost.outline(40, 2)
    np.testing.assert_allclose(mean, samples.mean(axis=0))
    np.testing.assert_allclose(covariance, np.cov(samples.T))
    lived.configure(lived.state.config.replace(eta0=6.0))
    play(lived, 60)
    assert (ghost.t, ghost.config.eta0) == (40, 1.0)
    np.testing.assert_array_equal(ghost.series.accuracy, accuracy)
    assert ghost.outline(41, 2) is None and ghost.outline(0, 2) is None and ghost.outline(40, 3) is None


def test_what_differs_is_said(lived):
    ghost = Ghost.of(lived)
    other = LiveRun(START.replace(eta0=4.0, reset=False, seed=7))
    assert compare(ghost, other).measured == ()  # nothing has been measured yet
    play(other, 25)
    found = compare(ghost, other)
    assert found.knobs == (("seed", "0", "7"), ("η₀", "1", "4"), ("reset to checkpoint", "on", "off"))
    assert found.words == "at epoch 25"
    _, *accuracy = next(row for row in found.measured if row[0] == "accuracy")
    assert accuracy == [f"{run.history.column('accuracy', 25)[25]:.3f}" for run in (lived, other)]
    play(other, 50)
    assert compare(ghost, other).words == "at epoch 40, where the ghost ends"
    other.close()


def test_a_run_that_goes_to_infinity_is_said_short(lived):
    other = LiveRun(START.replace(eta0=50.0))
    while other.advance(50):
        pass
    found = dict((name, values) for name, *values in compare(Ghost.of(lived), other).measured)
    assert found["farthest/r²"][1] == "> 10⁴"
    other.close()


def test_the_same_run_differs_in_nothing(lived):
    found = compare(Ghost.of(lived), lived)
    assert found.knobs == () and all(there == here for _, there, here in found.measured)


def test_outlines_are_forgotten_with_the_future_and_not_written_twice(lived):
    outlines = lived.outlines
    there = outlines.at(40)
    outlines.finish(lived.state)
    outlines.truncate(30)
    assert outlines.at(40) is outlines.at(30) is not there
    assert CloudOutlines().at(5) is None


def test_many_coordinates_have_no_outline(lived):
    class Wide:
        t, saga = 16, type("Saga", (), {"dim": MOST_COORDINATES + 1, "diverged": np.zeros(8, bool)})

    outlines = CloudOutlines()
    outlines.finish(Wide)
    assert outlines.at(16) is None


def test_a_ghost_is_drawn_after_a_restart_and_in_the_past_until_it_is_let_go():
    from contextlib import nullcontext

    worker = Worker(START, False, nullcontext)
    worker.obey(KeepGhost())
    assert worker.snapshot().ghost is None  # before the first epoch there is nothing to keep
    for _ in range(20):
        worker.obey(Epoch())
    worker.obey(KeepGhost())
    picture = worker.snapshot()
    assert picture.ghost.t[-1] == 20 and picture.comparison.knobs == ()
    samples = picture.cloud.positions.astype(float)
    np.testing.assert_allclose(picture.cloud.ghost.center, samples.mean(axis=0), rtol=1e-5)
    # the shape is twice the root of the covariance: its square is four times it
    np.testing.assert_allclose(picture.cloud.ghost.shape @ picture.cloud.ghost.shape, 4 * np.cov(samples.T), rtol=1e-4)
    worker.obey(Configure(START.replace(eta0=3.0)))
    worker.obey(Restart())
    worker.obey(Epoch())
    picture = worker.snapshot()
    assert (picture.t, picture.ghost.t[-1]) == (1, 20) and picture.comparison.knobs == (("η₀", "1", "3"),)
    assert picture.cloud.ghost is not None
    worker.obey(Rewind(0))
    while worker._replay is not None:
        worker.work()
    assert worker.snapshot().cloud.ghost is None  # at epoch 0 it had no cloud
    worker.obey(LetGhostGo())
    assert worker.snapshot().ghost is None and worker.snapshot().comparison is None
    worker.close()
