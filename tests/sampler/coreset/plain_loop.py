"""Coreset MCMC on the Gaussian model in plain NumPy: a baseline for speed and correctness."""

import numpy as np


def numpy_hot_dog(x: np.ndarray, size: int, iterations: int, seed: int = 0, r: float = 1e-3) -> np.ndarray:
    """Return weights (M,) after ``iterations`` of Hot DoG without a hot start, K = 2, S = M, exact draws.

    x : (n, d) data. One iteration is Eq. 4 with the K = 2 shortcut, Algorithm 2's update, two draws.
    """
    rng = np.random.default_rng(seed)
    n, d = x.shape
    points = x[rng.choice(n, size, replace=False)]
    w0 = np.full(size, n / size)
    w, v, m, far = w0.copy(), np.zeros(size), np.zeros(size), np.zeros(size)

    def draws():
        total = w.sum()
        return (w @ points + np.sqrt(1 + total) * rng.standard_normal((2, d))) / (1 + total)

    theta = draws()
    for c in range(1, iterations + 1):
        picked = x[rng.choice(n, size, replace=False, shuffle=False)]
        apart, level = theta[0] - theta[1], 0.5 * (theta[0] @ theta[0] - theta[1] @ theta[1])
        here, there = points @ apart - level, picked @ apart - level
        g = 0.5 * here * (w @ here - n / size * there.sum())
        v = 0.999 * v + 0.001 * g**2
        m = 0.9 * m + 0.1 * g
        far = 0.9 * far + 0.1 * np.maximum(np.abs(w - w0), far)
        reach = r if c == 1 else far / (1 - 0.9 ** (c - 1))
        w = np.maximum(0, w - reach * m / (1 - 0.9**c) / np.sqrt(c * (v / (1 - 0.999**c) + 1e-8)))
        theta = draws()
    return w
