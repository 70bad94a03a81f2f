"""Known-answer tests of an epoch's measures and of shapes in the plane."""

import math

import numpy as np
import pytest

from app.live.assumptions import concentration_before, spread_of, unevenness_of
from app.live.epoch_measures import (
    CountedSince,
    cloud_values,
    is_noise_due,
    is_prediction_due,
    judged_from,
    largest_eta0,
    noise_share,
    pool_values,
    quantile,
    windows,
)
from app.live.history import History
from app.live.plotted_plane import largest_deviation, root_of


@pytest.mark.parametrize("n", [1, 2, 3, 64, 101])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.95, 1.0])
def test_quantiles_equal_numpys(n, share):
    values = np.sort(np.random.default_rng(n).exponential(size=n))
    # One product and one sum of numbers of equal sign, each rounded once.
    assert quantile(values, share) == pytest.approx(np.quantile(values, share), rel=4e-16)


def test_a_cloud_without_finite_chains_has_no_distances():
    assert cloud_values([], 0.0) == {}
    assert cloud_values([1.0, 3.0], 5.0) == {"median": 2.0, "q95": pytest.approx(2.9, rel=1e-15), "farthest": 5.0}


def test_a_ceiling_is_at_most_one():
    assert pool_values(0.75, (0.98, 0.02), None) == {
        "accuracy": 0.75, "tv": 0.25, "ceiling_low": 0.94, "ceiling_high": 1.0, "memory": None}


@pytest.mark.parametrize("reduced, preconditioned, power", [(True, False, 1), (False, False, 2), (True, True, 0)])
def test_the_noise_of_past_epochs_is_extrapolated(reduced, preconditioned, power):
    variances = [math.nan, 1.0, 2.0, math.nan, 4.0]
    expected = 0.5 * (2.0 * 2.0**power + 4.0) / 2  # of epochs 2 and 4, since epoch 1
    assert noise_share(variances, (4, 4, 1), reduced, preconditioned, 0.5) == expected
    assert noise_share(variances, (4, 4, 4), reduced, preconditioned, 0.5) is None


def test_measures_are_due_at_charted_epochs_and_after_a_changed_setting():
    t = 100_001  # neither charted nor a multiple
    assert not is_noise_due(t, False) and is_noise_due(t, True) and is_noise_due(100_004, False)
    assert not is_prediction_due(100_004, False) and is_prediction_due(100_016, False)


def test_windows_and_epochs_begin_at_the_last_change():
    since, history = CountedSince(knobs=100, resets=128, exits=100), History()
    assert windows(120, since) == (20, 20, False)
    assert windows(140, since) == (40, 12, True)
    assert windows(4000, since) == (480, 480, True)
    for t in range(1, 141):
        history.record(t, {"exits": 0, "resets": 4})
    assert judged_from(140, 0, since, history, chains=41) == 100  # resets of 4 of 41 chains: less than a tenth
    assert judged_from(140, 0, since, history, chains=39) == judged_from(120, 0, since, history, chains=39) == 128
    assert judged_from(140, 130, since, history, chains=41) == 130


def test_the_largest_eta0_has_a_margin():
    assert largest_eta0(1.0, 0.5, 4.0) == 0.8
    assert largest_eta0(1.0, 0.5, None) is None


def test_unevenness_and_spread_of_diagonals():
    assert unevenness_of([1.0, 4.0], [1.0, 0.25]) == 5.0 * 1.25 / 4
    assert spread_of([9.0, 16.0]) == 5.0 and spread_of([1.0, math.inf]) == 0.0
    assert concentration_before(1000, {128: 2.0}, 16.0) == 24.0  # 128 is the last power of two up to 250
    assert concentration_before(1000, {}, 16.0) == 0.0


@pytest.mark.parametrize("turn", [0.0, 0.7, 2.0])
@pytest.mark.parametrize("values", [(4.0, 4.0), (9.0, 0.25), (1.0, 0.0), (1.0, -0.5)])
def test_roots_of_matrices_in_the_plane(turn, values):
    axes = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    matrix = axes * values @ axes.T
    root = axes * np.sqrt(np.maximum(values, 0.0)) @ axes.T
    # Eigenvalues have the rounding error of the largest, 9 * 4 eps, and roots near 0 its square root: 1e-7.
    np.testing.assert_allclose(root_of(*matrix[[0, 0, 1], [0, 1, 1]]), root[[0, 0, 1], [0, 1, 1]], rtol=0, atol=1e-7)
    assert largest_deviation(*matrix[[0, 0, 1], [0, 1, 1]]) == pytest.approx(math.sqrt(values[0]), rel=1e-15)
