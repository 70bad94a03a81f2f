"""Online Bayesian regression as river models: `learn_one` learns one row, a dict of numbers, and keeps all rows.

The models require river (the extra ``river``) and use a `PreconditionedSagaLD` with default settings that need no tuning:
the same rows and seed give the same draws, bit for bit. Each feature has a coefficient, in order of appearance and by name
within a row; a missing feature is 0. A new feature after the first row requires a sampler with more dimensions, which
observes all rows again: to avoid this, include all features in the first row. Memory grows with the number of rows.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import numpy as np
from river import base

from sampler.algorithms import PreconditionedSagaLD
from sampler.arguments import choice, positive_number
from sampler.predictive import Predictive
from sampler.problems import LinearRegression, LogisticRegression, PoissonRegression
from sampler.settings import Settings

FAMILIES = ("normal", "poisson")


class OnlineBayes:
    """Base of both models; use `OnlineBayesClassifier` or `OnlineBayesRegressor`."""

    def __init__(self, prior_sd: float, chains: int, settings: Settings | None, seed: int) -> None:
        self.prior_sd, self.chains, self.settings, self.seed = prior_sd, chains, settings, seed
        self._columns: dict[Hashable, int] = {}
        self._sampler: PreconditionedSagaLD | None = None

    def _problem(self, dim: int, precision: float) -> Any:
        raise NotImplementedError

    def _row(self, numbers: dict[Hashable, float]) -> np.ndarray:
        """Return the values of the columns, followed by 1 for the intercept."""
        row = np.zeros(len(self._columns) + 1)
        row[-1] = 1.0
        for name, number in numbers.items():
            row[self._columns[name]] = number
        return row

    @staticmethod
    def _number(name: Hashable, value: Any) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise ValueError(f"x[{name!r}] must be a finite number, got {value!r}; encode it before, for example with "
                             "river.preprocessing.OneHotEncoder")
        return number

    def _learn(self, x: dict[Any, Any], target: float) -> None:
        numbers = {name: self._number(name, value) for name, value in x.items()}  # raises before any change
        new = sorted(numbers.keys() - self._columns.keys(), key=repr)
        if new or self._sampler is None:
            self._grow(new)
        assert self._sampler is not None
        self._sampler.observe(self._row(numbers), target)

    def _grow(self, new: list[Hashable]) -> None:
        """Replace the sampler by one with columns for the new features, which are 0 in earlier rows."""
        columns = self._columns | {name: len(self._columns) + i for i, name in enumerate(new)}
        precision = positive_number("prior_sd", self.prior_sd, 1e150, "1.0 suits standardised features") ** -2.0
        grown = PreconditionedSagaLD(self._problem(len(columns) + 1, precision), self.settings, self.chains, self.seed)
        if self._sampler is not None and self._sampler.t:
            posterior = self._sampler.posterior
            before, rows = len(self._columns), np.zeros((posterior.t, len(columns) + 1))
            rows[:, :before], rows[:, -1] = posterior.features[:, :before], 1.0
            grown.observe(rows, posterior.labels)
        self._columns, self._sampler = columns, grown

    def predictive(self) -> Predictive | None:
        """Return a `Predictive` for intervals, distributions and Thompson sampling; None before the first row.

        Its rows contain the features in the order of ``features``, followed by 1.
        """
        return None if self._sampler is None else self._sampler.predictive()

    @property
    def features(self) -> list[Any]:
        """Names of the features, in the order of the coefficients; the intercept is last."""
        return list(self._columns)

    @property
    def positions(self) -> np.ndarray:
        """Posterior draws of the coefficients, (chains, features + 1); (chains, 0) before the first row."""
        return np.zeros((self.chains, 0)) if self._sampler is None else self._sampler.positions

    def _scores(self, x: dict[Any, Any]) -> np.ndarray | None:
        """Return the score of the row for each draw, (chains,); None before the first row."""
        if self._sampler is None:
            return None
        numbers = {name: self._number(name, value) for name, value in x.items() if name in self._columns}
        return self._sampler.positions @ self._row(numbers)


class OnlineBayesClassifier(OnlineBayes, base.Classifier):
    """Binary logistic regression with probabilities averaged over draws from the posterior.

    Parameters
    ----------
    prior_sd : float > 0
        Standard deviation of the normal prior of each coefficient and of the intercept, with mean 0.
    chains : int >= 1
        Number of posterior draws, updated with every row; the cost per row is proportional to it.
    settings : Settings, optional
        Knobs of `PreconditionedSagaLD`; None uses its default, which needs no tuning.
    seed : int >= 0
    """

    def __init__(self, prior_sd: float = 1.0, chains: int = 16, settings: Settings | None = None, seed: int = 0) -> None:
        super().__init__(prior_sd, chains, settings, seed)

    def _problem(self, dim: int, precision: float) -> Any:
        return LogisticRegression(dim, precision)

    def learn_one(self, x: dict[Any, Any], y: bool) -> None:
        """Learn one row.

        Parameters
        ----------
        x : dict of feature to number
        y : bool
            Label; 0 and 1 are accepted.

        Raises
        ------
        ValueError
            For another label or a value that is not a finite number.
        """
        if y not in (False, True):
            raise ValueError(f"y must be True or False, got {y!r}; map the labels before, and wrap the model in "
                             "river.multiclass.OneVsRestClassifier for more than two")
        self._learn(x, float(y))

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """Return the probabilities of False and True for the row ``x``; 0.5 each, as by the prior, before the first row."""
        scores = self._scores(x)
        chance = 0.5 if scores is None else float(LogisticRegression(1).mean_function(scores).mean())
        return {False: 1.0 - chance, True: chance}


class OnlineBayesRegressor(OnlineBayes, base.Regressor):
    """Linear or Poisson regression with means averaged over draws from the posterior.

    Parameters
    ----------
    family : {"normal", "poisson"}
        Distribution of the response: normal with standard deviation ``noise_sd``, or Poisson counts with a log link.
    noise_sd : float > 0
        Standard deviation of the noise, for "normal".
    prior_sd, chains, settings, seed
        As for `OnlineBayesClassifier`.
    """

    def __init__(self, family: str = "normal", noise_sd: float = 1.0, prior_sd: float = 1.0, chains: int = 16,
                 settings: Settings | None = None, seed: int = 0) -> None:
        super().__init__(prior_sd, chains, settings, seed)
        self.family, self.noise_sd = family, noise_sd

    def _problem(self, dim: int, precision: float) -> Any:
        if choice("family", self.family, FAMILIES) == "poisson":
            return PoissonRegression(dim, precision)
        return LinearRegression(dim, precision, self.noise_sd)

    def learn_one(self, x: dict[Any, Any], y: float) -> None:
        """Learn one row.

        Parameters
        ----------
        x : dict of feature to number
        y : float

        Raises
        ------
        ValueError
            For a response invalid for the family or a value that is not a finite number.
        """
        self._learn(x, y)

    def predict_one(self, x: dict[Any, Any]) -> float:
        """Return the mean response for the row ``x``, averaged over the draws; that at score 0 before the first row."""
        scores = self._scores(x)
        scores = np.zeros(1) if scores is None else scores
        return float(np.exp(scores).mean() if self.family == "poisson" else scores.mean())
