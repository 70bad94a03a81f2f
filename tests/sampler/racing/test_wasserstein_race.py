"""Lines and points of the Gaussian experiment."""

import numpy as np
import pytest

from sampler.racing.likelihood_race import svrg_family
from sampler.racing.wasserstein_race import wasserstein_race
from sampler.theory.gaussian_recursions import gaussian_experiment


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


def test_what_it_refuses():
    experiment = gaussian_experiment(50)
    with pytest.raises(ValueError, match="chains must be 0 or above d = 10, got 10"):
        wasserstein_race(experiment, svrg_family(50, 0.01), [1.0], chains=10, point_passes=[1.0])
    with pytest.raises(ValueError, match="step_size must be a number here"):
        wasserstein_race(experiment, svrg_family(50), [1.0])
