"""Problems and streams of the race, each problem with the step and batch it starts from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from app.state.problems import STREAMS
from sampler import GaussianMean, LinearRegression, LogisticRegression, PoissonRegression, synthetic_stream
from sampler.reference import GaussianReference

HORIZON = 65_536
"""Rows of a stream: the first T are those Live would meet with the same seed."""
CORESET = "coreset"


@dataclass(frozen=True)
class Choice:
    """One entry of the problem menu."""

    key: str
    label: str
    kind: str
    dim: int
    eta0: float
    batch_size: int
    offset: float
    make: Callable[[int], object]

    def build(self) -> object:
        """Return the problem."""
        return self.make(self.dim)


PROBLEMS: dict[str, Choice] = {choice.key: choice for choice in (
    Choice("logistic21", "Logistic regression, d = 21", "logistic", 21, 0.1, 64, 2.0, LogisticRegression),
    Choice("logistic2", "Logistic regression, d = 2", "logistic", 2, 1.0, 9, 1.0, LogisticRegression),
    Choice("linear2", "Linear regression, d = 2", "linear", 2, 0.1, 9, 1.0, LinearRegression),
    Choice("poisson2", "Poisson regression, d = 2", "poisson", 2, 0.1, 9, 1.0, PoissonRegression),
    Choice("gaussian2", "Gaussian mean, d = 2", "gaussian_mean", 2, 0.07, 9, 1.0, GaussianMean),
)}
"""Key -> problem. A coreset the Coreset page left is offered beside them."""

STREAM_KEYS = tuple(STREAMS)


def stream_words(stream: str, problem: str) -> str:
    """Return what the stream menu says."""
    return "As the paper’s Figure 1" if stream == "paper" and problem == "logistic21" else STREAMS[stream].label


def coreset_choice(left: object) -> Choice:
    """Return a coreset posterior as a problem to race on."""
    return Choice(CORESET, left.label, "oracle", left.dim, 0.0, 9, 1.0, lambda dim: left.problem)


def coreset_truth(left: object) -> GaussianReference:
    """Return the normal law with the full-data posterior's means and standard deviations: what a coreset is for."""
    return GaussianReference(left.mean, np.diag(np.asarray(left.std) ** 2), left.terms, exact=False)


def coreset_eta0(left: object) -> float:
    """Return an eta0 that suits a coreset: a fifth of what its steepest direction allows, at t = its points."""
    hessian = left.problem.posterior(left.terms).hessian(np.asarray(left.mean, float))
    largest = float(np.linalg.eigvalsh(hessian)[-1])
    return float(f"{0.2 * (left.terms + 1.0) / max(largest, 1e-9):.2g}")


def rows_of(choice: Choice, stream: str, t: int, seed: int, horizon: int = HORIZON) -> tuple[np.ndarray, ...]:
    """Return the first t rows of a stream, as samplers observe them."""
    made = synthetic_stream(choice.kind, choice.dim, stream, horizon, seed)
    return (made.features[:t],) if made.labels is None else (made.features[:t], made.labels[:t])
