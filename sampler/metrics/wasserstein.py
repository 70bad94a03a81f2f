"""Wasserstein distance between Gaussians, for moments over parallel chains."""

import numpy as np

from sampler.arguments import square_matrix, vector


def gaussian_wasserstein(
    mean: np.ndarray, covariance: np.ndarray, other_mean: np.ndarray, other_covariance: np.ndarray
) -> float:
    """W2 between N(mean, covariance) and N(other_mean, other_covariance), (d,), (d, d) twice; >= 0, best 0.

    W2^2 = ||m1 - m2||^2 + tr(S1 + S2 - 2 (S2^1/2 S1 S2^1/2)^1/2).
    """
    mean = vector("mean", mean)
    other_mean = vector("other_mean", other_mean, len(mean))
    first = square_matrix("covariance", covariance, len(mean))
    second = square_matrix("other_covariance", other_covariance, len(mean))
    root = _square_root(second, "other_covariance")
    _square_root(first, "covariance")
    cross = np.sqrt(np.clip(np.linalg.eigvalsh(root @ first @ root), 0.0, None)).sum()
    squared = ((mean - other_mean) ** 2).sum() + np.trace(first) + np.trace(second) - 2.0 * cross
    return float(np.sqrt(max(squared, 0.0)))


def _square_root(matrix: np.ndarray, name: str) -> np.ndarray:
    values, vectors = np.linalg.eigh(matrix)
    if values[0] < -1e-9 * max(1.0, values[-1]):
        raise ValueError(f"{name} must have no negative eigenvalue, got {values[0]:g}; use np.cov of draws")
    return (vectors * np.sqrt(np.clip(values, 0.0, None))) @ vectors.T
