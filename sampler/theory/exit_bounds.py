"""Five upper bounds on the probability that a Langevin chain leaves a ball within one epoch, as curves over the steps."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sampler.arguments import choice, is_infinite, real_array, real_number, shown, whole_number
from sampler.theory.azuma_bounds import azuma_bounds
from sampler.theory.block_bounds import best_partition, block_logs, probability
from sampler.theory.rotation_bounds import rotation_logs

NAMES = ("printed", "corrected", "sharp", "local", "rotation")
SMALLEST_CONTRACTION = 1e-300  # k = 0 when eta m = 1; a larger k is still valid and has a logarithm
VACUOUS = 0.9999


@dataclass(frozen=True)
class ExitBounds:
    """Bounds on P(some ||X_i - mode|| >= radius, 1 <= i <= steps), returned by ``exit_bounds``.

    ``.printed .corrected .sharp .local .rotation`` are floats in [0, 1], computed on first access.
    ``.printed`` is not a valid bound; the others are. A bound is 1 if its condition fails.
    """

    dim: int
    step_size: float
    steps: int
    radius: float
    start: float
    noise_bound: float
    smoothness: float  #: L_F; inf if not known
    strong_convexity: float
    truncation: float | None

    @property
    def stable(self) -> bool:
        """Whether eta <= 2/L_F, so that the gradient step never moves a chain away from the mode."""
        return self.step_size * self.smoothness <= 2.0

    @property
    def contraction(self) -> float:
        """k, bound on the factor of the squared distance in one exact gradient step; 1 for convexity alone."""
        m, L, eta = self.strong_convexity, self.smoothness, self.step_size
        if m == 0.0 or not self.stable:
            return 1.0
        return max((1.0 - eta * m) ** 2, (1.0 - eta * L) ** 2, SMALLEST_CONTRACTION)

    @cached_property
    def printed(self) -> float:
        """LMV-a eq. 38, for steps of sqrt(2 eta) xi. Not valid: see ``sampler.theory.azuma_bounds``."""
        return float(self.curve("printed", [self.steps])[0])

    @cached_property
    def corrected(self) -> float:
        """LMV-a eq. 38 with the factor n of Azuma's inequality. Valid, and nearly always 1."""
        return float(self.curve("corrected", [self.steps])[0])

    @cached_property
    def sharp(self) -> float:
        """Exponential supermartingale bound under convexity only."""
        return float(self.curve("sharp", [self.steps])[0])

    @cached_property
    def local(self) -> float:
        """Exponential supermartingale bound with the curvature in the ball, over blocks of steps."""
        return float(self.curve("local", [self.steps])[0])

    @cached_property
    def rotation(self) -> float:
        """Bound with Altschuler and Talwar's function for the exponential; see ``sampler.theory.rotation_bounds``."""
        return float(self.curve("rotation", [self.steps])[0])

    def curve(self, name: str, at_steps: Sequence[int]) -> np.ndarray:
        """Evaluate the bound ``name`` on P(exit by n) for each n in ``at_steps``.

        Parameters
        ----------
        name : "printed", "corrected", "sharp", "local" or "rotation".
        at_steps : (j,) whole numbers from 0 to ``steps``, in any order.

        Returns
        -------
        (j,) array in [0, 1]; one minus it bounds the survival curve from below.
        """
        choice("name", name, NAMES)
        wanted, advice = f"whole numbers from 0 to steps = {self.steps}", "call exit_bounds with more steps"
        at = np.asarray(real_array("at_steps", at_steps, wanted, advice))
        if at.ndim != 1 or at.size == 0 or not np.all((at >= 0) & (at <= self.steps) & (at == np.round(at))):
            raise ValueError(f"at_steps must be {wanted}, got {shown(at_steps)}; {advice}")
        at = at.astype(np.int64)
        bound = np.zeros(at.size)
        moving = at > 0  # after 0 steps the chain is at its start, inside
        if moving.any():
            bound[moving] = self._bound(name, at[moving])
        return bound

    def _bound(self, name: str, at: np.ndarray) -> np.ndarray:
        if name in ("printed", "corrected"):
            return azuma_bounds(self.dim, self.step_size, at, self.radius, self.start, self.noise_bound, self.smoothness,
                                self.truncation)[NAMES.index(name)]
        if not self.stable:
            return np.ones(at.size)
        rotation = name == "rotation"
        convex = self._one_block(at, True) if rotation else self._sharp(at)
        if name == "sharp" or self.strong_convexity == 0.0:
            return convex  # with m = 0 one block is best, and it is the sharp bound
        k = self.contraction
        curved = best_partition(self.steps, at, k, lambda ends, lengths: self._logs(ends, lengths, k, rotation))
        return np.minimum(convex, curved)

    def _sharp(self, at: np.ndarray) -> np.ndarray:
        if self.noise_bound > 0.0:
            return self._one_block(at, False)
        r2, start2 = self.radius**2, self.start**2
        lift = self.dim * self.step_size * at  # half of the mean squared distance of the free walk
        u = (lift + np.sqrt(lift**2 + r2 * start2)) / r2
        u = np.minimum(u, 1.0)  # theta_n = 0: the bound is 1
        log = -0.5 * self.dim * np.log(u) + (1.0 - u) * (start2 / u - r2) / (4.0 * self.step_size * at)
        return probability(log)

    def _one_block(self, at: np.ndarray, rotation: bool) -> np.ndarray:
        unique, where = np.unique(at, return_inverse=True)
        return probability(self._logs(unique, unique, 1.0, rotation))[where]

    def _logs(self, ends: np.ndarray, lengths: np.ndarray, contraction: float, rotation: bool) -> np.ndarray:
        logs = rotation_logs if rotation else block_logs
        return logs(ends, lengths, self.dim, self.step_size, self.radius, self.start, contraction, self.noise_bound)

    @property
    def conditions(self) -> list[str]:
        """Missing or violated conditions of all bounds except Azuma's, as text; empty if there are none.

        Conditions that only a run can verify are in ``assumes``.
        """
        eta, L, m = self.step_size, self.smoothness, self.strong_convexity
        if L == math.inf:
            return ["smoothness L_F is not given, and a step above 2/L_F moves the chain outward: the bounds are 1. "
                    "Give the largest curvature in the ball, 0.0 for a flat F."]
        if not self.stable:
            return [
                f"eta = {eta:g} is above 2/L_F = {2 / L:g}: a gradient step can overshoot and move the chain "
                "outward, so the sharp and local bounds are 1."
            ]
        if m > 0.0 and eta * (L + m) > 2.0:
            return [
                f"eta = {eta:g} is above 2/(L_F + m) = {2 / (L + m):g}: steps overshoot along the steepest "
                "direction, so the local bound uses the contraction (1 - eta L_F)^2, not (1 - eta m)^2."
            ]
        return []

    @property
    def assumes(self) -> tuple[str, ...]:
        """Assumptions that only a run can verify, as text, for arguments passed or left at their defaults."""
        m, L, S = self.strong_convexity, self.smoothness, self.noise_bound
        curvature = "F = 0 in the ball" if L == 0.0 else f"curvature in the ball lies in [{m:g}, {L:g}]"
        if L == math.inf:
            curvature = f"curvature in the ball is {m:g} or more, and its largest is not known"
        noise = f"no batch errs by more than S = {S:g} in the ball" if S > 0.0 else "every gradient is full, S = 0"
        return f"the chain starts within rho_0 = {self.start:g} of the mode", noise, curvature

    @property
    def azuma_condition(self) -> str:
        """Reason why the printed and corrected bounds are 1, lambda <= 0, as text; "" if lambda > 0."""
        eta, r = self.step_size, self.radius
        if self.smoothness == math.inf:
            return "The printed and corrected bounds add 2 eta^2 L_F^2 r^2 per step; L_F is not known, so they are 1."
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
        """Reason why every valid bound is 1, and the argument to change, as text; "" otherwise."""
        if min(self.corrected, self.sharp, self.local, self.rotation) < VACUOUS:
            return ""
        if self.smoothness == math.inf:
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
        return "Every valid bound is 1: the ball is too small for this many steps. Raise r, or lower eta or n."


def exit_bounds(
    dim: int, step_size: float, steps: int, radius: float, start: float = 0.0, noise_bound: float = 0.0,
    smoothness: float | None = None, strong_convexity: float | None = None, truncation: float | None = None,
) -> ExitBounds:
    r"""Bound the probability that a chain leaves the ball of ``radius`` about the mode in ``steps`` steps.

    The chain is X' = X - eta g + sqrt(2 eta) xi with g = grad F(X) + zeta, xi ~ N(0, I_d) independent of the
    past and of zeta, E[zeta | past] = 0. Inside the ball F is convex with curvature between m and L_F, its
    gradient is 0 at the centre, and ||zeta|| <= S. Outside nothing is assumed. D_i = X_i - centre.

    Parameters
    ----------
    dim : d, 1 or more.
    step_size : eta > 0.
    steps : n, 1 or more.
    radius : r, above ``start``.
    start : rho_0 = ||D_0|| >= 0.
    noise_bound : S >= 0, which must bound EVERY batch. For SAGA-LD that is B = t max_k ||delta_k - mean delta||,
        not the largest observed noise; for a large B use ``conditional_variance_bound``.
    smoothness : L_F >= 0; 0.0 is a flat F, the free walk; math.inf if the curvature is unbounded. Every bound needs it,
        the printed and corrected ones for eta^2 ||g||^2, the others for eta <= 2/L_F: if it is omitted, every bound is 1
        and ``.conditions`` gives the reason.
    strong_convexity : m in [0, L_F], used by the local bound and ``.rotation``. If omitted, it is 0, the least
        favourable value: F is convex in the ball.
    truncation : C_xi >= sqrt(2d) of the two Azuma bounds; None optimizes it for each.

    Returns
    -------
    ExitBounds
        ``.printed`` and ``.corrected`` (see ``sampler.theory.azuma_bounds``), ``.sharp``, ``.local``, ``.rotation`` (see
        ``sampler.theory.rotation_bounds``), ``.curve(name, at_steps)``, ``.conditions``, ``.assumes``, ``.words``.

    Notes
    -----
    **One step.** Let D* = D - eta grad F(X). The averaged Hessian A on the segment from the centre to X is
    symmetric with eigenvalues in [m, L_F] and grad F(X) = A D, so ||D*||^2 <= k ||D||^2 with
    k = max((1 - eta m)^2, (1 - eta L_F)^2): (1 - eta m)^2 when eta <= 2/(L_F + m), and 1 at most when
    eta <= 2/L_F. For theta > 0 with 4 eta theta < 1 put a = theta/(1 - 4 eta theta). Then

    1. Integrating xi, coordinate by coordinate: E exp(theta (u + sqrt(2 eta) z)^2) for z ~ N(0, 1) is a
       Gaussian integral, (1 - 4 eta theta)^(-1/2) exp(a u^2). Hence for any vector w
       E exp(theta ||w + sqrt(2 eta) xi||^2) = (1 - 4 eta theta)^(-d/2) exp(a ||w||^2).
    2. Take w = D* - eta zeta: ||w||^2 <= ||D*||^2 - 2 eta <D*, zeta> + eta^2 S^2.
    3. Integrating zeta: <D*, zeta> has mean 0 and lies in [-S ||D*||, S ||D*||], so by Hoeffding's lemma
       E exp(-2 a eta <D*, zeta>) <= exp((2 a eta)^2 (2 S ||D*||)^2 / 8) = exp(2 a^2 eta^2 S^2 ||D*||^2).
    4. Together, inside the ball,
       E[exp(theta ||D'||^2) | past] <= exp(c + theta_- ||D||^2), where
       theta_- = a k (1 + 2 a eta^2 S^2) and c = a eta^2 S^2 - (d/2) log(1 - 4 eta theta).

    **Many steps.** Fix a block of steps (s, e]. Put t_e = theta and walk back: t_i and c_i are theta_- and c
    at theta = t_{i+1}; C_i = c_i + ... + c_{e-1}, C_e = 0. By 4, exp(t_i ||D_i||^2 + C_i), stopped when the
    chain leaves the ball, is a supermartingale: one step costs c_i, which C_i includes. If the first
    exit is at i in (s, e], its value there is at least exp(t_i r^2 + C_i). Its mean at the exit (or at e) is
    at most its start, exp(t_0 rho_0^2 + C_0), and it is never negative. Hence

        P(first exit in (s, e]) <= exp(t_0 rho_0^2 + C_0 - min_{s < i <= e} (t_i r^2 + C_i)),

    for every theta that keeps 4 eta t_i < 1. No union bound over steps is needed. The blocks of a partition
    of 1..n contain every exit, so their bounds add up.

    **Sharp** is one block (0, n] with k = 1: t_i then falls in i and C_i too, so the minimum is at i = n and

        P(exit by n) <= exp(t_0 rho_0^2 - theta r^2 + sum_i [a_i eta^2 S^2 - (d/2) log(1 - 4 eta t_{i+1})]).

    For S = 0, 1/t_i = 1/t_{i+1} - 4 eta, so the product telescopes: (1 - 4 eta n theta)^(-d/2)
    exp(t_0 rho_0^2 - theta r^2), 1/t_0 = 1/theta - 4 eta n. With u = 1 - 4 eta n theta the derivative of the
    exponent vanishes at u = (d eta n + sqrt((d eta n)^2 + r^2 rho_0^2)) / r^2; if u >= 1 the bound is 1.

    **Local** uses k, the best theta for each block, and the best of 1, 2, 4, ... blocks of equal length.
    Blocks are needed because for k < 1 the chain forgets its start, and no single theta suits both early and late
    exits. For S = 0: t_{e-j} = k^j theta/w_j, C_{e-j} = -(d/2) log w_j, w_j = 1 - 4 eta theta (1 + k + ... + k^(j-1)).
    With m = 0 one block is best, and equals the sharp bound. ``sampler.theory.block_bounds`` shows that
    the minimum over i is at an end of the block.

    Examples
    --------
    >>> bounds = exit_bounds(dim=2, step_size=5e-6, steps=100_000, radius=2.0, smoothness=0.0)
    >>> f"{bounds.printed:.1e} {bounds.corrected:.0f} {bounds.sharp:.3f}"  # true value: 0.245
    '2.7e-12 1 0.736'
    """
    d = whole_number("dim", dim, advice="give the number of coordinates")
    eta = real_number("step_size", step_size, "give eta = eta0 / (t + c)", above=0.0)
    n = whole_number("steps", steps, advice="give the number of steps of the epoch")
    r = real_number("radius", radius, "give the radius of the ball about the mode", above=0.0)
    rho = real_number("start", start, "give the distance from the mode at which the chain starts", least=0.0)
    S = real_number("noise_bound", noise_bound, "give 0 for full gradients", least=0.0)
    m = 0.0 if strong_convexity is None else strong_convexity
    m = real_number("strong_convexity", m, "give 0 when only convexity is known", least=0.0)
    if r <= rho:
        raise ValueError(f"radius must be above start = {rho:g}; got {r:g}. "
                         "The chain would begin outside: raise radius or lower start.")
    if smoothness is None or is_infinite(smoothness):
        L = math.inf
    else:
        L = real_number("smoothness", smoothness, "give the largest eigenvalue of F's Hessian in the ball", least=0.0)
    if m > L:
        raise ValueError(f"strong_convexity must lie in [0, smoothness = {L:g}]; got {m:g}. "
                         "The smallest curvature cannot exceed the largest: raise smoothness or lower strong_convexity.")
    if truncation is not None:
        usual = f"it cuts ||xi|| off; {math.sqrt(2 * d) + 3:.3g} is usual"
        truncation = real_number("truncation", truncation, usual, above=0.0)
        if truncation**2 < 2 * d * (1 - 1e-12):
            raise ValueError(f"truncation must be at least sqrt(2 dim) = {math.sqrt(2 * d):.4g}; got {truncation:g}. "
                             "Raise it, or pass None for the best.")
    return ExitBounds(d, eta, n, r, rho, S, L, m, truncation)
