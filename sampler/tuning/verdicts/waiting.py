"""The verdict "waiting": too few epochs, or no reference yet."""

from __future__ import annotations

from sampler.tuning.verdicts.limits import WARM_UP
from sampler.tuning.verdicts.measurements import Measurements
from sampler.tuning.verdicts.verdict import Verdict


def waiting(m: Measurements) -> Verdict | None:
    """Nothing to judge yet."""
    if m.epochs >= WARM_UP and m.accuracy is not None and m.ceiling is not None:
        return None
    if m.epochs >= WARM_UP:
        return Verdict(
            "waiting",
            "Measuring",
            "the target is being computed",
            "There is no reference for this target yet, so accuracy cannot be judged.",
            "Meanwhile watch the escape ball shrink.",
        )
    left = WARM_UP - m.epochs
    return Verdict(
        "waiting",
        "Measuring",
        "too few epochs to judge",
        f"{m.epochs} of {WARM_UP} epochs are in; {left} more and the cloud can be compared with its target.",
        "Meanwhile watch the escape ball shrink.",
    )
