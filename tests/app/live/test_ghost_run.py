"""A run kept as a ghost: its curves and outlines are frozen, differences are listed."""

from types import SimpleNamespace

import numpy as np
import pytest

from app.live.epoch_records import MOST_COORDINATES, CloudOutlines
from app.live.ghost_run import Ghost, compare, target_label
from app.state.live import default_config
from tests.app.live.playing import ALL, play, replayed

START = default_config().replace(chains=8)


@pytest.fixture
def played(make):
    return make(START, 40)


def test_a_ghost_stays_as_it_was_kept(played):
    samples = played.state.saga.positions.copy()
    ghost = Ghost.of(played)
    accuracy = ghost.series.columns["accuracy"][:]
    mean, covariance = ghost.outline(40, 2)
    np.testing.assert_allclose(mean, samples.mean(axis=0))
    np.testing.assert_allclose(covariance, np.cov(samples.T))
    same = compare(ghost, played, target_label)
    assert same.knobs == () and all(there == here for _, there, here in same.measured)
    played.configure(played.state.config.replace(eta0=6.0))
    play(played, 20)
    assert (ghost.t, ghost.config.eta0) == (40, 1.0)
    np.testing.assert_array_equal(ghost.series.columns["accuracy"], accuracy)
    assert ghost.outline(41, 2) is None and ghost.outline(0, 2) is None and ghost.outline(40, 3) is None


def test_differences_are_listed(played, make):
    ghost, other = Ghost.of(played), make(START, eta0=4.0, reset=False, seed=7)
    assert compare(ghost, other, target_label).measured == ()  # no measurements yet
    play(other, 25)
    difference = compare(ghost, other, target_label)
    assert difference.knobs == (("seed", "0", "7"), ("η₀", "1", "4"), ("reset to checkpoint", "on", "off"))
    assert difference.words == "at epoch 25"
    _, *accuracy = next(row for row in difference.measured if row[0] == "accuracy")
    assert accuracy == [f"{run.history.column('accuracy', 25)[25]:.3f}" for run in (played, other)]
    play(other, 25)
    assert compare(ghost, other, target_label).words == "at epoch 40, where the ghost ends"


def test_a_diverging_value_is_abbreviated(played, make):
    other = make(START, eta0=50.0)
    while other.advance(ALL):
        pass
    measured = {name: values for name, *values in compare(Ghost.of(played), other, target_label).measured}
    assert measured["farthest/r²"][1] == "> 10⁴"


def test_outlines_are_truncated_not_stored_twice_and_not_stored_for_many_coordinates(played):
    outlines = played.outlines
    last = outlines.at(40)
    outlines.finish(played.state)
    outlines.truncate(30)
    assert outlines.at(40) is outlines.at(30) is not last
    empty = CloudOutlines()
    empty.finish(SimpleNamespace(t=16, saga=SimpleNamespace(dim=MOST_COORDINATES + 1)))
    assert empty.at(16) is None


def test_a_ghost_is_drawn_after_a_restart_and_in_the_past_until_it_is_removed(make_worker):
    worker = make_worker(START)
    worker.execute("keep_ghost")
    assert worker.snapshot().ghost is None  # no ghost before the first epoch
    for _ in range(20):
        worker.execute("epoch")
    worker.execute("keep_ghost")
    picture = worker.snapshot()
    assert picture.ghost.t[-1] == 20 and picture.comparison.knobs == ()
    samples = picture.cloud.positions.astype(float)
    np.testing.assert_allclose(picture.cloud.ghost.center, samples.mean(axis=0), rtol=1e-5)
    # the shape is twice the root of the covariance: its square is four times it
    np.testing.assert_allclose(picture.cloud.ghost.shape @ picture.cloud.ghost.shape, 4 * np.cov(samples.T), rtol=1e-4)
    worker.configure(START.replace(eta0=3.0))
    worker.execute("restart")
    worker.execute("epoch")
    picture = worker.snapshot()
    assert (picture.t, picture.ghost.t[-1]) == (1, 20) and picture.comparison.knobs == (("η₀", "1", "3"),)
    assert picture.cloud.ghost is not None
    worker.execute("rewind", 0)
    assert replayed(worker).snapshot().cloud.ghost is None  # no cloud at epoch 0
    worker.execute("let_ghost_go")
    assert worker.snapshot().ghost is None and worker.snapshot().comparison is None
