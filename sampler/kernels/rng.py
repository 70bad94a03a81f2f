"""Vectorised counter-based random numbers: splitmix64 for bits, Box-Muller for normals.

A generator is ``rng``, a uint64 array: ``rng[0]`` is its counter, ``rng[1]`` its increment, which is odd. The
j-th draw is a pure function of counter + j * increment, so loops carry no dependence and LLVM vectorises
them: about 0.7 ns per normal and 0.2 ns per index, against 2.7 and 1.9 for NumPy's Generator called from
compiled code. Counters and increments come from ``numpy.random.SeedSequence``.

Each generator has a separate increment, so each follows a separate orbit through all 2^64 counters. With a common
increment, generators would be windows on one orbit: of a million chains two would start 2e5 draws apart.

Steele, Lea, Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014 (the mixing function, and which
increments are good).
"""

import numpy as np
from llvmlite import ir
from numba import float64, int32, int64, types, uint64
from numba.extending import intrinsic

from sampler.kernels.compile import kernel

MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
S30, S27, S31, S11 = (np.uint64(s) for s in (30, 27, 31, 11))
TWO_TO_MINUS_53 = 1.0 / 9007199254740992.0
LEAST_CHANGES = 24  # pairs of differing neighbouring bits required in an increment
EVERY_OTHER = np.uint64(0xAAAAAAAAAAAAAAAA)


@intrinsic
def float_bits(typing_context, x):
    """Return the bits of a float64 as an int64."""
    def build(context, builder, signature, args):
        return builder.bitcast(args[0], ir.IntType(64))
    return types.int64(types.float64), build


@intrinsic
def bits_float(typing_context, x):
    """Return the float64 with the bits of an int64."""
    def build(context, builder, signature, args):
        return builder.bitcast(args[0], ir.DoubleType())
    return types.float64(types.int64), build


@kernel(inline="always")
def mix(x):
    """Return 64 well-mixed bits from a counter: the finaliser of splitmix64."""
    x = (x ^ (x >> S30)) * MIX_1
    x = (x ^ (x >> S27)) * MIX_2
    return x ^ (x >> S31)


@kernel(inline="always")
def uniform(bits):
    """Map the top 53 of 64 bits to [0, 1)."""
    return float64(bits >> S11) * TWO_TO_MINUS_53


@kernel(inline="always")
def fast_exp(x):
    """Return exp(x) to about 1e-15 relative, without branches, so that loops over it vectorise.

    x is clamped to [-700, 700]; nan stays nan.
    """
    x = 700.0 if x > 700.0 else (-700.0 if x < -700.0 else x)
    n = np.floor(x * 1.4426950408889634 + 0.5)
    r = x - n * 0.6931471803691238 - n * 1.9082149292705877e-10
    p = 1 / 479001600.0
    p = p * r + 1 / 39916800.0
    p = p * r + 1 / 3628800.0
    p = p * r + 1 / 362880.0
    p = p * r + 1 / 40320.0
    p = p * r + 1 / 5040.0
    p = p * r + 1 / 720.0
    p = p * r + 1 / 120.0
    p = p * r + 1 / 24.0
    p = p * r + 1 / 6.0
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    return p * bits_float((int64(int32(n)) + 1023) << 52)


@kernel(inline="always")
def fast_log(u):
    """Return log(u) for u in (0, 1]: mantissa scaled to [sqrt(1/2), sqrt(2)), then the atanh series."""
    shifted = float_bits(u) - 0x3FE6A09E667F3BCD
    e = shifted >> 52
    m = bits_float(float_bits(u) - (e << 52))
    z = (m - 1.0) / (m + 1.0)
    y = z * z
    p = 2 / 19.0
    p = p * y + 2 / 17.0
    p = p * y + 2 / 15.0
    p = p * y + 2 / 13.0
    p = p * y + 2 / 11.0
    p = p * y + 2 / 9.0
    p = p * y + 2 / 7.0
    p = p * y + 2 / 5.0
    p = p * y + 2 / 3.0
    p = p * y + 2.0
    return float64(int32(e)) * 0.6931471805599453 + z * p


@kernel(inline="always")
def fast_sin_cos(w):
    """Return sine and cosine of w in [-pi/2, pi/2] by Taylor series, to rounding error."""
    y = w * w
    s = 1 / 355687428096000.0
    s = s * y - 1 / 1307674368000.0
    s = s * y + 1 / 6227020800.0
    s = s * y - 1 / 39916800.0
    s = s * y + 1 / 362880.0
    s = s * y - 1 / 5040.0
    s = s * y + 1 / 120.0
    s = s * y - 1 / 6.0
    s = (s * y + 1.0) * w
    c = 1 / 2432902008176640000.0
    c = c * y - 1 / 6402373705728000.0
    c = c * y + 1 / 20922789888000.0
    c = c * y - 1 / 87178291200.0
    c = c * y + 1 / 479001600.0
    c = c * y - 1 / 3628800.0
    c = c * y + 1 / 40320.0
    c = c * y - 1 / 720.0
    c = c * y + 1 / 24.0
    c = c * y - 0.5
    c = c * y + 1.0
    return s, c


@kernel(fastmath={"contract", "arcp", "nsz", "nnan", "ninf"})
def fill_normal(rng, out):
    """Fill ``out`` (even size) with N(0, 1) draws, and advance ``rng[0]`` by ``out.size`` increments."""
    half = out.size // 2
    counter, increment = rng[0], rng[1]
    at, step = counter + increment, increment + increment  # a running sum: a product per draw takes twice the time
    for j in range(half):
        a, b = mix(at), mix(at + increment)
        at += step
        u = (float64(a >> S11) + 1.0) * TWO_TO_MINUS_53  # in (0, 1]: the logarithm is finite
        w = (float64(b >> S11) * TWO_TO_MINUS_53 - 0.5) * 3.141592653589793
        radius = np.sqrt(-2.0 * fast_log(u))
        s, c = fast_sin_cos(w)  # half the angle: sin 2w = 2 s c, cos 2w = 1 - 2 s^2
        out[j] = radius * (2.0 * s * c)
        out[half + j] = radius * (1.0 - 2.0 * s * s)
    rng[0] = counter + uint64(2 * half) * increment


@kernel(fastmath={"contract"})
def indices_at(counter, increment, n, out):
    """Fill ``out`` (int64) with the indices on {0, ..., n-1} that a generator at ``counter`` would draw.

    No generator advances, so that the rows of the next batch can be prefetched before its step. n < 2^52, bias below
    n / 2^53.
    """
    scale = float64(n) * TWO_TO_MINUS_53
    for j in range(out.size):
        out[j] = int64(float64(mix(counter + uint64(j + 1) * increment) >> S11) * scale)


@kernel()
def fill_index(rng, n, out):
    """Fill ``out`` (int64) with indices uniform on {0, ..., n-1}, and advance ``rng[0]`` by ``out.size`` increments."""
    indices_at(rng[0], rng[1], n, out)
    rng[0] += uint64(out.size) * rng[1]


@kernel()
def next_uniform(rng):
    """Draw from the uniform distribution on [0, 1)."""
    rng[0] += rng[1]
    return uniform(mix(rng[0]))


def spawn_generators(seed: int, chains: int, streams: int) -> np.ndarray:
    """Return independent generators, (chains, streams, 8) uint64: entry [..., 0] is the counter, [..., 1] the increment.

    The other six words place each generator on a separate cache line.
    """
    words = np.random.SeedSequence(seed).generate_state(2 * chains * streams, np.uint64).reshape(2, chains, streams)
    generators = np.zeros((chains, streams, 8), np.uint64)
    generators[..., 0], generators[..., 1] = words[0], _increments(words[1])
    return generators


def _increments(words: np.ndarray) -> np.ndarray:
    """Return odd numbers with enough differing neighbouring bits: multiples of others change too few bits."""
    odd = words | np.uint64(1)
    changes = np.bitwise_count(odd ^ (odd >> np.uint64(1)))
    return np.where(changes < LEAST_CHANGES, odd ^ EVERY_OTHER, odd)
