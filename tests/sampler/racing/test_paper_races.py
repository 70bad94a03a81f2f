"""ZXG's races: likelihood against passes, lines and points of the Gaussian experiment."""

import numpy as np
import pytest

from sampler import LogisticRegression, find_mode
from sampler.algorithms.offline_langevin import SvrgLD
from sampler.metrics.accuracy import negative_log_likelihood
from sampler.racing.paper_races import generated_split, likelihood_race, svrg_family, wasserstein_race
from sampler.theory.gaussian_recursions import gaussian_experiment


def test_curves_start_at_log_two_wait_for_their_tables_and_end_near_the_modes_score():
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
        # at 10 passes the running average still remembers its start, most with 2 evaluations a step
        assert best - 0.01 < curve.mean[-1] < best + 0.03
    slow, fast = curves["SVRG-LD"].mean, curves["SVRG-LD+ B = n/5"].mean
    assert fast[2] < slow[2] - 0.05


def test_positions_score_worse_than_averages_and_a_stop_cuts_the_race():
    split = generated_split(300, dim=3, seed=2)
    averages = likelihood_race(split, {"+": SvrgLD(anchor_batch=50)}, passes=20, record=[20], chains=20)["+"]
    positions = likelihood_race(split, {"+": SvrgLD(anchor_batch=50)}, passes=20, record=[20], chains=20,
                                average="position")["+"]
    assert positions.deviation[0] > averages.deviation[0]
    told = []
    cut = likelihood_race(split, svrg_family(225), passes=5, progress=lambda name, share: told.append((name, share)),
                          stop=lambda: any(name == "SAGA-LD" for name, _ in told))
    assert list(cut) == ["SGLD", "SAGA-LD"] and cut["SAGA-LD"].run.stopped
    asked = iter([False, True])  # between two samplers no, within the first yes: before its first checkpoint
    none = likelihood_race(split, svrg_family(225), passes=5, stop=lambda: next(asked, True))
    assert list(none) == ["SGLD"] and none["SGLD"].by_chain.shape == (0, 10)
    shares = [share for _, share in told]
    assert shares == sorted(shares) and shares[-1] < 0.6


def test_what_a_likelihood_race_refuses():
    split = generated_split(100, dim=2)
    with pytest.raises(ValueError, match=r"anchor_batch must be .* \[1, 75\], the number of data, got 76"):
        likelihood_race(split, svrg_family(75) | {"too large": SvrgLD(anchor_batch=76)})
    with pytest.raises(ValueError, match="average must be one of path, position, got 'mean'"):
        likelihood_race(split, svrg_family(75), average="mean")
    with pytest.raises(ValueError, match="samplers must hold at least one"):
        likelihood_race(split, {})
    with pytest.raises(ValueError, match="shares must be a whole number in"):
        svrg_family(75, shares=(1,))


def test_points_lie_on_their_lines():
    experiment = gaussian_experiment(200, dim=4)
    at = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0]
    told = []
    curves = wasserstein_race(experiment, svrg_family(200, step_size=0.01), at, chains=3000, point_passes=at,
                              progress=lambda name, share: told.append(share))
    assert list(curves) == ["SGLD", "SAGA-LD", "SVRG-LD", "SVRG-LD+ B = n/5"] and told[-1] == 1.0
    for curve in curves.values():
        assert curve.exact[0] == pytest.approx(curve.points[0]) and curve.floor < 0.1
        # a score's error is below the floor where its W2 is larger, and adds to it in squares where it is not
        np.testing.assert_allclose(curve.points, curve.exact, atol=2 * curve.floor)
    assert curves["SAGA-LD"].exact[2] == curves["SAGA-LD"].exact[0] > curves["SGLD"].exact[2]


def test_each_can_have_its_own_best_step_and_none_needs_points():
    experiment = gaussian_experiment(500)
    curves = wasserstein_race(experiment, svrg_family(500), [2.0], tune_at=2.0)
    assert {name: round(float(c.exact[0]), 2) for name, c in curves.items()} == {
        "SGLD": 0.01, "SAGA-LD": 0.01, "SVRG-LD": 0.02, "SVRG-LD+ B = n/5": 0.02}
    assert curves.to_dataframe().values.tolist() == [[name, 2.0, c.exact[0]] for name, c in curves.items()]
    assert not curves.to_datatree().children  # no chains ran
    assert len({c.step_size for c in curves.values()}) == 4 and all(not c.points.size for c in curves.values())
    assert wasserstein_race(experiment, svrg_family(500, 0.01), [1.0], stop=lambda: True) == {}


def test_what_a_wasserstein_race_refuses():
    experiment = gaussian_experiment(50)
    with pytest.raises(ValueError, match="chains must be 0 or above d = 10, got 10"):
        wasserstein_race(experiment, svrg_family(50, 0.01), [1.0], chains=10, point_passes=[1.0])
    with pytest.raises(ValueError, match="step_size must be a number here"):
        wasserstein_race(experiment, svrg_family(50), [1.0])
