"""`judge`: the order in which verdicts are tried on the measurements of a setting."""

from __future__ import annotations

from sampler.arguments import instance_of
from sampler.tuning.verdicts.cloud import hot, inaccurate, lagging, narrow
from sampler.tuning.verdicts.cold import cold
from sampler.tuning.verdicts.diverged import diverged
from sampler.tuning.verdicts.gradients import noisy, stale
from sampler.tuning.verdicts.measurements import Measurements
from sampler.tuning.verdicts.nothing_to_judge import not_finite, unknown_noise, waiting, weak_reference
from sampler.tuning.verdicts.resets import resets
from sampler.tuning.verdicts.safe import safe
from sampler.tuning.verdicts.verdict import Verdict

_IN_ORDER = (diverged, not_finite, waiting, noisy, resets, weak_reference, unknown_noise, lagging, hot, cold, narrow,
             inaccurate, stale)


def judge(measured: Measurements) -> Verdict:
    """Judge a setting: the first verdict that applies, in order of how sure it is; safe if none does.

    Pure; every number in the words comes from `measured`. A suggestion's effect is an estimate from the
    advisor's model (width bias and gradient noise in proportion to eta0, memory falling with eta0 i_max).
    """
    instance_of("measured", measured, Measurements, "make one with Measurements(settings, t, chains, epochs)")
    for applies in _IN_ORDER:
        verdict = applies(measured)
        if verdict is not None:
            return verdict
    return safe(measured)
