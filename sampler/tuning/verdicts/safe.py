"""The verdict "safe": nothing is wrong."""

from __future__ import annotations

from sampler.tuning.round_numbers import below
from sampler.tuning.verdicts.measurements import Measurements
from sampler.tuning.verdicts.verdict import Verdict


def safe(m: Measurements) -> Verdict:
    """Nothing is wrong."""
    assert m.accuracy is not None and m.ceiling is not None  # else the verdict is that there is no target yet
    chains = "1 chain agrees" if m.chains == 1 else f"{m.chains} chains agree"
    left = {0: "never left the escape ball", 1: "left the escape ball once"}.get(
        m.exits or 0, f"left the escape ball {m.exits or 0:,} times"
    )
    who = "It" if m.chains == 1 else "They"
    counted = "" if m.exits is None else f" {who} {left} in the last {m.window:,} epochs."
    hotter = below(5 * m.settings.eta0)
    broken = "switch variance reduction off." if m.settings.variance_reduction else "wait: noise grows with t."
    exact = " as good as exact draws," if m.accuracy >= m.ceiling - m.ceiling_sd else ""
    noise = f" ± {m.ceiling_sd:.3f}" if m.ceiling_sd else ""
    noise += ", above it by chance as exact draws are half of the time" if m.accuracy > m.ceiling else ""
    return Verdict(
        "safe",
        "Safe",
        "close to its ceiling",
        f"{chains} with the target,{exact} to within sampling noise: accuracy {m.accuracy:.3f} against a ceiling of"
        f" {m.ceiling:.3f}{noise}.{counted}",
        f"To break it: raise η₀ to {hotter:g}, or {broken}",
    )
