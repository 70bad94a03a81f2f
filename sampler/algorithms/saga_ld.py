"""SAGA-LD on fixed data: Dubey et al. 2016, as analysed by Chatterji et al. 2018; LMV-n Algorithm 1's step.

table: G^k = grad f_k(x_0), k = 1..n;  s = sum_k G^k                                   (n evaluations, one pass)
draw S, b indices with replacement;   G_new^k = grad f_k(x) for k in S                 (b evaluations a step)
g = grad f_0(x) + s + (n/b) sum_{k in S} (G_new^k - G^k)
x <- x - eta g + sqrt(2 eta) xi;   s += sum over DISTINCT k in S of (G_new^k - G^k);   G^k <- G_new^k
"""

from dataclasses import dataclass

from sampler.algorithms.offline_sampler import OfflineSampler
from sampler.kernels.offline_walk import SAGA, Plan

FOREVER = 2**62


@dataclass(frozen=True)
class SagaLD(OfflineSampler):
    """SAGA-LD chains on a fixed data set (see OfflineSampler for ``sample``).

    Each chain keeps one cached number a term for one-score models, one vector otherwise.
    """

    def plan(self, n: int) -> Plan:
        """SAGA's table of all n terms, filled once."""
        return Plan(SAGA, self.batch_size, n, FOREVER, True, self.batch_size)
