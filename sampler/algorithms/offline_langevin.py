"""SGLD, SAGA-LD, SVRG-LD and SVRG-LD+ on fixed data, with a constant step.

SGLD (Welling and Teh 2011), the baseline.

    x <- x - eta (grad f_0(x) + (n/b) sum_{k in S} grad f_k(x)) + sqrt(2 eta) xi,   S: b indices with replacement

Welling and Teh's step epsilon is 2 eta.

SAGA-LD: Dubey et al. 2016, as analysed by Chatterji et al. 2018; the step of LMV-n Algorithm 1.

table: G^k = grad f_k(x_0), k = 1..n;  s = sum_k G^k                                   (n evaluations, one pass)
draw S, b indices with replacement;   G_new^k = grad f_k(x) for k in S                 (b evaluations per step)
g = grad f_0(x) + s + (n/b) sum_{k in S} (G_new^k - G^k)
x <- x - eta g + sqrt(2 eta) xi;   s += sum over DISTINCT k in S of (G_new^k - G^k);   G^k <- G_new^k

SVRG-LD and SVRG-LD+ (Dubey et al. 2016; Zou, Xu and Gu 2018 (ZXG), Algorithm 1), which differ only in the anchor batch B.

Epoch j, from x~ = x:

    draw I_j, B of the n terms without replacement;  g~ = (n/B) sum_{k in I_j} grad f_k(x~)        (B evaluations)
    m times:  S: b indices;  g = grad f_0(x) + (n/b) sum_{k in S} (grad f_k(x) - grad f_k(x~)) + g~
              x <- x - eta g + sqrt(2 eta) xi                                                      (2 b evaluations)

B = n is SVRG-LD. ZXG write the target as exp(-(1/n) sum f_i): with f_i = n F_i the step size is the same eta.

Differs from the paper: line 12 prints x~_{j+1} = x_{(j+1)m-1}; the last point x_{(j+1)m} is meant (its Lemma 4.2).
Differs from the paper: I_j is drawn without replacement (else B = n would not be SVRG-LD), and S with replacement,
which is the same for its b = 1.
Differs from the paper: the prior's gradient is exact at every step, not split over the terms.

Offline variance-reduced SGLD: LMV-n Algorithm 3, a ladder of temperatures that permits a cold start.

    for beta = 1/T, 2/T, 4/T, ... (capped at 1), 1:
        G^k = grad f_k(X) for all k = 1..T;  s = sum_k G^k                                  (T evaluations)
        i_max steps of SAGA-LD on beta F with step eta/(beta T):                            (b evaluations each)
            X <- X - eta/(beta T) beta g + sqrt(2 eta/(beta T)) xi,   g = grad f_0(X) + s + (T/b) sum (G_new^k - G^k)

Cost per chain: T ceil(log2 T + 1) + b i_max ceil(log2 T + 1) gradient evaluations.

Differs from the paper: it prints beta <- max{2 beta, 1} and leaves the loop before running at beta = 1; the minimum
and a last epoch at beta = 1 are meant (its section 7). beta also multiplies f_0, so that the targets are powers of
the posterior; f_0's gradient is exact at every step.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sampler.algorithms.chain_states import starting_points
from sampler.algorithms.offline_sampler import OfflineSampler, Progress, Run, notes_on, overdamped
from sampler.algorithms.offline_terms import terms_of
from sampler.algorithms.results import OfflineResult
from sampler.arguments import positive_number, switch, whole_number
from sampler.kernels.offline_chains import ANCHORED, DUE, MINIBATCH, SAGA, Plan
from sampler.problems.base import Problem
from sampler.threads import checked_threads


@dataclass(frozen=True)
class OfflineSGLD(OfflineSampler):
    """SGLD chains on a fixed data set: no table, no anchor, b evaluations per step (see `OfflineSampler`)."""

    def plan(self, n: int) -> Plan:
        """Return a plan without anchor, independent of the number of terms ``n``."""
        return Plan(MINIBATCH, self.batch_size, 0, FOREVER, False, self.batch_size)


FOREVER = 2**62


@dataclass(frozen=True)
class SagaLD(OfflineSampler):
    """SAGA-LD chains on a fixed data set (see `OfflineSampler` for ``sample``).

    Each chain caches one number per term for one-score models, one vector per term otherwise.
    """

    def plan(self, n: int) -> Plan:
        """Return a plan with SAGA's table of all ``n`` terms, filled once."""
        return Plan(SAGA, self.batch_size, n, FOREVER, True, self.batch_size)


@dataclass(frozen=True)
class AnchoredSampler(OfflineSampler):
    """Base of the samplers with SVRG's estimator.

    Parameters
    ----------
    step_size, batch_size
        As in OfflineSampler.
    anchor_batch : int in [1, n], optional
        B, number of terms in the anchor's gradient; None is all n. Every chain draws its own batch in every epoch: a
        shared batch would correlate the chains.
    anchor_every : int >= 1, optional
        m, number of steps between anchors; None is B/b, ZXG's choice.
    store_anchor : bool
        Store the gradients of single terms at the anchor, so that a step evaluates b new ones plus those not stored yet,
        instead of 2 b. Takes one number per term and chain (one vector for terms that are not one-score).
    """

    anchor_batch: int | None = None
    anchor_every: int | None = None
    store_anchor: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, advice in (("anchor_batch", "None takes all data (SVRG-LD)"),
                             ("anchor_every", "None takes anchor_batch / batch_size")):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, whole_number(name, value, 1, 2**62, advice))
        switch("store_anchor", self.store_anchor)

    def plan(self, n: int) -> Plan:
        """Return SVRG's estimator on ``n`` terms, by default with B = n and m = B/b; ValueError if B > n."""
        batch = n if self.anchor_batch is None else self.anchor_batch
        if batch > n:
            raise ValueError(f"anchor_batch must be a whole number in [1, {n}], the number of data, got {batch}; "
                             "use None for all of them (SVRG-LD)")
        every = max(1, batch // self.batch_size) if self.anchor_every is None else self.anchor_every
        complete = self.store_anchor and batch == n  # all gradients at the anchor are stored
        cost = self.batch_size if complete else 2 * self.batch_size
        return Plan(ANCHORED, self.batch_size, batch, every, self.store_anchor, cost)


@dataclass(frozen=True)
class SvrgLD(AnchoredSampler):
    """SVRG-LD+ chains on a fixed data set; SVRG-LD if ``anchor_batch`` is None (see `AnchoredSampler`)."""


def temperature_ladder(terms: int) -> tuple[float, ...]:
    """Return the inverse temperatures 1/T, 2/T, 4/T, ..., 1, ceil(log2 T + 1) of them; ``terms`` is T >= 1."""
    terms = whole_number("terms", terms, advice="it is the number of data")
    return (*(2**k / terms for k in range((terms - 1).bit_length())), 1.0)


@dataclass(frozen=True)
class OfflineSagaLD:
    """LMV-n Algorithm 3, offline variance-reduced SGLD, on K independent chains.

    Parameters
    ----------
    eta0 : float > 0
        eta: the step size at inverse temperature beta is eta0 / (beta T).
    batch_size : int >= 1
        b, gradients drawn with replacement at each step.
    i_max : int >= 1
        Number of steps at each temperature. beta cancels in the drift, so every epoch contracts by the same factor
        (1 - eta0 lambda/T)^i_max along an eigenvalue lambda of F's Hessian: eta0 lambda_min i_max/T should be
        about 5 or more, otherwise the final samples are wider than the posterior.
    """

    eta0: float = 0.1
    batch_size: int = 64
    i_max: int = 1000

    def __post_init__(self) -> None:
        eta0 = positive_number("eta0", self.eta0, 1e6, "start near 0.1 divided by the largest curvature of one term")
        object.__setattr__(self, "eta0", eta0)
        object.__setattr__(self, "batch_size", whole_number("batch_size", self.batch_size, 1, 10_000_000))
        object.__setattr__(self, "i_max", whole_number("i_max", self.i_max, 1, 10**12))

    def cost(self, terms: int) -> int:
        """Return the number of gradient evaluations of one chain on ``terms`` data."""
        ladder = temperature_ladder(terms)  # checks ``terms``
        return (int(terms) + self.batch_size * self.i_max) * len(ladder)

    def sample(self, problem: Problem, features: ArrayLike, labels: np.ndarray | None = None, *, chains: int = 100,
               seed: int = 0, start: ArrayLike | None = None, frames: int = 1, progress: Progress | None = None,
               stop: Callable[[], bool] | None = None, threads: int | None = None) -> OfflineResult:
        """Run K chains down the ladder; the budget is ``cost(n)`` evaluations per chain.

        Parameters
        ----------
        problem, features, labels, chains, seed, start, progress, stop, threads
            As in `OfflineSampler.sample`. ``start`` may be far from the mode.
        frames : int >= 1
            Number of checkpoints in ``trace`` per temperature, evenly spaced, the last at its end, preceded by one at the
            start of the run. ``epochs`` contains the ends only.
        """
        chains, seed = whole_number("chains", chains, 1, 1_000_000), whole_number("seed", seed, 0, 2**63 - 1)
        threads = checked_threads(threads)
        frames = min(whole_number("frames", frames, 1, 100_000), self.i_max)
        terms = terms_of(problem, features, labels)
        notes_on(terms)  # raises if the posterior is improper
        points = starting_points(problem, chains, seed, start)
        run = Run(terms, SagaLD(batch_size=self.batch_size).plan(terms.n), points, seed, "eta0", progress, stop, threads)
        n, total, spent, ladder = terms.n, self.cost(terms.n), 0, temperature_ladder(terms.n)
        run.keep(0.0, total, ladder[0])
        for beta in ladder:
            run.walk.since_anchor[:] = DUE  # recompute all gradients at the chain's position
            law = overdamped(self.eta0 / (beta * n), beta)
            for frame in range(1, frames + 1):
                budget = spent + n + self.batch_size * (self.i_max * frame // frames)
                if not run.go(law, budget, total):
                    return run.result(self.eta0 / n)
                checkpoint = run.keep(budget / n, total, beta)
            run.epochs.append(checkpoint)
            spent = budget
        return run.result(self.eta0 / n)
