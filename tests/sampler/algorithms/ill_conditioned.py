"""Streams on which a preconditioner can fail, and how far a chain is from where it should be."""

import numpy as np

from sampler import LogisticRegression, find_mode, synthetic_logistic

STREAMS = ("axis", "rotated", "turning", "swapped", "rare", "separable", "paper")


def hard_stream(kind: str, n: int, dim: int, kappa: float = 1e4, seed: int = 0):
    """``(problem, (features, labels))`` of a logistic stream; ``kappa`` is the ratio of the features' variances.

    - axis: independent normal features, scales from sqrt(kappa) to 1; theta scaled so that no score is extreme.
    - rotated: the same, turned by a random rotation.
    - turning: the long axis and the short one change places slowly, a quarter turn by the end, pair by pair.
    - swapped: the scales are reversed in mid-stream.
    - rare: binary features, probabilities from 1/2 down to 2/n.
    - separable: the label is the sign of the score.   - paper: the data of LMV-n section 5.
    """
    rng = np.random.default_rng([seed, STREAMS.index(kind)])
    if kind == "paper":
        features, labels, _ = synthetic_logistic(n, dim - 1, min(5.0, dim - 1), seed)
        return LogisticRegression(dim), (features, labels)
    scales = np.geomspace(np.sqrt(kappa), 1.0, dim)
    normals, theta = rng.standard_normal((n, dim)), 2.0 * rng.standard_normal(dim) / np.sqrt(dim)
    if kind in ("axis", "rotated"):
        features, theta = normals * scales, theta / scales
        if kind == "rotated":
            turn = np.linalg.qr(rng.standard_normal((dim, dim)))[0]
            features, theta = features @ turn, turn.T @ theta
    elif kind == "turning":
        features, theta, angle = normals * scales, theta / scales[0], np.pi / 2 * np.arange(n) / n
        for i in range(dim // 2):
            a, b = features[:, i].copy(), features[:, dim - 1 - i].copy()
            features[:, i] = np.cos(angle) * a - np.sin(angle) * b
            features[:, dim - 1 - i] = np.sin(angle) * a + np.cos(angle) * b
    elif kind == "swapped":
        features, theta = normals * scales, theta / scales[0]
        features[n // 2:] = normals[n // 2:] * scales[::-1]
    elif kind == "rare":
        features = (rng.random((n, dim)) < np.geomspace(0.5, 2.0 / n, dim)).astype(float)
        features[:, 0] = 1.0
        theta = theta * np.sqrt(dim) / 2
    else:
        features = normals
    scores = features @ theta
    if kind == "separable":
        return LogisticRegression(dim), (features, (scores > 0).astype(float))
    return LogisticRegression(dim), (features, (rng.random(n) < 0.5 * (1 + np.tanh(scores / 2))).astype(float))


def whitened_distances(sampler, mode=None) -> np.ndarray:
    """||X - x*|| in the Hessian's metric at the mode, in units of sqrt(d), for every chain: about 1 when sound."""
    posterior = sampler.posterior
    mode = find_mode(posterior) if mode is None else mode
    away = sampler.positions - mode
    return np.sqrt(np.einsum("ki,ij,kj->k", away, posterior.hessian(mode), away) / sampler.dim)


def extreme_eigenvalues(sampler, chain: int, mode=None) -> tuple[float, float]:
    """Smallest and largest eigenvalue of P H_t at the mode: 1 and 1 for the perfect preconditioner."""
    posterior = sampler.posterior
    mode = find_mode(posterior) if mode is None else mode
    values = np.linalg.eigvals(np.linalg.solve(sampler.precision_matrix(chain), posterior.hessian(mode))).real
    return values.min(), values.max()
