"""Measurements of the preconditioned sampler: default compared with tuned settings, on counts, in many dimensions.

``python -m tests.sampler.tuning.preconditioned counts`` prints lost chains and accuracy on Poisson regression;
``... large`` compares dense, low-rank and diagonal metrics on linear models with an exact posterior (some minutes).
"""

import math
import sys
import time
from types import SimpleNamespace

import numpy as np
from scipy.stats import chi2

from sampler import (
    DivergenceError,
    LinearRegression,
    LogisticRegression,
    PoissonRegression,
    PreconditionedSagaLD,
    Settings,
    advise,
    find_mode,
)
from sampler.tuning import CellResult, Forecast, forecast_of, verdict_of, with_algorithm
from sampler.tuning.sweep_cell import SweepJob, run_cell
from sampler.tuning.sweep_reference import make_reference

TEN = (("logistic", 2, 1), ("logistic", 5, 10), ("logistic", 21, 1), ("logistic", 50, 10), ("linear", 3, 100),
       ("linear", 20, 10), ("linear", 100, 3), ("logistic", 10, 100), ("logistic", 22, 30), ("linear", 50, 1000))
"""Model, dimension, condition number of the features' covariance."""
ROWS = 400


def stream(model: str, dim: int, condition: float, rows: int = ROWS):
    """Return ``(problem, features, labels)``."""
    rng = np.random.default_rng([0, dim, int(condition)])
    turn, _ = np.linalg.qr(rng.normal(size=(dim, dim)))
    features = rng.normal(size=(rows, dim)) * np.geomspace(1.0, condition**-0.5, dim) @ turn
    features *= {"logistic": 1.5, "linear": 1.0, "poisson": 0.5}[model]
    scores = features @ rng.normal(size=dim) / np.sqrt(max(1.0, dim / 5))
    if model == "linear":
        return LinearRegression(dim), features, scores + rng.normal(size=rows)
    if model == "poisson":
        return PoissonRegression(dim), features, rng.poisson(np.exp(np.minimum(scores, 4.0))).astype(float)
    return LogisticRegression(dim), features, (rng.random(rows) < 1 / (1 + np.exp(-scores))).astype(float)


def are_lost(saga: PreconditionedSagaLD, posterior) -> np.ndarray:
    """Return for each chain whether it diverged or is farther from the mode than all but 1e-8 of the normal posterior."""
    mode = find_mode(posterior)
    away = saga.positions - mode
    size = np.einsum("ki,ij,kj->k", away, posterior.hessian(mode), away)
    return (size > chi2.isf(1e-8, saga.dim)) | saga.diverged


def compare(model: str, dim: int, condition: float) -> SimpleNamespace:
    """Measure the default, the advised and up to sixteen tuned settings on one stream of 400 rows.

    Random numbers and reference are common; there are more chains in fewer dimensions, so that accuracy, a mean over
    coordinates, is equally precise. The best setting is the cheapest safe one as accurate as the default, to one standard
    deviation. ``ratio`` is the default's cost over the best's, ``missing`` the ceiling less the default's accuracy,
    ``error`` the mean absolute difference of predicted and measured accuracy, ``lost`` the default's lost chains.
    """
    chains = max(32, 1280 // dim)
    problem, features, labels = stream(model, dim, condition)
    job = SweepJob(problem, features, labels, chains, 0, (ROWS,), make_reference(problem, features, labels, [ROWS]))
    forecast = forecast_of("preconditioned", Forecast(problem, features, labels))
    default = PreconditionedSagaLD.default_settings(dim)

    def run(settings: Settings) -> CellResult:
        return run_cell(job, with_algorithm(settings, "preconditioned"), 0)

    # Growth of the variance from gradient noise and step in the tuned settings; only two values in 50 dimensions and more,
    # where a cell takes half a minute. The values of i_max eta0 give memories of 48 % and 37 %.
    inflations = (0.08, 0.12, 0.18, 0.05) if dim < 50 else (0.08, 0.12)
    tried = []
    for batch in sorted({9, default.batch_size if default.batch_size > 9 else 18}):
        for inflation in inflations:
            eta0 = inflation / (0.5 + (dim + 1.5) / batch)
            tried += [default.replace(eta0=eta0, batch_size=batch, i_max=math.ceil(k / eta0)) for k in (1.7, 2.5)]
    tried.append(advise(forecast).settings)
    tried.append(default)
    cells = [run(settings) for settings in tried]
    forecasts = forecast.many(tried, 16 * chains)
    saga = PreconditionedSagaLD(problem, default, chains, seed=1)
    saga.observe(features, labels)
    lost = int(are_lost(saga, saga.posterior).sum())
    enough = cells[-1].accuracy - cells[-1].ceiling_sd
    kinds = [verdict_of(cell, default, chains, reference_draws=job.references.ess, dim=dim).kind for cell in cells]
    good = [cell for cell, kind in zip(cells, kinds, strict=True) if kind == "safe" and cell.accuracy >= enough]
    best = min(good, key=lambda cell: cell.cost, default=cells[-1])
    return SimpleNamespace(
        default=cells[-1], advised=cells[-2], verdict=kinds[-1], lost=lost, ratio=cells[-1].cost / best.cost,
        missing=cells[-1].ceiling - cells[-1].accuracy,
        error=sum(abs(each.accuracy - cell.accuracy) for each, cell in zip(forecasts, cells, strict=True)) / len(cells))


COUNTS = ("two", "ten", "long", "wide", "sparse", "large", "overdispersed", "rare", "axis", "swapped", "skewed")


def poisson_stream(kind: str):
    """Return ``(problem, features, counts)`` of 300 rows; the first four kinds are those of `stream`, d = 2, 10, 5, 21.

    - sparse: mean of about 0.05.   - large: mean of about 300.   - overdispersed: gamma means, index of dispersion above 10.
    - rare: binary features, probabilities from 1/2 down to 2/n.   - axis: features with scales from 30 to 1, so that a draw
    of the prior has scores of +-30 and more.   - swapped: the scales are reversed in mid-stream.
    - skewed: log-normal features, dominated by a few rows.
    """
    named, n = {"two": (2, 10), "ten": (10, 3), "long": (5, 1000), "wide": (21, 30)}, 300
    if kind in named:
        return stream("poisson", *named[kind], n)
    rng, dim = np.random.default_rng([0, COUNTS.index(kind)]), 5
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
    """Return the number of chains lost after 300 rows with the default, started ``far`` prior deviations from zero."""
    problem, features, counts = poisson_stream(kind)
    start = far * np.random.default_rng(5).standard_normal((chains, problem.dim))
    saga = PreconditionedSagaLD(problem, chains=chains, seed=1, start=start)
    try:
        saga.observe(features, counts)
    except DivergenceError:
        pass
    return int(are_lost(saga, problem.posterior(features, counts)).sum())


def print_counts() -> None:
    """Print one line per stream: the default's cell on 300 rows and its lost chains."""
    for kind in COUNTS:
        problem, features, counts = poisson_stream(kind)
        rows = len(features)
        job = SweepJob(problem, features, counts, 128, 0, (rows,), make_reference(problem, features, counts, [rows]))
        default = PreconditionedSagaLD.default_settings(problem.dim, kind="poisson")
        ours = run_cell(job, with_algorithm(default, "preconditioned"), 0)
        away = ", ".join(str(lost(kind, far)) for far in (1.0, 3.0, 10.0))
        print(f"{kind:14s} lost {away} of 600 from 1, 3, 10 prior deviations; accuracy {ours.accuracy:.3f} of "
              f"{ours.ceiling:.3f} at {ours.cost:.0f} gradients per epoch", flush=True)


TABLE = ((200, 400, 16, 1, ("dense", "low-rank 16", "low-rank 32", "diagonal")), (1000, 12, 2, 1, ("dense",)),
         (1000, 400, 4, 1, ("low-rank 32", "diagonal")), (1000, 400, 4, 4, ("low-rank 32",)))
"""Dimension, rows, chains, multiple of the default's i_max, metrics."""


def factor_rows(dim: int, rows: int):
    """Return features with twelve common factors and coordinate scales from 1/3 to 3, and responses."""
    rng = np.random.default_rng([0, dim])
    loadings = rng.standard_normal((12, dim)) / np.sqrt(12)
    features = rng.standard_normal((rows, 12)) @ loadings + 0.5 * rng.standard_normal((rows, dim))
    features *= np.geomspace(1 / 3, 3.0, dim)[rng.permutation(dim)]
    return features, features @ rng.standard_normal(dim) / np.sqrt(dim) + rng.standard_normal(rows)


def print_metric(dim: int, rows: int, chains: int, times: int, metric: str) -> None:
    """Print time and evaluations per epoch and chain, and ratios of the coordinates' variances to the exact ones.

    Variances are about the exact mode of each epoch, over chains, the last 16 epochs and, for the largest, 40 coordinates.
    """
    features, responses = factor_rows(dim, rows)
    compiled = PreconditionedSagaLD(LinearRegression(dim), chains=1, threads=1, metric=metric)
    compiled.observe(features[:2], responses[:2])
    default = PreconditionedSagaLD.default_settings(dim)
    saga = PreconditionedSagaLD(LinearRegression(dim), default.replace(i_max=times * default.i_max), chains=chains, seed=1,
                                threads=1, metric=metric)
    began, first = time.perf_counter(), max(1, rows - 16)
    saga.observe(features[:first], responses[:first])
    pooled, seconds = [], time.perf_counter() - began
    for t in range(first, rows):
        began = time.perf_counter()
        saga.observe(features[t], responses[t])
        seconds += time.perf_counter() - began
        seen, observed = features[:t + 1], responses[:t + 1]
        covariance = np.linalg.inv(np.eye(dim) + seen.T @ seen)
        pooled.append((saga.positions - covariance @ (seen.T @ observed)) ** 2 / np.diagonal(covariance))
    ratios = np.mean(pooled, axis=(0, 1))
    parts = [part.mean() for part in np.array_split(ratios, max(1, dim // 40))]
    milliseconds, evaluations = 1e3 * seconds / rows / chains, saga.gradient_evaluations / rows / chains
    print(f"d = {dim:<5d} {metric:12s} {milliseconds:8.2f} ms per epoch and chain, {evaluations:6.0f} gradients; "
          f"variance over the exact one {ratios.mean():.3f}, forty coordinates at most {max(parts):.3f}", flush=True)


def print_large() -> None:
    """Print one line per metric."""
    for *sizes, metrics in TABLE:
        for metric in metrics:
            print_metric(*sizes, metric)


if __name__ == "__main__":
    {"counts": print_counts, "large": print_large}[sys.argv[1]]()
