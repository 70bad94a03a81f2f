"""The verdict "weak_reference": the target itself is not known well enough to judge."""

from __future__ import annotations

from sampler.tuning.verdicts.limits import ENOUGH_DRAWS, OLD
from sampler.tuning.verdicts.measurements import Measurements
from sampler.tuning.verdicts.verdict import Verdict


def weak_reference(m: Measurements) -> Verdict | None:
    """The target itself is not known well enough."""
    if m.reference_draws is None:
        return None
    epoch, slower = m.reference_epoch or 0, "Let it play slower, or pause: the reference goes on."
    if m.reference_draws < ENOUGH_DRAWS:
        sentence = (
            f"The reference has {m.reference_draws:,.0f} effective draws at epoch {epoch:,};"
            f" {ENOUGH_DRAWS:,.0f} are needed to judge."
        )
    elif m.t - epoch > OLD * m.t:
        sentence = f"The reference was drawn at epoch {epoch:,} and the chains are at {m.t:,}: too far to judge."
    else:
        return None
    return Verdict("weak_reference", "Weak reference", "the target itself is not known well enough", sentence, slower)
