"""Synthetic data: the paper's experiment, and streams that each violate one of its assumptions.

Every stream is drawn completely from its seed, so row t does not depend on how the stream is read.
"""

from dataclasses import dataclass

import numpy as np

from sampler.arguments import choice, real_number, seed_number, whole_number
from sampler.kernels import synthetic_stream as numbers
from sampler.kernels.synthetic_stream import KINDS, PAPER_SPARSITY, STREAMS

MOST_NUMBERS = 10**9
"""Largest number of rows times features: 8 GB."""


@dataclass(frozen=True, eq=False)
class Stream:
    """Synthetic stream and its true parameters."""

    features: np.ndarray  #: (T, d) rows; the observations themselves for "gaussian_mean"
    labels: np.ndarray | None  #: (T,); None for "gaussian_mean"
    theta: np.ndarray  #: (d,) the truth (of the first row when it drifts)


def synthetic_logistic(horizon: int, dim: int, sparsity: float = PAPER_SPARSITY,
                       seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw the logistic data of LMV-n section 5.

    Each of `dim` features is 1 with probability sparsity/dim, else 0; the coefficients and the intercept are
    standard normal; the label is 1 with probability 1/(1 + exp(-score)), else 0.

    Parameters
    ----------
    horizon : int
        Number of rows T >= 1.
    dim : int
        Number of features d >= 1, the intercept not counted.
    sparsity : float
        Expected number of ones in a row, in (0, dim].
    seed : int
        The same seed gives the same data. Rows depend on the horizon.

    Returns
    -------
    features : (T, d + 1) float64, the last column is the intercept's 1
    labels : (T,) float64 of 0 and 1
    theta : (d + 1,) float64, the intercept last
    """
    horizon, dim = _sizes(horizon, dim, 1)
    sparsity = real_number("sparsity", sparsity, f"it is the mean number of ones per row, dim = {dim} at most",
                           above=0.0, most=dim)
    rng = np.random.default_rng(seed_number(seed))
    theta = rng.standard_normal(dim + 1)
    features = np.ones((horizon, dim + 1))
    features[:, :dim] = rng.random((horizon, dim)) < sparsity / dim
    return features, _bernoulli(features @ theta, rng), theta


def synthetic_stream(kind: str, dim: int = 2, stream: str = "paper", horizon: int = 65_536, seed: int = 0) -> Stream:
    """Draw a stream that satisfies the assumptions of LMV-n or violates one of them.

    - paper: independent rows. Features uniform in a disk (d = 2) or the paper's sparse ones.
    - drifting: the truth rotates by 0.6 radians each time the data double: the mode does not converge (assumption 3).
    - ill_conditioned: the features of the last direction are ten times smaller, its curvature a hundred times
      smaller (assumptions 1 and 2). For "gaussian_mean" its observations scatter ten times less, without effect on the
      target.
    - separable: logistic labels are the sign of the score, so only the prior bounds the scale (assumption 2).
      For other models the analogue: the last feature is always 0. For "gaussian_mean" concentration always holds: the
      observations form two distant groups, without effect on the target.
    - outliers: one row in fifty is five times as long (twice, for "poisson") and has a wrong label
      (assumption 1).

    Parameters
    ----------
    kind : str
        One of KINDS.
    dim : int
        2, or more for the paper's sparse features (including the intercept).
    stream : str
        One of STREAMS.
    horizon : int
        Number of rows T >= 1.
    seed : int
        The same seed gives the same stream.
    """
    kind, stream = choice("kind", kind, KINDS), choice("stream", stream, STREAMS)
    horizon, dim = _sizes(horizon, dim, 2)
    rng = np.random.default_rng([seed_number(seed), KINDS.index(kind), dim])
    theta = np.array(numbers.POISSON_TRUTH if kind == "poisson" else numbers.TRUTH) if dim == 2 else rng.standard_normal(dim)
    truths = _turning(theta, horizon) if stream == "drifting" else np.broadcast_to(theta, (horizon, dim))
    if kind == "gaussian_mean":
        return Stream(_observations(truths, stream, rng), None, theta)
    features = _features(kind, dim, horizon, rng)
    if stream == "ill_conditioned":
        features *= np.geomspace(1.0, numbers.SHORT, dim)
    if stream == "separable" and kind != "logistic":
        features[:, -1] = 0.0
    wild = rng.random(horizon) < numbers.OUTLIER_SHARE if stream == "outliers" else np.zeros(horizon, dtype=bool)
    features[wild] *= numbers.POISSON_OUTLIER_LENGTH if kind == "poisson" else numbers.OUTLIER_LENGTH
    scores = np.einsum("td,td->t", features, truths)
    return Stream(features, _labels(kind, stream, scores, wild, rng), theta)


def _sizes(horizon: int, dim: int, least: int) -> tuple[int, int]:
    """Return the checked numbers of rows and of features, with a product of at most MOST_NUMBERS."""
    dim = whole_number("dim", dim, least, MOST_NUMBERS, "2 makes a plane")
    return whole_number("horizon", horizon, 1, MOST_NUMBERS // dim, "all rows are kept in memory"), dim


def _turning(theta: np.ndarray, horizon: int) -> np.ndarray:
    angle = numbers.TURN * np.log2(np.arange(1, horizon + 1))
    truths = np.tile(theta, (horizon, 1))
    first, second = truths[:, 0:-1:2].copy(), truths[:, 1::2].copy()
    cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
    truths[:, 0:-1:2], truths[:, 1::2] = cos * first - sin * second, sin * first + cos * second
    return truths


def _observations(truths: np.ndarray, stream: str, rng: np.random.Generator) -> np.ndarray:
    noise = rng.standard_normal(truths.shape)
    pick = rng.random(len(truths))
    if stream == "ill_conditioned":
        noise[:, -1] *= numbers.SHORT
    elif stream == "separable":
        noise[:, 0] += np.where(pick < 0.5, numbers.HALF_GAP, -numbers.HALF_GAP)
    elif stream == "outliers":
        noise[pick < numbers.OUTLIER_SHARE] *= numbers.FAR_OUT
    return truths + noise


def _features(kind: str, dim: int, horizon: int, rng: np.random.Generator) -> np.ndarray:
    if dim > 2:
        features = np.ones((horizon, dim))
        features[:, :-1] = rng.random((horizon, dim - 1)) < PAPER_SPARSITY / max(dim - 1, PAPER_SPARSITY)
        return features
    longest = numbers.POISSON_DISK if kind == "poisson" else numbers.DISK
    radius, angle = longest * np.sqrt(rng.random(horizon)), 2 * np.pi * rng.random(horizon)
    return np.column_stack((radius * np.cos(angle), radius * np.sin(angle)))


def _labels(kind: str, stream: str, scores: np.ndarray, wild: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    if kind == "linear":
        return scores + rng.standard_normal(len(scores)) + numbers.WRONG_BY * wild * rng.choice((-1.0, 1.0), len(scores))
    if kind == "poisson":
        counts = rng.poisson(np.exp(scores)).astype(float)
        return np.where(wild, 3.0 * counts + 5.0, counts)
    if stream == "separable":
        return (scores > 0).astype(float)
    labels = _bernoulli(scores, rng)
    return np.where(wild, 1.0 - (scores > 0), labels)


def _bernoulli(scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (rng.random(len(scores)) < 0.5 * (1 + np.tanh(0.5 * scores))).astype(float)
