"""River models: river's checks, the library's draws, continuation after pickling, late features."""

import pickle

import numpy as np
import pytest
from river import checks

from sampler import LinearRegression, LogisticRegression, PreconditionedSagaLD
from sampler.river_models import OnlineBayesClassifier, OnlineBayesRegressor


def stream(n=80):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 2))
    return X, rng.random(n) < 1 / (1 + np.exp(-X @ [1.0, -1.0]))


def learn(model, X, y, names=("a", "b")):
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        model.learn_one(dict(zip(names, row, strict=True)), label)
    return model


@pytest.mark.parametrize("model", [OnlineBayesClassifier(chains=1), OnlineBayesRegressor(chains=1)])
def test_rivers_own_checks_pass(model):
    checks.check_estimator(model)


def test_the_draws_are_the_librarys_row_by_row_and_after_a_pickle():
    X, y = stream()
    saga = PreconditionedSagaLD(LogisticRegression(3, 0.25), chains=6, seed=5)
    for row, label in zip(np.column_stack([X, np.ones(80)]), y, strict=True):
        saga.observe(row, label)
    first = learn(OnlineBayesClassifier(2.0, 6, seed=5), X[:50], y[:50])
    model = learn(pickle.loads(pickle.dumps(first)), X[50:, ::-1], y[50:], names=("b", "a"))
    assert model.features == ["a", "b"] and np.array_equal(model.positions, saga.positions)
    expected = saga.predictive().predict_proba(np.array([[0.3, -0.2, 1.0]]))[0]
    proba = model.predict_proba_one({"b": -0.2, "a": 0.3, "new": 7.0})
    assert list(proba) == [False, True] and np.allclose(list(proba.values()), expected)
    assert model.predict_one({"a": 0.3, "b": -0.2}) == (expected[1] > 0.5)
    assert np.array_equal(model.predictive().draws, saga.positions)


def test_a_late_feature_is_zero_in_earlier_rows():
    X, y = stream(40)
    late = learn(OnlineBayesRegressor(chains=4, noise_sd=0.5), X[:20, :1], X[:20, 0], names=("a",))
    learn(late, X[20:], X[20:, 1])
    rows = np.column_stack([X, np.ones(40)])
    rows[:20, 1] = 0.0
    saga = PreconditionedSagaLD(LinearRegression(3, 1.0, 0.5), chains=4, seed=0)
    saga.observe(rows[:20], X[:20, 0])  # observed again when the new column first appears
    for row, response in zip(rows[20:], X[20:, 1], strict=True):
        saga.observe(row, response)
    np.testing.assert_allclose(late.positions, saga.positions, rtol=1e-12)
    np.testing.assert_allclose(late.predict_one({"b": 2.0}), saga.positions[:, 1:].mean(axis=0) @ [2.0, 1.0])


def test_predictions_before_the_first_row_are_the_priors():
    counts = OnlineBayesRegressor("poisson", chains=4)
    assert OnlineBayesClassifier().predict_proba_one({"a": 1.0}) == {False: 0.5, True: 0.5}
    assert OnlineBayesRegressor().predict_one({}) == 0.0 and counts.predict_one({"a": 1.0}) == 1.0
    assert counts.predictive() is None and counts.positions.shape == (4, 0)
    counts.learn_one({"a": 1.0}, 3)
    assert counts.predict_one({"a": 1.0}) > 0


@pytest.mark.parametrize(("call", "words"), [
    (lambda model: model.learn_one({"a": "x"}, True), r"x\['a'\] must be a finite number, got 'x'; encode it"),
    (lambda model: model.learn_one({"a": float("nan")}, True), r"x\['a'\] must be a finite number"),
    (lambda model: model.learn_one({"a": None, "z": 1.0}, True), r"x\['a'\] must be"),
    (lambda model: model.learn_one({"a": 1.0}, "yes"), "y must be True or False, got 'yes'; map the labels"),
    (lambda model: model.predict_proba_one({"a": float("inf")}), r"x\['a'\] must be"),
    (lambda model: OnlineBayesClassifier(prior_sd=-1.0).learn_one({}, True), "prior_sd must be"),
    (lambda model: OnlineBayesRegressor("gamma").learn_one({}, 1.0), "family must be one of"),
])
def test_invalid_rows_are_rejected_and_change_nothing(call, words):
    X, y = stream(10)
    model = learn(OnlineBayesClassifier(chains=2), X, y)
    before = model.positions
    with pytest.raises(ValueError, match=words):
        call(model)
    assert np.array_equal(model.positions, before) and model.features == ["a", "b"]
