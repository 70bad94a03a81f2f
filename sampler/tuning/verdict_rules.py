"""Verdict rules, one function a verdict: each returns a Verdict if it applies, else None."""

from __future__ import annotations

import math

from sampler.tuning.measurements import Measurements
from sampler.tuning.round_numbers import above, below, travel, whole_steps
from sampler.tuning.verdict import Verdict
from sampler.tuning.verdict_limits import (
    ACCURACY_MARGIN,
    LAG_LIMIT,
    LARGEST_BATCH,
    LONG_STEP,
    MEMORY_LIMIT,
    NOISE_LIMIT,
    RESETS_LIMIT,
    STALE_LIMIT,
    WIDTH_LIMIT,
)


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
    widened = m.width_bias is not None and m.width_bias > WIDTH_LIMIT
    batch = math.ceil(above(m.settings.batch_size * noise / (0.5 * NOISE_LIMIT)))
    # Noise widens the cloud by half its share; beyond that the step does it, and a larger batch would not help.
    if widened and (noise < m.width_bias or _long_step(m) or batch > LARGEST_BATCH):
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


def resets(m: Measurements) -> Verdict | None:
    """The acceptance ball throws chains back too often."""
    if not m.settings.reset or m.resets_a_minute <= RESETS_LIMIT:
        return None
    if _long_step(m):
        found = hot(m)  # chains thrown about by a long step: a wider acceptance ball would not help
        if found is not None:
            return found
    advised = m.advised.acceptance_radius if m.advised is not None else 0.0
    radius = advised if advised > m.settings.acceptance_radius else above(1.4 * m.settings.acceptance_radius)
    return Verdict(
        "resets",
        "Resets too often",
        "the acceptance ball is tight",
        f"{m.resets:,.0f} resets in the last {m.window:,} epochs; each throws a chain back to where it stood"
        f" at epoch {m.checkpoint_epoch:,}.",
        f"Try C' = {radius:g}.",
        {"acceptance_radius": float(radius)},
    )


def lagging(m: Measurements) -> Verdict | None:
    """The cloud's centre is behind the target's."""
    if m.lag is None or m.lag <= LAG_LIMIT:
        return None
    steps = whole_steps(m.settings.i_max * max(2.0, m.lag / (0.5 * LAG_LIMIT)))
    return Verdict(
        "lagging",
        "Lagging",
        "the target moves faster than the chains",
        f"The cloud's centre is {m.lag:.1f} target widths behind the target's.",
        *_more_steps(m, steps, "more steps an epoch"),
    )


def hot(m: Measurements) -> Verdict | None:
    """The cloud is wider than its target."""
    width = m.width_bias
    if width is None or width <= WIDTH_LIMIT:
        return None
    if m.memory is not None and m.memory > MEMORY_LIMIT and width <= 3 * WIDTH_LIMIT:
        return None  # so few fresh draws that the width is not known so well: cold comes first
    eta0 = m.settings.eta0
    if m.advised is not None and m.advised.eta0 < eta0:
        target = m.advised.eta0
    else:
        target = below(eta0 * 0.5 * WIDTH_LIMIT / width)
    fell = ""
    wider = f"up to {100 * width:.0f} % wider than" if width < 2 else f"{1 + width:.0f} times as wide as"
    if m.accuracy is not None and m.ceiling is not None:
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
        f"At η₀ = {eta0:g} the cloud is {wider} the target.{fell}",
        hope,
        {"eta0": float(target)},
    )


def cold(m: Measurements) -> Verdict | None:
    """An epoch leaves a chain near where it began."""
    if m.memory is None or m.memory <= MEMORY_LIMIT:
        return None
    sentence = (
        f"After an epoch a chain still remembers {100 * m.memory:.0f} % of where it began, so X^t is no fresh sample."
    )
    factor = travel(0.3) / travel(m.memory)
    room = 0.5 * WIDTH_LIMIT / max(m.width_bias or 0.0, 0.002)
    advised = m.advised.eta0 if m.advised is not None and m.advised.eta0 > m.settings.eta0 else None
    if advised is None and factor > room:
        return Verdict(
            "cold",
            "Too cold",
            "an epoch is too short to forget",
            sentence,
            *_more_steps(m, whole_steps(m.settings.i_max * factor), "a longer step would widen the cloud"),
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


def inaccurate(m: Measurements) -> Verdict | None:
    """Off the ceiling though no single measure is past its limit."""
    if m.accuracy is None or m.ceiling is None or m.accuracy >= m.ceiling - _margin(m):
        return None
    numbers = f"accuracy is {m.accuracy:.3f} where {m.ceiling:.3f} is possible"
    if (m.width_bias or 0.0) > 0.5 * WIDTH_LIMIT:
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
        *_more_steps(m, steps, "more steps an epoch"),
    )


def safe(m: Measurements) -> Verdict:
    """Nothing is wrong."""
    chains = "1 chain agrees" if m.chains == 1 else f"{m.chains} chains agree"
    left = {0: "never left the escape ball", 1: "left the escape ball once"}.get(
        m.exits, f"left the escape ball {m.exits or 0:,} times"
    )
    who = "It" if m.chains == 1 else "They"
    counted = "" if m.exits is None else f" {who} {left} in the last {m.window:,} epochs."
    hotter = below(5 * m.settings.eta0)
    broken = "switch variance reduction off." if m.settings.variance_reduction else "wait: noise grows with t."
    return Verdict(
        "safe",
        "Safe",
        "close to its ceiling",
        f"{chains} with the target to within sampling noise: accuracy {m.accuracy:.3f} against a ceiling of"
        f" {m.ceiling:.3f}.{counted}",
        f"To break it: raise η₀ to {hotter:g}, or {broken}",
    )


def _long_step(m: Measurements) -> bool:
    curvature = m.largest_curvature
    return curvature is not None and m.settings.step_size(m.t) * curvature > LONG_STEP


def _margin(m: Measurements) -> float:
    return max(ACCURACY_MARGIN, 3.0 * m.ceiling_sd)


def _more_steps(m: Measurements, steps: int, why: str) -> tuple[str, dict | None]:
    if steps <= m.settings.i_max:
        return f"Try {why}: i_max is as large as this page allows.", None
    return f"i_max = {steps:,}: {why}.", {"i_max": steps}
