"""SGLD on fixed data (Welling and Teh 2011), constant step: the baseline of the SVRG-LD family.

    x <- x - eta (grad f_0(x) + (n/b) sum_{k in S} grad f_k(x)) + sqrt(2 eta) xi,   S: b indices with replacement

Welling and Teh's step epsilon is 2 eta.
"""

from dataclasses import dataclass

from sampler.algorithms.offline_sampler import OfflineSampler
from sampler.algorithms.saga_ld import FOREVER
from sampler.kernels.offline_walk import MINIBATCH, Plan


@dataclass(frozen=True)
class OfflineSGLD(OfflineSampler):
    """SGLD chains on a fixed data set: no table, no anchor, b evaluations a step (see OfflineSampler)."""

    def plan(self, n: int) -> Plan:
        """No anchor.

        Parameters
        ----------
        n : int >= 1
            Terms of the data set.
        """
        return Plan(MINIBATCH, self.batch_size, 0, FOREVER, False, self.batch_size)
