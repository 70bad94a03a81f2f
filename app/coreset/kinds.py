"""The six models of the page: their paper's shape, how data are generated, what a file must hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sampler import coreset


@dataclass(frozen=True)
class Kind:
    """One model, as the page offers it."""

    key: str
    label: str
    n: int  #: N in the paper
    dim: int  #: as `generate` takes it
    size: int  #: M the page opens with
    iterations: int  #: T the page opens with
    dim_words: str
    generate: Callable[[int, int, int], coreset.GaussianLocation]  #: (n, dim, seed) -> model
    reads: str  #: model of the stream reader: "gaussian_mean", "linear", "logistic" or "poisson"
    wants: str  #: what a file must hold, in words
    has_response: bool = True
    cost: float = 1.0  #: seconds of a thousand iterations at M = S = 1000, roughly
    note: str = ""


KINDS: dict[str, Kind] = {kind.key: kind for kind in (
    Kind("gaussian", "Gaussian location", 10_000, 20, 500, 50_000, "dimension",
         lambda n, dim, seed: coreset.GaussianLocation.synthetic(n, dim, seed), "gaussian_mean",
         "one row a datum, every column a number; columns are standardised, the model has unit variance",
         has_response=False, cost=0.03),
    Kind("sparse", "Sparse regression", 50_000, 10, 500, 20_000, "features",
         lambda n, dim, seed: coreset.SparseRegression.synthetic(n, dim, seed), "linear",
         "features and a response that are numbers; both are centred, the model has no intercept", cost=0.04),
    Kind("linear", "Linear regression", 98_673, 10, 500, 20_000, "features",
         lambda n, dim, seed: coreset.LinearLogVariance.synthetic(n, dim, seed), "linear",
         "features and a response that are numbers", cost=0.07),
    Kind("logistic", "Logistic, Cauchy prior", 98_673, 10, 500, 10_000, "features",
         lambda n, dim, seed: coreset.CauchyLogistic.synthetic(n, dim, seed, min(57.0, 0.25 * n)), "logistic",
         "features that are numbers and a response with two values", cost=0.2),
    Kind("poisson", "Poisson, softplus", 15_641, 8, 500, 10_000, "features",
         lambda n, dim, seed: coreset.SoftplusPoisson.synthetic(n, dim, seed), "poisson",
         "features that are numbers and a response of counts 0, 1, 2, …", cost=0.27),
    Kind("bradley_terry", "Bradley–Terry", 26_651, 30, 500, 10_000, "teams",
         lambda n, dim, seed: coreset.BradleyTerry.synthetic(n, max(2, dim), seed), "linear",
         "three columns: number of the home team, number of the visitor, 1 where the home team won", cost=0.16,
         note="The prior says nearly all here: any sampler of it scores well. A poor test of anything."),
)}
"""Key -> model."""
