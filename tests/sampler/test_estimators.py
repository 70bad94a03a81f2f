"""Estimators: scikit-learn's checks, the library's draws, continuation after pickling."""

import pickle

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from sampler import LinearRegression, LogisticRegression, PreconditionedSagaLD
from sampler.estimators import OnlineBayesClassifier, OnlineBayesRegressor


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 3))
    return X, np.where(rng.random(120) < 1 / (1 + np.exp(-X @ [1.0, -1.0, 0.0])), "yes", "no")


@pytest.mark.parametrize("estimator", [OnlineBayesClassifier(chains=8), OnlineBayesRegressor(chains=8)])
def test_scikit_learns_own_checks_pass(estimator):
    check_estimator(estimator, on_skip=None)


def test_the_draws_are_the_librarys_row_by_row_and_after_a_pickle(rows):
    X, y = rows
    whole = OnlineBayesClassifier(chains=8, random_state=3).fit(X, y)
    saga = PreconditionedSagaLD(LogisticRegression(4), chains=8, seed=whole.sampler_.seed)
    saga.observe(np.column_stack([X, np.ones(len(X))]), (y == "yes").astype(float))
    assert np.array_equal(whole.sampler_.positions, saga.positions)
    pieces = OnlineBayesClassifier(chains=8, random_state=3)
    for k in range(0, 120, 40):
        pieces.partial_fit(X[k:k + 40], y[k:k + 40], classes=["no", "yes"])
        pieces = pickle.loads(pickle.dumps(pieces))
    pieces.partial_fit(X[:1], y[:1])
    whole.partial_fit(X[:1], y[:1])
    assert np.array_equal(whole.sampler_.positions, pieces.sampler_.positions)
    mean = whole.sampler_.positions.mean(axis=0)
    assert np.array_equal(whole.coef_, mean[:3]) and whole.intercept_ == mean[3]
    assert np.array_equal(whole.predict(X), np.where(whole.predict_proba(X)[:, 1] > 0.5, "yes", "no"))


def test_a_regressors_draws_are_the_librarys_too():
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((200, 2)), rng.standard_normal(200)
    fitted = OnlineBayesRegressor(noise_sd=0.5, prior_sd=2.0, fit_intercept=False, chains=8, random_state=0).fit(X, y)
    saga = PreconditionedSagaLD(LinearRegression(2, 1 / 2.0**2, 0.5), chains=8, seed=fitted.sampler_.seed)
    saga.observe(X, y)
    assert np.array_equal(fitted.sampler_.positions, saga.positions)
    law = fitted.predict_dist(X[:5])
    assert np.allclose(fitted.predict(X[:5]), X[:5] @ fitted.coef_) and np.all(law.sd > 0.5)


def test_counts_have_a_distribution():
    X = np.random.default_rng(2).standard_normal((60, 1))
    fitted = OnlineBayesRegressor(family="poisson", chains=8, random_state=0).fit(X, np.arange(60) % 4)
    assert fitted.predict_dist(X).pmf(0).shape == (60,) and np.all(fitted.predict(X) > 0)


@pytest.mark.parametrize(("call", "words"), [
    (lambda e, X, y: e.fit(X, np.arange(len(X)) % 3), "Only binary classification is supported. y has 3 classes"),
    (lambda e, X, y: e.partial_fit(X, np.full(len(X), "no")), "y must have two classes, got 1 class"),
    (lambda e, X, y: e.fit(X, y).partial_fit(X, np.full(len(X), "perhaps")), "y must have labels in .* got .*perhaps"),
    (lambda e, X, y: e.fit(X, y).partial_fit(X, y, classes=["a", "b"]), "classes must be two labels, the same in each"),
    (lambda e, X, y: e.set_params(prior_sd=0.0).fit(X, y), "prior_sd must be .*got 0"),
    (lambda e, X, y: OnlineBayesRegressor(family="gamma").fit(X, X[:, 0]), "family must be one of normal, poisson"),
])
def test_invalid_targets_and_parameters_are_rejected(rows, call, words):
    with pytest.raises(ValueError, match=words):
        call(OnlineBayesClassifier(chains=4), *rows)
