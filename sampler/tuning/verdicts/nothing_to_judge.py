"""Verdicts where there is nothing to judge: no numbers, too few, of unknown noise, or no target to hold them against."""

from __future__ import annotations

from sampler.tuning.verdicts.limits import ENOUGH_DRAWS, LIMITS, OLD, WARM_UP, amount, limit_words
from sampler.tuning.verdicts.measurements import Measurements
from sampler.tuning.verdicts.verdict import Verdict

MEANWHILE = "Meanwhile watch the escape ball shrink."
PAST = {"width": "width bias", "narrowness": "narrowness", "lag": "lag", "memory": "memory"}


def not_finite(m: Measurements) -> Verdict | None:
    """A measurement is no number, as where a coordinate stands still."""
    if not m.not_finite:
        return None
    names = ", ".join(m.not_finite)
    return Verdict("waiting", "Not measured", "a measurement is not a finite number",
                   f"Not a finite number: {names}. So the setting cannot be judged: a coordinate may stand still, or have"
                   " run away.", "Look at the chains' positions, and at what measured them.")


def waiting(m: Measurements) -> Verdict | None:
    """Nothing to judge yet."""
    if m.epochs < WARM_UP:
        since = f" since epoch {m.t - m.epochs:,}" if m.t > m.epochs > 0 else ""
        return Verdict("waiting", "Measuring", "too few epochs to judge",
                       f"{m.epochs} of {WARM_UP} epochs{since} are in; {WARM_UP - m.epochs} more and the cloud can be"
                       " compared with its target.", MEANWHILE)
    if m.accuracy is None or m.ceiling is None:
        return Verdict("waiting", "Measuring", "the target is being computed",
                       "There is no reference for this target yet, so accuracy cannot be judged.", MEANWHILE)
    return None


def weak_reference(m: Measurements) -> Verdict | None:
    """The target itself is not known well enough."""
    if m.reference_draws is None:
        return None
    epoch = m.reference_epoch or 0
    if m.reference_draws < ENOUGH_DRAWS:
        sentence = (f"The reference has {m.reference_draws:,.0f} effective draws at epoch {epoch:,};"
                    f" {ENOUGH_DRAWS:,.0f} are needed to judge.")
    elif m.t - epoch > OLD * m.t:
        sentence = f"The reference was drawn at epoch {epoch:,} and the chains are at {m.t:,}: too far to judge."
    else:
        return None
    return Verdict("weak_reference", "Weak reference", "the target itself is not known well enough", sentence,
                   "Let it play slower, or pause: the reference goes on.")


def unknown_noise(m: Measurements) -> Verdict | None:
    """A measurement is past its limit, and nobody said how many draws it is of."""
    values = {"width": m.width_bias, "narrowness": m.narrowness, "lag": m.lag, "memory": m.memory}
    past = [f"{PAST[name]} is {amount(name, value)}, with a limit of {limit_words(name)} and what noise adds"
            for name, value in values.items() if value is not None and value > LIMITS[name] and not m.noise_known(name)]
    if not past:
        return None
    words = "; ".join(past)
    return Verdict("waiting", "Noise unknown", "the number of draws was not passed",
                   f"{words[0].upper()}{words[1:]}. How much that is depends on the draws, pairs and dim of the"
                   " measurements, which were not passed: this may be a fault, or chance.",
                   "Pass draws, pairs and dim to Measurements; inf draws and pairs are measured without noise.")
