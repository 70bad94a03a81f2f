"""The good events of the paper's induction, measured epoch by epoch (LMV-a eq. 42 and 43).

    G_t: at every epoch s <= t, every step stays within R / sqrt(s + c) of that epoch's mode;
    H_t: at s = 0 and every power of two s <= t, the sample X^s lies within C1 / sqrt(s + c) of the mode.

G_t bounds the stochastic gradient; H_t makes X^s good points to reset to. Samples at other epochs do not
matter for H_t. Both are events of the whole past: a violation is permanent.
"""

from dataclasses import dataclass

import numpy as np

from sampler.arguments import real_array, real_number, shown

WHOLE = 2**53
"""Whole numbers up to this one are exact as floats."""


@dataclass(frozen=True, eq=False)
class GoodEvent:
    """One of the two events for K chains over n consecutive measurements."""

    epochs: np.ndarray  #: (n,) s
    allowed: np.ndarray  #: (n,) distance allowed at s; inf where the event has no condition
    held: np.ndarray  #: (n, K) whether epoch s satisfies its condition
    so_far: np.ndarray  #: (n, K) whether every measured epoch up to s does: the event itself

    @property
    def share(self) -> np.ndarray:
        """(n,) fraction of chains in the event, an estimate of its probability."""
        return self.so_far.mean(axis=1)

    @property
    def broken(self) -> np.ndarray:
        """(n,) number of chains that violate the condition of the epoch."""
        return (~self.held).sum(axis=1)


def is_reset_point(epochs: np.ndarray | int) -> np.ndarray:
    """Return whether each of ``epochs`` is 0 or a power of two: the epochs of H_t, and the targets of resets."""
    s = _whole_epochs(epochs)
    return (s == 0) | (s == 2.0 ** np.round(np.log2(np.maximum(s, 1))))


def escape_event(farthest: np.ndarray, epochs: np.ndarray, escape_radius: float, offset: float) -> GoodEvent:
    """Evaluate G_t: no step of any epoch is farther than R / sqrt(s + c) from the mode.

    Parameters
    ----------
    farthest : (n, K) largest SQUARED distance to the mode over the steps of each epoch, start included, as
        measured by ``saga.watch(mode)`` and ``saga.farthest``.
    epochs : (n,) increasing epochs s. G_t concerns all epochs up to t: omit none.
    escape_radius : R > 0.   offset : c >= 0, with s + c > 0.
    """
    R = real_number("escape_radius", escape_radius, "give R; theorem_constants has the paper's", above=0.0)
    squared, s, scale = _measured("farthest", farthest, epochs, offset)
    return _event(np.sqrt(squared), s, R / scale)


def reset_point_event(distances: np.ndarray, epochs: np.ndarray, reset_radius: float, offset: float) -> GoodEvent:
    """Evaluate H_t: the samples at s = 0 and at powers of two are within C1 / sqrt(s + c) of the mode.

    Parameters
    ----------
    distances : (n, K) distance of each chain's sample X^s to the mode of epoch s.
    epochs : (n,) increasing epochs s; epochs that are not reset points always pass.
    reset_radius : C1 > 0.   offset : c >= 0, with s + c > 0.
    """
    C1 = real_number("reset_radius", reset_radius, "give C1; theorem_constants has the paper's", above=0.0)
    distance, s, scale = _measured("distances", distances, epochs, offset)
    return _event(distance, s, np.where(is_reset_point(s), C1 / scale, np.inf))


def _event(distance: np.ndarray, epochs: np.ndarray, allowed: np.ndarray) -> GoodEvent:
    held = distance <= allowed[:, None]
    return GoodEvent(epochs, allowed, held, np.minimum.accumulate(held, axis=0))


def _whole_epochs(epochs: np.ndarray | int) -> np.ndarray:
    """Return checked epochs as int64 of any shape."""
    advice = "count the data seen"
    s = real_array("epochs", epochs, "whole numbers", advice)
    if not np.all((s >= 0) & (s <= WHOLE) & (s == np.floor(s))):
        raise ValueError(f"epochs must be whole numbers from 0 to 2**53, got {shown(epochs)}; {advice}")
    return s.astype(np.int64)


def _measured(
    name: str, values: np.ndarray, epochs: np.ndarray, offset: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return checked (n, K) values, (n,) epochs, (n,) sqrt(s + c); a NaN distance is kept and counts as a violation."""
    c = real_number("offset", offset, "give c of the settings", least=0.0)
    s, v = _whole_epochs(epochs), real_array(name, values, "numbers of shape (n, K)", "stack one row per epoch")
    if s.ndim != 1 or v.ndim != 2 or len(v) != s.size or v.size == 0:
        raise ValueError(f"{name} must be (n, K), a row for each of the n epochs; got {v.shape} for epochs {s.shape}. "
                         "Stack one row per epoch.")
    if np.any(v < 0.0):
        raise ValueError(f"{name} must be 0 or more; got {np.nanmin(v):g}. Pass distances, not coordinates.")
    if np.any(np.diff(s) <= 0) or s[0] + c <= 0.0:
        raise ValueError(f"epochs must increase, with s + offset > 0; got {s[:5]}... Sort them.")
    return v, s, np.sqrt(s + c)
