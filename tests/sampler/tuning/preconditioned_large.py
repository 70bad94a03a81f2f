"""Dense, low-rank and diagonal metrics in many dimensions, on linear models whose posterior is known exactly.

``python -m tests.sampler.tuning.preconditioned_large [dim rows chains times metric]`` prints the table: some minutes.
"""

import sys
import time

import numpy as np

from sampler import LinearRegression, PreconditionedSagaLD

TABLE = ((200, 400, 16, 1, ("dense", "low-rank 16", "low-rank 32", "diagonal")), (1000, 12, 2, 1, ("dense",)),
         (1000, 400, 4, 1, ("low-rank 32", "diagonal")), (1000, 400, 4, 4, ("low-rank 32",)))
"""Dimension, rows, chains, times the default's i_max, metrics."""
FACTORS = 12
LOOKS = 16
"""Last epochs whose positions are pooled."""


def factor_rows(dim: int, rows: int, seed: int = 0):
    """Features with twelve common factors, each coordinate on a scale of its own from 1/3 to 3, and responses."""
    rng = np.random.default_rng([seed, dim])
    loadings = rng.standard_normal((FACTORS, dim)) / np.sqrt(FACTORS)
    features = rng.standard_normal((rows, FACTORS)) @ loadings + 0.5 * rng.standard_normal((rows, dim))
    features *= np.geomspace(1 / 3, 3.0, dim)[rng.permutation(dim)]
    return features, features @ rng.standard_normal(dim) / np.sqrt(dim) + rng.standard_normal(rows)


def measure(dim: int, rows: int, chains: int, times: int, metric: str) -> tuple[float, float, float, float]:
    """Seconds an epoch and chain, evaluations, and the mean and largest of the coordinates' variances over the exact ones.

    Variances are about the exact mode of each epoch, over chains, the last epochs and, for the largest, forty coordinates.
    """
    features, responses = factor_rows(dim, rows)
    compiled = PreconditionedSagaLD(LinearRegression(dim), chains=1, threads=1, metric=metric)
    compiled.observe(features[:2], responses[:2])
    default = PreconditionedSagaLD.default_settings(dim)
    saga = PreconditionedSagaLD(LinearRegression(dim), default.replace(i_max=times * default.i_max), chains=chains, seed=1,
                                threads=1, metric=metric)
    began, first = time.perf_counter(), max(1, rows - LOOKS)
    saga.observe(features[:first], responses[:first])
    pooled, seconds = [], time.perf_counter() - began
    for t in range(first, rows):
        began = time.perf_counter()
        saga.observe(features[t], responses[t])
        seconds += time.perf_counter() - began
        seen, said = features[:t + 1], responses[:t + 1]
        covariance = np.linalg.inv(np.eye(dim) + seen.T @ seen)
        pooled.append((saga.positions - covariance @ (seen.T @ said)) ** 2 / np.diagonal(covariance))
    ratios = np.mean(pooled, axis=(0, 1))
    parts = [part.mean() for part in np.array_split(ratios, max(1, dim // 40))]
    return seconds / rows / chains, saga.gradient_evaluations / rows / chains, float(ratios.mean()), float(max(parts))


def main(which: list[str]) -> None:
    """Print one line a metric."""
    table = ((*map(int, which[:4]), (" ".join(which[4:]),)),) if which else TABLE
    for dim, rows, chains, times, metrics in table:
        for metric in metrics:
            seconds, evaluations, mean, largest = measure(dim, rows, chains, times, metric)
            print(f"d = {dim:<5d} {metric:12s} {1e3 * seconds:8.2f} ms an epoch and chain, {evaluations:6.0f} gradients; "
                  f"variance over the exact one {mean:.3f}, forty coordinates at most {largest:.3f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
