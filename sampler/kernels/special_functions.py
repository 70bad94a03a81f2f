"""Special functions for kernels and WebAssembly: error function, normal distribution, log Gamma."""

import numpy as np

from sampler.kernels.compile import kernel
from sampler.kernels.rng import fast_exp

ROOT_2_PI = 2.5066282746310002
HALF_LOG_2_PI = 0.9189385332046727
# Rational approximations of Cephes (Moshier, ndtr.c) and SciPy, highest power first: erf(x) = x NEAR(x^2) up to 1,
# erfc(x) = exp(-x^2) MIDDLE(x) up to 8 and exp(-x^2) FAR(x) beyond.
NEAR = (np.array([9.60497373987051638749e0, 9.00260197203842689217e1, 2.23200534594684319226e3, 7.00332514112805075473e3,
                  5.55923013010394962768e4]),
        np.array([1.0, 3.35617141647503099647e1, 5.21357949780152679795e2, 4.59432382970980127987e3,
                  2.26290000613890934246e4, 4.92673942608635921086e4]))
MIDDLE = (np.array([2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687e0,
                    4.86371970985681366614e1, 1.96520832956077098242e2, 5.26445194995477358631e2, 9.34528527171957607540e2,
                    1.02755188689515710272e3, 5.57535335369399327526e2]),
          np.array([1.0, 1.32281951154744992508e1, 8.67072140885989742329e1, 3.54937778887819891062e2,
                    9.75708501743205489753e2, 1.82390916687909736289e3, 2.24633760818710981792e3, 1.65666309194161350182e3,
                    5.57535340817727675546e2]))
FAR = (np.array([5.64189583547755073984e-1, 1.27536670759978104416e0, 5.01905042251180477414e0, 6.16021097993053585195e0,
                 7.40974269950448939160e0, 2.97886665372100240670e0]),
       np.array([1.0, 2.26052863220117276590e0, 9.39603524938001434673e0, 1.20489539808096656605e1, 1.70814450747565897222e1,
                 9.60896809063285878198e0, 3.36907645100081516050e0]))


@kernel(inner=True)
def normal_density(x):
    """Return the density of N(0, 1) at x."""
    return fast_exp(-0.5 * x * x) / ROOT_2_PI


@kernel(inner=True)
def _ratio(fraction, x):
    """Return the value of a rational function at x."""
    above = below = 0.0
    for c in fraction[0]:
        above = above * x + c
    for c in fraction[1]:
        below = below * x + c
    return above / below


@kernel()
def erfc(x):
    """Return erfc(x) for x >= 0, with a relative error of 2e-13; 0 beyond 26.4, where it is below 1e-304."""
    if x < 1.0:
        return 1.0 - x * _ratio(NEAR, x * x)
    if x > 26.4:
        return 0.0
    return fast_exp(-x * x) * (_ratio(MIDDLE, x) if x < 8.0 else _ratio(FAR, x))


@kernel()
def erf(x):
    """Return erf(x)."""
    if abs(x) < 1.0:
        return x * _ratio(NEAR, x * x)
    rest = 1.0 - erfc(abs(x))
    return rest if x > 0.0 else -rest


@kernel()
def ndtr(x):
    """Return P(Z <= x) for Z ~ N(0, 1), with error 1e-15, relative error 2e-13 in the lower tail; 0 below -37.3."""
    z = x * np.sqrt(0.5)
    if abs(z) < 1.0:
        return 0.5 + 0.5 * erf(z)
    tail = 0.5 * erfc(abs(z))
    return 1.0 - tail if z > 0.0 else tail


@kernel()
def ndtri(p):
    """Return the x with P(Z <= x) = p, with error 1e-13 for p >= 1e-295; infinite at 0 and 1.

    Hastings' approximation (Abramowitz and Stegun 26.2.23, error 4.5e-4) and two third-order steps of Halley's method.
    """
    tail = min(p, 1.0 - p)
    if not tail > 0.0:
        return np.inf if p > 0.5 else -np.inf
    t = np.sqrt(-2.0 * np.log(tail))
    x = (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t
    for _ in range(2):
        step = (ndtr(x) - tail) / normal_density(x)
        x -= step / (1.0 + 0.5 * x * step)
    return x if p < 0.5 else -x


@kernel()
def gammaln(x):
    """Return log Gamma(x) for x > 0, by Stirling's series from 10 on, with error 1e-15 x log x."""
    shift = 1.0
    while x < 10.0:
        shift *= x
        x += 1.0
    y = 1.0 / (x * x)
    series = 1 / 12.0 - y * (1 / 360.0 - y * (1 / 1260.0 - y * (1 / 1680.0 - y * (1 / 1188.0 - y * 691 / 360360.0))))
    return (x - 0.5) * np.log(x) - x + HALF_LOG_2_PI + series / x - np.log(shift)
