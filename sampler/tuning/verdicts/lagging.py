"""The verdict "lagging": the cloud's centre is behind the target's."""

from __future__ import annotations

from sampler.tuning.round_numbers import whole_steps
from sampler.tuning.verdicts.limits import LAG_LIMIT
from sampler.tuning.verdicts.measurements import Measurements
from sampler.tuning.verdicts.more_steps import more_steps
from sampler.tuning.verdicts.verdict import Verdict


def lagging(m: Measurements) -> Verdict | None:
    """The cloud's centre is behind the target's."""
    if m.lag is None or m.lag <= m.limits["lag"]:
        return None
    steps = whole_steps(m.settings.i_max * max(2.0, m.lag / (0.5 * LAG_LIMIT)))
    return Verdict(
        "lagging",
        "Lagging",
        "the target moves faster than the chains",
        f"The cloud's centre is {m.lag:.1f} target widths behind the target's.",
        *more_steps(m.settings, steps, "more steps an epoch"),
    )
