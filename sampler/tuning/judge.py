"""The verdict: what the measurements say about a setting, in words, and what to try next."""

from __future__ import annotations

from sampler.tuning import readiness_rules
from sampler.tuning import verdict_rules as rules
from sampler.tuning.measurements import Measurements
from sampler.tuning.verdict import Verdict

_RULES = (
    readiness_rules.diverged,
    readiness_rules.waiting,
    rules.noisy,
    rules.resets,
    readiness_rules.weak_reference,
    rules.lagging,
    rules.hot,
    rules.cold,
    rules.inaccurate,
    rules.stale,
)


def judge(measured: Measurements) -> Verdict:
    """Judge a setting: the first of the rules that applies, in order of how sure it is.

    Pure; every number in the words comes from `measured`. A suggestion's effect is an estimate from the
    advisor's model (width bias and gradient noise in proportion to eta0, memory falling with eta0 i_max).
    """
    for rule in _RULES:
        verdict = rule(measured)
        if verdict is not None:
            return verdict
    return rules.safe(measured)
