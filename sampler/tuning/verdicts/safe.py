"""The verdict "safe": nothing is wrong."""

from __future__ import annotations

from sampler.tuning.round_numbers import below
from sampler.tuning.verdicts.measurements import Measurements
from sampler.tuning.verdicts.verdict import Verdict

RARE = 0.01
"""Share of a chain's epochs with an exit up to which exits are called rare."""


def safe(m: Measurements) -> Verdict:
    """Nothing is wrong."""
    assert m.accuracy is not None and m.ceiling is not None  # else the verdict is that there is no target yet
    chains = "1 chain agrees" if m.chains == 1 else f"{m.chains} chains agree"
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
        f" {m.ceiling:.3f}{noise}.{_exits(m)}",
        f"To break it: raise η₀ to {hotter:g}, or {broken}",
    )


def _exits(m: Measurements) -> str:
    """Return how often the chains left the escape ball, and why that need not be never; "" where it is not counted."""
    if m.exits is None:
        return ""
    who = "It" if m.chains == 1 else "They"
    if m.exits == 0:
        return f" {who} never left the escape ball in the last {m.window:,} epochs."
    epochs = m.chains * m.window
    counted = f" {who} left the escape ball in {m.exits:,} of {'its' if m.chains == 1 else 'their'} last {epochs:,} epochs"
    if m.exits <= RARE * epochs:
        return f"{counted}: the proof asks for few exits, not for none."
    share = f"{100 * m.exits / epochs:.0f} %"
    return f"{counted}, {share}: R draws it so small that the proof says little here; the chains are as good."
