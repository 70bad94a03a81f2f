"""`CountedSince`: the epochs from which on the measures of a verdict count: the last change of what they judge."""

from __future__ import annotations

from dataclasses import dataclass

from app.live.history import RECENT
from app.live.timeline import Change
from sampler import Settings


@dataclass(frozen=True)
class CountedSince:
    """Epochs after which each measure counts; 0 is the start."""

    knobs: int = 0  #: of anything that moves the chains: cloud, memory, noise, accuracy
    resets: int = 0
    exits: int = 0

    def words(self, t: int, reset: bool, kind: str) -> str:
        """Return since when the measures of a kind of verdict at epoch t count, where that is no more than a minute."""
        if kind == "diverged" or not self.knobs:
            return ""
        recent = kind != "waiting" and t - self.knobs < RECENT
        said = f" Measured since epoch {self.knobs:,}, the last change." if recent else ""
        if reset and t <= self.resets:
            said += f" Resets count again from epoch {self.resets:,} on, the first checkpoint of these knobs."
        return said


def counted_since(changes: tuple[Change, ...], first: tuple[Settings, float], t: int) -> CountedSince:
    """Return since when the measures at epoch t count.

    A reset goes back to a checkpoint, which is a sample of the knobs it was taken under: resets count again from the first
    checkpoint after a change. A smaller C', which no checkpoint excuses, is judged at once.

    Parameters
    ----------
    changes
        What has been turned, in order.
    first
        Settings and escape radius at the start.
    t
        The present epoch.
    """
    (settings, radius), knobs, resets, exits = first, 0, 0, 0
    for change in changes:
        if change.t > t:
            break
        new = change.settings
        if new != settings:
            tighter = new.acceptance_radius <= settings.acceptance_radius and new.replace(
                acceptance_radius=settings.acceptance_radius) == settings
            knobs = change.t
            resets = change.t if tighter else 1 << change.t.bit_length()  # the next power of two
        if new != settings or change.escape_radius != radius:
            exits = change.t
        settings, radius = new, change.escape_radius
    return CountedSince(knobs, resets, exits)
