"""Verdicts on the gradients: "noisy", large errors beside the injected noise, and "stale", a cache that grows old."""

from __future__ import annotations

import math

from sampler.tuning.round_numbers import above
from sampler.tuning.verdicts.limits import LARGEST_BATCH, NOISE_LIMIT, STALE_LIMIT, WIDTH_LIMIT
from sampler.tuning.verdicts.measurements import Measurements
from sampler.tuning.verdicts.verdict import Verdict


def noisy(m: Measurements) -> Verdict | None:
    """Gradient noise is large beside the injected noise."""
    noise = m.noise_share
    if noise is None or noise <= NOISE_LIMIT:
        return None
    amount = f"{noise:.1f} ×" if noise >= 2 else f"{100 * noise:.0f} % of"
    if not m.settings.variance_reduction:
        return Verdict(
            "noisy",
            "Too noisy",
            "the gradient is guessed, not corrected",
            f"Without variance reduction the gradient noise is {amount} the injected noise and still growing.",
            "Switch variance reduction back on.",
            {"variance_reduction": True},
        )
    if m.stale_share > STALE_LIMIT:
        return Verdict(
            "stale",
            "Stale gradients",
            "the cache has fallen behind",
            f"{100 * m.stale_share:.0f} % of the cached gradients are older than half the stream; the"
            f" gradient noise is {amount} the injected noise.",
            "Switch the refresh of stale gradients on.",
            {"refresh": True},
        )
    wider = m.width_bias if m.width_bias is not None and m.width_bias > WIDTH_LIMIT else None
    batch = math.ceil(above(m.settings.batch_size * noise / (0.5 * NOISE_LIMIT)))
    # Noise widens the cloud by half its share; beyond that the step does it, and a larger batch would not help.
    if wider is not None and (noise < wider or m.long_step or batch > LARGEST_BATCH):
        return None
    few = "1 gradient a step is" if m.settings.batch_size == 1 else f"{m.settings.batch_size} gradients a step are"
    return Verdict(
        "noisy",
        "Too noisy",
        "the batch is small for this step",
        f"The gradient noise is {amount} the injected noise: {few} few at η₀ = {m.settings.eta0:g}.",
        f"b = {batch:g} would bring it to about {100 * noise * m.settings.batch_size / batch:.0f} %.",
        {"batch_size": batch},
    )


def stale(m: Measurements) -> Verdict | None:
    """The cache grows old, though no harm shows yet."""
    if m.settings.refresh or not m.settings.variance_reduction or m.stale_share <= STALE_LIMIT:
        return None
    return Verdict(
        "stale",
        "Stale gradients",
        "the cache is falling behind",
        f"Without the refresh about {100 * m.stale_share:.0f} % of the cached gradients are older than half"
        " the stream. The noise they add is still small.",
        "Switch the refresh of stale gradients on.",
        {"refresh": True},
    )
