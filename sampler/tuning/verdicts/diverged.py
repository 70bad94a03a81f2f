"""The verdict "diverged": a chain left every bound and was stopped."""

from __future__ import annotations

import math

from sampler.tuning.round_numbers import below
from sampler.tuning.verdicts.measurements import Measurements
from sampler.tuning.verdicts.verdict import Verdict


def diverged(m: Measurements) -> Verdict | None:
    """A chain left every bound and was stopped."""
    if m.diverged is None:
        return None
    chain, epoch, step = m.diverged
    others = f", and {m.diverged_chains - 1} more chains after it" if m.diverged_chains > 1 else ""
    if m.largest_curvature is not None and math.isfinite(m.largest_curvature):
        product = m.step_size(epoch) * m.largest_curvature
        why = f"The step times the largest curvature is {product:.2g}; "
        if product >= 2:
            why += "at 2 and above each step overshoots by more than it corrects."
        else:
            why += "below 2 at the mode, but curvature or noise was larger where the chain stood."
    else:
        why = "The step was too long for the curvature where the chain stood."
    change, offer = None, "Lower η₀, then revive."
    if m.largest_eta0 is not None and math.isfinite(m.largest_eta0):
        eta0 = below(min(m.largest_eta0, m.settings.eta0 / 2))
        change, offer = (
            {"eta0": eta0},
            f"η₀ = {eta0:g}, stable here with a margin, and revive.",
        )
    return Verdict(
        "diverged",
        "Diverged",
        "a chain ran away and was stopped",
        f"Chain {chain} ran off at epoch {epoch:,}, step {step:,}{others}. {why}",
        f"Try {offer}",
        change,
    )
