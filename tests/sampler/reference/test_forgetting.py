"""Targets that forget are those that never had the old data."""

import numpy as np
import pytest

from sampler import GaussianMean, GridReference, LinearRegression, LogisticRegression
from sampler.reference import ModeTracker

RNG = np.random.default_rng(4)
ROWS = RNG.normal(size=(90, 2))
CLASSES = (RNG.random(90) < 1 / (1 + np.exp(-ROWS @ [1.0, -2.0]))).astype(float)


@pytest.mark.parametrize(("problem", "data"), [
    (LogisticRegression(2), (ROWS, CLASSES)), (LinearRegression(2), (ROWS, ROWS @ [1.0, 3.0])), (GaussianMean(2), (ROWS,))])
def test_mode_and_curvature_are_those_of_the_data_that_are_left(problem, data):
    tracker, fresh = ModeTracker(problem), ModeTracker(problem)
    for i in range(60):
        tracker.add(*(part[i] for part in data))
    tracker.forget(25)
    for i in range(60, 90):
        tracker.forget(1)
        tracker.add(*(part[i] for part in data))
    for i in range(55, 90):
        fresh.add(*(part[i] for part in data))
    fresh.resolve()
    sd = np.sqrt(np.diagonal(fresh.covariance))
    assert (tracker.t, tracker.forgotten) == (35, 55)
    np.testing.assert_allclose(tracker.mode, fresh.mode, atol=0.01 * sd.min())  # as near as a tracker promises to be
    np.testing.assert_allclose(np.diagonal(tracker.covariance), sd**2, rtol=0.02)
    for bad in (0, 35, 1.5):
        with pytest.raises(ValueError, match="n must be a whole number .*; one datum at least must be left"):
            tracker.forget(bad)


def test_a_grid_is_that_of_the_data_that_are_left():
    grid, fresh = (GridReference(LogisticRegression(2)) for _ in range(2))
    for row, label in zip(ROWS[:60], CLASSES[:60], strict=True):
        grid.add(row, label)
    grid.forget(20)
    for row, label in zip(ROWS[20:60], CLASSES[20:60], strict=True):
        fresh.add(row, label)
    # Windows differ by what each was fitted to; a row too many would move the mean by a tenth of a deviation.
    np.testing.assert_allclose(grid.mean, fresh.mean, atol=1e-4 * fresh.std.min())
    np.testing.assert_allclose(grid.std, fresh.std, rtol=1e-4)
    points = fresh.mean + fresh.std * RNG.normal(size=(20, 2))
    np.testing.assert_allclose(grid.cdf(points), fresh.cdf(points), atol=1e-4)
    with pytest.raises(ValueError, match="n must be a whole number"):
        grid.forget(41)
