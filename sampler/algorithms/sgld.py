"""SGLD, stochastic gradient Langevin dynamics (Welling and Teh 2011): a fresh batch a step, nothing remembered.

    draw S, b indices with replacement from 1..t
    X <- X - eta_t (grad f_0(X) + (t/b) sum_{k in S} grad f_k(X)) + sqrt(2 eta_t) xi,   eta_t = eta_0/(t+c)

i_t steps in epoch t, with the warm starts and random run lengths of online SAGA-LD (LMV-n Algorithm 2). The batches
and the noise are those OnlineSagaLD draws from the same seed, so with ``variance_reduction=False`` it walks the same
path; this sampler pays b evaluations a step and none to arrive, and holds no gradient.
"""

import numpy as np

from sampler.algorithms.chain_block import ChainBlock
from sampler.algorithms.memoryless_sampler import StepwiseSampler
from sampler.kernels import glm_sgld
from sampler.kernels.chains import INDEX_STREAM
from sampler.kernels.rng import fill_index, indices_at
from sampler.problems.base import Posterior


class SGLD(StepwiseSampler):
    """SGLD on K independent chains; ``variance_reduction`` and ``refresh`` are not used."""

    def _advance(self, n: int, traced: int, trace: np.ndarray, counts: np.ndarray) -> bool:
        if self.problem.kind == "oracle":
            return super()._advance(n, traced, trace, counts)
        kind, rows, knobs = getattr(self.problem, "kind_code", glm_sgld.GAUSSIAN_MEAN), self._rows, self._knobs()

        def run(block: ChainBlock) -> bool:
            return glm_sgld.advance(self._lanes, kind, self._precision, rows.rows, rows.targets, block.chains, self.t,
                                    knobs, n, self._center, traced - block.first, trace, block.counts)

        return self._in_blocks(run, self._steps_ahead(n) * knobs.batch_size, counts)

    def _step(self, posterior: Posterior, chain: int, record: np.ndarray | None, counts: np.ndarray) -> bool:
        x, b = self._state.position[chain, :self.dim].copy(), self.settings.batch_size
        index_rng, batch = self._state.rng[chain, INDEX_STREAM], np.empty(b, np.int64)
        indices_at(index_rng[0], index_rng[1], self.t, batch)
        fresh = posterior.term_gradients(x, batch)
        gradient = self.problem.prior_gradient(x) + self.t / b * fresh.sum(axis=0)
        fill_index(index_rng, self.t, batch)  # the batch is taken only now that nothing can fail
        step_size = self.settings.step_size(self.t)
        noise = np.sqrt(2 * step_size) * self._normals(chain)
        if record is not None:
            record[0], record[1], record[3] = x, gradient, noise
        counts[0] += b
        return self._land(chain, x - step_size * gradient + noise)
