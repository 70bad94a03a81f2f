"""Online Bayesian regression as scikit-learn estimators: `partial_fit` learns rows as they come, forgetting none.

They need scikit-learn (the extra ``sklearn``) and hold one `PreconditionedSagaLD`, whose default settings need no tuning:
the same rows and seed give the same draws, bit for bit.
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
    """What both estimators share; use `OnlineBayesClassifier` or `OnlineBayesRegressor`."""

    def fit(self, X: ArrayLike, y: ArrayLike) -> OnlineBayes:
        """Learn these rows and no others.

        Parameters
        ----------
        X : (m, n_features) array
        y : (m,) array
        """
        self.__dict__.pop("sampler_", None)
        return self.partial_fit(X, y)

    def partial_fit(self, X: ArrayLike, y: ArrayLike) -> OnlineBayes:
        """Learn more rows; X is (m, n_features), y (m,)."""
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
        """(n_features,) mean of the draws."""
        return self._mean[:self.n_features_in_]

    @property
    def intercept_(self) -> float:
        """Mean of the draws; 0 without an intercept."""
        return float(self._mean[-1]) if self.fit_intercept else 0.0

    @property
    def _mean(self) -> np.ndarray:
        check_is_fitted(self, "sampler_")
        return self.sampler_.positions.mean(axis=0)

    def predictive(self) -> Predictive:
        """Return predictions with intervals, counts' and numbers' distributions, and Thompson draws.

        Its rows have a column of ones at the end where an intercept is fitted.
        """
        check_is_fitted(self, "sampler_")
        return self.sampler_.predictive()


class OnlineBayesClassifier(ClassifierMixin, OnlineBayes):
    """Logistic regression of two classes, its probabilities averaged over draws of the posterior.

    Parameters
    ----------
    prior_sd : float > 0
        Standard deviation of each coefficient's normal prior about 0.
    fit_intercept : bool
        Learn an intercept, with the same prior.
    chains : int >= 1
        Draws of the posterior that are kept up to date; the work of a row is proportional to them.
    settings : Settings, optional
        Knobs of `PreconditionedSagaLD`; None takes those that need no tuning.
    random_state : int, RandomState or None
        An int gives the same draws each time.

    Attributes
    ----------
    sampler_ : PreconditionedSagaLD
    classes_ : (2,) array
    coef_, intercept_ : (n_features,) array, float
        Means of the draws.
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
        """Learn these rows and no others; see `partial_fit`."""
        self.__dict__.pop("classes_", None)
        return super().fit(X, y)

    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None) -> OnlineBayes:
        """Learn more rows.

        Parameters
        ----------
        X : (m, n_features) array
        y : (m,) array
        classes : (2,) array, optional
            Both labels; needed at the first call where ``y`` has one alone.

        Raises
        ------
        ValueError
            For labels that are not of two classes, or other ones than before.
        """
        if classes is not None:
            labels = np.unique(np.asarray(classes))
            if len(labels) != 2 or not np.array_equal(labels, getattr(self, "classes_", labels)):
                raise ValueError(f"classes must be two labels, the same at each call; got {classes!r}")
            self.classes_ = labels
        return super().partial_fit(X, y)

    def _targets(self, y: np.ndarray) -> np.ndarray:
        check_classification_targets(y)
        labels = np.unique(y)
        classes = getattr(self, "classes_", labels)
        if len(classes) > 2:
            raise ValueError(f"Only binary classification is supported. y has {len(classes)} classes; fit one estimator a "
                             "class, as OneVsRestClassifier does")
        if len(classes) < 2:
            raise ValueError(f"y must have two classes, got 1 class, {classes[0]!r} alone; say both with "
                             "partial_fit(X, y, classes=[0, 1])")
        if not np.isin(labels, classes).all():
            raise ValueError(f"y must have labels in {list(classes)!r}, those of the first call; got {list(labels)!r}")
        self.classes_ = classes
        return (y == classes[1]).astype(float)

    def _problem(self, dim: int, precision: float) -> Any:
        return LogisticRegression(dim, precision)

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Probability of each of ``classes_``, (m, 2), averaged over the draws."""
        return self.predictive().predict_proba(self._new(X))

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Likelier label of each row, (m,)."""
        likelier = self.predict_proba(X).argmax(axis=1)
        return self.classes_[likelier]


class OnlineBayesRegressor(RegressorMixin, OnlineBayes):
    """Linear or Poisson regression, its means averaged over draws of the posterior.

    Parameters
    ----------
    family : {"normal", "poisson"}
        Of the response: numbers with noise of standard deviation `noise_sd`, or counts with a log link.
    noise_sd : float > 0
        Of the response, for "normal".
    prior_sd, fit_intercept, chains, settings, random_state
        As of `OnlineBayesClassifier`.

    Attributes
    ----------
    sampler_ : PreconditionedSagaLD
    coef_, intercept_ : (n_features,) array, float
        Means of the draws.
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
        """Mean response of each row, (m,)."""
        return self.predictive().predict(self._new(X))

    def predict_dist(self, X: ArrayLike) -> PredictiveDistribution:
        """Distribution of the response of each row: mean, sd, quantiles, density."""
        return self.predictive().predict_dist(self._new(X))
