"""Drift of the mode while the data double, D of Assumption 3 of LMV-n, from modes stored at log-spaced epochs."""

import numpy as np

from sampler.kernels.compile import kernel
from sampler.kernels.simd_lanes import set_vector

PER_OCTAVE = 256
"""Modes stored per octave; the drift between two of them is missed, 1 to 3 % of D."""
CAPACITY = 2 * PER_OCTAVE + 8
"""Modes stored at most: two octaves."""


@kernel(inner=True)
def _square_from(modes, i, mode):
    total = 0.0
    for q in range(mode.size):
        total += (modes[i, q] - mode[q]) ** 2
    return total


@kernel(inner=True)
def farthest_mode(t, offset, mode, epochs, modes, kept):
    """Return the index of the stored mode, s in [t/2, t], with the largest ||x*_s - x*_t||^2 (s + c); -1 without one."""
    best, largest = -1, -1.0
    for i in range(kept):
        if 2 * epochs[i] >= t:
            square = _square_from(modes, i, mode) * (epochs[i] + offset)
            if square > largest:
                best, largest = i, square
    return best


@kernel()
def largest_drift(t, offset, mode, epochs, modes, pairs, places, out):
    """Write D up to epoch t into ``out``: the largest drift over all stored epochs and t itself."""
    square = 0.0
    for i in range(places[2]):
        square = max(square, pairs[i, 1] * (pairs[i, 0] + offset))
    best = farthest_mode(t, offset, mode, epochs, modes, places[0])
    if best >= 0 and t >= 2:
        square = max(square, _square_from(modes, best, mode) * (epochs[best] + offset))
    out[0] = np.sqrt(square)


@kernel()
def remember_mode(t, offset, mode, epochs, modes, pairs, places):
    """Store the mode of epoch t if it is due, and the pair of epochs with the largest drift at t.

    Parameters
    ----------
    t : int
    offset : float
        c.
    mode : (d,) array
    epochs, modes : (CAPACITY,) and (CAPACITY, d) arrays
        Stored epochs and modes, of two octaves at most.
    pairs : (n, 2) array
        (s, ||x*_s - x*_tau||^2) of the largest drift at each stored tau, without dominated pairs: one no larger in the
        square and in square times s than another is not the largest for any offset c.
    places : (3,) int array
        Number of modes stored, next epoch due, number of pairs stored.
    """
    if t < places[1]:
        return
    if places[0] == epochs.size:
        kept = 0
        for i in range(epochs.size):
            if 2 * epochs[i] >= t:
                epochs[kept] = epochs[i]
                set_vector(modes[kept], modes[i])
                kept += 1
        places[0] = kept
    best = farthest_mode(t, offset, mode, epochs, modes, places[0])
    if best >= 0:
        epoch, square = epochs[best], _square_from(modes, best, mode)
        dominated, kept = False, 0
        for i in range(places[2]):
            dominated = dominated or (pairs[i, 1] >= square and pairs[i, 1] * pairs[i, 0] >= square * epoch)
        for i in range(places[2]):
            if dominated or pairs[i, 1] > square or pairs[i, 1] * pairs[i, 0] > square * epoch:
                set_vector(pairs[kept], pairs[i])
                kept += 1
        if not dominated and kept < pairs.shape[0]:
            pairs[kept, 0], pairs[kept, 1] = epoch, square
            kept += 1
        places[2] = kept
    epochs[places[0]] = t
    set_vector(modes[places[0]], mode)
    places[0] += 1
    places[1] = max(t + 1, int(np.ceil(t * 2.0 ** (1.0 / PER_OCTAVE))))
