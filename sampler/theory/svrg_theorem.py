"""ZXG Theorem 3.5: what is promised of SVRG-LD+ in W2, as printed and with its last step repaired.

f = (1/n) sum f_i is mu-strongly convex and M-smooth with an L-Lipschitz Hessian, E||grad f_i - grad f||^2 <= d sigma^2.
One epoch is an anchor on B of the n terms and m steps of batch b. For eta <= min{(b mu / (24 M^4 m^2))^(1/3),
1 / (6 m (sigma^2/B + M))}, after k steps,

    W2 <= (1 - eta mu/4)^k W2(start)                                                    start
          + 3 sigma sqrt(d) / (mu sqrt(B)) for B < n                                    anchor
          + 2 eta (L d + M^(3/2) sqrt(d)) / mu                                          step
          + min{4 eta M sqrt(m d), 3 sqrt(eta d) sigma} / sqrt(b mu)                    batch.

Differs from the paper: it prints 1(B <= n); an anchor on all n terms has no error (its Lemma 4.3).

**Repaired.** Equation 4.8 unrolls a_{k+1} <= (1 - eta mu/2) max{a_k, a_anchor} + Omega, a = E||Delta||^2, k times; but the
anchor's a stays through an epoch, so the max contracts once an epoch. Before it is coarsened, (4.5) says

    a_{k+1} <= (1 - eta mu) a_k + (eta mu / 2) a_anchor + Omega,

whose m steps give a <= F a_anchor + (1 - (1 - eta mu)^m) Omega / (eta mu), F = (1 + (1 - eta mu)^m) / 2. Hence after j
whole epochs W2^2 <= F^j W2(start)^2 + 2 Omega / (eta mu), Omega as in (4.6). F exceeds the printed (1 - eta mu/2)^m by
the factor 1 + (eta mu m)^2/8 or so, which the condition on eta keeps below 1.004.
"""

import math
from dataclasses import dataclass

import numpy as np

from sampler.algorithms.svrg_ld import SvrgLD
from sampler.arguments import instance_of, real_number, whole_number
from sampler.theory.gaussian_recursions import GaussianExperiment

MOST_PASSES = 1e9
MOST_STEPS = 10**100
"""Steps, and terms, of a promise: a corollary may prescribe more than a machine counts."""


@dataclass(frozen=True)
class SvrgPromise:
    """Bounds on W2 after k steps; inf where eta is above the largest that the theorem allows."""

    value: float  #: as printed
    repaired: float  #: after the whole epochs within k, with a proof
    start: float  #: first term of ``value``
    anchor: float
    step: float
    batch: float
    largest_step_size: float  #: the theorem's condition

    @property
    def condition(self) -> str:
        """In words, why nothing is claimed; "" when something is."""
        if math.isfinite(self.value):
            return ""
        return f"The theorem asks for a step size of {self.largest_step_size:.2g} or less."


def svrg_promise(
    steps: int, step_size: float, dim: int, n: int, smoothness: float, strong_convexity: float, hessian_lipschitz: float,
    variance: float, batch_size: int, anchor_batch: int, anchor_every: int, wasserstein: float,
) -> SvrgPromise:  # fmt: skip
    """ZXG Theorem 3.5 in numbers.

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
    """Theorem 3.5 for a Gaussian experiment (L = 0), after ``passes`` over the data.

    Parameters
    ----------
    experiment : GaussianExperiment
        Made by `gaussian_experiment`.
    sampler : SvrgLD
        With a step size.
    passes : float >= 0
        Over the data; 1 is n gradients.

    Raises
    ------
    ValueError
        For a sampler without a step size.
    """
    instance_of("experiment", experiment, GaussianExperiment, "make one with gaussian_experiment")
    instance_of("sampler", sampler, SvrgLD, "the theorem is about SVRG-LD")
    passes = real_number("passes", passes, "1 reads every datum once", least=0.0, most=MOST_PASSES)
    n, curvatures = len(experiment.data), experiment.curvatures
    plan = sampler.plan(n)
    if sampler.step_size is None:
        raise ValueError("step_size must be given for the theorem's promise, got None; set one")
    budget = int(passes * n * (1 + 1e-12) + 1e-9)
    epoch = plan.anchor_batch + plan.anchor_every * plan.step_cost
    whole, rest = divmod(budget, epoch)
    steps = whole * plan.anchor_every + max(0, rest - plan.anchor_batch) // plan.step_cost
    spread = curvatures**2 * experiment.data.var(axis=0)  # of one term's gradient, by coordinate
    return svrg_promise(
        steps, sampler.step_size, curvatures.size, n, float(curvatures.max()), float(curvatures.min()), 0.0,
        float(spread.mean()), plan.batch_size, plan.anchor_batch, plan.anchor_every, experiment.wasserstein(sampler, 0.0),
    )  # fmt: skip


def gaussian_promises(experiment: GaussianExperiment, sampler: SvrgLD, passes: np.ndarray) -> np.ndarray:
    """W2 that Theorem 3.5 promises at each of ``passes``, as printed; inf where eta is too large for it."""
    return np.array([gaussian_promise(experiment, sampler, p).value for p in passes])
