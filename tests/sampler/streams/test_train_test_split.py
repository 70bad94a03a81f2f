"""Seeded splits into training and test rows."""

import numpy as np
import pytest

from sampler.streams.tabular_file import read_csv
from sampler.streams.train_test_split import split_table


def a_table(tmp_path, n=40):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, 2)) * [10, 1] + [5, 0]
    path = tmp_path / "data.csv"
    path.write_text("".join(f"{a},7,{b},{i % 2}\n" for i, (a, b) in enumerate(x)))
    return read_csv(path)


def test_a_split_is_seeded_whole_and_standardised_on_its_training_rows(tmp_path):
    table = a_table(tmp_path)
    split = split_table(table, 30, seed=3)
    assert split.train_features.shape == (30, 3) and split.test_features.shape == (10, 3)
    assert split.names == ("x1", "x3", "intercept")  # the constant second column is left out
    np.testing.assert_allclose(split.train_features[:, :2].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(split.train_features[:, :2].std(axis=0), 1)
    assert (split.train_features[:, 2] == 1).all() and abs(split.test_features[:, :2].mean()) > 1e-6
    np.testing.assert_array_equal(split_table(table, 0.75, seed=3).train_features, split.train_features)
    assert np.abs(split_table(table, 30, seed=4).train_features - split.train_features).max() > 0.1
    raw = split_table(table, 30, seed=3, standardize=False, intercept=False)
    both = np.concatenate([raw.train_features, raw.test_features])
    np.testing.assert_array_equal(np.sort(both, axis=0), np.sort(table.features, axis=0))


@pytest.mark.parametrize("train", [0, 40, 1.0, 0.0, -0.5, 0.001, True])
def test_a_split_needs_rows_on_both_sides(tmp_path, train):
    with pytest.raises(ValueError, match=r"train must be a share in \(0, 1\) or a number of rows in \[1, 39\]"):
        split_table(a_table(tmp_path), train)
