"""Online Bayesian regression as scikit-learn estimators: `partial_fit` learns rows incrementally and keeps all of them.

The estimators require scikit-learn (the extra ``sklearn``) and use a `PreconditionedSagaLD` with default settings that need
no tuning: the same rows and seed give the same draws, bit for bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from sampler.algorithms import PreconditionedSagaLD
from sampler.arguments import choice, positive_number
from sampler.predictive import Predictive, PredictiveDistribution
from sampler.problems import LinearRegression, LogisticRegression, PoissonRegression
from sampler.settings import Settings

FAMILIES = ("normal", "poisson")


class OnlineBayes(BaseEstimator):
    """Base of both estimators; use `OnlineBayesClassifier` or `OnlineBayesRegressor`."""

    def fit(self, X: ArrayLike, y: ArrayLike) -> OnlineBayes:
        """Fit to these rows only, discarding earlier ones.

        Parameters
        ----------
        X : (m, n_features) array
        y : (m,) array
        """
        self.__dict__.pop("sampler_", None)
        return self.partial_fit(X, y)

    def partial_fit(self, X: ArrayLike, y: ArrayLike) -> OnlineBayes:
        """Learn additional rows; X is (m, n_features), y (m,)."""
        first = not hasattr(self, "sampler_")
        features, labels = validate_data(self, X, y, reset=first, dtype=np.float64,
                                         y_numeric=not isinstance(self, ClassifierMixin))
        targets = self._targets(labels)
        if first:
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
            prior_sd = positive_number("prior_sd", self.prior_sd, 1e150, "1.0 suits standardised features")
            problem = self._problem(features.shape[1] + bool(self.fit_intercept), prior_sd**-2.0)
            self.sampler_ = PreconditionedSagaLD(problem, self.settings, self.chains, seed)
        self.sampler_.observe(self._rows(features), targets)
        return self

    def _rows(self, X: np.ndarray) -> np.ndarray:
        return np.column_stack([X, np.ones(len(X))]) if self.fit_intercept else X

    def _targets(self, y: np.ndarray) -> np.ndarray:
        return np.asarray(y, dtype=float)

    def _problem(self, dim: int, precision: float) -> Any:
        raise NotImplementedError

    def _new(self, X: ArrayLike) -> np.ndarray:
        check_is_fitted(self, "sampler_")
        return self._rows(validate_data(self, X, reset=False, dtype=np.float64))

    @property
    def coef_(self) -> np.ndarray:
        """Posterior mean of the coefficients, (n_features,)."""
        return self._mean[:self.n_features_in_]

    @property
    def intercept_(self) -> float:
        """Posterior mean of the intercept; 0 without an intercept."""
        return float(self._mean[-1]) if self.fit_intercept else 0.0

    @property
    def _mean(self) -> np.ndarray:
        check_is_fitted(self, "sampler_")
        return self.sampler_.positions.mean(axis=0)

    def predictive(self) -> Predictive:
        """Return a `Predictive` for intervals, predictive distributions and Thompson sampling.

        Its rows must end with a column of ones if an intercept is fitted.
        """
        check_is_fitted(self, "sampler_")
        return self.sampler_.predictive()


class OnlineBayesClassifier(ClassifierMixin, OnlineBayes):
    """Binary logistic regression with probabilities averaged over draws from the posterior.

    Parameters
    ----------
    prior_sd : float > 0
        Standard deviation of the normal prior of each coefficient, with mean 0.
    fit_intercept : bool
        If True, fit an intercept with the same prior.
    chains : int >= 1
        Number of posterior draws, updated with every row; the cost per row is proportional to it.
    settings : Settings, optional
        Knobs of `PreconditionedSagaLD`; None uses its default, which needs no tuning.
    random_state : int, RandomState or None
        Seed; an int gives reproducible draws.

    Attributes
    ----------
    sampler_ : PreconditionedSagaLD
    classes_ : (2,) array
    coef_, intercept_ : (n_features,) array, float
        Posterior means.
    n_features_in_ : int
    """

    def __init__(self, prior_sd: float = 1.0, fit_intercept: bool = True, chains: int = 64,
                 settings: Settings | None = None, random_state: Any = None) -> None:
        self.prior_sd, self.fit_intercept, self.chains = prior_sd, fit_intercept, chains
        self.settings, self.random_state = settings, random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike) -> OnlineBayes:
        """Fit to these rows ``X`` and labels ``y`` only, discarding earlier ones; see `partial_fit`."""
        self.__dict__.pop("classes_", None)
        return super().fit(X, y)

    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None) -> OnlineBayes:
        """Learn additional rows.

        Parameters
        ----------
        X : (m, n_features) array
        y : (m,) array
        classes : (2,) array, optional
            Both labels; required in the first call if ``y`` contains only one of them.

        Raises
        ------
        ValueError
            Unless the labels are of two classes, the same in each call.
        """
        if classes is not None:
            labels = np.unique(np.asarray(classes))
            if len(labels) != 2 or not np.array_equal(labels, getattr(self, "classes_", labels)):
                raise ValueError(f"classes must be two labels, the same in each call; got {classes!r}")
            self.classes_ = labels
        return super().partial_fit(X, y)

    def _targets(self, y: np.ndarray) -> np.ndarray:
        check_classification_targets(y)
        labels = np.unique(y)
        classes = getattr(self, "classes_", labels)
        if len(classes) > 2:
            raise ValueError(f"Only binary classification is supported. y has {len(classes)} classes; fit one estimator per "
                             "class, as OneVsRestClassifier does")
        if len(classes) < 2:
            raise ValueError(f"y must have two classes, got 1 class, {classes[0]!r}; pass both to "
                             "partial_fit(X, y, classes=[0, 1])")
        if not np.isin(labels, classes).all():
            raise ValueError(f"y must have labels in {list(classes)!r}, those of the first call; got {list(labels)!r}")
        self.classes_ = classes
        return (y == classes[1]).astype(float)

    def _problem(self, dim: int, precision: float) -> Any:
        return LogisticRegression(dim, precision)

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Return the probability of each of ``classes_`` for each row, (m, 2), averaged over the draws."""
        return self.predictive().predict_proba(self._new(X))

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Return the more probable label of each row, (m,)."""
        most_probable = self.predict_proba(X).argmax(axis=1)
        return self.classes_[most_probable]


class OnlineBayesRegressor(RegressorMixin, OnlineBayes):
    """Linear or Poisson regression with means averaged over draws from the posterior.

    Parameters
    ----------
    family : {"normal", "poisson"}
        Distribution of the response: normal with standard deviation `noise_sd`, or Poisson counts with a log link.
    noise_sd : float > 0
        Standard deviation of the noise, for "normal".
    prior_sd, fit_intercept, chains, settings, random_state
        As for `OnlineBayesClassifier`.

    Attributes
    ----------
    sampler_ : PreconditionedSagaLD
    coef_, intercept_ : (n_features,) array, float
        Posterior means.
    n_features_in_ : int
    """

    def __init__(self, family: str = "normal", noise_sd: float = 1.0, prior_sd: float = 1.0, fit_intercept: bool = True,
                 chains: int = 64, settings: Settings | None = None, random_state: Any = None) -> None:
        self.family, self.noise_sd = family, noise_sd
        self.prior_sd, self.fit_intercept, self.chains = prior_sd, fit_intercept, chains
        self.settings, self.random_state = settings, random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.family == "poisson"
        return tags

    def _problem(self, dim: int, precision: float) -> Any:
        if choice("family", self.family, FAMILIES) == "poisson":
            return PoissonRegression(dim, precision)
        return LinearRegression(dim, precision, self.noise_sd)

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Return the mean response of each row, (m,)."""
        return self.predictive().predict(self._new(X))

    def predict_dist(self, X: ArrayLike) -> PredictiveDistribution:
        """Return the distribution of the response of each row, with mean, sd, quantiles and density."""
        return self.predictive().predict_dist(self._new(X))
