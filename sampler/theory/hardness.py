"""How far a law made of a share of the data's gradients is from the posterior: LMV-a section 11, in closed form.

Its example: f_k = (y_k - theta)^2, y_k = theta_0 + N(0, 1), so that pi_T = N(mean of the y_k, 1/(2T)). Gradients of m of
the T terms, chosen at random without repetition and scaled by T/m, are those of N(their mean, 1/(2T)). Its centre is off
by N(0, 1/m - 1/T). Two normal laws of variance s^2 whose centres are g apart have TV = erf(g / (2 sqrt(2) s)), and the
mean of erf(a |Z|) over a standard normal Z is (2/pi) arctan(sqrt(2) a), so

    mean TV = (2/pi) arctan sqrt((T/m - 1)/2).

The section argues with two independent halves, T/2 indices each, drawn with repetition. Given the data the mean of a half
has variance 2/T, so the two centres differ by N(0, 4/T), and the TV of the two laws is 2 Phi(sqrt(2) |Z|) - 1: 1/10 or
more with probability 0.93, where the section says 1/2 and needs no more. Half of the gradients cannot give eps < 1/20,
and in fact nearly all are needed.

Differs from the paper: it prints N(0, 2/T), with which the TV would be uniform on (0, 1).
"""

import math

from sampler.arguments import real_number


def subset_distance(share: float) -> float:
    """Mean total variation between the posterior and the law made of a random share of the gradients.

    Parameters
    ----------
    share : m/T in (0, 1].

    Raises
    ------
    ValueError
        For a share outside (0, 1].

    Examples
    --------
    >>> round(subset_distance(0.5), 3)
    0.392
    """
    share = real_number("share", share, "it is a part of the data", above=0.0)
    if share > 1.0:
        raise ValueError(f"share must lie in (0, 1]; got {share:g}. Each gradient counts once.")
    return 2.0 / math.pi * math.atan(math.sqrt(0.5 * (1.0 / share - 1.0)))


def least_share(epsilon: float) -> float:
    """Share of the gradients from which ``subset_distance`` is epsilon or less.

    Parameters
    ----------
    epsilon : in (0, 1), a total variation.

    Raises
    ------
    ValueError
        For an epsilon outside (0, 1).

    Examples
    --------
    >>> round(least_share(0.05), 3)
    0.988
    """
    eps = real_number("epsilon", epsilon, "it is a total variation distance", above=0.0)
    if eps >= 1.0:
        raise ValueError(f"epsilon must lie in (0, 1); got {eps:g}. Try 0.05.")
    return 1.0 / (1.0 + 2.0 * math.tan(0.5 * math.pi * eps) ** 2)
