"""The verdict "hot": the cloud is wider than its target."""

from __future__ import annotations

from sampler.tuning.round_numbers import below
from sampler.tuning.verdicts.limits import ACCURACY_MARGIN, WIDTH_LIMIT
from sampler.tuning.verdicts.measurements import Measurements
from sampler.tuning.verdicts.verdict import Verdict


def hot(m: Measurements) -> Verdict | None:
    """The cloud is wider than its target."""
    width = m.width_bias
    if width is None or width <= m.limits["width"]:
        return None
    if m.memory is not None and m.memory > m.limits["memory"] and width <= 3 * WIDTH_LIMIT:
        return None  # so few fresh draws that the width is not known so well: cold comes first
    eta0 = m.settings.eta0
    if m.advised is not None and m.advised.eta0 < eta0:
        target = m.advised.eta0
    else:
        target = below(eta0 * 0.5 * WIDTH_LIMIT / width)
    limit = f", {100 * m.limits['width']:.0f} % is the limit" if width < 2 else ""
    fell = ""
    wider = f"up to {100 * width:.0f} % wider than" if width < 2 else f"{1 + width:.0f} times as wide as"
    if m.accuracy is not None and m.ceiling is not None and m.accuracy >= m.ceiling - ACCURACY_MARGIN:
        fell = (f" Width decides here: accuracy, {m.accuracy:.3f} of {m.ceiling:.3f}, is a mean over coordinates and hardly"
                " shows it yet.")
    elif m.accuracy is not None and m.ceiling is not None:
        fell = f" Accuracy is {m.accuracy:.3f} where {m.ceiling:.3f} is possible"
        fell += f"; the formula says {m.predicted:.3f}." if m.predicted is not None else "."
    if width * target / eta0 < WIDTH_LIMIT:
        hope = f"Try η₀ = {target:g}: about {100 * width * target / eta0:.0f} % too wide."
    else:
        hope = f"Try η₀ = {target:g}."
    return Verdict(
        "hot",
        "Too hot",
        "the step is too long for the curvature",
        f"At η₀ = {eta0:g} the cloud is {wider} the target{limit}.{fell}",
        hope,
        {"eta0": float(target)},
    )
