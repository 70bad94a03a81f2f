"""Log posterior of all data at many points, for the full-data truth."""

import numpy as np

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.coreset_families import aux_at, fill_terms, log_prior
from sampler.kernels.lanes import gathered_dots

BLOCK = 512


@kernel(REORDER)
def log_posteriors(lanes, family, prior, rows, labels, thetas, dim, out):
    """out[j] = log posterior at thetas[j] (n, P), up to a constant. Rows in blocks that stay in cache."""
    z, terms, block = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK, np.int64)
    for j in range(thetas.shape[0]):
        out[j] = log_prior(prior, thetas[j], dim)
    for start in range(0, rows.shape[0], BLOCK):
        size = min(BLOCK, rows.shape[0] - start)
        for m in range(size):
            block[m] = start + m
        for j in range(thetas.shape[0]):
            gathered_dots(lanes, rows, block, size, thetas[j], z)
            fill_terms(family, z[:size], labels[start:start + size], aux_at(family, thetas[j], dim), terms[:size])
            total = 0.0
            for m in range(size):
                total += terms[m]
            out[j] += total
