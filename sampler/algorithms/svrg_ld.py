"""SVRG-LD and SVRG-LD+, which differ in the anchor batch B alone.

Dubey et al. 2016; Zou, Xu and Gu 2018 (ZXG), Algorithm 1.

Epoch j, from x~ = x:

    draw I_j, B of the n terms without replacement;  g~ = (n/B) sum_{k in I_j} grad f_k(x~)        (B evaluations)
    m times:  S: b indices;  g = grad f_0(x) + (n/b) sum_{k in S} (grad f_k(x) - grad f_k(x~)) + g~
              x <- x - eta g + sqrt(2 eta) xi                                                      (2 b evaluations)

B = n is SVRG-LD. ZXG write the target as exp(-(1/n) sum f_i): with f_i = n F_i the step size is the same eta.

Differs from the paper: line 12 prints x~_{j+1} = x_{(j+1)m-1}; the last point x_{(j+1)m} is meant (its Lemma 4.2).
Differs from the paper: I_j is drawn without replacement (else B = n would not be SVRG-LD), and S with replacement,
the same thing for its b = 1.
Differs from the paper: the prior's gradient is exact at every step, not split over the terms.
"""

from dataclasses import dataclass
from typing import Any

from sampler.algorithms.offline_sampler import OfflineSampler
from sampler.arguments import whole_number
from sampler.kernels.offline_walk import ANCHORED, Plan


def anchored_plan(n: int, batch_size: int, anchor_batch: int | None, anchor_every: int | None, store: bool) -> Plan:
    """SVRG's estimator on n terms: B = n and m = B/b where left open; ValueError when B > n."""
    batch = n if anchor_batch is None else anchor_batch
    if batch > n:
        raise ValueError(f"anchor_batch must be a whole number in [1, {n}], the number of data, got {batch}; "
                         "use None for all of them (SVRG-LD)")
    every = max(1, batch // batch_size) if anchor_every is None else anchor_every
    kept = store and batch == n  # nothing is left to evaluate at the anchor
    return Plan(ANCHORED, batch_size, batch, every, store, batch_size if kept else 2 * batch_size)


def check_anchor(sampler: Any) -> None:
    """Validate ``anchor_batch``, ``anchor_every`` and ``store_anchor`` of a frozen sampler, in place."""
    for name, advice in (("anchor_batch", "None takes all data (SVRG-LD)"),
                         ("anchor_every", "None takes anchor_batch / batch_size")):
        value = getattr(sampler, name)
        if value is not None:
            try:
                object.__setattr__(sampler, name, whole_number(name, value, 1, 2**62))
            except ValueError as error:
                raise ValueError(f"{error}; {advice}") from None
    if not isinstance(sampler.store_anchor, bool):
        raise ValueError(f"store_anchor must be True or False, got {sampler.store_anchor!r}")


@dataclass(frozen=True)
class SvrgLD(OfflineSampler):
    """SVRG-LD+ chains on a fixed data set; SVRG-LD when ``anchor_batch`` is None (see OfflineSampler).

    Parameters
    ----------
    step_size, batch_size
        As in OfflineSampler.
    anchor_batch : int in [1, n], optional
        B, terms in the anchor's gradient; None is all n. Every chain and epoch draws its own: a batch shared by
        parallel chains would move them all the same way.
    anchor_every : int >= 1, optional
        m, steps between anchors; None is B/b, ZXG's choice.
    store_anchor : bool
        Keep the anchor's single gradients, so that a step evaluates b new ones plus those not kept yet, instead of
        2 b. Takes one number a term and chain (one vector for terms that are not one-score).
    """

    anchor_batch: int | None = None
    anchor_every: int | None = None
    store_anchor: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_anchor(self)

    def plan(self, n: int) -> Plan:
        """SVRG's estimator on n terms."""
        return anchored_plan(n, self.batch_size, self.anchor_batch, self.anchor_every, self.store_anchor)
