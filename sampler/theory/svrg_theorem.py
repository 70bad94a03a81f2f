"""ZXG Theorem 3.5 and Corollaries 3.6 and 3.8: W2 guarantees of SVRG-LD+, checked against its exact law.

**Theorem 3.5.** f = (1/n) sum f_i is mu-strongly convex and M-smooth with an L-Lipschitz Hessian, E||grad f_i - grad
f||^2 <= d sigma^2. One epoch is an anchor on B of the n terms and m steps of batch b. For eta <= min{(b mu / (24 M^4
m^2))^(1/3), 1 / (6 m (sigma^2/B + M))}, after k steps,

    W2 <= (1 - eta mu/4)^k W2(start)                                                    start
          + 3 sigma sqrt(d) / (mu sqrt(B)) for B < n                                    anchor
          + 2 eta (L d + M^(3/2) sqrt(d)) / mu                                          step
          + min{4 eta M sqrt(m d), 3 sqrt(eta d) sigma} / sqrt(b mu)                    batch.

Differs from the paper: it prints 1(B <= n); an anchor on all n terms has no error (its Lemma 4.3).

**Repaired.** Equation 4.8 unrolls a_{k+1} <= (1 - eta mu/2) max{a_k, a_anchor} + Omega, a = E||Delta||^2, k times; but the
anchor's a is constant within an epoch, so the max contracts once per epoch. Before that relaxation, (4.5) is

    a_{k+1} <= (1 - eta mu) a_k + (eta mu / 2) a_anchor + Omega,

and m such steps give a <= F a_anchor + (1 - (1 - eta mu)^m) Omega / (eta mu), F = (1 + (1 - eta mu)^m) / 2. Hence after j
whole epochs W2^2 <= F^j W2(start)^2 + 2 Omega / (eta mu), Omega as in (4.6). F exceeds the printed (1 - eta mu/2)^m by
the factor 1 + (eta mu m)^2/8 or so, which the condition on eta keeps below 1.004.

**Corollaries 3.6 and 3.8**: parameters for which Theorem 3.5 gives W2 <= eps, with all constants. ZXG print
orders: for n >= d sigma^2/(mu^2 eps^2)

    3.6   B = O(d sigma^2 / (mu^2 eps^2)),  b = O(1),  m = O(B),  eta = O(mu eps^2 / (d sigma^2)),
          T = O~(d sigma^2 / (mu^2 eps^2)) gradients,

and for fewer data B = n, b = 1,

    3.8   eta = min{mu eps / (L d + M^(3/2) sqrt(d)), sqrt(mu) eps / (M sqrt(d n))},
          T = O~(n + (L d + M^(3/2) sqrt(d)) / (mu^2 eps) + M sqrt(d n) / (mu^(3/2) eps)).

Here each of the q terms of Theorem 3.5 is at most eps/q, q = 4 and 3, which fixes the constants:

    B = 9 q^2 d sigma^2 / (mu^2 eps^2)                                                      anchor (3.6)
    eta = min{mu eps / (2 q (L d + M^(3/2) sqrt(d))),                                       step
              b mu eps^2 / (9 q^2 d sigma^2) (3.6), sqrt(b mu) eps / (4 q M sqrt(n d)) (3.8)}  batch
    m = the largest with eta <= min{(b mu/(24 M^4 m^2))^(1/3), 1/(6 m (sigma^2/B + M))}, at most B
    k = the least whole number of epochs with (1 - eta mu/4)^k W2(start) <= eps/q
    T = k (B/m + 2 b).

Differs from the paper: it prints M^(2/3) in 3.8's eta; Theorem 3.5 and 3.8's T have M^(3/2). And the theorem allows
m = O(B) only for kappa = M/mu of order 1: eta m <= 1/(6 M) implies k/m >= 24 kappa log(q W2/eps), so that Theorem 3.5
implies T of order kappa d sigma^2 / (mu^2 eps^2), a factor kappa more than 3.6 and Table 1 print.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

from sampler.algorithms.offline_langevin import SvrgLD
from sampler.algorithms.offline_sampler import gradient_budget
from sampler.arguments import SMALLEST, instance_of, real_number, whole_number
from sampler.theory.gaussian_complexity import doubling_exponents
from sampler.theory.gaussian_recursions import GaussianExperiment, steps_within

MOST_PASSES = 1e9
MOST_STEPS = 10**100
"""Largest number of steps or terms: a corollary may prescribe more than fit a 64-bit integer."""


@dataclass(frozen=True)
class SvrgPromise:
    """Bounds on W2 after k steps; inf if eta exceeds the largest that the theorem allows."""

    value: float  #: as printed
    repaired: float  #: proved bound after the whole epochs within k
    start: float  #: first term of ``value``
    anchor: float
    step: float
    batch: float
    largest_step_size: float  #: largest eta that the theorem allows

    @property
    def condition(self) -> str:
        """Reason why the bounds are infinite, as text; "" if they are finite."""
        if math.isfinite(self.value):
            return ""
        return f"The theorem requires a step size of {self.largest_step_size:.2g} or less."


def svrg_promise(
    steps: int, step_size: float, dim: int, n: int, smoothness: float, strong_convexity: float, hessian_lipschitz: float,
    variance: float, batch_size: int, anchor_batch: int, anchor_every: int, wasserstein: float,
) -> SvrgPromise:
    """Evaluate the bounds of ZXG Theorem 3.5.

    Parameters
    ----------
    steps : k.   step_size : eta.   dim : d.   n : terms.
    smoothness, strong_convexity, hessian_lipschitz : M, mu > 0, L of f.
    variance : sigma^2, E||grad f_i - grad f||^2 / d.
    batch_size, anchor_batch, anchor_every : b, B, m.
    wasserstein : W2 from the start to the target.
    """
    k, d, n = whole_number("steps", steps, 0, MOST_STEPS), whole_number("dim", dim), whole_number("n", n, 1, MOST_STEPS)
    b, B = whole_number("batch_size", batch_size), whole_number("anchor_batch", anchor_batch, 1, MOST_STEPS)
    m = whole_number("anchor_every", anchor_every, 1, MOST_STEPS)
    eta = real_number("step_size", step_size, "it is the time of a step", above=0.0)
    mu = real_number("strong_convexity", strong_convexity, "it is the least curvature of f", above=0.0)
    M = real_number("smoothness", smoothness, "it is the largest curvature of f, no less than the least", least=mu)
    L = real_number("hessian_lipschitz", hessian_lipschitz, "0 for a quadratic", least=0.0)
    variance = real_number("variance", variance, "measure the noise of one term's gradient", least=0.0)
    W = real_number("wasserstein", wasserstein, "it is W2 from the start to the target", least=0.0)
    largest = min((b * mu / (24 * M**4 * m**2)) ** (1 / 3), 1 / (6 * m * (variance / B + M)))
    if not eta <= largest:
        return SvrgPromise(math.inf, math.inf, math.inf, math.inf, math.inf, math.inf, largest)
    error = d * variance / B if B < n else 0.0  # E||e_j||^2
    start, anchor = (1 - eta * mu / 4) ** k * W, 3 * math.sqrt(error) / mu
    step = 2 * eta * (L * d + M**1.5 * math.sqrt(d)) / mu
    batch = min(4 * eta * M * math.sqrt(m * d), 3 * math.sqrt(eta * d * variance)) / math.sqrt(b * mu)
    moved = 6 * (m * eta) ** 2 * (error + M * d) + 2 * m * d * eta  # G_j
    omega = (1 + eta * mu) * eta**3 * M**2 * d / 3
    omega += 2 * (1 + 1 / (eta * mu)) * (eta**2 * error + eta**4 * (L**2 * d**2 + M**3 * d) / 2)
    omega += min(4 * d * variance * eta**2 / b, (M * eta) ** 2 * moved / b * math.exp(2 * (m * M * eta) ** 2))
    shrink = 0.5 * (1 + (1 - eta * mu) ** m)
    repaired = math.sqrt(shrink ** (k // m) * W**2 + 2 * omega / (eta * mu))
    return SvrgPromise(start + anchor + step + batch, repaired, start, anchor, step, batch, largest)


def gaussian_promise(experiment: GaussianExperiment, sampler: SvrgLD, passes: float) -> SvrgPromise:
    """Evaluate Theorem 3.5 for a Gaussian ``experiment`` (L = 0) after ``passes`` >= 0 over the data (n gradients each).

    The ``sampler`` must have a step size.
    """
    instance_of("experiment", experiment, GaussianExperiment, "make one with gaussian_experiment")
    instance_of("sampler", sampler, SvrgLD, "the theorem is about SVRG-LD")
    passes = real_number("passes", passes, "1 reads every datum once", least=0.0, most=MOST_PASSES)
    n, curvatures = len(experiment.data), experiment.curvatures
    plan = sampler.plan(n)
    if sampler.step_size is None:
        raise ValueError("step_size must be a number for the theorem's bound, got None; set one")
    steps = steps_within(plan, gradient_budget(passes, n))
    spread = curvatures**2 * experiment.data.var(axis=0)  # of one term's gradient, by coordinate
    return svrg_promise(
        steps, sampler.step_size, curvatures.size, n, float(curvatures.max()), float(curvatures.min()), 0.0,
        float(spread.mean()), plan.batch_size, plan.anchor_batch, plan.anchor_every, experiment.wasserstein(sampler, 0.0))


@dataclass(frozen=True)
class SvrgPrescription:
    """Parameters of SVRG-LD+ for one eps and their cost, returned by ``svrg_prescription``."""

    corollary: str  #: "3.6" or "3.8"
    anchor_batch: int  #: B
    anchor_every: int  #: m
    batch_size: int  #: b
    step_size: float  #: eta
    steps: int  #: k, whole epochs
    gradients: int  #: T
    printed: float  #: argument of the corollary's O~
    promise: SvrgPromise  #: Theorem 3.5 after k steps: ``promise.value`` <= eps

    @property
    def sampler(self) -> SvrgLD:
        """Sampler with these parameters."""
        return SvrgLD(self.step_size, self.batch_size, self.anchor_batch, self.anchor_every)


@dataclass(frozen=True)
class PrescriptionCheck:
    """Prescription for a Gaussian experiment, and its exact law."""

    epsilon: float
    prescription: SvrgPrescription
    wasserstein: float  #: exact W2 after T gradients
    reached: int  #: gradients after the first whole epoch with W2 <= eps


MOST_GRADIENTS = 10**13
"""Largest number of gradients of a prescription that is checked."""


def svrg_prescription(
    epsilon: float, dim: int, n: int, smoothness: float, strong_convexity: float, sigma: float, wasserstein: float,
    hessian_lipschitz: float = 0.0, batch_size: int = 1,
) -> SvrgPrescription:
    """Return parameters for which Theorem 3.5 guarantees W2 <= eps.

    Parameters
    ----------
    epsilon : eps > 0, target of W2.
    dim, n : d and the number of terms.
    smoothness, strong_convexity : M >= mu > 0 of f, the AVERAGE of the terms.
    sigma : sigma > 0, d sigma^2 bounds E||grad f_i - grad f||^2.
    wasserstein : W2 from the start to the target.
    hessian_lipschitz : L.
    batch_size : b.

    Raises
    ------
    ValueError
        For an argument out of its range, and if the step size would be below the smallest accepted one.

    Examples
    --------
    >>> plan = svrg_prescription(0.5, 2, 10**6, 1.0, 0.5, 1.0, 2.0)
    >>> plan.corollary, plan.anchor_batch, plan.anchor_every, round(plan.promise.value, 3)
    ('3.6', 4608, 383, 0.319)
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
    m = max(m, 1)  # ensured by the last two terms of eta, up to rounding
    eta *= 1 - 1e-12
    if eta < SMALLEST:
        raise ValueError(f"epsilon, smoothness, sigma and hessian_lipschitz must allow a step size of "
                         f"{SMALLEST:g} or more, got {eta:.1e} for epsilon = {eps:g}; take a larger epsilon")
    k = math.log(max(q * W / eps, 1.0)) / -math.log1p(-eta * mu / 4)
    epochs = max(1, math.ceil(k / m))
    promise = svrg_promise(epochs * m, eta, d, n, M, mu, L, variance, b, B, m, W)
    return SvrgPrescription("3.6" if many else "3.8", B, m, b, eta, epochs * m, epochs * (B + 2 * b * m), printed, promise)


def check_prescription(experiment: GaussianExperiment, epsilon: float) -> PrescriptionCheck:
    """Compare the prescription for W2 <= ``epsilon`` in a Gaussian ``experiment`` (L = 0) with its exact law.

    ValueError if the prescription takes more than ``MOST_GRADIENTS`` gradients.
    """
    instance_of("experiment", experiment, GaussianExperiment, "make one with gaussian_experiment")
    n, curvatures = len(experiment.data), experiment.curvatures
    sigma = math.sqrt(float((curvatures**2 * experiment.data.var(axis=0)).mean()))
    start = experiment.wasserstein(SvrgLD(1e-3), 0.0)
    plan = svrg_prescription(epsilon, curvatures.size, n, float(curvatures.max()), float(curvatures.min()), sigma, start)
    epoch = plan.anchor_batch + 2 * plan.batch_size * plan.anchor_every
    if plan.gradients > MOST_GRADIENTS:
        raise ValueError(f"epsilon must be larger here, got {epsilon!r}: its prescription takes {plan.gradients:.1e}"
                         f" gradients, above the limit of {MOST_GRADIENTS:.0e}; try {10 * epsilon:g}")

    def distance(epochs: int) -> float:
        return experiment.wasserstein(plan.sampler, epochs * epoch / n)

    last = plan.gradients // epoch  # W2 falls to its bias and stays near it
    reached = bisect_left(range(last), True, lo=1, key=lambda epochs: distance(epochs) <= epsilon)
    return PrescriptionCheck(epsilon, plan, distance(last), reached * epoch)


def prescription_exponents(epsilon: float, kappa: float, dim: int, sigma: float, n: int | None = None) -> dict[str, float]:
    """Return d log T / d log of each argument, by doubling it, at M = 1, mu = 1/kappa, L = 0 and W2(start) = 1.

    Parameters
    ----------
    epsilon, kappa, dim, sigma : the point.
    n : number of terms; None for enough for Corollary 3.6.
    """
    kappa = real_number("kappa", kappa, "it is the largest curvature over the smallest", least=1.0)
    here: dict[str, Any] = {"epsilon": epsilon, "kappa": kappa, "dim": dim, "sigma": sigma} | ({} if n is None else {"n": n})

    def gradients(epsilon: float, kappa: float, dim: int, sigma: float, n: int = 10**30) -> int:
        return svrg_prescription(epsilon, dim, n, 1.0, 1.0 / kappa, sigma, 1.0).gradients

    return doubling_exponents(gradients, **here)
