"""Models and optimizers of the page: how data are generated, how a configuration makes an optimizer."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from app.plots.looks import optimizer_look
from app.state.coreset import RATES, CoresetConfig, RunKey
from sampler import coreset


class ModelSource(NamedTuple):
    """Where the data of one model come from."""

    generate: Callable[[int, int, int], coreset.GaussianLocation]  #: (n, dim, seed) -> model
    reads: str  #: model of the stream reader: "gaussian_mean", "linear", "logistic" or "poisson"
    wants: str  #: what a file must hold, in words
    cost: float  #: seconds of a thousand iterations at M = S = 1000, roughly
    has_response: bool = True


SOURCES: dict[str, ModelSource] = {
    "gaussian": ModelSource(
        coreset.GaussianLocation.synthetic, "gaussian_mean",
        "one row a datum, every column a number; columns are standardised, the model has unit variance", 0.03, False),
    "sparse": ModelSource(
        coreset.SparseRegression.synthetic, "linear",
        "features and a response that are numbers; both are centred, the model has no intercept", 0.04),
    "linear": ModelSource(coreset.LinearLogVariance.synthetic, "linear",
                          "features and a response that are numbers", 0.07),
    "logistic": ModelSource(lambda n, dim, seed: coreset.CauchyLogistic.synthetic(n, dim, seed, min(57.0, 0.25 * n)),
                            "logistic",
                            "features that are numbers and a response of two values, or of one set against the others",
                            0.2),
    "poisson": ModelSource(coreset.SoftplusPoisson.synthetic, "poisson",
                           "features that are numbers and a response of counts 0, 1, 2, …", 0.27),
    "bradley_terry": ModelSource(
        lambda n, dim, seed: coreset.BradleyTerry.synthetic(n, max(2, dim), seed), "linear",
        "three columns: number of the home team, number of the visitor, 1 where the home team won", 0.16),
}
"""Key -> where its data come from."""


MAKERS: dict[str, Callable[[CoresetConfig], object]] = {
    "hot_dog": lambda config: coreset.HotDoG(config.reach), "dog": lambda config: coreset.DoG(config.reach),
    "dowg": lambda config: coreset.DoWG(config.reach), "d_adaptation": lambda config: coreset.DAdaptation(config.guess),
    "prodigy": lambda config: coreset.Prodigy(config.guess), "adam_sqrt": lambda config: coreset.Adam(config.adam_rate),
    "adam_const": lambda config: coreset.Adam(config.adam_constant, "constant"),
    "untrained": lambda config: coreset.Untrained(),
}
"""Key -> maker of the library's optimizer."""
RATE_SYMBOLS = {"reach": "r", "adam_rate": "rate", "adam_constant": "rate", "guess": "d₀"}


def rate_of(optimizer: str, config: CoresetConfig) -> float | None:
    """Return the rate an optimizer runs at; None for one without."""
    return getattr(config, RATES[optimizer]) if optimizer in RATES else None


def with_rate(optimizer: str, config: CoresetConfig) -> str:
    """Return an optimizer's name with the rate it runs at."""
    name, rate = optimizer_look(optimizer).name, rate_of(optimizer, config)
    return name if rate is None else f"{name}, {RATE_SYMBOLS[RATES[optimizer]]} = {rate:g}"


def plotted(key: RunKey, both: bool) -> str:
    """Return what figures call a run: its optimizer's key, with ", cold" after it where both kinds are run."""
    return key.optimizer if key.hot or not both else f"{key.optimizer}, cold"


@lru_cache(maxsize=8)
def generated(key: str, n: int, dim: int, seed: int) -> coreset.GaussianLocation:
    """Return a model with made-up data; a process keeps the latest."""
    return SOURCES[key].generate(n, dim, seed)


def model_of(config: CoresetConfig, own: coreset.GaussianLocation | None, say: Callable[[str, float | None], None],
             stopped: Callable[[], bool]) -> coreset.GaussianLocation | None:
    """Return the model of a configuration, its truth known; None when `stopped()`.

    ``say(words, fraction)`` is called while it works.
    """
    if config.data == "file" and own is not None:
        model = own
    else:
        say(f"Drawing {config.n:,} data", None)
        model = generated(config.model, config.n, config.dim, config.seed)
    if isinstance(model, coreset.GaussianLocation) or "truth" in vars(model):
        return model
    words = f"Finding the posterior of all {model.n:,} data, to score draws against"
    try:
        truth = model.find_truth(stop=stopped, progress=lambda part: say(words, part))
    except (ValueError, np.linalg.LinAlgError) as error:
        raise ValueError(f"the posterior of all {model.n:,} data could not be found ({error}); bring features and"
                         " response to a scale of about 1, and leave out columns that repeat others") from None
    if truth is None:
        return None
    model.truth = truth
    return model
