"""ZXG's data of Table 2 and races: likelihood by passes, curves and points of the Gaussian experiment."""

from dataclasses import replace

import numpy as np
import pytest

from sampler import LogisticRegression, find_mode
from sampler.algorithms.offline_langevin import SvrgLD
from sampler.metrics.accuracy import negative_log_likelihood
from sampler.racing import PAPER_DATA, paper_split
from sampler.racing.fixed_data_races import generated_split, likelihood_race, svrg_family, wasserstein_race
from sampler.streams import Table, split_table, split_tables
from sampler.theory.gaussian_recursions import gaussian_experiment


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


def test_two_files_make_one_split(tmp_path, monkeypatch):
    data = replace(PAPER_DATA["a9a"], train=326, test=163)  # a hundredth of its size
    monkeypatch.setitem(PAPER_DATA, "a9a", data)
    paths = pair(tmp_path, [123] * data.train, [122] * data.test)  # as in a9a.t, which lacks the last column
    split = paper_split("a9a", *paths)
    assert split.train_features.shape[0] == data.train and split.test_features.shape[0] == data.test
    assert split.train_features.shape[1] == split.test_features.shape[1] == len(split.names)
    assert split.test_labels.mean() == pytest.approx(0.75, abs=4e-3)


@pytest.mark.parametrize(("name", "paths", "words"), [
    ("iris", [], "name must be one of pima, mushrooms, a9a, ijcnn1, got 'iris'"),
    ("ijcnn1", [], "path and test_path must be given for ijcnn1: download ijcnn1 and ijcnn1.t"),
    ("mushrooms", ["none.libsvm"], "no file at .*comes with the library, in sampler/racing/data"),
    ("pima", ["none.csv"], "no file at .*pima does not come with an installed library, since UCI withdrew it"),
    ("a9a", ["a9a", "a9a.t"], "has 9 rows and 123 features, a9a has 32,561 and 123")])
def test_a_missing_file_is_an_error(tmp_path, name, paths, words):
    pair(tmp_path, [123] * 9, [123] * 9)
    with pytest.raises(ValueError, match=words):
        paper_split(name, *(tmp_path / path for path in paths))


def test_tables_of_two_data_sets_are_rejected():
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


def test_likelihood_curves_start_at_log_two_and_end_near_the_modes_score():
    split = generated_split(800, dim=5, seed=1, train=600)
    problem = LogisticRegression(6)
    mode = find_mode(problem.posterior(split.train_features, split.train_labels))
    best = negative_log_likelihood(problem, split.test_features, split.test_labels, mode)
    curves = likelihood_race(split, svrg_family(600, shares=(5,)), passes=10, record=[0, 0.5, 1, 2, 10], chains=10)
    assert list(curves) == ["SGLD", "SAGA-LD", "SVRG-LD", "SVRG-LD+ B = n/5"]
    for name, curve in curves.items():
        assert curve.passes.tolist() == [0, 0.5, 1, 2, 10] and curve.by_chain.shape == (5, 10)
        np.testing.assert_allclose(curve.mean, curve.by_chain.mean(axis=1))
        assert curve.mean[0] == pytest.approx(np.log(2))
        waits = name in ("SAGA-LD", "SVRG-LD")
        assert (curve.mean[2] == pytest.approx(np.log(2))) == waits  # a lag of one pass
        assert (curve.mean[1] < curve.mean[0]) != waits
        # at 10 passes the running average still contains its start, most with 2 evaluations per step
        assert best - 0.01 < curve.mean[-1] < best + 0.03
    slow, fast = curves["SVRG-LD"].mean, curves["SVRG-LD+ B = n/5"].mean
    assert fast[2] < slow[2] - 0.05


def test_positions_score_worse_than_averages_and_a_stop_cuts_the_race():
    split = generated_split(300, dim=3, seed=2)
    averages = likelihood_race(split, {"+": SvrgLD(anchor_batch=50)}, passes=20, record=[20], chains=20)["+"]
    positions = likelihood_race(split, {"+": SvrgLD(anchor_batch=50)}, passes=20, record=[20], chains=20,
                                average="position")["+"]
    assert positions.deviation[0] > averages.deviation[0]
    reports = []
    cut = likelihood_race(split, svrg_family(225), passes=5, progress=lambda name, share: reports.append((name, share)),
                          stop=lambda: any(name == "SAGA-LD" for name, _ in reports))
    assert list(cut) == ["SGLD", "SAGA-LD"] and cut["SAGA-LD"].run.stopped
    answers = iter([False, True])  # stops within the second sampler, before its first checkpoint
    none = likelihood_race(split, svrg_family(225), passes=5, stop=lambda: next(answers, True))
    assert list(none) == ["SGLD"] and none["SGLD"].by_chain.shape == (0, 10)
    shares = [share for _, share in reports]
    assert shares == sorted(shares) and shares[-1] < 0.6


SPLIT, EXPERIMENT = generated_split(100, dim=2), gaussian_experiment(50)


@pytest.mark.parametrize(("call", "words"), [
    (lambda: likelihood_race(SPLIT, svrg_family(75) | {"too large": SvrgLD(anchor_batch=76)}),
     r"anchor_batch must be .* \[1, 75\], the number of data, got 76"),
    (lambda: likelihood_race(SPLIT, svrg_family(75), average="mean"), "average must be one of path, position, got 'mean'"),
    (lambda: likelihood_race(SPLIT, {}), "samplers must hold at least one"),
    (lambda: svrg_family(75, shares=(1,)), "shares must be a whole number in"),
    (lambda: wasserstein_race(EXPERIMENT, svrg_family(50, 0.01), [1.0], chains=10, point_passes=[1.0]),
     "chains must be 0 or above d = 10, got 10"),
    (lambda: wasserstein_race(EXPERIMENT, svrg_family(50), [1.0]), "step_size must be a number here")])
def test_invalid_races_are_rejected(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_points_agree_with_the_exact_curves():
    experiment = gaussian_experiment(200, dim=4)
    at = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0]
    shares = []
    curves = wasserstein_race(experiment, svrg_family(200, step_size=0.01), at, chains=1000, point_passes=at,
                              progress=lambda name, share: shares.append(share))
    assert list(curves) == ["SGLD", "SAGA-LD", "SVRG-LD", "SVRG-LD+ B = n/5"] and shares[-1] == 1.0
    for curve in curves.values():
        assert curve.exact[0] == pytest.approx(curve.points[0]) and curve.floor < 0.1
        # the error of a score is below the floor if W2 is larger; otherwise it adds in squares
        np.testing.assert_allclose(curve.points, curve.exact, atol=2 * curve.floor)
    assert curves["SAGA-LD"].exact[2] == curves["SAGA-LD"].exact[0] > curves["SGLD"].exact[2]


def test_curves_with_best_step_sizes_and_without_points():
    experiment = gaussian_experiment(500)
    curves = wasserstein_race(experiment, svrg_family(500), [2.0], tune_at=2.0)
    assert {name: round(float(c.exact[0]), 2) for name, c in curves.items()} == {
        "SGLD": 0.01, "SAGA-LD": 0.01, "SVRG-LD": 0.02, "SVRG-LD+ B = n/5": 0.02}
    assert curves.to_dataframe().values.tolist() == [[name, 2.0, c.exact[0]] for name, c in curves.items()]
    assert not curves.to_datatree().children  # no chains ran
    assert len({c.step_size for c in curves.values()}) == 4 and all(not c.points.size for c in curves.values())
    assert wasserstein_race(experiment, svrg_family(500, 0.01), [1.0], stop=lambda: True) == {}
