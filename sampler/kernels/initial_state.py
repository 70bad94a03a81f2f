"""Initial state of a sampler without NumPy, for WebAssembly: chains, their generators and metrics, encoded rows.

In Python `starting_points`, `spawn_generators`, `dense_whitening` and ``problem.encode`` give the same bits by NumPy,
which avoids compiling these kernels on the first visit of a page.
"""

import math

import numpy as np

from sampler.kernels.compile import kernel
from sampler.kernels.glm_langevin import LINEAR, LOGISTIC
from sampler.kernels.numpy_random import S1, S32, seed_generator, seed_words, standard_normal
from sampler.kernels.rng import EVERY_OTHER, LEAST_CHANGES

STARTS = ("prior", "first row", "near zero")
"""Initial positions: drawn from the prior, around the first row (the mean of pi_1), or near 0."""
PRIOR, FIRST_ROW, NEAR_ZERO = range(3)
PRIOR_WORD, START_WORD = 1, 3  # second word of the seed, for draws from the prior and around a point
DIRECTION_WORD = 1  # for directions from the mode
ROW_SPREAD, ZERO_SPREAD = math.sqrt(0.5), 0.3


@kernel(inner=True)
def spawn(seed, rng):
    """Fill the generators of all chains, (chains, streams, 8) uint64, as `spawn_generators`."""
    chains, streams, _ = rng.shape
    numbers, words = np.empty(1, np.int64), np.empty(4 * chains * streams, np.uint64)
    numbers[0] = seed
    seed_words(numbers, words)
    for word in range(2):
        for k in range(chains):
            for stream in range(streams):
                at = 2 * ((word * chains + k) * streams + stream)
                number = words[at] | (words[at + 1] << S32)
                if word == 1:
                    number |= S1
                    left, changes = number ^ (number >> S1), 0
                    while left:
                        left &= left - S1
                        changes += 1
                    if changes < LEAST_CHANGES:
                        number ^= EVERY_OTHER
                rng[k, stream, word] = number


@kernel()
def begin_chains(rule, seed, prior, first, block, precision, mask, position, checkpoint, warm_start, rng, noise_at,
                 precision_matrix, whitener, frozen):
    """Fill the nonzero state of K chains before the first datum.

    ``rule`` is an index into STARTS, ``prior`` (d, d) the diagonal prior precision, ``first`` (d,) the first row, ``block``
    the length of the normals' buffer. The last three are (K, d, D) for chains with a metric, else (0, d, D).
    """
    dim, state, numbers = first.size, np.empty(4, np.uint64), np.empty(2, np.int64)
    numbers[0], numbers[1] = seed, PRIOR_WORD if rule == PRIOR else START_WORD
    seed_generator(numbers, state)
    spawn(seed, rng)
    for q in range(dim):
        precision[0, q], precision[1, q], mask[q] = prior[q, q], 1.0, 1.0
    for k in range(position.shape[0]):
        noise_at[k] = block
        for q in range(dim):
            x, spread = standard_normal(state), 1.0 / np.sqrt(prior[q, q]) if prior[q, q] > 0.0 else 0.0
            if rule == PRIOR:
                x *= spread
            elif rule == FIRST_ROW:
                x = first[q] + ROW_SPREAD * x
            else:
                x *= ZERO_SPREAD
            position[k, q], checkpoint[k, q], warm_start[k, q] = x, x, x
            if k < whitener.shape[0]:
                precision_matrix[k, q, q], frozen[k, q, q], whitener[k, q, q] = prior[q, q], prior[q, q], spread


@kernel()
def begin_walks(seed, distance, chains, x, rng):
    """Place the chains of an `ExitSimulation` at ``distance`` from the mode in random directions, and seed them.

    ``x`` (blocks, d, W) must be 0 on entry; ``rng`` (blocks, 2, 8) is filled.
    """
    _, dim, lanes = x.shape
    spawn(seed, rng)
    state, numbers = np.empty(4, np.uint64), np.empty(2, np.int64)
    numbers[0], numbers[1] = seed, DIRECTION_WORD
    seed_generator(numbers, state)
    for k in range(chains if distance > 0.0 else 0):
        square = 0.0
        for q in range(dim):
            normal = standard_normal(state)
            x[k // lanes, q, k % lanes] = normal
            square += normal * normal
        for q in range(dim):
            x[k // lanes, q, k % lanes] *= distance / np.sqrt(square)


@kernel()
def encode_rows(kind, noise_std, features, labels, first, count, rows, targets, classes):
    """Encode rows ``first`` to ``first + count`` - 1 for the model of code ``kind``; Poisson and other kinds are copied.

    ``rows`` (R, d), ``targets`` (R,) and ``classes`` (R,), the stored labels, are filled from the front.
    """
    for i in range(count):
        label, factor = labels[first + i], 1.0
        targets[i], classes[i] = label, label
        if kind == LOGISTIC:
            factor, targets[i], classes[i] = (-1.0, 0.0, 1.0) if label > 0.0 else (1.0, 0.0, 0.0)
        elif kind == LINEAR:
            targets[i] = label / noise_std
        for q in range(features.shape[1]):
            rows[i, q] = features[first + i, q] / noise_std if kind == LINEAR else factor * features[first + i, q]
