"""Exit bound over many epochs with a moving mode: does a chain ever leave (LMV-a eq. 42, not G_t)?

Within an epoch, ``exit_bounds`` shows that E exp(t_n ||D_n||^2) at its end is bounded by its start:
log E exp(theta ||D_n||^2) <= C_n + W(t_n), W(t) = log E[exp(t ||D_0||^2); inside so far]. Between epochs the
mode moves by delta, and for every g > 0

    ||D + delta||^2 <= (1 + g) ||D||^2 + (1 + 1/g) delta^2.

So W goes from epoch to epoch as a function of t. Three facts make it cheap and keep it a bound:

* a chain still inside at the end of an epoch of radius r has ||D||^2 < r^2, so W(t) <= t r^2 as well;
* log E exp(t Y) is convex in t and 0 or less at t = 0, so W is needed on a grid only: a chord between
  two grid points lies above it;
* the first exit falls into one epoch and one block of it, so the bounds add up. The mode's move alone can put
  a chain outside: later epochs count their starting point too, as j = e of the first block.

The chain starts each epoch where it ended the last. A RESET moves it and is not covered: treat it as a new
first epoch from its checkpoint's distance.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sampler.arguments import real_number
from sampler.kernels.supermartingale import bounded_noise_path
from sampler.theory.block_bounds import best_partition
from sampler.theory.exit_bounds import exit_bounds
from sampler.theory.sharp_and_local_bounds import ExitBounds

GRID = 800
GROWTHS = np.geomspace(0.01, 10.0, 16)


@dataclass(frozen=True)
class Leg:
    """One epoch: steps of one size about one mode. Arguments as in ``exit_bounds``.

    A ``shift`` or a ``smoothness`` that is needed and not given leaves its epoch at 1.
    """

    step_size: float
    steps: int
    radius: float
    shift: float | None = None  #: how far the mode moved, at most, since the epoch before; not used in the first
    noise_bound: float = 0.0
    smoothness: float | None = None
    strong_convexity: float = 0.0


@dataclass(frozen=True, eq=False)
class MovingModeBound:
    """Bounds over E epochs."""

    by_epoch: np.ndarray  #: (E,) on P(the first exit of all falls into this epoch)
    total: np.ndarray  #: (E,) on P(some exit by the end of this epoch), at most 1
    conditions: tuple[str, ...] = ()  #: in words, which epoch is not bounded, or what was assumed of it


def moving_mode_bound(dim: int, legs: Sequence[Leg], start: float = 0.0) -> MovingModeBound:
    """Bound the probability that a chain leaves its ball in any of the epochs so far.

    Parameters
    ----------
    dim : d.
    legs : the epochs, in order; ``steps`` are those really run.
    start : distance from the first mode at the beginning.
    """
    if not legs:
        raise ValueError("legs must hold at least one epoch; got none. Describe the first epoch.")
    rho = real_number("start", start, "give the distance from the first mode", least=0.0)
    epochs = [
        exit_bounds(
            dim, leg.step_size, leg.steps, leg.radius, rho if i == 0 else 0.0, leg.noise_bound,
            leg.smoothness, leg.strong_convexity,
        )
        for i, leg in enumerate(legs)
    ]  # fmt: skip
    shifts = [None if leg.shift is None else real_number("shift", leg.shift, "give how far the mode moved", least=0.0)
              for leg in legs]
    bounded = [epoch.stable and (i == 0 or shifts[i] is not None) for i, epoch in enumerate(epochs)]
    smallest, widest = min(leg.step_size for leg in legs), max(leg.radius for leg in legs)
    grid = np.geomspace(1e-3 / widest**2, 1.0 / (4.0 * smallest), GRID)
    started = grid * rho**2
    found = []
    for epoch, known, shift in zip(epochs, bounded, [*shifts[1:], None], strict=True):
        found.append(_leave(epoch, grid, started, first=not found) if known else 1.0)
        ended = grid * epoch.radius**2
        if known:
            exponent, cost = _path(epoch, grid, np.array([epoch.steps]))
            ended = np.minimum(ended, cost[0] + _chord(exponent[0], grid, started))
        if shift is not None:  # where it is not known the next epoch is not bounded
            started = _shift(ended, grid, shift)
    by_epoch = np.array(found)
    return MovingModeBound(by_epoch, np.minimum(np.cumsum(by_epoch), 1.0), tuple(_conditions(epochs, shifts)))


def _conditions(epochs: list[ExitBounds], shifts: list[float | None]) -> Iterator[str]:
    """In words, what each epoch lacks."""
    for i, (epoch, shift) in enumerate(zip(epochs, shifts, strict=True)):
        if i > 0 and shift is None:
            yield (f"Epoch {i + 1}: shift is not given, and a mode that moves can put the chain outside by itself: "
                   "nothing is claimed (1). Give how far the mode moved, 0 where it stands still.")
        for words in epoch.conditions:
            yield f"Epoch {i + 1}: {words}"


def _path(epoch: ExitBounds, theta: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Exponents and costs (J, P) after ``at`` steps back."""
    exponent, cost = np.empty((2, at.size, theta.size))
    k = epoch.contraction
    bounded_noise_path(theta, at, epoch.dim, epoch.step_size, k, epoch.noise_bound, exponent, cost)
    return exponent, cost


def _chord(t: np.ndarray, grid: np.ndarray, values: np.ndarray) -> np.ndarray:
    """W at any t from its bound on the grid, by chords from (0, 0) on; inf beyond the grid."""
    return np.interp(t, np.append(0.0, grid), np.append(0.0, values), right=np.inf)


def _shift(ended: np.ndarray, grid: np.ndarray, shift: float) -> np.ndarray:
    """W at the start of the next epoch, at the best g for each t."""
    if shift == 0.0:
        return ended
    grown = _chord(grid[:, None] * (1.0 + GROWTHS), grid, ended)
    return (grown + grid[:, None] * (1.0 + 1.0 / GROWTHS) * shift**2).min(1)


def _leave(epoch: ExitBounds, grid: np.ndarray, started: np.ndarray, first: bool) -> float:
    """Bound on the first exit in this epoch, summed over its best partition into blocks."""

    def logs(ends: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        back = np.where((ends == lengths) & (not first), lengths, lengths - 1)
        at, where = np.unique(np.concatenate([ends, back]), return_inverse=True)
        exponent, cost = _path(epoch, grid, at)
        with np.errstate(invalid="ignore"):
            paid = (_chord(exponent, grid, started) + cost)[where[: ends.size]]
            held = (exponent * epoch.radius**2 + cost)[where[ends.size :]]
            values = paid - np.minimum(grid * epoch.radius**2, held)
        values[~np.isfinite(values)] = np.inf
        return values.min(1)

    # A contraction of 1 asks for no merging of late blocks: here the start is spread, not a point.
    return float(best_partition(epoch.steps, np.array([epoch.steps]), 1.0, logs)[0])
