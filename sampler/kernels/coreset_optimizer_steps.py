"""One step of each optimizer on the weights of a coreset, in place, projected on w >= 0.

All steps take the same arguments: ``w``, ``w0``, ``g`` (M,) are the weights, their initial values and the gradient
estimate; ``v`` (4, M) holds the optimizer's vectors, ``s`` (6,) its scalars with the number of steps in s[0],
``c`` (5,) its constants. `step` dispatches on the code, so that a whole run stays in one compiled loop.
"""

import numpy as np

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.langevin_step import squared_distance

UNTRAINED, HOT_DOG, ADAM, DOG, DOWG, D_ADAPTATION, PRODIGY = range(7)
VECTORS, SCALARS, CONSTANTS = 4, 6, 5
EXACT = {"contract", "nsz"}


@kernel(REORDER, inner=True, forceinline=True)
def dot(a, b):
    """Return the inner product of a and b."""
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@kernel(EXACT, inner=True, forceinline=True)
def move(w, rate, g):
    """Move w to max(0, w - rate g)."""
    for i in range(w.size):
        moved = w[i] - rate * g[i]
        w[i] = moved if moved > 0.0 else 0.0


@kernel(EXACT, inner=True, forceinline=True)
def hot_dog(w, w0, g, v, s, c):
    """Take a step of Hot DoG Algorithm 2. c: r, beta1, beta2, epsilon, floor (1: d-hat >= r). v: second, first moment, d."""
    r, beta1, beta2, epsilon, floor = c[0], c[1], c[2], c[3], c[4] * c[0]
    second, first, far = v[0], v[1], v[2]
    s[0] += 1.0
    count = s[0]
    to_first = 1.0 / (1.0 - beta1**count)
    to_second = count / (1.0 - beta2**count)
    # At the first step |w - w0| = 0: d has had count - 1 nonzero updates, and d-hat is r instead of 0 / 0.
    to_far = 1.0 / (1.0 - beta1 ** (count - 1.0)) if count > 1.0 else 0.0
    start = 0.0 if count > 1.0 else r
    for i in range(w.size):
        second[i] = beta2 * second[i] + (1.0 - beta2) * g[i] * g[i]
        first[i] = beta1 * first[i] + (1.0 - beta1) * g[i]
        away = abs(w[i] - w0[i])
        far[i] = beta1 * far[i] + (1.0 - beta1) * (away if away > far[i] else far[i])
        reach = start + far[i] * to_far
        reach = reach if reach > floor else floor
        moved = w[i] - reach * (first[i] * to_first) / np.sqrt(second[i] * to_second + count * epsilon)
        w[i] = moved if moved > 0.0 else 0.0


@kernel(EXACT, inner=True, forceinline=True)
def adam(w, w0, g, v, s, c):
    """Take a step of ADAM. c: rate, beta1, beta2, epsilon, decay (1: rate / sqrt(steps)). v: second, first moment."""
    beta1, beta2, epsilon = c[1], c[2], c[3]
    second, first = v[0], v[1]
    s[0] += 1.0
    to_first, to_second = 1.0 / (1.0 - beta1 ** s[0]), 1.0 / (1.0 - beta2 ** s[0])
    rate = c[0] / np.sqrt(s[0]) if c[4] > 0.0 else c[0]
    for i in range(w.size):
        second[i] = beta2 * second[i] + (1.0 - beta2) * g[i] * g[i]
        first[i] = beta1 * first[i] + (1.0 - beta1) * g[i]
        moved = w[i] - rate * (first[i] * to_first) / (np.sqrt(second[i] * to_second) + epsilon)
        w[i] = moved if moved > 0.0 else 0.0


@kernel(EXACT, inner=True, forceinline=True)
def dog(w, w0, g, v, s, c):
    """Take a step of DoG. c: r. s: steps, sum of |g|^2, largest distance from w0 so far."""
    s[0] += 1.0
    s[1] += dot(g, g)
    s[2] = max(s[2], c[0], np.sqrt(squared_distance(w, w0)))
    if s[1] > 0.0:
        move(w, s[2] / np.sqrt(s[1]), g)


@kernel(EXACT, inner=True, forceinline=True)
def dowg(w, w0, g, v, s, c):
    """Take a step of DoWG. c: r. s: steps, sum of distance^2 |g|^2, largest distance from w0 so far."""
    s[0] += 1.0
    s[2] = max(s[2], c[0], np.sqrt(squared_distance(w, w0)))
    s[1] += s[2] * s[2] * dot(g, g)
    if s[1] > 0.0:
        move(w, s[2] * s[2] / np.sqrt(s[1]), g)


@kernel(EXACT, inner=True, forceinline=True)
def d_adaptation(w, w0, g, v, s, c):
    """Take a step of D-Adaptation SGD. c: d0. v: weighted gradient sum. s: steps, d, first |g|, numerator, last rate."""
    total = v[0]
    s[0] += 1.0
    if s[0] == 1.0:
        s[1] = c[0]
    if s[2] == 0.0:
        s[2] = np.sqrt(dot(g, g))
    if s[2] == 0.0:  # all gradients so far were zero
        return
    rate = s[1] / s[2]
    s[3] += rate * dot(g, total)
    for i in range(w.size):
        total[i] += rate * g[i]
    length = np.sqrt(dot(total, total))
    if length > 0.0:
        s[1] = max(s[1], 2.0 * s[3] / length)
    s[4] = rate
    move(w, rate, g)


@kernel(EXACT, inner=True, forceinline=True)
def prodigy(w, w0, g, v, s, c):
    """Take a step of Prodigy ADAM. c: d0, beta1, beta2, epsilon, cosine period (0: none).

    v: second moment, first moment, weighted sum. s: steps, d, numerator, d and cosine factor of the last step.
    """
    beta1, beta2, epsilon, period = c[1], c[2], c[3], c[4]
    beta3 = np.sqrt(beta2)
    second, first, total = v[0], v[1], v[2]
    if s[0] == 0.0:
        s[1] = c[0]
    d = s[1]
    s[3] = d
    s[4] = 0.5 * (1.0 + np.cos(np.pi * (s[0] % period) / period)) if period > 0.0 else 1.0
    s[0] += 1.0
    rate = d * s[4]
    push = length = 0.0
    for i in range(w.size):
        push += g[i] * (w0[i] - w[i])
        first[i] = beta1 * first[i] + (1.0 - beta1) * d * g[i]
        second[i] = beta2 * second[i] + (1.0 - beta2) * d * d * g[i] * g[i]
        total[i] = beta3 * total[i] + (1.0 - beta3) * d * d * g[i]
        length += abs(total[i])
        bottom = np.sqrt(second[i]) + d * epsilon
        moved = w[i] - (rate * first[i] / bottom if bottom > 0.0 else 0.0)
        w[i] = moved if moved > 0.0 else 0.0
    s[2] = beta3 * s[2] + (1.0 - beta3) * d * d * push
    if length > 0.0:
        s[1] = max(d, s[2] / length)


@kernel(forceinline=True)
def step(code, w, w0, g, v, s, c):
    """Take a step of the optimizer with this ``code``; any other code only counts the step."""
    if code == HOT_DOG:
        hot_dog(w, w0, g, v, s, c)
    elif code == ADAM:
        adam(w, w0, g, v, s, c)
    elif code == DOG:
        dog(w, w0, g, v, s, c)
    elif code == DOWG:
        dowg(w, w0, g, v, s, c)
    elif code == D_ADAPTATION:
        d_adaptation(w, w0, g, v, s, c)
    elif code == PRODIGY:
        prodigy(w, w0, g, v, s, c)
    else:
        s[0] += 1.0
