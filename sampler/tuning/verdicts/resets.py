"""The verdict "resets": the acceptance ball throws chains back too often."""

from __future__ import annotations

from sampler.tuning.round_numbers import above
from sampler.tuning.verdicts.cloud import hot
from sampler.tuning.verdicts.measurements import Measurements
from sampler.tuning.verdicts.verdict import Verdict


def resets(m: Measurements) -> Verdict | None:
    """The acceptance ball throws chains back too often."""
    if not m.settings.reset or m.reset_rate <= m.limits["resets"]:
        return None
    if m.long_step:
        found = hot(m)  # chains thrown about by a long step: a wider acceptance ball would not help
        if found is not None:
            return found
    advised = m.advised.acceptance_radius if m.advised is not None else 0.0
    radius = advised if advised > m.settings.acceptance_radius else above(1.4 * m.settings.acceptance_radius)
    return Verdict(
        "resets",
        "Resets too often",
        "the acceptance ball is tight",
        f"{m.resets:,.0f} resets in the last {m.window:,} epochs of {m.chains:,} chains, {100 * m.reset_rate:.2g} % of a"
        f" chain's epochs; each throws a chain back to where it stood at epoch {m.checkpoint_epoch:,}.",
        f"Try C' = {radius:g}.",
        {"acceptance_radius": float(radius)},
    )
