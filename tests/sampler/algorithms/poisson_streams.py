"""Poisson streams on which a preconditioner can fail: counts that are rare, large, too spread, features that are skewed."""

import numpy as np

from sampler import PoissonRegression
from tests.sampler.tuning import ten_streams

STREAMS = ("two", "ten", "long", "wide", "sparse", "large", "overdispersed", "rare", "axis", "swapped", "skewed")


def poisson_stream(kind: str, n: int = 300, seed: int = 0):
    """``(problem, features, counts)``; the first four are those of `ten_streams`, d = 2, 10, 5, 21.

    - sparse: a mean of about 0.05.   - large: of about 300.   - overdispersed: gamma means, index of dispersion above 10.
    - rare: binary features, probabilities from 1/2 down to 2/n.   - axis: features with scales from 30 to 1, so that a draw
    of the prior has scores of +-30 and more.   - swapped: the scales are reversed in mid-stream.
    - skewed: log-normal features, of which a few weigh most.
    """
    named = {"two": (2, 10), "ten": (10, 3), "long": (5, 1000), "wide": (21, 30)}
    if kind in named:
        return ten_streams.stream("poisson", *named[kind], n, seed)
    rng, dim = np.random.default_rng([seed, STREAMS.index(kind)]), 5
    features, slopes = rng.standard_normal((n, dim)), np.array([0.7, 0.5, -0.5, 0.3])
    scales, theta = np.geomspace(30.0, 1.0, dim), rng.standard_normal(dim)
    if kind in ("sparse", "large", "overdispersed"):
        features[:, 0] = 1.0
        theta = np.append({"sparse": -4.0, "large": 5.0, "overdispersed": 1.0}[kind], slopes)
    elif kind == "rare":
        features = (rng.random((n, dim)) < np.geomspace(0.5, 2.0 / n, dim)).astype(float)
        features[:, 0], theta = 1.0, 1.5 * theta
    elif kind in ("axis", "swapped"):
        features, theta = features * scales, theta / scales / (5.0 if kind == "swapped" else 1.0)
        if kind == "swapped":
            features[n // 2:] = features[n // 2:, ::-1]
    else:
        features, theta = np.exp(features), np.array([0.5, 0.2, -0.2, 0.1, -0.1])
        features[:, 0] = 1.0
    means = np.exp(np.minimum(features @ theta, 6.0))
    if kind == "overdispersed":
        means = means * rng.gamma(0.1, 10.0, n)
    return PoissonRegression(dim), features, rng.poisson(means).astype(float)
