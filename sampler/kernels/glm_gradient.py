"""One-score models in compiled code: the mean function, one datum's gradient, the full gradient."""

import numpy as np

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.lanes import LANES, gathered_dots, gathered_sum
from sampler.kernels.rng import fast_exp

LOGISTIC, LINEAR, POISSON = 0, 1, 2  # ``kind_code`` of the problems


@kernel(fastmath={"contract", "arcp", "nsz"})
def means_inplace(kind, scores):
    """Replace scores by mean(score); branch-free inside, so the loops vectorise."""
    if kind == LOGISTIC:
        for j in range(scores.size):
            scores[j] = 1.0 / (1.0 + fast_exp(-scores[j]))
    elif kind == POISSON:
        for j in range(scores.size):
            scores[j] = fast_exp(scores[j])


@kernel(REORDER)
def mean_at(kind, rows, datum, x, one):
    """mean(score) of one datum at x; ``one`` is a scratch array of one number."""
    total = 0.0
    for q in range(x.size):
        total += rows[datum, q] * x[q]
    one[0] = total
    means_inplace(kind, one)
    return one[0]


@kernel(REORDER)
def full_gradient(lanes, kind, precision, rows, targets, t, x, out, block):
    """Gradient of F_t at x into ``out`` (D,), rows in blocks that stay in the first-level cache.

    ``block`` is int64 scratch; its length is the block's.
    """
    size = block.size
    scores, part = np.zeros(-(-size // LANES) * LANES), np.empty(x.size)
    for q in range(x.size):
        out[q] = precision[q] * x[q]
    for start in range(0, t, size):
        n = min(size, t - start)
        for j in range(n):
            block[j] = start + j
        gathered_dots(lanes, rows, block, n, x, scores)
        means_inplace(kind, scores)
        for j in range(n):
            scores[j] -= targets[start + j]
        gathered_sum(lanes, rows, block, n, scores, part)
        for q in range(x.size):
            out[q] += part[q]
