"""The estimators: scikit-learn's own checks, the library's bits, a pickle that goes on, an exact posterior."""

import pickle

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from sampler import LogisticRegression, PreconditionedSagaLD
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
    assert np.array_equal(whole.coef_, saga_mean(whole)[:3]) and whole.intercept_ == saga_mean(whole)[3]
    assert np.array_equal(whole.predict(X), np.where(whole.predict_proba(X)[:, 1] > 0.5, "yes", "no"))


def saga_mean(estimator):
    return estimator.sampler_.positions.mean(axis=0)


def test_a_linear_models_means_and_spread_are_the_posteriors():
    """The mean of 256 draws is within 4.5 sd/16 of the posterior's, and the default's variance 9 % too large at most.

    A sum of squares of 256 draws scatters by sqrt(2/255) = 9 %: the sd lies within (1.09 (1 + 4.5 * .09))^(1/2) = 1.24.
    """
    rng = np.random.default_rng(1)
    X, noise = rng.standard_normal((200, 2)), 0.5
    y = X @ [2.0, -1.0] + noise * rng.standard_normal(200)
    fitted = OnlineBayesRegressor(noise_sd=noise, prior_sd=2.0, fit_intercept=False, chains=256, random_state=0).fit(X, y)
    covariance = np.linalg.inv(X.T @ X / noise**2 + np.eye(2) / 4.0)
    mean, sd = covariance @ X.T @ y / noise**2, np.sqrt(np.diag(covariance))
    assert np.all(np.abs(fitted.coef_ - mean) < 4.5 * sd / 16)
    assert np.all(np.abs(np.log(fitted.sampler_.positions.std(axis=0, ddof=1) / sd)) < np.log(1.24))
    law = fitted.predict_dist(X[:5])
    assert np.allclose(fitted.predict(X[:5]), X[:5] @ fitted.coef_) and np.all(law.sd > noise)


def test_counts_have_a_distribution():
    X = np.random.default_rng(2).standard_normal((60, 1))
    fitted = OnlineBayesRegressor(family="poisson", chains=8, random_state=0).fit(X, np.arange(60) % 4)
    assert fitted.predict_dist(X).pmf(0).shape == (60,) and np.all(fitted.predict(X) > 0)


BAD = [
    (lambda e, X, y: e.fit(X, np.arange(len(X)) % 3), "Only binary classification is supported. y has 3 classes"),
    (lambda e, X, y: e.partial_fit(X, np.full(len(X), "no")), "y must have two classes, got 1 class"),
    (lambda e, X, y: e.fit(X, y).partial_fit(X, np.full(len(X), "perhaps")), "y must have labels in .* got .*perhaps"),
    (lambda e, X, y: e.fit(X, y).partial_fit(X, y, classes=["a", "b"]), "classes must be two labels, the same at each"),
    (lambda e, X, y: e.set_params(prior_sd=0.0).fit(X, y), "prior_sd must be .*got 0"),
    (lambda e, X, y: OnlineBayesRegressor(family="gamma").fit(X, X[:, 0]), "family must be one of normal, poisson"),
]


@pytest.mark.parametrize(("deed", "words"), BAD)
def test_what_cannot_be_learnt_is_refused_in_words(rows, deed, words):
    with pytest.raises(ValueError, match=words):
        deed(OnlineBayesClassifier(chains=4), *rows)
