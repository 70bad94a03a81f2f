"""Simulation of chains through one epoch: first exit step of each chain and survival curve."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler.algorithms.results import StepTrace
from sampler.arguments import choice, instance_of, real_array, real_number, shown, switch, whole_number
from sampler.kernels.exit_walk import RADIAL, SPHERE, advance_block, advance_blocks
from sampler.kernels.rng import spawn_generators
from sampler.kernels.tail_probabilities import binomial_limits, chi_square_levels
from sampler.theory.decomposition import Pushes
from sampler.theory.exit_targets import ExitTarget
from sampler.threads import checked_threads, cut, run_blocks


@dataclass(frozen=True, eq=False)
class Survival:
    """Fraction of chains without an exit by each step, with a confidence band."""

    steps: np.ndarray  #: (j,)
    share: np.ndarray  #: (j,) in [0, 1]
    low: np.ndarray  #: (j,) lower confidence limit, pointwise
    high: np.ndarray  #: (j,) upper confidence limit, pointwise
    level: float  #: confidence of the band at each step


def exit_limits(exits: int | np.ndarray, chains: int, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Return Clopper-Pearson limits of the exit probability; each errs with probability at most (1 - level)/2.

    Parameters
    ----------
    exits : number of exits among ``chains`` independent chains.
    level : float in (0, 1)

    Raises
    ------
    ValueError
        For exits outside [0, chains], or a level outside (0, 1).
    """
    level = real_number("level", level, "try 0.95", above=0.0, below=1.0)
    chains = whole_number("chains", chains, advice="count the chains run")
    k, tail = real_array("exits", exits, f"whole numbers in [0, {chains}]", "count the exits"), (1.0 - level) / 2.0
    if not np.all((k >= 0) & (k <= chains)):
        raise ValueError(f"exits must be in [0, {chains}], the number of chains, got {shown(exits)}; count the "
                         "exits")
    counts = np.asarray(k, float).reshape(-1)
    low, high = np.empty((2, counts.size))
    binomial_limits(counts, chains, tail, low, high)
    return low.reshape(k.shape), high.reshape(k.shape)


def bowl_levels(away: np.ndarray, precision: np.ndarray) -> np.ndarray:
    """Return the chi-square CDF of each chain's squared distance from the mode of a quadratic F, in its metric.

    Parameters
    ----------
    away : (K, d) array
        Displacements from the mode.
    precision : (d,) array
        Curvatures of F, above 0.

    Returns
    -------
    (K, 1) array
        Uniform on [0, 1] if the chains have the law N(0, diag(1 / precision)).

    Raises
    ------
    ValueError
        For arrays of incompatible shapes, and curvatures that are not above 0.
    """
    precision = real_array("precision", precision, "numbers above 0 of shape (d,)", "one per coordinate")
    away = real_array("away", away, "numbers of shape (K, d)", "one row per chain")
    if precision.ndim != 1 or not np.all(precision > 0) or not np.all(np.isfinite(precision)):
        raise ValueError(f"precision must be numbers above 0 of shape (d,), got {shown(precision)}; one per coordinate")
    if away.ndim != 2 or away.shape[1] != precision.size:
        raise ValueError(f"away must have shape (K, {precision.size}), got {away.shape}; one row per chain")
    squares = (precision * away**2).sum(axis=1)
    levels = np.empty(squares.size)
    chi_square_levels(squares, precision.size, levels)
    return levels[:, None]


def survival_curve(exit_steps: np.ndarray, at_steps: np.ndarray, level: float = 0.95) -> Survival:
    """Estimate the survival probability at each step of ``at_steps``.

    Parameters
    ----------
    exit_steps : (K,) int array, K >= 1
        First exit step of each chain, 0 for none.
    at_steps : (n,) int array, >= 0
        Steps at which to evaluate survival.
    level : float in (0, 1)
        Confidence of the band, exact (Clopper-Pearson) pointwise in the step.

    Raises
    ------
    ValueError
        If there are no chains, or ``at_steps`` or ``level`` is out of range.
    """
    exit_steps = real_array("exit_steps", exit_steps, "whole numbers of shape (K,)", "0 means no exit")
    at = real_array("at_steps", at_steps, "whole numbers of shape (n,)", "give the steps of the curve")
    if np.isnan(exit_steps).any():
        raise ValueError(f"exit_steps must be whole numbers, got {shown(exit_steps)}; 0 means no exit")
    if at.ndim != 1 or not np.all(np.isfinite(at) & (at >= 0) & (at == np.floor(at))):
        raise ValueError(f"at_steps must be whole numbers of shape (n,), 0 or more, got {shown(at)}; give the curve's steps")
    if exit_steps.ndim != 1 or exit_steps.size == 0:
        raise ValueError(f"exit_steps must be (K,), K at least 1, got {exit_steps.shape}; run a chain first")
    left = np.searchsorted(np.sort(exit_steps[exit_steps > 0]), at, side="right")
    low, high = exit_limits(left, exit_steps.size, level)
    return Survival(at, 1.0 - left / exit_steps.size, 1.0 - high, 1.0 - low, level)


NOISES = {"sphere": SPHERE, "radial": RADIAL}
MOST_CHAINS = 10_000_000
BLOCK_SIZE = 2048  # numbers per array of a block: six arrays nearly fit a 64 KB cache
SLICE_WORK = 4_000_000  # coordinate-steps between two calls of ``stop``: about 30 ms of one core
COORDINATE_WORK = 20  # multiply-adds in the time of one coordinate-step, including its random number


def lanes_of(dim: int) -> int:
    """Return the number of chains in ``dim`` coordinates per block."""
    return max(16, BLOCK_SIZE // dim // 8 * 8)


def stride_of(steps: int, points: int) -> int:
    """Return the stride at which a path of ``steps`` steps is stored in about ``points`` points."""
    return -(-steps // max(1, min(points, steps)))


class ExitSimulation:
    """K independent chains X' = X - eta (grad F + zeta) + sqrt(2 eta) xi, each until ``steps``.

    Each chain is paired with a comparison walk D' = (1 - eta m) D + sqrt(2 eta) xi with the same xi; for m = 0 it
    is the free walk. For S = 0 and eta <= 2/(L_F + m) its exit probability is at least that of the chain: one
    exact gradient step moves the chain to within (1 - eta m) ||D||, and ||w + sqrt(2 eta) xi||^2, a noncentral
    chi-square, is stochastically increasing in ||w||, so that the walk's distance dominates at every step.

    The result does not depend on the slicing of ``advance`` or on ``threads``, and a chain does not depend on the number
    of chains in its block of about ``BLOCK_SIZE`` / d.

    Parameters
    ----------
    target : F, see ``flat_target``, ``quadratic_target``, ``logistic_target``.
    step_size : eta > 0.
    steps : n.
    radius : r; a chain leaves at the first i in 1..n with ||X_i - mode|| >= r.
    start : rho_0 (each chain starts in a uniformly random direction), or (K, d) displacements from the mode.
    chains : K.
    noise_bound : S, length of zeta at every step.
    noise : "sphere" (uniform direction) or "radial" (outward or inward, by a fair coin).
    walk_free : run the comparison walk.
    walk_curvature : m of that walk: 0, or a lower bound on the curvature of F in the ball.
    paths, path_points : numbers of chains, the first ones, and of steps (about) with stored squared distances.
    push_bins : bins of distance for ``pushes``; 0 saves time.
    threads : maximum number of threads for the blocks of chains; None uses the cores available to the process.
    """

    def __init__(
        self, target: ExitTarget, step_size: float, steps: int, radius: float,
        start: float | np.ndarray = 0.0, chains: int = 10_000, noise_bound: float = 0.0,
        noise: str = "sphere", seed: int = 0, walk_free: bool = True,
        walk_curvature: float = 0.0, paths: int = 80, path_points: int = 400, push_bins: int = 24,
        threads: int | None = None,
    ) -> None:
        instance_of("target", target, ExitTarget, "make one with flat_target, quadratic_target or logistic_target")
        self.target = target
        self.step_size = real_number("step_size", step_size, "give eta = eta0 / (t + c)", above=0.0)
        self.steps = whole_number("steps", steps, advice="give the number of steps of the epoch")
        self.radius = real_number("radius", radius, "give the radius of the ball", above=0.0)
        self.chains = whole_number("chains", chains, 1, MOST_CHAINS, "a few thousand make a smooth curve")
        self.noise_bound = real_number("noise_bound", noise_bound, "give 0 for full gradients", least=0.0)
        self._noise_kind = NOISES[choice("noise", noise, tuple(NOISES))]
        self._seed = whole_number("seed", seed, 0, advice="any will do")
        self._threads = checked_threads(threads)
        self.walk_free = switch("walk_free", walk_free)
        m = real_number("walk_curvature", walk_curvature, "give 0 for the free walk", least=0.0)
        self._keep = abs(1.0 - self.step_size * m)
        # On a flat F without noise the chain is the free walk itself.
        self._same = target.name == "flat" and self.noise_bound == 0.0 and m == 0.0
        self._lanes = lanes_of(target.dim)
        self._blocks = -(-self.chains // self._lanes)
        self._begin = self._start(start)
        self._stride = stride_of(self.steps, whole_number("path_points", path_points, 1, 10**6, "try 400"))
        self.path_steps = np.arange(0, self.steps + 1, self._stride)  #: (points,) steps of ``paths``
        shown = min(self.chains, whole_number("paths", paths, 0, advice="try 80"))
        #: (p, points) squared distances; NaN at steps not yet made
        self.paths = np.full((shown, self.path_steps.size), np.nan)
        # One per block, summed in block order whatever the order of execution.
        self._sums = np.zeros((self._blocks, 5, whole_number("push_bins", push_bins, 0, 10_000, "try 24")))
        self._exits = np.zeros((2, self._blocks, self._lanes), np.int64)
        self._exits.reshape(2, -1)[:, self.chains :] = -1  # padding lanes are ignored
        self._x, self._free = self._begin.copy(), self._begin.copy()
        self._rng = spawn_generators(self._seed, self._blocks, 2)
        self.paths[:, 0] = self._by_chain((self._begin**2).sum(1))[:shown]
        self.steps_done = 0  #: steps every chain has made

    def _start(self, start: float | np.ndarray) -> np.ndarray:
        """Return the displacements, (blocks, d, W); padding lanes are at the mode."""
        d = self.target.dim
        begin = np.zeros((self._blocks * self._lanes, d))
        if np.ndim(start) == 0:
            distance = real_number("start", start, "give a distance from the mode", least=0.0)
            directions = np.random.default_rng([self._seed, 1]).normal(size=(self.chains, d))
            directions /= np.linalg.norm(directions, axis=1, keepdims=True)
            begin[: self.chains] = distance * directions
        else:
            array = real_array("start", start, f"a distance or ({self.chains}, {d}) displacements", "subtract the mode")
            if array.shape != (self.chains, d) or not np.all(np.isfinite(array)):
                raise ValueError(f"start must be a distance or finite (chains, d) = ({self.chains}, {d}) displacements; "
                                 f"got shape {array.shape}. Subtract the mode from each position.")
            begin[: self.chains] = array
        farthest = float(np.sqrt((begin**2).sum(1).max()))
        if farthest >= self.radius:
            raise ValueError(f"start must be below radius = {self.radius:g}; got {farthest:g}. "
                             "The chain would begin outside: raise radius or lower start.")
        return np.ascontiguousarray(begin.reshape(self._blocks, self._lanes, d).transpose(0, 2, 1))

    def _by_chain(self, values: np.ndarray) -> np.ndarray:
        return values.reshape(-1)[: self.chains]

    def _problem(self) -> tuple[Any, ...]:
        """Return the arguments shared by both kernels, in their order."""
        at_zero = self.target.precision * self.target.mode
        return (self.step_size, self.radius, self.target.kind, self.target.precision, self.target.rows,
                self.target.scores, self.target.labels, at_zero, self._noise_kind, self.noise_bound)

    @property
    def exit_steps(self) -> np.ndarray:
        """(K,) first step outside, 0 for a chain without an exit so far."""
        return self._by_chain(self._exits[0]).copy()

    @property
    def displacements(self) -> np.ndarray:
        """(K, d) current displacements from the mode; chains continue outside after their exit."""
        flat = self._x.transpose(0, 2, 1).reshape(-1, self.target.dim)
        return flat[: self.chains].copy()

    @property
    def free_exit_steps(self) -> np.ndarray:
        """(K,) first step outside of the comparison walks; all 0 if they are not run."""
        return self.exit_steps if self._same and self.walk_free else self._by_chain(self._exits[1]).copy()

    def advance(self, n_steps: int) -> bool:
        """Run up to ``n_steps`` more steps of every chain; return True when all ``steps`` are done."""
        count = min(whole_number("n_steps", n_steps, advice="give a number of steps"), self.steps - self.steps_done)
        if count > 0:
            problem, walk_free = self._problem(), self.walk_free and not self._same

            def run(part: tuple[int, int]) -> None:
                own, shown = slice(*part), self.paths[part[0] * self._lanes:]
                advance_blocks(
                    self._x[own], self._free[own], self._rng[own], *self._exits[:, own], self.steps_done, count,
                    *problem, walk_free, self._keep, self._sums[own], shown, self._stride, np.zeros((3, 0, 1)))

            run_blocks(run, cut(self._blocks, self._threads, COORDINATE_WORK * count * self._work), self._threads)
            self.steps_done += count
        return self.steps_done == self.steps

    @property
    def _work(self) -> int:
        """Multiply-adds of one step of all chains, without its random numbers."""
        return self._x.size * (1 + len(self.target.rows))

    def run(
        self, progress: Callable[[float], None] | None = None, stop: Callable[[], bool] | None = None,
        until: int | None = None,
    ) -> bool:
        """Run to step ``until``, or to the end, in slices of about 30 ms; return False if ``stop()`` ended the run early.

        ``progress(fraction)`` is called after each slice with the completed fraction of all steps.
        """
        last = self.steps if until is None else min(whole_number("until", until, 0, advice="give a step"), self.steps)
        count = max(1, SLICE_WORK // self._work)
        while self.steps_done < last:
            if stop is not None and stop():
                return False
            self.advance(min(count, last - self.steps_done))
            if progress is not None:
                progress(self.steps_done / self.steps)
        return True

    def pushes(self) -> Pushes:
        """Return mean increments of distance and squared distance by the noise of one step, binned by distance."""
        return Pushes.from_sums(self._sums.sum(axis=0), self.radius, self.step_size)

    def record(self, chain: int) -> StepTrace:
        """Return every step of ``chain`` from the start, recomputed: the same path, whether run before or not.

        Positions are relative to the mode, ``guess`` is grad F + zeta, ``correction`` 0 and t 1. ValueError for a chain
        outside [0, chains - 1].
        """
        chain = whole_number("chain", chain, 0, self.chains - 1, "choose a simulated chain")
        block, lane = divmod(chain, self._lanes)
        x, record = self._begin[block].copy(), np.empty((3, self.steps, self.target.dim))
        advance_block(
            x, x, spawn_generators(self._seed, self._blocks, 2)[block],
            *np.zeros((2, self._lanes), np.int64), 0, self.steps, *self._problem(), False, 1.0,
            np.zeros((5, 0)), self.paths[:0], self._stride, lane, record)
        before, g, noise = record
        after = np.concatenate([before[1:], x[None, :, lane]])
        return StepTrace(1, self.step_size, before, g, np.zeros_like(g), noise, after)
