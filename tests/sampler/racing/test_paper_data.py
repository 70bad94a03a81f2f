"""ZXG's Table 2: the two data sets kept here, and the two that are given by their paths."""

import numpy as np
import pytest

from sampler.racing import PAPER_DATA, paper_split
from sampler.streams import Table, split_table, split_tables


@pytest.mark.parametrize(("name", "ones"), [("pima", 268), ("mushrooms", 4208)])
def test_rows_and_columns_are_those_of_table_2(name, ones):
    split, data = paper_split(name), PAPER_DATA[name]
    assert len(split.train_labels) == data.train and len(split.test_labels) == data.test
    assert split.names[-1] == "intercept" and len(split.names) <= data.columns + 1
    assert set(split.train_labels) == {0.0, 1.0} and split.train_labels.sum() + split.test_labels.sum() == ones
    np.testing.assert_allclose(split.train_features[:, :-1].mean(axis=0), 0.0, atol=1e-9)
    other = paper_split(name, seed=1)
    assert not np.array_equal(other.train_labels, split.train_labels)


def pair(tmp_path, train, test):
    paths = tmp_path / "a9a", tmp_path / "a9a.t"
    for path, rows in zip(paths, (train, test), strict=True):
        path.write_text("".join(f"{1 if i % 4 else -1:+d} {1 + i % 100}:1 {column}:1\n" for i, column in enumerate(rows)))
    return paths


def test_two_files_make_one_split(tmp_path):
    data = PAPER_DATA["a9a"]
    paths = pair(tmp_path, [123] * data.train, [122] * data.test)  # as in a9a.t, whose last column is absent
    split = paper_split("a9a", *paths)
    assert split.train_features.shape[0] == data.train and split.test_features.shape[0] == data.test
    assert split.train_features.shape[1] == split.test_features.shape[1] == len(split.names)
    assert split.test_labels.mean() == pytest.approx(0.75, abs=1e-3)


def test_what_is_missing_is_said(tmp_path):
    with pytest.raises(ValueError, match="name must be one of pima, mushrooms, a9a, ijcnn1, got 'iris'"):
        paper_split("iris")
    with pytest.raises(ValueError, match="path and test_path must be given for ijcnn1: download ijcnn1 and ijcnn1.t"):
        paper_split("ijcnn1")
    with pytest.raises(ValueError, match="no file at .*comes with the library, in sampler/racing/data"):
        paper_split("mushrooms", tmp_path / "nothing.libsvm")
    with pytest.raises(ValueError, match="no file at .*pima does not come with an installed library, since UCI withdrew it"):
        paper_split("pima", tmp_path / "nothing.csv")
    with pytest.raises(ValueError, match="has 9 rows and 123 features, a9a has 32,561 and 123"):
        paper_split("a9a", *pair(tmp_path, [123] * 9, [123] * 9))


def test_tables_of_two_data_sets_are_refused():
    rows = np.arange(8.0).reshape(4, 2)
    one = Table(rows, np.array([0.0, 1, 0, 1]), ("a", "b"), "one", (0.0, 1.0))
    with pytest.raises(ValueError, match="labels of train, 0 and 1, got 1 and 2"):
        split_tables(one, Table(rows, one.labels, ("a", "b"), "two", (1.0, 2.0)))
    with pytest.raises(ValueError, match="columns of train"):
        split_tables(one, Table(rows, one.labels, ("b", "a"), "two", (0.0, 1.0)))
    both = split_tables(one, one)
    np.testing.assert_array_equal(both.train_features, both.test_features)
    alone = split_table(one, train=2, seed=3)
    order = np.random.default_rng(3).permutation(4)
    parts = [Table(rows[at], one.labels[at], ("a", "b"), "part", (0.0, 1.0)) for at in (order[:2], order[2:])]
    np.testing.assert_array_equal(split_tables(*parts).test_features, alone.test_features)
