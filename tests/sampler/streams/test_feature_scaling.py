import numpy as np
import pytest

from sampler.streams.feature_scaling import RunningScale


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(50, 3)) * [1, 100, 1e-6] + [0, 1e6, 5]


def test_row_k_is_scaled_by_rows_1_to_k_and_never_by_later_ones(rows):
    found = RunningScale(3, settle=None).add(rows)
    for k in (2, 7, 50):
        seen = rows[:k]
        np.testing.assert_allclose(found[k - 1], (rows[k - 1] - seen.mean(axis=0)) / seen.std(axis=0), rtol=1e-6)
    np.testing.assert_array_equal(found[0], 0.0)
    changed = rows.copy()
    changed[30:] *= 3
    np.testing.assert_array_equal(RunningScale(3, settle=None).add(changed)[:30], found[:30])


def test_no_number_is_above_the_root_of_rows_before(rows):
    wild = rows.copy()
    wild[20, 0] = 1e12
    found = RunningScale(3, settle=None).add(wild)
    # Samuelson's inequality: with row k among its own k rows, |x_k - mean| <= sd sqrt(k - 1).
    assert (np.abs(found).max(axis=1) <= np.sqrt(np.arange(50)) * (1 + 1e-9)).all()


@pytest.mark.parametrize("settle", [10, None])
def test_batches_make_no_difference(rows, settle):
    whole = RunningScale(3, settle).add(rows)
    scale, parts = RunningScale(3, settle), []
    for first in range(0, 50, 7):
        parts.append(scale.add(rows[first:first + 7]))
        scale = RunningScale.from_dict(scale.to_dict())  # stopped and gone on in between
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_it_settles(rows):
    scale = RunningScale(3, settle=10)
    found = scale.add(rows)
    np.testing.assert_allclose(scale.mean, rows[:10].mean(axis=0))
    np.testing.assert_allclose(found[40], (rows[40] - rows[:10].mean(axis=0)) / rows[:10].std(axis=0), rtol=1e-6)


def test_a_feature_that_does_not_vary_becomes_zero():
    rows = np.column_stack([np.full(5, 3.3), np.arange(5.0)])
    np.testing.assert_array_equal(RunningScale(2).add(rows)[:, 0], 0.0)
