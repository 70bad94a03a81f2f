"""The preconditioned sampler on Poisson regression: chains lost, accuracy, and what the plain one costs.

``python -m tests.sampler.tuning.preconditioned_poisson`` prints the table; some streams by their names.
"""

import sys

import numpy as np
from scipy.stats import chi2

from sampler import DivergenceError, PoissonRegression, PreconditionedSagaLD, advise, find_mode
from sampler.tuning import Forecast, with_algorithm
from sampler.tuning.sweep_cell import SweepJob, run_cell
from sampler.tuning.sweep_reference import make_reference
from tests.sampler.tuning import ten_streams

LOST = 1e-8
"""Probability that a draw of the posterior's normal law is as far from the mode as a chain that counts as lost."""
TRIES = (0.5, 1.0, 2.0)
"""Times the advised eta0 of the plain sampler; the most accurate counts."""


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


def lost(kind: str, far: float, chains: int = 600) -> int:
    """Chains of the default that diverged or are lost after 300 rows, started ``far`` prior deviations from zero."""
    problem, features, counts = poisson_stream(kind)
    start = far * np.random.default_rng(5).standard_normal((chains, problem.dim))
    saga = PreconditionedSagaLD(problem, chains=chains, seed=1, start=start)
    try:
        saga.observe(features, counts)
    except DivergenceError:
        pass
    posterior = problem.posterior(features, counts)
    mode = find_mode(posterior)
    away = saga.positions - mode
    size = np.einsum("ki,ij,kj->k", away, posterior.hessian(mode), away)
    return int(((size > chi2.isf(LOST, problem.dim)) | saga.diverged).sum())


def compare(kind: str, chains: int = 128):
    """Cells of the default and of the plain sampler as advised, the best of ``TRIES``, on 300 rows."""
    problem, features, counts = poisson_stream(kind)
    rows = len(features)
    job = SweepJob(problem, features, counts, chains, 0, (rows,), make_reference(problem, features, counts, [rows]))
    default = PreconditionedSagaLD.default_settings(problem.dim, kind="poisson")
    advised = advise(Forecast(problem, features, counts)).settings
    plain = [run_cell(job, advised.replace(eta0=advised.eta0 * times), 0) for times in TRIES]
    return run_cell(job, with_algorithm(default, "preconditioned"), 0), max(plain, key=lambda cell: cell.accuracy)


def main(which: list[str]) -> None:
    """Print one line a stream."""
    for kind in which or STREAMS:
        ours, plain = compare(kind)
        away = ", ".join(str(lost(kind, far)) for far in (1.0, 3.0, 10.0))
        print(f"{kind:14s} lost {away} of 600 from 1, 3, 10 prior deviations; accuracy {ours.accuracy:.3f} of "
              f"{ours.ceiling:.3f} at {ours.cost:.0f} gradients an epoch; plain {plain.accuracy:.3f} at {plain.cost:.0f}",
              flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
