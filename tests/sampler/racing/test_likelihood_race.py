"""Likelihood against passes: what each sampler reaches, and when it starts to move."""

import numpy as np
import pytest

from sampler import LogisticRegression, find_mode
from sampler.algorithms.svrg_ld import SvrgLD
from sampler.metrics.predictive import negative_log_likelihood
from sampler.racing.likelihood_race import generated_split, likelihood_race, svrg_family
from sampler.streams.tabular_file import read_table
from sampler.streams.train_test_split import split_table


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


def test_a_file_of_ones_own(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((200, 3))
    y = np.where(rng.random(200) < 1 / (1 + np.exp(-x @ [2.0, -1.0, 0.0])), "+1", "-1")
    lines = [f"{label} " + " ".join(f"{j + 1}:{v:.6f}" for j, v in enumerate(row))
             for label, row in zip(y, x, strict=True)]
    path = tmp_path / "own.libsvm"
    path.write_text("\n".join(lines))
    curve = likelihood_race(split_table(read_table(path), 150, seed=1), {"SVRG-LD": SvrgLD()}, passes=10,
                            chains=4)["SVRG-LD"]
    assert curve.mean[-1] < 0.6 < curve.mean[0]
    assert len(curve.passes) == 21


def test_what_it_refuses():
    split = generated_split(100, dim=2)
    with pytest.raises(ValueError, match=r"anchor_batch must be .* \[1, 75\], the number of data, got 76"):
        likelihood_race(split, svrg_family(75) | {"too large": SvrgLD(anchor_batch=76)})
    with pytest.raises(ValueError, match="average must be one of path, position, got 'mean'"):
        likelihood_race(split, svrg_family(75), average="mean")
    with pytest.raises(ValueError, match="samplers must hold at least one"):
        likelihood_race(split, {})
    with pytest.raises(ValueError, match="shares must be a whole number in"):
        svrg_family(75, shares=(1,))
