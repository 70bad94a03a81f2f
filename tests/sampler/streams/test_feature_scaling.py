"""Features standardised as they arrive: by the rows up to each, never by later ones."""

import numpy as np
import pytest

from sampler.streams import UNEQUAL, spread_ratio
from sampler.streams.feature_scaling import RunningScale


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(50, 3)) * [1, 100, 1e-6] + [0, 1e6, 5]


def test_row_k_is_scaled_by_rows_1_to_k_and_never_by_later_ones(rows):
    scaled = RunningScale(3, settle=None).add(rows)
    for k in (2, 7, 50):
        seen = rows[:k]
        np.testing.assert_allclose(scaled[k - 1], (rows[k - 1] - seen.mean(axis=0)) / seen.std(axis=0), rtol=1e-6)
    np.testing.assert_array_equal(scaled[0], 0.0)
    rows[20, 0] = 1e12
    wild = RunningScale(3, settle=None).add(rows)
    np.testing.assert_array_equal(wild[:20], scaled[:20])
    # Samuelson's inequality: with row k among its own k rows, |x_k - mean| <= sd sqrt(k - 1).
    assert (np.abs(wild).max(axis=1) <= np.sqrt(np.arange(50)) * (1 + 1e-9)).all()


@pytest.mark.parametrize("settle", [10, None])
def test_batches_and_a_stop_in_between_make_no_difference(rows, settle):
    whole = RunningScale(3, settle).add(rows)
    scale, parts = RunningScale(3, settle), []
    for first in range(0, 50, 7):
        parts.append(scale.add(rows[first:first + 7]))
        scale = RunningScale.from_dict(scale.to_dict())
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    if settle is not None:
        np.testing.assert_allclose(whole[40], (rows[40] - rows[:10].mean(axis=0)) / rows[:10].std(axis=0), rtol=1e-6)


def test_a_feature_that_does_not_vary_becomes_zero():
    rows = np.column_stack([np.full(5, 3.3), np.arange(5.0)])
    np.testing.assert_array_equal(RunningScale(2).add(rows)[:, 0], 0.0)


def test_the_ratio_is_of_columns_that_vary_and_far_from_zero_is_not_wide():
    x = np.random.default_rng(0).normal(size=(500, 3)) * [1.0, 50.0, 1.0]
    x[:, 2] = 7.0
    assert spread_ratio(x) == pytest.approx(x[:, 1].std() / x[:, 0].std(), rel=0.3) and spread_ratio(x) > UNEQUAL
    assert spread_ratio(x[:, :2] / [1.0, 50.0] + [0.0, 1000.0]) < 1.5
    assert spread_ratio(x[:, :1]) == spread_ratio(x[:0]) == spread_ratio(np.ones((9, 2))) == 1.0
