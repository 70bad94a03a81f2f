"""CHC Theorem 4.1 on data with an exact coreset: its optimum, the slope's arithmetic, and the measured rate."""

import numpy as np
import pytest

from sampler.coreset import CoresetMCMC, RepeatedPoints, WeightConvergence, weight_convergence
from sampler.coreset.coreset import Coreset


def test_the_copies_are_the_weights_of_an_exact_coreset():
    model = RepeatedPoints.synthetic(n=40, dim=3, seed=2, size=4)
    assert model.n == model.optimum.sum() == 40 and model.optimum[0] < model.optimum[-1]
    points = model.pick(4, np.random.default_rng(0))
    assert np.array_equal(np.unique(model.rows[points, :3], axis=0), np.unique(model.rows[:, :3], axis=0))
    for theta in np.random.default_rng(1).normal(size=(5, 3)):
        whole = model.log_likelihood(theta, np.arange(40)).sum()
        assert model.optimum @ model.log_likelihood(theta, points) == pytest.approx(whole)
    assert CoresetMCMC(model, 4, hot_start=False).start().weights == pytest.approx(np.full(4, 10.0))
    assert isinstance(CoresetMCMC(model, 4, hot_start=False).start().coreset, Coreset)


def test_a_power_law_has_its_power_and_no_error():
    t = np.unique(np.logspace(0, 5, 41).round().astype(int))
    exact = WeightConvergence(t, np.outer([1.0, 3.0], t**-0.5), 1.0, 40, 10)
    assert exact.slope == pytest.approx(-0.5) and exact.slope_error == pytest.approx(0.0, abs=1e-12)
    assert exact.mean == pytest.approx(2.0 * t**-0.5)
    late = np.where(t * 30 < t[-1], 1e3, 1.0)  # what came before the last factor of 30 does not count
    assert WeightConvergence(t, exact.errors * late, 1.0, 40, 10).slope == pytest.approx(-0.5)
    two = WeightConvergence(t, np.array([t**-0.4, t**-0.8]), 1.0, 40, 10)
    assert two.slope == pytest.approx(-0.6) and two.slope_error == pytest.approx(0.2)


def test_weights_come_near_the_optimum():
    result = weight_convergence(RepeatedPoints.synthetic(), 20_000, seeds=4)
    assert result.start == pytest.approx(((5.5 - np.arange(1, 11)) ** 2).sum())
    assert result.errors.shape == (4, len(result.iterations)) and result.iterations[-1] == 20_000
    assert result.errors[:, 0] == pytest.approx(result.start, rel=0.01) and result.mean[-1] < result.start / 100
    again = CoresetMCMC(RepeatedPoints.synthetic(), 10, chains=10, subsample=40, hot_start=False, seed=3).run(20_000)
    assert ((again.weights - np.arange(1, 11)) ** 2).sum() == pytest.approx(result.errors[3, -1])
    assert weight_convergence(RepeatedPoints.synthetic(), 1000, stop=lambda: True) is None


@pytest.mark.slow
def test_the_rate_is_one_over_root_t():
    result = weight_convergence(RepeatedPoints.synthetic(), 1_000_000, seeds=16)
    assert result.slope_error < 0.06
    assert result.slope == pytest.approx(-0.5, abs=4 * result.slope_error)


@pytest.mark.parametrize(("points", "copies", "words"), [
    (np.eye(2), [1], "copies must be 2 whole numbers"), (np.eye(2), [1, 0], "leave out a point that never"),
    (np.ones((2, 2)), [1, 2], "points must be affinely independent"),
    (np.arange(8.0).reshape(4, 2), [1, 1, 1, 1], "points must be affinely independent")])
def test_bad_input_is_refused_by_name(points, copies, words):
    with pytest.raises(ValueError, match=words):
        RepeatedPoints(points, copies)


def test_the_size_must_be_the_number_of_points():
    with pytest.raises(ValueError, match="iterations must"):
        weight_convergence(RepeatedPoints.synthetic(), 10)
    with pytest.raises(ValueError, match="size must be 10, the number of points.*give CoresetMCMC that size"):
        CoresetMCMC(RepeatedPoints.synthetic(), 5).start()
