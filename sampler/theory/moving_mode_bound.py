"""Exit bound over many epochs with a moving mode: P(a chain ever leaves), LMV-a eq. 42 (not G_t).

Within an epoch, ``exit_bounds`` shows that E exp(t_n ||D_n||^2) at its end is bounded by its start:
log E exp(theta ||D_n||^2) <= C_n + W(t_n), W(t) = log E[exp(t ||D_0||^2); inside so far]. Between epochs the
mode moves by delta, and for every g > 0

    ||D + delta||^2 <= (1 + g) ||D||^2 + (1 + 1/g) delta^2.

So W is propagated from epoch to epoch as a function of t. Three facts make this cheap and valid:

* a chain still inside at the end of an epoch of radius r has ||D||^2 < r^2, so W(t) <= t r^2 as well;
* log E exp(t Y) is convex in t and 0 or less at t = 0, so W is needed on a grid only: a chord between
  two grid points lies above it;
* the first exit is in one epoch and one block of it, so the bounds add up. The mode's move alone can put a
  chain outside: later epochs include their starting point, as j = e of the first block.

The chain starts each epoch where it ended the last, or, with ``resets``, at the sample of its checkpoint epoch
t' = 2^floor(log2(t - 1)) (LMV-n Algorithm 2). The checkpoint's W is that of its epoch's end, moved by all the mode's
moves since. A chain that resets is bounded in one of two ways, chosen per epoch:

* exp(t ||X_0||^2) is at most the sum of both cases: W(t) <= log(exp W_stay(t) + exp W_checkpoint(t)), for any reset
  rule;
* if it resets only from farther than A = C'/sqrt(t + c), then for f, h > 0 and 1/p + 1/q = 1
  1{reset} <= exp(f ((1 + h) ||D_last||^2 + (1 + 1/h) ||D_checkpoint||^2 - A^2)), and by Hoelder's inequality
  log P(reset) <= W_checkpoint(p (1 + 1/h) f) / p + W_stay(q (1 + h) f) / q - f A^2.
  If that is small, it is added to the bound and the chain is treated as staying.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sampler.arguments import instance_of, real_number, several, switch
from sampler.theory.block_bounds import best_partition, walk_back
from sampler.theory.exit_bounds import ExitBounds, exit_bounds

GRID = 800
GROWTHS = np.geomspace(0.01, 10.0, 16)
TILTS = np.geomspace(0.3, 300.0, 24)  # f A^2
HOLDERS = (1.3, 1.7, 2.0, 3.0)  # p
PARTS = (0.5, 1.0, 2.0, 4.0)  # h
RARE = 1e-3  # a reset less likely than this counts as a separate failure


@dataclass(frozen=True)
class Leg:
    """One epoch: steps of one size about one mode. Arguments as in ``exit_bounds``.

    Without ``smoothness`` or a required ``shift`` the bound of the epoch is 1; a flat F has ``smoothness=0.0``.
    """

    step_size: float
    steps: int
    radius: float
    shift: float | None = None  #: bound on the mode's move since the previous epoch; not used in the first
    noise_bound: float = 0.0
    smoothness: float | None = None
    strong_convexity: float | None = None
    acceptance: float | None = None  #: C'/sqrt(t + c) > 0, beyond which a chain resets; None: at any distance

    def __post_init__(self) -> None:
        exit_bounds(1, self.step_size, self.steps, self.radius, 0.0, self.noise_bound, self.smoothness,
                    self.strong_convexity)  # checks them
        if self.shift is not None:
            real_number("shift", self.shift, "give how far the mode moved", least=0.0)
        if self.acceptance is not None:
            real_number("acceptance", self.acceptance, "give C'/sqrt(t + c)", above=0.0)


@dataclass(frozen=True, eq=False)
class MovingModeBound:
    """Bounds over E epochs."""

    by_epoch: np.ndarray  #: (E,) on P(first exit in this epoch)
    total: np.ndarray  #: (E,) on P(exit by the end of this epoch), at most 1
    conditions: tuple[str, ...] = ()  #: epochs without a bound, with the reason


@dataclass(frozen=True, eq=False)
class EpochStart:
    """Law of a chain at the start of an epoch, bounded by W."""

    epoch: ExitBounds
    first: bool  #: whether it is the first epoch of the stream
    grid: np.ndarray  #: (GRID,) exponents t
    started: np.ndarray  #: (GRID,) W(t) at the epoch's start


def moving_mode_bound(dim: int, legs: Sequence[Leg], start: float = 0.0, resets: bool = False) -> MovingModeBound:
    """Bound the probability that a chain leaves its ball in any of the epochs so far.

    Parameters
    ----------
    dim : d.
    legs : epochs 1, 2, ..., in order; ``steps`` is the number of steps actually run.
    start : initial distance from the first mode.
    resets : whether an epoch may begin at its checkpoint, False asserts that none does; set the legs' ``acceptance`` for a
        sharper bound.
    """
    return stream_bound(dim, legs, start, resets, block_exit_bound)


def stream_bound(
    dim: int, legs: Sequence[Leg], start: float, resets: bool, exit_bound: Callable[[EpochStart], float]
) -> MovingModeBound:
    """Propagate W through the epochs; ``exit_bound`` bounds P(first exit) in one of them."""
    legs = several("legs", legs)
    for leg in legs:
        instance_of("legs", leg, Leg, "describe each epoch by one")
    resets = switch("resets", resets)
    rho = real_number("start", start, "give the distance from the first mode", least=0.0)
    epochs = [exit_bounds(dim, leg.step_size, leg.steps, leg.radius, rho if i == 0 else 0.0, leg.noise_bound,
                          leg.smoothness, leg.strong_convexity) for i, leg in enumerate(legs)]
    shifts = [leg.shift for leg in legs]
    bounded = [epoch.stable and (i == 0 or shifts[i] is not None) for i, epoch in enumerate(epochs)]
    smallest, widest = min(leg.step_size for leg in legs), max(leg.radius for leg in legs)
    grid = np.geomspace(1e-3 / widest**2, 1.0 / (4.0 * smallest), GRID)
    started = grid * rho**2
    chances, checkpoint, away, failed = [], started, 0.0, 0.0
    for t, (epoch, is_bounded, shift) in enumerate(zip(epochs, bounded, [*shifts[1:], None], strict=True), 1):
        chances.append(min(failed + exit_bound(EpochStart(epoch, t == 1, grid, started)), 1.0) if is_bounded else 1.0)
        failed = 0.0
        ended = grid * epoch.radius**2
        if is_bounded:
            exponent, cost = path_back(epoch, grid, np.array([epoch.steps]))
            ended = np.fmin(ended, cost[0] + chord(exponent[0], grid, started))
        if (t & (t - 1)) == 0:  # X^t is the checkpoint from now on, and where the next epoch starts anyway
            checkpoint, away = ended, 0.0
        if shift is None:  # not known, and the next epoch is not bounded
            away = np.inf
            continue
        started, away = _shift(ended, grid, shift), away + shift
        if resets and (t & (t - 1)) != 0:
            moved, A = _shift(checkpoint, grid, away), legs[t].acceptance
            odds = 1.0 if A is None else _reset_probability(moved, started, grid, A)
            failed = odds if odds < RARE else 0.0
            started = started if odds < RARE else np.logaddexp(started, moved)
    by_epoch = np.array(chances)
    return MovingModeBound(by_epoch, np.minimum(np.cumsum(by_epoch), 1.0), tuple(_conditions(epochs, shifts)))


def _conditions(epochs: list[ExitBounds], shifts: list[float | None]) -> Iterator[str]:
    """Yield the missing or violated conditions of each epoch."""
    for i, (epoch, shift) in enumerate(zip(epochs, shifts, strict=True)):
        if i > 0 and shift is None:
            yield (f"Epoch {i + 1}: shift is not given, and a move of the mode can put the chain outside: "
                   "the bound is 1. Give how far the mode moved, 0 if it did not.")
        for condition in epoch.conditions:
            yield f"Epoch {i + 1}: {condition}"


def path_back(epoch: ExitBounds, theta: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return `walk_back` with the parameters of one epoch, (J, P) each."""
    return walk_back(theta, at, epoch.dim, epoch.step_size, epoch.contraction, epoch.noise_bound)


def chord(t: np.ndarray, grid: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Interpolate the bound on W linearly between (0, 0) and the points of the grid; inf beyond it."""
    with np.errstate(invalid="ignore"):  # where W is infinite
        return np.interp(t, np.append(0.0, grid), np.append(0.0, values), right=np.inf)


def _shift(ended: np.ndarray, grid: np.ndarray, shift: float) -> np.ndarray:
    """Return W at the start of the next epoch, at the best g for each t."""
    if shift == 0.0:
        return ended
    grown = chord(grid[:, None] * (1.0 + GROWTHS), grid, ended)
    return (grown + grid[:, None] * (1.0 + 1.0 / GROWTHS) * shift**2).min(1)


def _reset_probability(checkpoint: np.ndarray, stay: np.ndarray, grid: np.ndarray, acceptance: float) -> float:
    """Bound P(chain farther than A from its checkpoint) at the best f, h and p of a grid."""
    f = TILTS / acceptance**2
    best = 0.0
    for h in PARTS:
        for p in HOLDERS:
            q = p / (p - 1.0)
            logs = chord(p * (1.0 + 1.0 / h) * f, grid, checkpoint) / p + chord(q * (1.0 + h) * f, grid, stay) / q
            best = min(best, float(np.nanmin(np.append(logs - f * acceptance**2, 0.0))))
    return float(np.exp(best))


def block_exit_bound(begun: EpochStart) -> float:
    """Bound P(first exit in this epoch) by a sum over its best partition into blocks."""
    epoch, grid, started = begun.epoch, begun.grid, begun.started

    def logs(ends: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        back = np.where((ends == lengths) & (not begun.first), lengths, lengths - 1)
        at, where = np.unique(np.concatenate([ends, back]), return_inverse=True)
        exponent, cost = path_back(epoch, grid, at)
        with np.errstate(invalid="ignore"):
            paid = (chord(exponent, grid, started) + cost)[where[: ends.size]]
            held = (exponent * epoch.radius**2 + cost)[where[ends.size :]]
            values = paid - np.minimum(grid * epoch.radius**2, held)
        values[~np.isfinite(values)] = np.inf
        return values.min(1)

    # With a contraction of 1 late blocks are not merged: here the start is a distribution, not a point.
    blocks = float(best_partition(epoch.steps, np.array([epoch.steps]), 1.0, logs)[0])
    return min(blocks, epoch.local) if begun.first else blocks
