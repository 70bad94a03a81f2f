"""Verdict rules for settings that cannot be judged yet: each returns a Verdict if it applies, else None."""

from __future__ import annotations

import math

from sampler.tuning.measurements import Measurements
from sampler.tuning.round_numbers import below
from sampler.tuning.verdict import Verdict
from sampler.tuning.verdict_limits import ENOUGH_DRAWS, OLD, WARM_UP


def diverged(m: Measurements) -> Verdict | None:
    """A chain left every bound and was stopped."""
    if m.diverged is None:
        return None
    chain, epoch, step = m.diverged
    others = f", and {m.diverged_chains - 1} more chains after it" if m.diverged_chains > 1 else ""
    if m.largest_curvature is not None and math.isfinite(m.largest_curvature):
        product = m.settings.step_size(epoch) * m.largest_curvature
        why = f"The step times the largest curvature is {product:.2g}; "
        if product >= 2:
            why += "at 2 and above each step overshoots by more than it corrects."
        else:
            why += "below 2 at the mode, but curvature or noise was larger where the chain stood."
    else:
        why = "The step was too long for the curvature where the chain stood."
    change, offer = None, "Lower η₀, then revive."
    if m.largest_eta0 is not None and math.isfinite(m.largest_eta0):
        eta0 = below(min(m.largest_eta0, m.settings.eta0 / 2))
        change, offer = (
            {"eta0": eta0},
            f"η₀ = {eta0:g}, stable here with a margin, and revive.",
        )
    return Verdict(
        "diverged",
        "Diverged",
        "a chain ran away and was stopped",
        f"Chain {chain} ran off at epoch {epoch:,}, step {step:,}{others}. {why}",
        f"Try {offer}",
        change,
    )


def waiting(m: Measurements) -> Verdict | None:
    """Nothing to judge yet."""
    if m.epochs >= WARM_UP and m.accuracy is not None and m.ceiling is not None:
        return None
    if m.epochs >= WARM_UP:
        return Verdict(
            "waiting",
            "Measuring",
            "the target is being computed",
            "There is no reference for this target yet, so accuracy cannot be judged.",
            "Meanwhile watch the escape ball shrink.",
        )
    left = WARM_UP - m.epochs
    return Verdict(
        "waiting",
        "Measuring",
        "too few epochs to judge",
        f"{m.epochs} of {WARM_UP} epochs are in; {left} more and the cloud can be compared with its target.",
        "Meanwhile watch the escape ball shrink.",
    )


def weak_reference(m: Measurements) -> Verdict | None:
    """The target itself is not known well enough."""
    if m.reference_draws is None:
        return None
    epoch, slower = m.reference_epoch or 0, "Let it play slower, or pause: the reference goes on."
    if m.reference_draws < ENOUGH_DRAWS:
        sentence = (
            f"The reference has {m.reference_draws:,.0f} effective draws at epoch {epoch:,};"
            f" {ENOUGH_DRAWS:,.0f} are needed to judge."
        )
    elif m.t - epoch > OLD * m.t:
        sentence = f"The reference was drawn at epoch {epoch:,} and the chains are at {m.t:,}: too far to judge."
    else:
        return None
    return Verdict("weak_reference", "Weak reference", "the target itself is not known well enough", sentence, slower)
