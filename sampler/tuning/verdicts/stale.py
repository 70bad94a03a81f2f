"""The verdict "stale": the cache of gradients grows old, though no harm shows yet."""

from __future__ import annotations

from sampler.tuning.verdicts.limits import STALE_LIMIT
from sampler.tuning.verdicts.measurements import Measurements
from sampler.tuning.verdicts.verdict import Verdict


def stale(m: Measurements) -> Verdict | None:
    """The cache grows old, though no harm shows yet."""
    if m.settings.refresh or not m.settings.variance_reduction or m.stale_share <= STALE_LIMIT:
        return None
    return Verdict(
        "stale",
        "Stale gradients",
        "the cache is falling behind",
        f"Without the refresh about {100 * m.stale_share:.0f} % of the cached gradients are older than half"
        " the stream. The noise they add is still small.",
        "Switch the refresh of stale gradients on.",
        {"refresh": True},
    )
