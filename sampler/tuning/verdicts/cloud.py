"""Verdicts on the cloud of chains beside its target: too wide, too narrow, off centre, or off in some other way."""

from __future__ import annotations

from sampler.tuning.round_numbers import below, whole_steps
from sampler.tuning.verdicts.limits import ACCURACY_MARGIN, LAG_LIMIT, WIDTH_LIMIT, amount, limit_words
from sampler.tuning.verdicts.measurements import Measurements
from sampler.tuning.verdicts.verdict import Verdict, more_steps

FORGOTTEN = 0.3
"""Memory of chains that have forgotten where they were: what stays wrong then is not for want of steps."""


def hot(m: Measurements) -> Verdict | None:
    """The cloud is wider than its target."""
    width = m.width_bias
    if width is None or width <= m.limits["width"] or not m.noise_known("width"):
        return None
    if m.memory is not None and m.memory > m.limits["memory"] and width <= 3 * WIDTH_LIMIT:
        return None  # so few fresh draws that the width is not known so well: cold comes first
    eta0 = m.settings.eta0
    if m.advised is not None and m.advised.eta0 < eta0:
        target = m.advised.eta0
    else:
        target = below(eta0 * 0.5 * WIDTH_LIMIT / width)
    limit = f"; the limit is {limit_words('width', m.limits['width'])}" if width < 2 else ""
    fell = ""
    wider = f"up to {100 * width:.0f} % wider than" if width < 2 else f"{1 + width:.0f} times as wide as"
    if m.accuracy is not None and m.ceiling is not None and m.accuracy >= m.ceiling - ACCURACY_MARGIN:
        fell = (f" Width decides here: accuracy, {m.accuracy:.3f} of {m.ceiling:.3f}, is a mean over coordinates and hardly"
                " shows it yet.")
    elif m.accuracy is not None and m.ceiling is not None:
        fell = f" Accuracy is {m.accuracy:.3f} where {m.ceiling:.3f} is possible"
        fell += f"; the formula says {m.predicted:.3f}." if m.predicted is not None and m.predicted >= 0 else "."
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


def narrow(m: Measurements) -> Verdict | None:
    """The cloud is narrower than its target: a step never makes it so."""
    if m.narrowness is None or m.narrowness <= m.limits["narrowness"] or not m.noise_known("narrowness"):
        return None
    sentence = (f"In one coordinate at least the cloud is {amount('narrowness', m.narrowness)} narrower than the target; the"
                f" limit is {limit_words('narrowness', m.limits['narrowness'])}.")
    if m.memory is not None and m.memory <= FORGOTTEN:
        return Verdict("narrow", "Too narrow", "the chains sample a narrower law", sentence + " A step widens a cloud, and"
                       f" chains that remember {amount('memory', max(m.memory, 0.0))} have had the time to spread.",
                       "Compare the gradient with F: are data, or the prior, counted twice? Is the reference of this law?")
    return Verdict("narrow", "Too narrow", "the chains have not spread", sentence,
                   *more_steps(m.settings, whole_steps(2 * m.settings.i_max), "more steps an epoch let the chains spread"))


def lagging(m: Measurements) -> Verdict | None:
    """The cloud's centre is away from the target's."""
    if m.lag is None or m.lag <= m.limits["lag"] or not m.noise_known("lag"):
        return None
    steps = whole_steps(m.settings.i_max * max(2.0, m.lag / (0.5 * LAG_LIMIT)))
    suggestion, change = more_steps(m.settings, steps, "more steps an epoch")
    if m.memory is not None and m.memory <= FORGOTTEN:
        suggestion += " If it stays, compare the gradient with F: these chains do forget where they were."
    return Verdict("lagging", "Lagging", "the target moves faster than the chains",
                   f"The cloud's centre is {amount('lag', m.lag)} off the target's in one coordinate at least; the limit is"
                   f" {limit_words('lag', m.limits['lag'])}.", suggestion, change)


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
