"""NumPy's default generator without NumPy, for WebAssembly: SeedSequence, PCG64 and the distributions of the streams.

A generator is ``state``, four uint64: the high and low halves of PCG64's counter and of its increment. Draws are
bit-identical to those of ``numpy.random.default_rng(numbers)``, except for the last bits of a normal beyond 3.65. Elsewhere
logarithms and exponentials only decide whether a proposal is accepted: a difference in their last bits changes about one
draw in 10^15.

O'Neill, *PCG: a family of simple fast space-efficient statistically good algorithms for random number generation*, 2014;
Marsaglia, Tsang, *The ziggurat method for generating random variables*, 2000; Hörmann, *The transformed rejection method
for generating Poisson random variables*, 1993.
"""

import math

import numpy as np
from numba import float64, uint64

from sampler.kernels.compile import kernel
from sampler.kernels.rng import uniform

HALF, S1, S16, S32, S58 = (np.uint64(n) for n in (0xFFFFFFFF, 1, 16, 32, 58))
POOL_SEED, POOL_FACTOR = np.uint64(0x43B0D7E5), np.uint64(0x931E8875)
WORD_SEED, WORD_FACTOR = np.uint64(0x8B51F9DD), np.uint64(0x58F38DED)
MIX_LEFT, MIX_RIGHT = np.uint64(0xCA01F9DD), np.uint64(0x4973F715)
MULTIPLIER = np.uint64(0x2360ED051FC65DA4), np.uint64(0x4385DF649FCCF645)
MANTISSA = np.uint64(2**52 - 1)
TWO_TO_MINUS_52 = 2.0**-52
TAIL = 3.6541528853610088  # end of the ziggurat's lowest layer, start of the tail
INVERSE_TAIL = 0.27366123732975828
AREA = 0.004928673233974652  # area of each of its 256 layers
TRANSFORMED_FROM = 10.0  # Poisson mean from which counts are drawn by transformed rejection


def _layers() -> np.ndarray:
    """Return the right ends of the layers from top to bottom, the tail's last, with a 0 in front."""
    ends, height = [TAIL], math.exp(-0.5 * TAIL * TAIL)
    for i in range(254, 0, -1):
        ends.append(math.sqrt(-2.0 * math.log(AREA / ends[-1] + height)))
        height = math.exp(-0.5 * ends[-1] ** 2) + (2.0**-53 if i == 38 else 0.0)  # one ulp higher in NumPy's table
    return np.array([0.0, *ends[::-1]])


ENDS = _layers()
LOWEST = AREA / math.exp(-0.5 * TAIL * TAIL)  # width of a rectangle with the height and area of the lowest layer and tail


@kernel()
def seed_words(numbers, out):
    """Fill ``out`` (uint64, each below 2^32) with ``SeedSequence(numbers).generate_state(out.size)``, numbers int64 >= 0."""
    entropy, size = np.zeros(2 * numbers.size + 4, np.uint64), 0
    for number in numbers:
        entropy[size] = uint64(number) & HALF
        size += 1
        if uint64(number) >> S32:
            entropy[size] = uint64(number) >> S32
            size += 1
    pool, factor = np.zeros(4, np.uint64), POOL_SEED
    for source in range(-1, max(size, 4)):
        for i in range(4):
            if source < 0 or source != i:
                word = entropy[i] if source < 0 else (pool[source] if source < 4 else entropy[source])
                word ^= factor
                factor = (factor * POOL_FACTOR) & HALF
                word = (word * factor) & HALF
                word ^= word >> S16
                if source >= 0:
                    word = (MIX_LEFT * pool[i] - MIX_RIGHT * word) & HALF
                    word ^= word >> S16
                pool[i] = word
    factor = WORD_SEED
    for i in range(out.size):
        word = pool[i % 4] ^ factor
        factor = (factor * WORD_FACTOR) & HALF
        word = (word * factor) & HALF
        out[i] = word ^ (word >> S16)


@kernel(inner=True)
def next_bits(state):
    """Return 64 bits of PCG64: counter * multiplier + increment, halves xored, rotated by the top six bits."""
    high, low, factor = state[0], state[1], MULTIPLIER[1]
    first = (low & HALF) * (factor & HALF)
    second = (low >> S32) * (factor & HALF) + (first >> S32)
    third = (low & HALF) * (factor >> S32) + (second & HALF)
    carried = (low >> S32) * (factor >> S32) + (second >> S32) + (third >> S32)
    high = carried + high * factor + low * MULTIPLIER[0] + state[2]
    low = low * factor + state[3]
    high += uint64(low < state[3])
    state[0], state[1] = high, low
    turn, bits = high >> S58, high ^ low
    return (bits >> turn) | (bits << ((uint64(64) - turn) & uint64(63)))


@kernel()
def seed_generator(numbers, state):
    """Set ``state`` (4 uint64) to that of ``default_rng(numbers)``, numbers int64 >= 0."""
    words = np.empty(8, np.uint64)
    seed_words(numbers, words)
    for i in range(4):
        words[i] = words[2 * i] | (words[2 * i + 1] << S32)
    state[0], state[1] = uint64(0), uint64(0)
    state[2], state[3] = (words[2] << S1) | (words[3] >> uint64(63)), (words[3] << S1) | S1
    next_bits(state)
    state[1] += words[1]
    state[0] += words[0] + uint64(state[1] < words[1])
    next_bits(state)


@kernel()
def next_double(state):
    """Draw from the uniform distribution on [0, 1), as NumPy's ``random()``."""
    return uniform(next_bits(state))


@kernel()
def standard_normal(state):
    """Draw from N(0, 1) by the ziggurat method, as NumPy's ``standard_normal()``."""
    while True:
        bits = next_bits(state)
        layer, negative = int(bits & uint64(255)), (bits >> uint64(8)) & S1
        bits = (bits >> uint64(9)) & MANTISSA
        x = float64(bits) * TWO_TO_MINUS_52 * (ENDS[layer] if layer else LOWEST)
        sign = -1.0 if negative else 1.0
        if x < ENDS[layer - 1]:
            return sign * x
        if layer == 0:
            sign = -1.0 if (bits >> uint64(8)) & S1 else 1.0
            while True:
                x = -INVERSE_TAIL * np.log(1.0 - next_double(state))
                y = -np.log(1.0 - next_double(state))
                if y + y > x * x:
                    return sign * (TAIL + x)
        low, high = np.exp(-0.5 * ENDS[layer] ** 2), np.exp(-0.5 * ENDS[layer - 1] ** 2)
        if (high - low) * next_double(state) + low < np.exp(-0.5 * x * x):
            return sign * x


@kernel()
def poisson_count(state, mean):
    """Draw from the Poisson distribution with ``mean`` > 0, as NumPy's ``poisson(mean)`` but float64; time O(count)."""
    count = 0.0
    if mean < TRANSFORMED_FROM:
        left, product = np.exp(-mean), next_double(state)
        while product > left:
            count += 1.0
            product *= next_double(state)
        return count
    b = 0.931 + 2.53 * np.sqrt(mean)
    a, turned, sure = -0.059 + 0.02483 * b, 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2.0)
    while True:
        u, v = next_double(state) - 0.5, next_double(state)
        near = 0.5 - abs(u)
        count = np.floor((2.0 * a / near + b) * u + mean + 0.43)
        if near >= 0.07 and v <= sure:
            return count
        if count < 0.0 or (near < 0.013 and v > near):
            continue
        density = count * np.log(mean) - mean
        for j in range(2, int(count) + 1):
            density -= np.log(float64(j))
        if np.log(v) + np.log(turned) - np.log(a / (near * near) + b) <= density:
            return count
