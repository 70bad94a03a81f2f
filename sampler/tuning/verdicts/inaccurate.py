"""Below the ceiling though no single measurement is past its limit: a verdict "hot" or "cold"."""

from __future__ import annotations

from sampler.tuning.round_numbers import below, whole_steps
from sampler.tuning.verdicts.limits import ACCURACY_MARGIN, WIDTH_LIMIT
from sampler.tuning.verdicts.measurements import Measurements
from sampler.tuning.verdicts.more_steps import more_steps
from sampler.tuning.verdicts.verdict import Verdict


def inaccurate(m: Measurements) -> Verdict | None:
    """Off the ceiling though no single measure is past its limit."""
    if m.accuracy is None or m.ceiling is None or m.accuracy >= m.ceiling - max(ACCURACY_MARGIN, 3.0 * m.ceiling_sd):
        return None
    numbers = f"accuracy is {m.accuracy:.3f} where {m.ceiling:.3f} is possible"
    if m.width_bias is not None and m.width_bias > 0.5 * WIDTH_LIMIT:
        eta0 = below(m.settings.eta0 / 2)
        return Verdict(
            "hot",
            "Too hot",
            "the cloud is wider than its target",
            f"The cloud is up to {100 * m.width_bias:.0f} % wider than the target: {numbers}.",
            f"Try η₀ = {eta0:g}.",
            {"eta0": float(eta0)},
        )
    steps = whole_steps(2 * m.settings.i_max)
    return Verdict(
        "cold",
        "Too cold",
        "the cloud has not settled on its target",
        f"The cloud and its target differ by more than sampling noise: {numbers}.",
        *more_steps(m.settings, steps, "more steps an epoch"),
    )
