"""The verdict "resets": the acceptance ball throws chains back too often."""

from __future__ import annotations

from sampler.tuning.round_numbers import above
from sampler.tuning.verdicts.cloud import hot
from sampler.tuning.verdicts.limits import limit_words
from sampler.tuning.verdicts.measurements import Measurements
from sampler.tuning.verdicts.verdict import Verdict


def resets(m: Measurements) -> Verdict | None:
    """The acceptance ball throws chains back too often."""
    if not (m.settings.reset and m.own_checkpoint) or m.reset_rate <= m.limits["resets"]:
        return None
    if m.long_step:
        found = hot(m)  # chains thrown about by a long step: a wider acceptance ball would not help
        if found is not None:
            return found
    counted = m.window if m.resets_window is None else m.resets_window
    sentence = (f"{m.resets:,.0f} resets in the last {counted:,} epochs of {m.chains:,} chains, {100 * m.reset_rate:.2g} %"
                f" of a chain's epochs; the limit is {limit_words('resets', m.limits['resets'])}. Each throws a chain back"
                f" to where it stood at epoch {m.checkpoint_epoch:,}.")
    if m.drifts:
        return Verdict(
            "resets", "Resets too often", "the target walks out of the acceptance ball",
            f"{sentence} The truth moves, and a ball that shrinks as 1/sqrt(t + c) holds it for a while only.",
            "Switch resets off: chains follow the mode without them. Twice the C' holds until t is four times as large.",
            {"reset": False})
    advised = m.advised.acceptance_radius if m.advised is not None else 0.0
    radius = advised if advised > m.settings.acceptance_radius else above(1.4 * m.settings.acceptance_radius)
    return Verdict(
        "resets",
        "Resets too often",
        "the acceptance ball is tight",
        sentence,
        f"Try C' = {radius:g}.",
        {"acceptance_radius": float(radius)},
    )
