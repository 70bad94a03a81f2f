"""MALA and random-walk Metropolis: exact for pi_t at any step size, one pass over the data per step.

MALA, the Metropolis-adjusted Langevin algorithm (Roberts and Tweedie 1996).

    Y = X - eta_t grad F_t(X) + sqrt(2 eta_t) xi,   eta_t = eta_0/(t+c)
    X <- Y with probability min(1, exp(r)), else X is unchanged,
    r = F_t(X) - F_t(Y) - (||X - Y + eta_t grad F_t(Y)||^2 - ||Y - X + eta_t grad F_t(X)||^2) / (4 eta_t)

i_t steps in epoch t, with the warm starts and run lengths of online SAGA-LD. Exact in the long run for any eta_0;
potential and gradient of one term at one point count as one evaluation: t per step.

Random-walk Metropolis: the online Dikin walk of Narayanan and Rakhlin (2010) on the whole of R^d.

    Y = X + sqrt(2 eta_t) xi,   X <- Y with probability min(1, exp(F_t(X) - F_t(Y))),   eta_t = eta_0/(t+c)

On a convex body their walk draws Y from an ellipsoid defined by the body's barrier; R^d has no boundary, so the
ellipsoid is a fixed ball. i_t steps in epoch t from X^{t-1}; t potential evaluations per step, no gradients.
"""

import numpy as np

from sampler.algorithms.chain_states import ChainBlock
from sampler.algorithms.langevin import StepwiseSampler
from sampler.kernels import glm_metropolis
from sampler.kernels.chains import Knobs
from sampler.kernels.langevin_step import FAR
from sampler.kernels.rng import next_uniform
from sampler.problems.base import Posterior


class AcceptanceCount(StepwiseSampler):
    """Base of samplers with an acceptance test: counts the accepted steps of each chain in this epoch."""

    _kept_arrays: tuple[str, ...] = ("_accepted",)

    def _allocate(self) -> None:
        super()._allocate()
        self._accepted = np.zeros(self.chains, np.int64)

    @property
    def acceptance_rate(self) -> float:
        """Fraction of accepted steps in this epoch so far, over all chains; nan before the first step."""
        steps = int(self._state.steps_done.sum())
        return float(self._accepted.sum() / steps) if steps else float("nan")

    def _open(self, t: int, counts: np.ndarray) -> None:
        super()._open(t, counts)
        self._accepted[:] = 0


class MetropolisSampler(AcceptanceCount):
    """Base of MALA and random-walk Metropolis: stores F_t (and its gradient) at each chain's position.

    Opening an epoch costs t evaluations per chain, since F_t is new, and each step t more, accepted or not. A chain
    never diverges: a proposal that is not finite is rejected. In a trace, ``after`` equals ``before`` for rejected steps.
    """

    kinds = ("logistic", "linear", "poisson", "gaussian_mean")
    needs = "one with a potential, for the acceptance test,"
    _in_python = ("gaussian_mean",)
    _langevin = True  # do proposals follow the gradient?
    _kept_arrays = ("_values", "_gradients", "_accepted")

    def _allocate(self) -> None:
        super()._allocate()
        self._values = np.zeros(self.chains)
        self._gradients = np.zeros_like(self._state.position)

    def _open(self, t: int, counts: np.ndarray) -> None:
        super()._open(t, counts)
        counts[0] += t * self.chains
        if self._compiled:
            def evaluate(block: ChainBlock) -> None:
                glm_metropolis.potentials(self._lanes, self.problem.kind_code, self._precision[0], self._rows.rows,
                                          self._rows.targets, t, block.chains.position, self._langevin,
                                          block.own(self._values), block.own(self._gradients))

            self._in_blocks(evaluate, self.chains * t, counts)
            return
        posterior, x = self._rows.posterior(t), self._state.position[:, :self.dim]
        self._values[:], self._gradients[:, :self.dim] = posterior.potential(x), posterior.gradient(x)

    def _step_work(self) -> float:
        return self.t

    def _advance_block(self, block: ChainBlock, knobs: Knobs, n: int, traced: int, trace: np.ndarray) -> bool:
        return glm_metropolis.advance(self._lanes, self.problem.kind_code, self._precision, self._rows.rows,
                                      self._rows.targets, block.chains, self.t, knobs, n, self._center, self._langevin,
                                      *map(block.own, (self._values, self._gradients, self._accepted)), traced, trace,
                                      block.counts)

    def _step(self, posterior: Posterior, chain: int, record: np.ndarray | None, counts: np.ndarray) -> bool:
        x, gradient = self._state.position[chain, :self.dim].copy(), self._gradients[chain, :self.dim].copy()
        if not self._langevin:
            gradient[:] = 0.0
        eta, xi = self.settings.step_size(self.t), self._normals(chain)
        point = x - eta * gradient + np.sqrt(2 * eta) * xi
        if record is not None:
            record[0], record[1], record[3] = x, gradient, np.sqrt(2 * eta) * xi
        value, ahead = posterior.potential(point), posterior.gradient(point)
        counts[0] += self.t
        log_ratio = self._values[chain] - value
        if self._langevin:
            log_ratio -= ((x - point + eta * ahead) ** 2).sum() / (4 * eta) - 0.5 * (xi @ xi)
        chance = next_uniform(self._state.rng[chain, glm_metropolis.ACCEPT_STREAM])
        if np.log(max(chance, 1e-300)) < log_ratio and point @ point < FAR:
            self._land(chain, point)
            self._values[chain], self._gradients[chain, :self.dim] = value, ahead
            self._accepted[chain] += 1
        else:
            self._state.steps_done[chain] += 1
        return True


class MALA(MetropolisSampler):
    """MALA on K independent chains; an ``acceptance_rate`` near 0.574 is best, near 0 the chains do not move."""


class RandomWalkMetropolis(MetropolisSampler):
    """Random-walk Metropolis on K independent chains; an ``acceptance_rate`` near 0.234 is best in many dimensions."""

    _langevin = False
