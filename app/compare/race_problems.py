"""Problems of a race as the library makes them: built-in ones on a generated stream, or the coreset left for this page."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.state.compare import CORESET, PROBLEMS, CompareConfig
from sampler import GaussianMean, LinearRegression, LogisticRegression, PoissonRegression, synthetic_stream
from sampler.racing import CONTESTANTS
from sampler.reference import GaussianReference

HORIZON = 65_536
"""Rows of a stream: the first T are those Live would meet with the same seed."""
KINDS = {"logistic": LogisticRegression, "linear": LinearRegression, "poisson": PoissonRegression,
         "gaussian_mean": GaussianMean}


def problem_of(config: CompareConfig) -> Any:
    """Return the problem that is raced on."""
    if config.problem == CORESET:
        return config.coreset.problem
    choice = PROBLEMS[config.problem]
    return KINDS[choice.kind](choice.dim)


def refusals(config: CompareConfig) -> dict[str, str]:
    """Return key of a sampler -> why it cannot run on the problem, for those that cannot."""
    problem = problem_of(config)
    found = {key: contestant.refuses(problem) for key, contestant in CONTESTANTS.items()}
    return {key: words for key, words in found.items() if words}


def rows_of(config: CompareConfig, t: int, horizon: int = HORIZON) -> tuple[np.ndarray, ...]:
    """Return the first t rows of a race's stream, as samplers observe them."""
    choice = PROBLEMS[config.problem]
    made = synthetic_stream(choice.kind, choice.dim, config.stream, horizon, config.seed)
    return (made.features[:t],) if made.labels is None else (made.features[:t], made.labels[:t])


def coreset_truth(coreset: Any) -> GaussianReference:
    """Return the normal law with the full-data posterior's means and standard deviations: what a coreset is for."""
    return GaussianReference(coreset.mean, np.diag(np.asarray(coreset.std) ** 2), coreset.terms, exact=False)
