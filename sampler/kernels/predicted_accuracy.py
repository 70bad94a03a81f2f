"""Predicted accuracy of running chains: `sampler.theory.predict_accuracy` in loops.

`sampler/theory/accuracy_prediction.py` has the formulas and explains the grid on which starts are binned.
"""

import numpy as np

from sampler.kernels.compile import kernel
from sampler.kernels.rng import fast_exp, fast_log
from sampler.kernels.small_linear_algebra import multiply
from sampler.kernels.special_functions import erf, ndtr
from sampler.kernels.stationary_covariance import stationary

EDGES = 49  # edges of the bins, 0.25 posterior standard deviations apart, centred at 0
FINE = 1 / 16
CELLS = 257  # points of the grid of starts, FINE apart, centred at 0
TABLE = CELLS + 4 * (EDGES - 1)  # distances of all edges from all cells
MOST_SQUARES = 32
RUN_LENGTHS = 24  # Gauss-Legendre nodes over a random run length, or all lengths if there are at most 24
NODES, WEIGHTS = np.polynomial.legendre.leggauss(RUN_LENGTHS)
FARTHEST = 1e6  # a chain that starts beyond is not near the mode


@kernel()
def keep_starts(checkpoint, warm_start, was_reset, diverged_epoch, mode, slot, t, epochs, counts, starts):
    """Store the start positions of the sound chains in an epoch, relative to its mode, in ``starts[slot]`` (E, K, d).

    Parameters
    ----------
    checkpoint, warm_start : (K, D) arrays
        Start positions: the checkpoint for chains with ``was_reset`` (K,), else the warm start.
    slot : int
    t : int
    epochs, counts : (E,) arrays
        Output: t and the number of chains, at ``slot``.
    """
    n = 0
    for k in range(was_reset.size):
        if diverged_epoch[k] == 0:
            for q in range(mode.size):
                starts[slot, n, q] = (checkpoint[k, q] if was_reset[k] else warm_start[k, q]) - mode[q]
            n += 1
    epochs[slot], counts[slot] = t, n


@kernel()
def pool_starts(epochs, counts, starts, kept, t, offset, most):
    """Return evenly chosen starts (n, d) of the stored epochs up to t, scaled to epoch t; n = 0 if one is beyond FARTHEST.

    ``kept`` is the number of epochs stored so far, ``most`` the largest n * d.
    """
    places, d, total = epochs.size, starts.shape[2], 0
    for i in range(max(0, kept - places), kept):
        if epochs[i % places] <= t:
            total += counts[i % places]
    step, at, n = -(-total // max(1, most // d)), 0, 0
    pooled = np.empty((max(1, most // d), d))
    for i in range(max(0, kept - places), kept):
        slot = i % places
        if epochs[slot] > t:
            continue
        scale = np.sqrt((epochs[slot] + offset) / (t + offset))
        for k in range(counts[slot]):
            if at % step == 0:
                for q in range(d):
                    pooled[n, q] = starts[slot, k, q] * scale
                    if not abs(pooled[n, q]) < FARTHEST:
                        return pooled[:0]
                n += 1
            at += 1
    return pooled[:n]


@kernel(inner=True)
def run_lengths(i_max, random_length, lengths, weights):
    """Write quadrature nodes and weights over the run length into ``lengths`` and ``weights``; return their number."""
    if not random_length:
        lengths[0], weights[0] = i_max, 1.0
        return 1
    for i in range(min(i_max, RUN_LENGTHS)):
        if i_max <= RUN_LENGTHS:
            lengths[i], weights[i] = i + 1.0, 1.0 / i_max
        else:
            lengths[i], weights[i] = 0.5 + i_max * (NODES[i] + 1.0) / 2, WEIGHTS[i] / 2
    return min(i_max, RUN_LENGTHS)


@kernel(inner=True)
def _power(ratio, length):
    """Return ratio^length; for a negative ratio (overshooting steps), with the sign for ``length`` rounded to an integer."""
    size = fast_exp(length * fast_log(abs(ratio)))  # stable ratios are below 1, the domain of fast_log
    return -size if ratio < 0.0 and np.round(length) % 2.0 == 1.0 else size


@kernel(inner=True)
def _gather(centres, a, gathered):
    """Write the shares of starts (n, d) per grid point along coordinate a, each split linearly between two points."""
    for cell in range(CELLS):
        gathered[cell] = 0.0
    for k in range(centres.shape[0]):
        place = min(max((centres[k, a] + 8.0) / FINE, 0.0), CELLS - 1.001)
        cell = int(place)
        gathered[cell] += (1.0 - place + cell) / centres.shape[0]
        gathered[cell + 1] += (place - cell) / centres.shape[0]


@kernel(inner=True)
def _expected(below, own, draws, reference_draws):
    """Return the expected measured accuracy along one coordinate.

    Parameters
    ----------
    below : (EDGES,) array
        CDF of the mixture at the edges.
    own : (m, EDGES) array
        CDFs of single chains.
    draws, reference_draws : float
        Number of draws; inf for exact marginals.
    """
    apart = 0.0
    for bin_ in range(EDGES + 1):
        share, square, target = 1.0, 0.0, 1.0
        if bin_ < EDGES:
            share, target = below[bin_], ndtr(0.25 * (bin_ - EDGES // 2))
        if bin_ > 0:
            share, target = share - below[bin_ - 1], target - ndtr(0.25 * (bin_ - 1 - EDGES // 2))
        for chain in own:
            part = (chain[bin_] if bin_ < EDGES else 1.0) - (chain[bin_ - 1] if bin_ > 0 else 0.0)
            square += part * part / own.shape[0]
        gap = share - target
        variance = max(share - square, 0.0) / draws + target * (1.0 - target) / reference_draws
        s = np.sqrt(max(variance, 1e-300))
        noisy = s * np.sqrt(2 / np.pi) * fast_exp(-0.5 * (gap / s) ** 2) + gap * erf(gap / (s * np.sqrt(2.0)))
        apart += min(noisy, share + target)
    return 1.0 - 0.5 * apart


@kernel()
def predicted_accuracy(model, t, step_size, knobs, start, draws, reference_draws, accuracy):
    """Write the predicted accuracy of X^t into ``accuracy`` (1,); return False if the chain's variance is unbounded.

    Parameters
    ----------
    model : NoiseModel
    knobs : Knobs
    start : (n, d) array
        Deviations from the mode at the start of the epoch; n = 0 means equilibrium.
    draws, reference_draws : float
        Number of pooled draws, and of reference draws; inf for exact marginals.
    """
    lam, vectors = model.eigenvalues, model.vectors
    n, d = max(1, start.shape[0]), lam.size
    law, every = np.empty((d, d)), -(-n // MOST_SQUARES)
    if not stationary(model, t, step_size, knobs.batch_size, knobs.variance_reduction, law):
        return False
    lengths, weights = np.empty(RUN_LENGTHS), np.empty(RUN_LENGTHS)
    count = run_lengths(knobs.i_max, knobs.random_length, lengths, weights) if start.shape[0] else 1
    modes, centres, power = np.zeros((n, d)), np.zeros((n, d)), np.zeros(d)
    multiply(start, model.to_modes, modes[:start.shape[0]])
    gathered, table = np.empty(CELLS), np.empty(TABLE)
    accuracy[0] = 0.0
    for a in range(d):
        below, own, square = np.zeros(EDGES), np.zeros((-(-n // every), EDGES)), 0.0
        for i in range(d):
            square += vectors[a, i] ** 2 / lam[i]
        sd = np.sqrt(square)  # standard deviation of the target's marginal
        for length in range(count):
            weight = weights[length] if start.shape[0] else 1.0
            for i in range(d):
                power[i] = _power(1.0 - step_size * lam[i], lengths[length]) if start.shape[0] else 0.0
            variance = 0.0
            for i in range(d):
                for j in range(d):
                    variance += vectors[a, i] * law[i, j] * (1.0 - power[i] * power[j]) * vectors[a, j]
            spread = np.sqrt(max(variance, 1e-300)) / sd
            for k in range(n):
                centres[k, a] = 0.0
                for i in range(d):
                    centres[k, a] += modes[k, i] * power[i] * vectors[a, i]
                centres[k, a] /= sd
            _gather(centres, a, gathered)
            for i in range(TABLE):
                table[i] = ndtr((i - TABLE // 2) * FINE / spread)
            for edge in range(EDGES):
                for cell in range(CELLS):
                    below[edge] += weight * table[4 * edge + CELLS - 1 - cell] * gathered[cell]
                for k in range(own.shape[0]):
                    own[k, edge] += weight * ndtr((0.25 * (edge - EDGES // 2) - centres[k * every, a]) / spread)
        accuracy[0] += _expected(below, own, draws, reference_draws) / d
    return True


@kernel()
def forecast(model, epochs, counts, starts, kept, t, preconditioned, knobs, most, draws, reference_draws, accuracy):
    """Compute `predicted_accuracy` from the starts stored by `keep_starts` and pooled by `pool_starts`."""
    pooled = pool_starts(epochs, counts, starts, kept, t, knobs.offset, most)
    step_size = knobs.eta0 if preconditioned else knobs.eta0 / (t + knobs.offset)
    return predicted_accuracy(model, t, step_size, knobs, pooled, draws, reference_draws, accuracy)
