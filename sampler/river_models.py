"""Online Bayesian regression as river models: `learn_one` takes one row, a dict of numbers, and forgets none.

They need river (the extra ``river``) and hold one `PreconditionedSagaLD`, whose default settings need no tuning: the same
rows and seed give the same draws, bit for bit. Features are coefficients, those of one row in the order of their names; a
feature that a row lacks is 0 there. A new feature after the first row makes a sampler of more dimensions, which takes all
rows again: name all features in the first row where that would be slow. Memory grows with the rows, each of which is kept.
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
    """What both models share; use `OnlineBayesClassifier` or `OnlineBayesRegressor`."""

    def __init__(self, prior_sd: float, chains: int, settings: Settings | None, seed: int) -> None:
        self.prior_sd, self.chains, self.settings, self.seed = prior_sd, chains, settings, seed
        self._columns: dict[Hashable, int] = {}
        self._sampler: PreconditionedSagaLD | None = None

    def _problem(self, dim: int, precision: float) -> Any:
        raise NotImplementedError

    def _row(self, numbers: dict[Hashable, float]) -> np.ndarray:
        """Values of the columns, then a one for the intercept."""
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
            raise ValueError(f"x[{name!r}] must be a finite number, got {value!r}; encode it before, as with "
                             "river.preprocessing.OneHotEncoder")
        return number

    def _learn(self, x: dict[Any, Any], target: float) -> None:
        numbers = {name: self._number(name, value) for name, value in x.items()}  # a wrong one changes nothing
        new = sorted(numbers.keys() - self._columns.keys(), key=repr)
        if new or self._sampler is None:
            self._grow(new)
        assert self._sampler is not None
        self._sampler.observe(self._row(numbers), target)

    def _grow(self, new: list[Hashable]) -> None:
        """A sampler with columns for the new features; rows before had 0 there."""
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
        """Predictions with intervals, distributions and Thompson draws; None before the first row.

        A row has the features in the order of ``features``, then a one.
        """
        return None if self._sampler is None else self._sampler.predictive()

    @property
    def features(self) -> list[Any]:
        """Names of the features, in the order of the coefficients; the intercept comes after them."""
        return list(self._columns)

    @property
    def positions(self) -> np.ndarray:
        """Draws of the coefficients, (chains, features + 1); no columns before the first row."""
        return np.zeros((self.chains, 0)) if self._sampler is None else self._sampler.positions

    def _scores(self, x: dict[Any, Any]) -> np.ndarray | None:
        """Score of the row in each draw, (chains,); None before the first row."""
        if self._sampler is None:
            return None
        numbers = {name: self._number(name, value) for name, value in x.items() if name in self._columns}
        return self._sampler.positions @ self._row(numbers)


class OnlineBayesClassifier(OnlineBayes, base.Classifier):
    """Logistic regression of two classes, its probabilities averaged over draws of the posterior.

    Parameters
    ----------
    prior_sd : float > 0
        Standard deviation of the normal prior about 0 of each coefficient and of the intercept.
    chains : int >= 1
        Draws of the posterior that are kept up to date; the work of a row is proportional to them.
    settings : Settings, optional
        Knobs of `PreconditionedSagaLD`; None takes those that need no tuning.
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
            0 and 1 will do.

        Raises
        ------
        ValueError
            For another label, a value that is no finite number.
        """
        if y not in (False, True):
            raise ValueError(f"y must be True or False, got {y!r}; map the labels before, and wrap the model in "
                             "river.multiclass.OneVsRestClassifier for more than two")
        self._learn(x, float(y))

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """Probability of False and of True; a half each before the first row, as the prior has it."""
        scores = self._scores(x)
        chance = 0.5 if scores is None else float(LogisticRegression(1).mean_function(scores).mean())
        return {False: 1.0 - chance, True: chance}


class OnlineBayesRegressor(OnlineBayes, base.Regressor):
    """Linear or Poisson regression, its means averaged over draws of the posterior.

    Parameters
    ----------
    family : {"normal", "poisson"}
        Of the response: numbers with noise of standard deviation ``noise_sd``, or counts with a log link.
    noise_sd : float > 0
        Of the response, for "normal".
    prior_sd, chains, settings, seed
        As of `OnlineBayesClassifier`.
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
            For a response that the family cannot have, a value that is no finite number.
        """
        self._learn(x, y)

    def predict_one(self, x: dict[Any, Any]) -> float:
        """Mean response, averaged over the draws; that of a score of 0 before the first row."""
        scores = self._scores(x)
        scores = np.zeros(1) if scores is None else scores
        return float(np.exp(scores).mean() if self.family == "poisson" else scores.mean())
