"""Samplers that fit one Gaussian an epoch and draw from it: independent samples of the wrong law."""

import numpy as np
from numpy.typing import ArrayLike

from sampler.algorithms.chain_block import ChainBlock
from sampler.algorithms.memoryless_sampler import StepwiseSampler
from sampler.kernels import glm_langevin, laplace_draw
from sampler.problems.base import Posterior, Problem
from sampler.settings import Settings


class GaussianFitSampler(StepwiseSampler):
    """Base of the Laplace samplers: ``_fit`` and ``_root`` give the law, one draw a chain is the epoch's only step.

    The fit is shared by all chains and its cost counted once, whatever their number. Knobs of Langevin steps are
    not used, there are no resets, and ``start`` is forgotten at the first draw.

    Attributes
    ----------
    mean : (dim,) array
        Centre of the Gaussian of epoch t.
    """

    traceable = False

    def __init__(self, problem: Problem, settings: Settings | None = None, chains: int = 256, seed: int = 0,
                 start: ArrayLike | None = None, threads: int | None = None) -> None:
        super().__init__(problem, settings, chains, seed, start, threads)
        self.mean = np.zeros(self.dim)

    def _fit(self, posterior: Posterior) -> int:
        """Fit to F_t and return the gradient evaluations it took. Must change nothing when it raises."""
        raise NotImplementedError

    def _root(self) -> np.ndarray:
        """R with R R' the fitted covariance: (dim, dim), or (1, dim) when it is diagonal."""
        raise NotImplementedError

    @property
    def covariance(self) -> np.ndarray:
        """Covariance of the fitted Gaussian, (dim, dim)."""
        root = self._root()
        return root @ root.T if len(root) == self.dim else np.diag(root[0] ** 2)

    @property
    def run_lengths(self) -> np.ndarray:
        """One draw a chain an epoch, whatever the settings: ones, (chains,)."""
        return np.ones(self.chains, np.int64)

    def _open(self, t: int, counts: np.ndarray) -> None:
        counts[0] += self._fit(self._rows.posterior(t))
        glm_langevin.arrive(self._state, t, self._knobs()._replace(reset=False), self._center, counts)

    def _advance(self, n: int, traced: int, trace: np.ndarray, counts: np.ndarray) -> bool:
        root = self._root()

        def run(block: ChainBlock) -> bool:
            laplace_draw.draw(self._lanes, block.chains, self.t, self.mean, root, self._center, block.counts)
            return True

        return self._in_blocks(run, self.chains * len(root), counts)
