import numpy as np
import pytest

from sampler.streams import UNEQUAL, spread_ratio


def test_the_ratio_is_of_columns_that_vary():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(500, 3)) * [1.0, 50.0, 1.0]
    x[:, 2] = 7.0
    assert spread_ratio(x) == pytest.approx(x[:, 1].std() / x[:, 0].std(), rel=0.3) and spread_ratio(x) > UNEQUAL


def test_far_from_zero_is_not_wide_and_one_column_has_no_other():
    x = np.random.default_rng(0).normal(size=(500, 2))
    assert spread_ratio(x + [0.0, 1000.0]) < 1.5
    assert spread_ratio(x[:, :1]) == spread_ratio(x[:0]) == spread_ratio(np.ones((9, 2))) == 1.0
