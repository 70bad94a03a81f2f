"""The verdict "cold": an epoch leaves a chain near where it began."""

from __future__ import annotations

import math

from scipy.optimize import brentq

from sampler.tuning.round_numbers import above, whole_steps
from sampler.tuning.verdicts.limits import ACCURACY_MARGIN, WIDTH_LIMIT, limit_words
from sampler.tuning.verdicts.measurements import Measurements
from sampler.tuning.verdicts.verdict import Verdict, more_steps


def cold(m: Measurements) -> Verdict | None:
    """An epoch leaves a chain near where it began."""
    if m.memory is None or m.memory <= m.limits["memory"] or not m.noise_known("memory"):
        return None
    sentence = (
        f"After an epoch a chain still remembers {100 * m.memory:.0f} % of where it began, so X^t is no fresh sample;"
        f" the limit is {limit_words('memory', m.limits['memory'])}."
    )
    if m.accuracy is not None and m.ceiling is not None and m.accuracy >= m.ceiling - ACCURACY_MARGIN:
        sentence += f" Accuracy, {m.accuracy:.3f} of {m.ceiling:.3f}, cannot show that: it looks at each epoch by itself."
    factor = travel(0.3) / travel(m.memory)
    room = 0.5 * WIDTH_LIMIT / max(m.width_bias or 0.0, 0.002)
    advised = m.advised.eta0 if m.advised is not None and m.advised.eta0 > m.settings.eta0 else None
    if advised is None and factor > room:
        return Verdict(
            "cold",
            "Too cold",
            "an epoch is too short to forget",
            sentence,
            *more_steps(m.settings, whole_steps(m.settings.i_max * factor), "a longer step would widen the cloud"),
        )
    eta0 = advised or above(m.settings.eta0 * factor)
    return Verdict(
        "cold",
        "Too cold",
        "an epoch is too short to forget",
        sentence,
        f"Raise η₀ to {eta0:g}, or i_max in proportion.",
        {"eta0": float(eta0)},
    )


def travel(memory: float) -> float:
    """Rate times longest epoch, K, at which a chain remembers `memory` of its start.

    Mean of exp(-K u) over u uniform in (0, 1): (1 - exp(-K))/K. Decreasing from 1; memory is kept in
    [0.01, 0.999].
    """
    memory = min(max(memory, 0.01), 0.999)
    return float(brentq(lambda k: -math.expm1(-k) / k - memory, 1e-6, 200.0))
