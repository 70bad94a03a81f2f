"""The six models of the page: how data are generated, and what a file for them must hold. `app.state.coreset` has sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sampler import coreset


class ModelSource(NamedTuple):
    """Where the data of one model come from."""

    generate: Callable[[int, int, int], coreset.GaussianLocation]  #: (n, dim, seed) -> model
    reads: str  #: model of the stream reader: "gaussian_mean", "linear", "logistic" or "poisson"
    wants: str  #: what a file must hold, in words
    cost: float  #: seconds of a thousand iterations at M = S = 1000, roughly
    truth: float  #: seconds of the posterior of 2,000 data, in the same measure
    has_response: bool = True


SOURCES: dict[str, ModelSource] = {
    "gaussian": ModelSource(
        lambda n, dim, seed: coreset.GaussianLocation.synthetic(n, dim, seed), "gaussian_mean",
        "one row a datum, every column a number; columns are standardised, the model has unit variance", 0.03, 0.2, False),
    "sparse": ModelSource(
        lambda n, dim, seed: coreset.SparseRegression.synthetic(n, dim, seed), "linear",
        "features and a response that are numbers; both are centred, the model has no intercept", 0.04, 4.0),
    "linear": ModelSource(lambda n, dim, seed: coreset.LinearLogVariance.synthetic(n, dim, seed), "linear",
                          "features and a response that are numbers", 0.07, 3.6),
    "logistic": ModelSource(lambda n, dim, seed: coreset.CauchyLogistic.synthetic(n, dim, seed, min(57.0, 0.25 * n)),
                            "logistic",
                            "features that are numbers and a response of two values, or of one set against the others",
                            0.2, 0.3),
    "poisson": ModelSource(lambda n, dim, seed: coreset.SoftplusPoisson.synthetic(n, dim, seed), "poisson",
                           "features that are numbers and a response of counts 0, 1, 2, …", 0.27, 0.5),
    "bradley_terry": ModelSource(
        lambda n, dim, seed: coreset.BradleyTerry.synthetic(n, max(2, dim), seed), "linear",
        "three columns: number of the home team, number of the visitor, 1 where the home team won", 0.16, 3.3),
}
"""Key -> where its data come from."""
