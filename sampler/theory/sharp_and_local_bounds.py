"""The four exit bounds as curves over the steps; ``exit_bounds`` makes and derives them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

import numpy as np

from sampler.theory.azuma_bounds import azuma_bounds
from sampler.theory.block_bounds import best_partition, block_logs, probability

NAMES = ("printed", "corrected", "sharp", "local")
SMALLEST_CONTRACTION = 1e-300  # k = 0 when eta m = 1; a larger k is still valid and has a logarithm
VACUOUS = 0.9999


@dataclass(frozen=True)
class ExitBounds:
    """Bounds on P(some ||X_i - mode|| >= radius, 1 <= i <= steps), made by ``exit_bounds``.

    ``.printed .corrected .sharp .local`` are floats in [0, 1]; ``.local`` is computed when asked for.
    ``.printed`` is not a valid bound; the other three are. A bound whose condition fails is 1.
    """

    dim: int
    step_size: float
    steps: int
    radius: float
    start: float
    noise_bound: float
    smoothness: float  #: L_F; inf where it is not known
    strong_convexity: float
    truncation: float | None

    @property
    def stable(self) -> bool:
        """Whether eta <= 2/L_F, so that the gradient step never moves a chain away from the mode."""
        return self.step_size * self.smoothness <= 2.0

    @property
    def contraction(self) -> float:
        """k: one exact gradient step multiplies the squared distance by k at most; convexity gives 1."""
        m, L, eta = self.strong_convexity, self.smoothness, self.step_size
        if m == 0.0 or not self.stable:
            return 1.0
        return max((1.0 - eta * m) ** 2, (1.0 - eta * L) ** 2, SMALLEST_CONTRACTION)

    @cached_property
    def printed(self) -> float:
        """LMV-a eq. 38, for steps of sqrt(2 eta) xi. Not valid: see ``sampler.theory.azuma_bounds``."""
        return float(self._azuma[0][0])

    @cached_property
    def corrected(self) -> float:
        """Equation 38 with the n that Azuma's inequality needs. Valid, and nearly always 1."""
        return float(self._azuma[1][0])

    @cached_property
    def sharp(self) -> float:
        """Exponential supermartingale, convexity only."""
        return float(self.curve("sharp", [self.steps])[0])

    @cached_property
    def local(self) -> float:
        """Exponential supermartingale with the curvature in the ball, over blocks of steps."""
        return float(self.curve("local", [self.steps])[0])

    @cached_property
    def _azuma(self) -> tuple[np.ndarray, np.ndarray]:
        return self._azuma_at(np.array([self.steps]))

    def _azuma_at(self, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return azuma_bounds(
            self.dim, self.step_size, steps, self.radius, self.start, self.noise_bound, self.smoothness,
            self.truncation,
        )  # fmt: skip

    def curve(self, name: str, at_steps: Sequence[int]) -> np.ndarray:
        """Bound ``name`` on P(exit by n), for each n in ``at_steps``.

        Parameters
        ----------
        name : "printed", "corrected", "sharp" or "local".
        at_steps : (j,) whole numbers from 0 to ``steps``, in any order.

        Returns
        -------
        (j,) array in [0, 1]; one minus it bounds the survival curve from below.
        """
        at = np.asarray(at_steps)
        if name not in NAMES:
            raise ValueError(f"name must be one of {', '.join(NAMES)}; got {name!r}. Choose one of these.")
        if at.ndim != 1 or at.size == 0 or not np.all((at >= 0) & (at <= self.steps) & (at == np.round(at))):
            raise ValueError(
                f"at_steps must be whole numbers from 0 to steps = {self.steps}; got {at_steps!r}. "
                "Ask exit_bounds for more steps."
            )
        at = at.astype(np.int64)
        bound = np.zeros(at.size)
        moving = at > 0  # after no step the chain stands where it started, inside
        if moving.any():
            bound[moving] = self._bound(name, at[moving])
        return bound

    def _bound(self, name: str, at: np.ndarray) -> np.ndarray:
        if name in ("printed", "corrected"):
            return self._azuma_at(at)[NAMES.index(name)]
        if not self.stable:
            return np.ones(at.size)
        convex = self._sharp(at)
        if name == "sharp" or self.strong_convexity == 0.0:
            return convex  # with m = 0 one block is best, and it is the sharp bound
        k = self.contraction
        curved = best_partition(self.steps, at, k, lambda ends, lengths: self._logs(ends, lengths, k))
        return np.minimum(convex, curved)

    def _sharp(self, at: np.ndarray) -> np.ndarray:
        if self.noise_bound > 0.0:
            unique, where = np.unique(at, return_inverse=True)
            return probability(self._logs(unique, unique, 1.0))[where]
        r2, start2 = self.radius**2, self.start**2
        lift = self.dim * self.step_size * at  # half of the mean squared distance of the free walk
        u = (lift + np.sqrt(lift**2 + r2 * start2)) / r2
        u = np.minimum(u, 1.0)  # theta_n = 0: the bound is 1
        log = -0.5 * self.dim * np.log(u) + (1.0 - u) * (start2 / u - r2) / (4.0 * self.step_size * at)
        return probability(log)

    def _logs(self, ends: np.ndarray, lengths: np.ndarray, contraction: float) -> np.ndarray:
        return block_logs(
            ends, lengths, self.dim, self.step_size, self.radius, self.start, contraction, self.noise_bound
        )

    @property
    def conditions(self) -> list[str]:
        """In words, what the sharp and local bounds need that does not hold or was not given; empty when all does.

        What only a run can tell is taken on trust: see ``assumes``.
        """
        eta, L, m = self.step_size, self.smoothness, self.strong_convexity
        if L == inf:
            return ["smoothness L_F is not given, and a step above 2/L_F moves the chain outward: no bound is claimed (1). "
                    "Give the largest curvature in the ball, 0.0 for a flat F."]
        if not self.stable:
            return [
                f"eta = {eta:g} is above 2/L_F = {2 / L:g}: a gradient step can overshoot and move the chain "
                "outward, so the sharp and local bounds are not claimed (1)."
            ]
        if m > 0.0 and eta * (L + m) > 2.0:
            return [
                f"eta = {eta:g} is above 2/(L_F + m) = {2 / (L + m):g}: steps overshoot along the steepest "
                "direction, so the local bound uses the contraction (1 - eta L_F)^2, not (1 - eta m)^2."
            ]
        return []

    @property
    def assumes(self) -> tuple[str, ...]:
        """In words, what the bounds stand on and only a run can tell, whether it was given or left at its default."""
        m, L, S = self.strong_convexity, self.smoothness, self.noise_bound
        curvature = "F = 0 in the ball" if L == 0.0 else f"curvature in the ball lies in [{m:g}, {L:g}]"
        if L == inf:
            curvature = f"curvature in the ball is {m:g} or more, and its largest is not known"
        noise = f"no batch errs by more than S = {S:g} in the ball" if S > 0.0 else "every gradient is full, S = 0"
        return f"the chain starts within rho_0 = {self.start:g} of the mode", noise, curvature

    @property
    def azuma_condition(self) -> str:
        """In words, why lambda <= 0 leaves the printed and corrected bounds at 1; "" when lambda > 0."""
        eta, r = self.step_size, self.radius
        if self.smoothness == inf:
            return "The printed and corrected bounds count 2 eta^2 L_F^2 r^2 a step; L_F is not known, so they are 1."
        rise = 2 * eta**2 * (self.noise_bound**2 + (self.smoothness * r) ** 2) + 2 * eta * self.dim
        if r**2 - self.start**2 > self.steps * rise:
            return ""
        return (
            f"The squared distance can rise by {self.steps * rise:.3g} on average in {self.steps:,} steps, "
            f"more than the room r^2 - rho_0^2 = {r**2 - self.start**2:.3g}: the printed and "
            "corrected bounds are 1."
        )

    @cached_property
    def words(self) -> str:
        """Say why, and what to turn, when every valid bound is 1; "" otherwise."""
        if min(self.corrected, self.sharp, self.local) < VACUOUS:
            return ""
        if self.smoothness == inf:
            return "Every valid bound is 1 because smoothness L_F is not known: give the largest curvature in the ball."
        if not self.stable:
            return f"Every valid bound is 1: lower eta to {2 / self.smoothness:.3g} or less."
        if self.noise_bound > 0.0:
            quiet = replace(self, noise_bound=0.0)
            if quiet.local < VACUOUS:
                return (
                    f"Every valid bound is 1 because the noise S = {self.noise_bound:g} is so large; "
                    f"with S = 0 the local bound would be {quiet.local:.3g}. Lower S, or eta."
                )
        return "Every valid bound is 1: the ball is too small for so many steps. Raise r, or lower eta or n."
