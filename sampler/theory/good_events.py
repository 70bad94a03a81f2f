"""The good events of the paper's induction, measured epoch by epoch (LMV-a eq. 42 and 43).

    G_t: at every epoch s <= t, every step stays within R / sqrt(s + c) of that epoch's mode;
    H_t: at s = 0 and every power of two s <= t, the sample X^s lies within C1 / sqrt(s + c) of the mode.

G_t bounds the stochastic gradient; H_t makes X^s good points to reset to. Samples at other epochs do not
matter for H_t. Both are events of the whole past: once broken, broken for good.
"""

from dataclasses import dataclass

import numpy as np

from sampler.arguments import real_array, real_number, shown

WHOLE = 2**53
"""Whole numbers up to here are floats too."""


@dataclass(frozen=True, eq=False)
class GoodEvent:
    """One of the two events, for K chains over consecutive measurements (n of them)."""

    epochs: np.ndarray  #: (n,) s, as given
    allowed: np.ndarray  #: (n,) distance allowed at s; inf where the event asks nothing
    held: np.ndarray  #: (n, K) whether epoch s alone kept to it
    so_far: np.ndarray  #: (n, K) whether every measured epoch up to s did: the event itself

    @property
    def share(self) -> np.ndarray:
        """(n,) share of chains for which the event still holds: estimates its probability."""
        return self.so_far.mean(axis=1)

    @property
    def broken(self) -> np.ndarray:
        """(n,) number of chains that broke the epoch's own condition."""
        return (~self.held).sum(axis=1)


def is_reset_point(epochs: np.ndarray | int) -> np.ndarray:
    """Return whether each of ``epochs`` is 0 or a power of two: H_t looks at those, and a reset goes back to them."""
    s = _whole_epochs(epochs)
    return (s == 0) | (s == 2.0 ** np.round(np.log2(np.maximum(s, 1))))


def escape_event(farthest: np.ndarray, epochs: np.ndarray, escape_radius: float, offset: float) -> GoodEvent:
    """G_t: no step of any epoch went farther than R / sqrt(s + c).

    Parameters
    ----------
    farthest : (n, K) largest SQUARED distance to the mode over the steps of each epoch, start included: what
        ``saga.watch(mode)`` and ``saga.farthest`` measure.
    epochs : (n,) increasing epochs s. G_t is about all epochs up to t: leave none out.
    escape_radius : R > 0.   offset : c >= 0, with s + c > 0.
    """
    R = real_number("escape_radius", escape_radius, "give R; theorem_constants has the paper's", above=0.0)
    squared, s, scale = _measured("farthest", farthest, epochs, offset)
    return _event(np.sqrt(squared), s, R / scale)


def reset_point_event(distances: np.ndarray, epochs: np.ndarray, reset_radius: float, offset: float) -> GoodEvent:
    """H_t: the samples at s = 0 and at powers of two lie within C1 / sqrt(s + c) of the mode.

    Parameters
    ----------
    distances : (n, K) distance of each chain's sample X^s to the mode of epoch s.
    epochs : (n,) increasing epochs s; those that are no reset point are let pass.
    reset_radius : C1 > 0.   offset : c >= 0, with s + c > 0.
    """
    C1 = real_number("reset_radius", reset_radius, "give C1; theorem_constants has the paper's", above=0.0)
    distance, s, scale = _measured("distances", distances, epochs, offset)
    return _event(distance, s, np.where(is_reset_point(s), C1 / scale, np.inf))


def _event(distance: np.ndarray, epochs: np.ndarray, allowed: np.ndarray) -> GoodEvent:
    held = distance <= allowed[:, None]
    return GoodEvent(epochs, allowed, held, np.minimum.accumulate(held, axis=0))


def _whole_epochs(epochs: np.ndarray | int) -> np.ndarray:
    """Checked epochs as int64 of any shape."""
    advice = "count the data seen"
    s = real_array("epochs", epochs, "whole numbers", advice)
    if not np.all((np.abs(s) <= WHOLE) & (s == np.floor(s))):
        raise ValueError(f"epochs must be whole numbers up to 2**53 in size, got {shown(epochs)}; {advice}")
    return s.astype(np.int64)


def _measured(
    name: str, values: np.ndarray, epochs: np.ndarray, offset: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Checked (n, K) values, (n,) epochs, (n,) sqrt(s + c); a NaN distance stays: that chain broke out."""
    c = real_number("offset", offset, "give c of the settings", least=0.0)
    s, v = _whole_epochs(epochs), real_array(name, values, "numbers of shape (n, K)", "stack one row an epoch")
    if s.ndim != 1 or v.ndim != 2 or len(v) != s.size or v.size == 0:
        raise ValueError(f"{name} must be (n, K), a row for each of the n epochs; got {v.shape} for epochs {s.shape}. "
                         "Stack one row an epoch.")
    if np.any(v < 0.0):
        raise ValueError(f"{name} must be 0 or more; got {np.nanmin(v):g}. Pass distances, not coordinates.")
    if np.any(np.diff(s) <= 0) or s[0] < 0 or s[0] + c <= 0.0:
        raise ValueError(f"epochs must increase, from 0 or more, s + offset > 0; got {s[:5]}... Sort them.")
    return v, s, np.sqrt(s + c)
