"""Predictions from the chains of a coreset: each model's own response."""

import numpy as np
import pytest
from scipy.special import expit

from sampler.coreset import (
    BradleyTerry,
    CauchyLogistic,
    CoresetMCMC,
    CustomModel,
    GaussianLocation,
    LinearLogVariance,
    SoftplusPoisson,
    SparseRegression,
)

RNG = np.random.default_rng(0)
ROWS = np.column_stack([np.ones(5), RNG.normal(size=(5, 2))])


@pytest.mark.parametrize(("model", "means"), [
    (CauchyLogistic.synthetic(50, 2, positives=20), expit),
    (SoftplusPoisson.synthetic(50, 2), lambda z: np.log(1 + np.exp(z))),
], ids=lambda value: type(value).__name__)
def test_the_mean_is_that_of_the_models_own_link(model, means):
    draws = RNG.normal(size=(30, 3))
    found = model.predictive(draws)
    mean = found.predict_proba(ROWS)[:, 1] if means is expit else found.predict(ROWS)
    np.testing.assert_allclose(mean, means(ROWS @ draws.T).mean(axis=1), rtol=1e-12)


@pytest.mark.parametrize(("model", "last", "variance"), [
    (LinearLogVariance.synthetic(50, 2), RNG.normal(size=30), np.exp),
    (SparseRegression.synthetic(50, 3), RNG.gamma(3, size=30), np.array),
], ids=lambda value: type(value).__name__)
def test_each_draw_has_its_own_noise(model, last, variance):
    draws = np.column_stack([RNG.normal(size=(30, 3)), last])
    scores, law = ROWS @ draws[:, :3].T, model.predictive(draws).predict_dist(ROWS)
    np.testing.assert_allclose(law.mean, scores.mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(law.sd**2, variance(last).mean() + scores.var(axis=1), rtol=1e-12)
    density = np.exp(-0.5 * scores**2 / variance(last)) / np.sqrt(2 * np.pi * variance(last))
    np.testing.assert_allclose(law.pdf(0.0), density.mean(axis=1), rtol=1e-12)


def test_a_location_has_data_of_variance_one_and_a_game_its_two_teams():
    draws = RNG.normal(size=(30, 3))
    np.testing.assert_allclose(GaussianLocation(ROWS).predictive(draws).predict_dist().sd**2, 1 + draws.var(axis=0))
    games = BradleyTerry([0, 1], [1, 2], [1.0, 0.0])
    chances = games.predictive(400 * draws).predict_proba(games.rows[:, :3])[:, 1]
    np.testing.assert_allclose(chances, expit(draws[:, :2] - draws[:, 1:]).mean(axis=0), rtol=1e-12)


def test_a_run_predicts_from_its_chains():
    run = CoresetMCMC(CauchyLogistic.synthetic(200, 2, positives=80), size=20, chains=4, hot_start=False).start()
    with pytest.raises(ValueError, match="predictive needs draws, and there are none yet; advance the run first"):
        run.predictive()
    run.advance(50)
    np.testing.assert_array_equal(run.predictive().draws, run.positions)
    assert run.predictive().predict_proba(ROWS, 0.9)[1].shape == (5, 2)


def test_a_model_of_ones_own_tells_a_likelihood_but_no_response():
    model = CustomModel(lambda theta, indices: np.zeros(len(indices)), lambda theta: 0.0, 5, 2)
    with pytest.raises(ValueError, match=r"model must tell how responses arise, CustomModel\(n=5, dim=2\) knows"):
        model.predictive(np.zeros((3, 2)))
    with pytest.raises(ValueError, match=r"draws must have shape \(n, 3\), got \(3, 2\)"):
        CauchyLogistic.synthetic(50, 2, positives=20).predictive(np.zeros((3, 2)))
