"""The draws of the Laplace samplers: one independent draw a chain from a Gaussian."""

import numpy as np

from sampler.kernels.chains import NOISE_STREAM
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.lanes import LANES
from sampler.kernels.langevin_step import land, take_normals


@kernel(REORDER)
def draw(lanes, chains, t, mean, root, center, counts):
    """X = mean + root xi in every chain that has not drawn at epoch t; ``root`` (d, d), or (1, d) for a diagonal."""
    dim, point = mean.size, np.zeros(LANES * len(lanes))
    for k in range(chains.position.shape[0]):
        if chains.steps_done[k] > 0:
            continue
        noise = chains.noise[k]
        at = take_normals(chains.rng[k, NOISE_STREAM], noise, chains.noise_at, k, dim)
        size = 0.0
        for i in range(dim):
            if root.shape[0] == dim:
                point[i] = mean[i]
                for j in range(dim):
                    point[i] += root[i, j] * noise[at + j]
            else:
                point[i] = mean[i] + root[0, i] * noise[at + i]
            size += point[i] * point[i]
        land(lanes, chains, k, t, chains.position[k], point, size, center)
        counts[3] += 1
