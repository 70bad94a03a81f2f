"""The verdict "safe": nothing is wrong."""

from __future__ import annotations

from sampler.tuning.round_numbers import below
from sampler.tuning.verdicts.limits import amount
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
    noise += ", above it by chance" if m.accuracy > m.ceiling else ""
    return Verdict(
        "safe",
        "Safe",
        "close to its ceiling",
        f"{chains} with the target in {_looked_at(m)},{exact} to within sampling noise: accuracy {m.accuracy:.3f} against a"
        f" ceiling of {m.ceiling:.3f}{noise}.{_exits(m)}",
        f"To break it: raise η₀ to {hotter:g}, or {broken}",
    )


def _looked_at(m: Measurements) -> str:
    """Return what was compared with the target, and how finely: nothing is claimed of the rest."""
    known = m.noise_known("width")
    wide, off = (f" (to {amount(name, m.limits[name])})" if known else "" for name in ("width", "lag"))
    looked = ["accuracy"]
    if m.width_bias is not None:
        looked.append(("largest width" if m.narrowness is None else "width") + wide)
    if m.lag is not None:
        looked.append(f"centre{off.replace('target ', '')}")
    words = " and ".join([", ".join(looked[:-1]), looked[-1]] if len(looked) > 1 else looked)
    return words if known or len(looked) == 1 else f"{words} (how noisy these are is not known: no draws were passed)"


def _exits(m: Measurements) -> str:
    """Return how often the chains left the escape ball, and why that need not be never; "" where it is not counted."""
    if m.exits is None:
        return ""
    who = "It" if m.chains == 1 else "They"
    if m.exits == 0:
        return f" {who} never left the escape ball in the last {m.window:,} epochs."
    epochs = m.chains * m.window
    last = (f"its last {epochs:,} epochs" if m.chains == 1
            else f"their last {epochs:,} chain-epochs ({m.chains} chains, {m.window:,} epochs)")
    counted = f" {who} left the escape ball in {m.exits:,} of {last}"
    if m.exits <= RARE * epochs:
        return f"{counted}: the proof asks for few exits, not for none."
    share = f"{100 * m.exits / epochs:.0f} %"
    return f"{counted}, {share}: R draws it so small that the proof says little here; the chains are as good."
