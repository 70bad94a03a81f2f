"""ZXG Corollaries 3.6 and 3.8: parameters that Theorem 3.5 promises to bring W2 to eps, with every constant said.

The corollaries print orders: for n >= d sigma^2/(mu^2 eps^2)

    3.6   B = O(d sigma^2 / (mu^2 eps^2)),  b = O(1),  m = O(B),  eta = O(mu eps^2 / (d sigma^2)),
          T = O~(d sigma^2 / (mu^2 eps^2)) gradients,

and for fewer data B = n, b = 1,

    3.8   eta = min{mu eps / (L d + M^(3/2) sqrt(d)), sqrt(mu) eps / (M sqrt(d n))},
          T = O~(n + (L d + M^(3/2) sqrt(d)) / (mu^2 eps) + M sqrt(d n) / (mu^(3/2) eps)).

Here each of the q terms of Theorem 3.5 is given eps/q, q = 4 and 3, which fixes the constants:

    B = 9 q^2 d sigma^2 / (mu^2 eps^2)                                                      anchor (3.6)
    eta = min{mu eps / (2 q (L d + M^(3/2) sqrt(d))),                                       step
              b mu eps^2 / (9 q^2 d sigma^2) (3.6), sqrt(b mu) eps / (4 q M sqrt(n d)) (3.8)}  batch
    m = the largest with eta <= min{(b mu/(24 M^4 m^2))^(1/3), 1/(6 m (sigma^2/B + M))}, at most B
    k = the least whole number of epochs with (1 - eta mu/4)^k W2(start) <= eps/q
    T = k (B/m + 2 b).

Differs from the paper: it prints M^(2/3) in 3.8's eta; Theorem 3.5 and 3.8's T have M^(3/2). And m = O(B) is allowed by
the theorem for kappa = M/mu of order 1 only: eta m <= 1/(6 M) makes k/m >= 24 kappa log(q W2/eps), so that what follows
from Theorem 3.5 is T of order kappa d sigma^2 / (mu^2 eps^2), one kappa more than 3.6 and Table 1 print.
"""

import math
from dataclasses import dataclass
from typing import Any

from sampler.algorithms.svrg_ld import SvrgLD
from sampler.arguments import SMALLEST, instance_of, real_number, whole_number
from sampler.theory.gaussian_recursions import GaussianExperiment
from sampler.theory.svrg_theorem import MOST_STEPS, SvrgPromise, svrg_promise


@dataclass(frozen=True)
class SvrgPrescription:
    """Parameters of SVRG-LD+ for one eps, and what they cost; made by ``svrg_prescription``."""

    corollary: str  #: "3.6" or "3.8"
    anchor_batch: int  #: B
    anchor_every: int  #: m
    batch_size: int  #: b
    step_size: float  #: eta
    steps: int  #: k, whole epochs
    gradients: int  #: T
    printed: float  #: what stands inside the corollary's O~
    promise: SvrgPromise  #: Theorem 3.5 after k steps: ``promise.value`` <= eps

    @property
    def sampler(self) -> SvrgLD:
        """Sampler with these parameters."""
        return SvrgLD(self.step_size, self.batch_size, self.anchor_batch, self.anchor_every)


@dataclass(frozen=True)
class PrescriptionCheck:
    """A prescription for a Gaussian experiment beside its exact law."""

    epsilon: float
    prescription: SvrgPrescription
    wasserstein: float  #: exact W2 after T gradients
    reached: int  #: gradients after the first whole epoch with W2 <= eps


MOST_GRADIENTS = 10**13
"""Gradients of a prescription that is followed to its end."""


def svrg_prescription(
    epsilon: float, dim: int, n: int, smoothness: float, strong_convexity: float, sigma: float, wasserstein: float,
    hessian_lipschitz: float = 0.0, batch_size: int = 1,
) -> SvrgPrescription:  # fmt: skip
    """Parameters with which Theorem 3.5 promises W2 <= eps.

    Parameters
    ----------
    epsilon : eps > 0, of W2.
    dim, n : d and the number of terms.
    smoothness, strong_convexity : M >= mu > 0 of f, the AVERAGE of the terms.
    sigma : sigma > 0, d sigma^2 bounds E||grad f_i - grad f||^2.
    wasserstein : W2 from the start to the target.
    hessian_lipschitz : L.
    batch_size : b.

    Raises
    ------
    ValueError
        For an argument out of its range, and where the step would be smaller than this library takes.

    Examples
    --------
    >>> found = svrg_prescription(0.5, 2, 10**6, 1.0, 0.5, 1.0, 2.0)
    >>> found.corollary, found.anchor_batch, found.anchor_every, round(found.promise.value, 3)
    ('3.6', 4608, 383, 0.461)
    """
    eps = real_number("epsilon", epsilon, "it is a Wasserstein distance", above=0.0)
    d, n, b = whole_number("dim", dim), whole_number("n", n, 1, MOST_STEPS), whole_number("batch_size", batch_size)
    mu = real_number("strong_convexity", strong_convexity, "it is the smallest curvature of f", above=0.0)
    M = real_number("smoothness", smoothness, "it is the largest curvature of f", least=mu)
    sigma = real_number("sigma", sigma, "it is the noise of one term's gradient", above=0.0)
    W = real_number("wasserstein", wasserstein, "it is W2 from the start to the target", least=0.0)
    L = real_number("hessian_lipschitz", hessian_lipschitz, "0 for a quadratic", least=0.0)
    variance, rough = sigma**2, L * d + M**1.5 * math.sqrt(d)
    B = math.ceil(144 * d * variance / (mu * eps) ** 2)
    many = B < n
    q = 4 if many else 3
    if many:
        eta = b * mu * eps**2 / (9 * q**2 * d * variance)
        printed = d * variance / (mu * eps) ** 2
    else:
        B, eta = n, math.sqrt(b * mu) * eps / (4 * q * M * math.sqrt(n * d))
        printed = n + rough / (mu**2 * eps) + M * math.sqrt(d * n) / (mu**1.5 * eps)
    pull = variance / B + M
    eta = min(eta, mu * eps / (2 * q * rough), (b * mu / (24 * M**4)) ** (1 / 3), 1 / (6 * pull))
    m = min(B, int(math.sqrt(b * mu / (24 * M**4 * eta**3))), int(1 / (6 * eta * pull)))
    m = max(m, 1)  # the last two terms of eta see to it, up to rounding
    eta *= 1 - 1e-12
    if eta < SMALLEST:
        raise ValueError(f"epsilon, smoothness, sigma and hessian_lipschitz must be of sizes that allow a step size of "
                         f"{SMALLEST:g} or more, got {eta:.1e} for epsilon = {eps:g}; take a larger epsilon")
    k = math.log(max(q * W / eps, 1.0)) / -math.log1p(-eta * mu / 4)
    epochs = max(1, math.ceil(k / m))
    promise = svrg_promise(epochs * m, eta, d, n, M, mu, L, variance, b, B, m, W)
    return SvrgPrescription("3.6" if many else "3.8", B, m, b, eta, epochs * m, epochs * (B + 2 * b * m), printed, promise)


def check_prescription(experiment: GaussianExperiment, epsilon: float) -> PrescriptionCheck:
    """Prescribe for a Gaussian experiment (L = 0) and follow its exact law to the end.

    Parameters
    ----------
    experiment : GaussianExperiment
        Made by `gaussian_experiment`.
    epsilon : float > 0
        W2 asked for.

    Raises
    ------
    ValueError
        Where the prescription takes too many gradients to be followed.
    """
    instance_of("experiment", experiment, GaussianExperiment, "make one with gaussian_experiment")
    n, curvatures = len(experiment.data), experiment.curvatures
    sigma = math.sqrt(float((curvatures**2 * experiment.data.var(axis=0)).mean()))
    start = experiment.wasserstein(SvrgLD(1e-3), 0.0)
    found = svrg_prescription(epsilon, curvatures.size, n, float(curvatures.max()), float(curvatures.min()), sigma, start)
    epoch = found.anchor_batch + 2 * found.batch_size * found.anchor_every
    if found.gradients > MOST_GRADIENTS:
        raise ValueError(f"epsilon must be larger here, got {epsilon!r}: its prescription takes {found.gradients:.1e}"
                         f" gradients, and {MOST_GRADIENTS:.0e} can be followed; try {10 * epsilon:g}")

    def distance(epochs: int) -> float:
        return experiment.wasserstein(found.sampler, epochs * epoch / n)

    low, high = 0, found.gradients // epoch  # W2 falls to its bias and stays near it
    end = distance(high)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if distance(middle) <= epsilon else (middle, high)
    return PrescriptionCheck(epsilon, found, end, high * epoch)


def prescription_exponents(epsilon: float, kappa: float, dim: int, sigma: float, n: int | None = None) -> dict[str, float]:
    """D log T / d log of each quantity, by doubling it, at M = 1, mu = 1/kappa, L = 0 and a start 1 away.

    Parameters
    ----------
    epsilon, kappa, dim, sigma : where.
    n : number of terms; None for as many as Corollary 3.6 can want.
    """
    kappa = real_number("kappa", kappa, "it is the largest curvature over the smallest", least=1.0)
    here: dict[str, Any] = {"epsilon": epsilon, "kappa": kappa, "dim": dim, "sigma": sigma} | ({} if n is None else {"n": n})

    def gradients(epsilon: float, kappa: float, dim: int, sigma: float, n: int = 10**30) -> int:
        return svrg_prescription(epsilon, dim, n, 1.0, 1.0 / kappa, sigma, 1.0).gradients

    base = gradients(**here)
    return {name: math.log2(gradients(**(here | {name: 2 * value})) / base) for name, value in here.items()}
