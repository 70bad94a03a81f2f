"""The constants with which Theorem 6.7 of LMV-a proves Algorithm 2 correct."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sampler.arguments import real_number, whole_number

LEAST_EPSILON = 1e-200
"""Below it, 1/epsilon over the number of epochs is no number any more."""


@dataclass(frozen=True)
class TheoremConstants:
    """Theorem 6.7's settings; none of them is practical."""

    eta0: float  #: step size constant, eq. 65
    i_max: int  #: most steps an epoch, eq. 66; often far above 2^63
    acceptance_radius: float  #: C' = 2.5 (C1 + D), Lemma 6.6
    escape_radius: float  #: R, eq. 64
    batch_size: int  #: b; any constant of 9 or more
    eps1: float  #: chance of escape an epoch, eps / (3T)
    eps2: float  #: error allowed for each doubling of t, eps / (3 ceil(log2 T + 1))
    C1: float  #: ln(A / eps1) / k, eq. 63: how near the mode a reset point must be, times sqrt(t + c)


def theorem_constants(
    horizon: int, epsilon: float, dim: int, smoothness: float, concentration: float, drift: float,
    amplitude: float = 1.0,
) -> TheoremConstants:
    """Constants of LMV-a Theorem 6.7 (eq. 63 to 66).

    Parameters
    ----------
    horizon : T, number of epochs, 1 or more.
    epsilon : eps in (0, 1), total variation allowed at each epoch.
    dim : d.
    smoothness : L > 0, of each term f_t.
    concentration : k > 0, P(||X - mode_t|| >= s / sqrt(t + c)) <= A exp(-k s).
    amplitude : A > 0 of that tail. Differs from the paper: eq. 60 and 63 leave it out, as if it were 1; with it
        C1 = ln(A / eps1) / k makes the same A exp(-k C1) = eps1.
    drift : D >= 0, ||mode_t - mode_tau|| <= D / sqrt(t + c) for tau in [t, 2t].

    Examples
    --------
    >>> theorem_constants(1000, 0.1, 21, 1.5, 1.0, 1.0).eta0
    1.41...e-12
    """
    T = whole_number("horizon", horizon, advice="give the number of epochs to be sampled")
    eps = real_number("epsilon", epsilon, "it is a total variation distance", least=LEAST_EPSILON, below=1.0)
    d = whole_number("dim", dim, advice="give the number of coordinates")
    L = real_number("smoothness", smoothness, "give the largest curvature of one term", above=0.0)
    k = real_number("concentration", concentration, "measure it on a run; 1 is a fair first guess", above=0.0)
    D = real_number("drift", drift, "measure it on a run; 0 says the mode stands still", least=0.0)
    A = real_number("amplitude", amplitude, "measure it with k; 1 is the paper's", above=0.0)

    eps1 = eps / (3.0 * T)
    eps2 = eps / (3.0 * math.ceil(math.log2(T) + 1.0))
    C1 = max(math.log(A / eps1), 0.0) / k
    reach = C1 + D
    logarithm = math.log(max(L, d / L, reach, 1.0 / eps1))
    R = 100.0 * max(math.sqrt(d / L) * math.sqrt(logarithm), reach)
    # Exact fractions from here on: i_max passes 2^63, and 1/eps2^4 can pass the largest float.
    eta0 = Fraction(eps2) ** 2 / (2 * Fraction(L) ** 2 * Fraction(R) ** 2)
    i_max = math.ceil(20 * Fraction(reach) ** 2 / (eta0 * Fraction(eps2) ** 2))
    return TheoremConstants(float(eta0), i_max, 2.5 * reach, R, 9, eps1, eps2, C1)


def theorem_rates(
    horizon: int, epsilon: float, dim: int, smoothness: float, concentration: float, drift: float,
    amplitude: float = 1.0,
) -> dict[str, float]:
    """How Theorem 6.7's number of steps grows: d log i_max / d log of each quantity, by doubling it.

    LMV-a eq. 66 has i_max = 40 L^2 R^2 (C1 + D)^2 / eps2^4: eps to the -4 and no power of T, up to logarithms. LMV-n
    Theorem 2.1 has (C + D)^4 L^2 d log^8(T) / eps^6: the exponent of eps is the price of the corrected exit bound.

    Parameters
    ----------
    horizon, epsilon, dim, smoothness, concentration, drift, amplitude : as in ``theorem_constants``; epsilon below 1/2.

    Returns
    -------
    dict of "horizon", "epsilon", "dim", "smoothness", "concentration", "drift" to its exponent.

    Examples
    --------
    >>> round(theorem_rates(1000, 0.1, 21, 1.5, 1.0, 1.0)["epsilon"], 2)
    -4.28
    """
    given: dict[str, Any] = {"horizon": horizon, "epsilon": epsilon, "dim": dim, "smoothness": smoothness,
             "concentration": concentration, "drift": drift}
    here = theorem_constants(**given, amplitude=amplitude).i_max
    doubled = {name: theorem_constants(**(given | {name: 2 * value}), amplitude=amplitude).i_max
               for name, value in given.items()}
    # i_max can pass the largest float: the ratio of whole numbers does not.
    return {name: math.log2(Fraction(steps, here)) for name, steps in doubled.items()}
