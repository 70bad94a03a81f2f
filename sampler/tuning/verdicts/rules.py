"""Verdict rules, one function per verdict: condition, texts and suggestion."""

import math

from sampler.tuning.settings_grid import above, below, whole_steps
from sampler.tuning.verdicts.measurements import (
    ACCURACY_MARGIN,
    LAG_LIMIT,
    LARGEST_BATCH,
    NOISE_LIMIT,
    SHORT_STEP,
    STALE_LIMIT,
    WIDTH_LIMIT,
    Measurements,
    Verdict,
    amount,
    limit_words,
    more_steps,
)


def diverged(m: Measurements) -> Verdict | None:
    """Return the verdict on a run with a diverged chain."""
    if m.diverged is None:
        return None
    chain, epoch, step = m.diverged
    others = f", followed by {m.diverged_chains - 1} more" if m.diverged_chains > 1 else ""
    if m.largest_curvature is not None and math.isfinite(m.largest_curvature):
        product = m.step_size(epoch) * m.largest_curvature
        why = f"The step times the largest curvature is {product:.2g}; "
        if product >= 2:
            why += "from 2 on, each step overshoots by more than it corrects."
        else:
            why += "below 2 at the mode, but curvature or noise was larger at the chain's position."
    else:
        why = "The step was too long for the curvature at the chain's position."
    change, offer = None, "Lower η₀, then revive."
    if m.largest_eta0 is not None and math.isfinite(m.largest_eta0):
        eta0 = below(min(m.largest_eta0, m.settings.eta0 / 2))
        change, offer = {"eta0": eta0}, f"Try η₀ = {eta0:g}, stable with a margin, then revive."
    return Verdict("diverged", "Diverged", "a chain diverged and was stopped",
                   f"Chain {chain} diverged at epoch {epoch:,}, step {step:,}{others}. {why}", offer, change)


def resets(m: Measurements) -> Verdict | None:
    """Return the verdict on too frequent resets."""
    if not (m.settings.reset and m.own_checkpoint) or m.reset_rate <= m.limits["resets"]:
        return None
    if m.long_step:
        verdict = hot(m)  # resets caused by a long step: a larger acceptance ball would not help
        if verdict is not None:
            return verdict
    counted = m.window if m.resets_window is None else m.resets_window
    sentence = (f"{m.resets:,.0f} resets in the last {counted:,} epochs of {m.chains:,} chains, {100 * m.reset_rate:.2g} %"
                f" of a chain's epochs; the limit is {limit_words('resets', m.limits['resets'])}. Each returns a chain"
                f" to its position at epoch {m.checkpoint_epoch:,}.")
    if m.drifts:
        return Verdict(
            "resets", "Resets too often", "the target leaves the acceptance ball",
            f"{sentence} The target drifts, and a ball that shrinks as 1/sqrt(t + c) contains it only temporarily.",
            "Switch resets off: chains follow the mode without them. Doubling C' suffices only until t has quadrupled.",
            {"reset": False})
    advised = m.advised.acceptance_radius if m.advised is not None else 0.0
    radius = advised if advised > m.settings.acceptance_radius else above(1.4 * m.settings.acceptance_radius)
    return Verdict("resets", "Resets too often", "the acceptance ball is tight", sentence, f"Try C' = {radius:g}.",
                   {"acceptance_radius": float(radius)})


def noisy(m: Measurements) -> Verdict | None:
    """Return the verdict on gradient noise that is large relative to the injected noise."""
    noise = m.noise_share
    if noise is None or noise <= NOISE_LIMIT:
        return None
    amount = f"{noise:.1f} ×" if noise >= 2 else f"{100 * noise:.0f} % of"
    if not m.settings.variance_reduction:
        return Verdict("noisy", "Too noisy", "the gradient is estimated without variance reduction",
                       f"Without variance reduction the gradient noise is {amount} the injected noise and still growing.",
                       "Switch variance reduction back on.", {"variance_reduction": True})
    if m.stale_share > STALE_LIMIT:
        return _stale("the cache is stale",
                      f"{100 * m.stale_share:.0f} % of the cached gradients are older than half the stream; the"
                      f" gradient noise is {amount} the injected noise.")
    wider = m.width_bias if m.width_bias is not None and m.width_bias > WIDTH_LIMIT else None
    batch = math.ceil(above(m.settings.batch_size * noise / (0.5 * NOISE_LIMIT)))
    # Noise widens the cloud by half its share; more width is due to the step, and a larger batch would not help.
    if wider is not None and (noise < wider or m.long_step or batch > LARGEST_BATCH):
        return None
    return Verdict("noisy", "Too noisy", "the batch is small for this step",
                   f"The gradient noise is {amount} the injected noise: b = {m.settings.batch_size} is small for η₀ ="
                   f" {m.settings.eta0:g}.",
                   f"b = {batch:g} would reduce it to about {100 * noise * m.settings.batch_size / batch:.0f} %.",
                   {"batch_size": batch})


def stale(m: Measurements) -> Verdict | None:
    """Return the verdict on a stale cache that does not yet add much noise."""
    if m.settings.refresh or not m.settings.variance_reduction or m.stale_share <= STALE_LIMIT:
        return None
    return _stale("the cache is becoming stale",
                  f"Without refresh about {100 * m.stale_share:.0f} % of the cached gradients are older than half the"
                  " stream. The noise they add is still small.")


def _stale(subtitle: str, sentence: str) -> Verdict:
    return Verdict("stale", "Stale gradients", subtitle, sentence, "Switch the refresh of stale gradients on.",
                   {"refresh": True})


def cold(m: Measurements) -> Verdict | None:
    """Return the verdict on a memory past its limit: an epoch leaves a chain near its start."""
    if m.memory is None or m.memory <= m.limits["memory"] or not m.has_noise("memory"):
        return None
    sentence = (f"After an epoch a chain still remembers {100 * m.memory:.0f} % of its start, so X^t is not a fresh"
                f" sample; the limit is {limit_words('memory', m.limits['memory'])}.")
    if m.accuracy is not None and m.ceiling is not None and m.accuracy >= m.ceiling - ACCURACY_MARGIN:
        sentence += f" Accuracy, {m.accuracy:.3f} of {m.ceiling:.3f}, cannot show this: it compares each epoch separately."
    factor = travel(0.3) / travel(m.memory)
    room = 0.5 * WIDTH_LIMIT / max(m.width_bias or 0.0, 0.002)
    advised = m.advised.eta0 if m.advised is not None and m.advised.eta0 > m.settings.eta0 else None
    eta0 = advised or above(m.settings.eta0 * factor)
    subtitle = "an epoch is too short to forget"
    if advised is None and factor > room:
        steps = whole_steps(m.settings.i_max * factor)
        return Verdict("cold", "Too cold", subtitle, sentence,
                       *more_steps(m.settings, steps, "a longer step would widen the cloud"))
    return Verdict("cold", "Too cold", subtitle, sentence, f"Raise η₀ to {eta0:g}, or i_max in proportion.",
                   {"eta0": float(eta0)})


def travel(memory: float) -> float:
    """Return K, contraction rate times i_max, at which memory, (1 - exp(-K))/K, has this value.

    The formula is the mean of exp(-K u) over u uniform in (0, 1), which decreases from 1; ``memory`` is clipped to
    [0.01, 0.999].
    """
    memory = min(max(memory, 0.01), 0.999)
    low, high = 0.0, 1.0 / memory
    while high - low > 1e-12:
        k = 0.5 * (low + high)
        low, high = (k, high) if -math.expm1(-k) / k > memory else (low, k)
    return 0.5 * (low + high)


FORGOTTEN = 0.3
"""Memory up to which chains count as mixing: faults that remain are not due to too few steps."""


def hot(m: Measurements) -> Verdict | None:
    """Return the verdict on a cloud wider than its target."""
    width = m.width_bias
    if width is None or width <= m.limits["width"] or not m.has_noise("width"):
        return None
    if m.memory is not None and m.memory > m.limits["memory"] and width <= 3 * WIDTH_LIMIT:
        return None  # few independent draws, so the width is imprecise: cold takes precedence
    eta0 = m.settings.eta0
    target = below(eta0 * max(0.5 * WIDTH_LIMIT / width, SHORT_STEP / m.step_times_curvature if m.long_step else 0.0))
    if m.advised is not None and m.advised.eta0 < eta0:
        target = m.advised.eta0
    limit = f"; the limit is {limit_words('width', m.limits['width'])}" if width < 2 else ""
    fell = ""
    wider = f"up to {100 * width:.0f} % wider than" if width < 2 else f"{1 + width:.0f} times as wide as"
    if m.accuracy is not None and m.ceiling is not None and m.accuracy >= m.ceiling - ACCURACY_MARGIN:
        fell = (f" Width decides: accuracy, {m.accuracy:.3f} of {m.ceiling:.3f}, is a mean over coordinates and hardly"
                " reflects it.")
    elif m.accuracy is not None and m.ceiling is not None:
        fell = f" Accuracy is {m.accuracy:.3f} where {m.ceiling:.3f} is possible"
        fell += f"; the formula predicts {m.predicted:.3f}." if m.predicted is not None and m.predicted >= 0 else "."
    left = width * target / eta0
    hope = f": about {100 * left:.0f} % too wide." if left < WIDTH_LIMIT else "."
    return Verdict("hot", "Too hot", "the step is too long for the curvature",
                   f"At η₀ = {eta0:g} the cloud is {wider} the target{limit}.{fell}", f"Try η₀ = {target:g}{hope}",
                   {"eta0": float(target)})


def narrow(m: Measurements) -> Verdict | None:
    """Return the verdict on a cloud narrower than its target, which a long step never causes."""
    if m.narrowness is None or m.narrowness <= m.limits["narrowness"] or not m.has_noise("narrowness"):
        return None
    sentence = (f"In at least one coordinate the cloud is {amount('narrowness', m.narrowness)} narrower than the target; the"
                f" limit is {limit_words('narrowness', m.limits['narrowness'])}.")
    if m.memory is not None and m.memory <= FORGOTTEN:
        return Verdict("narrow", "Too narrow", "the chains sample a narrower distribution", sentence + " A long step cannot"
                       f" cause this, and with a memory of {amount('memory', max(m.memory, 0.0))} the chains can spread.",
                       "Compare the gradient with F (data or prior counted twice?) and check the reference.")
    return Verdict("narrow", "Too narrow", "the chains have not spread", sentence,
                   *more_steps(m.settings, whole_steps(2 * m.settings.i_max), "more steps per epoch let the chains spread"))


def lagging(m: Measurements) -> Verdict | None:
    """Return the verdict on a cloud whose centre is far from the target's."""
    if m.lag is None or m.lag <= m.limits["lag"] or not m.has_noise("lag"):
        return None
    if m.long_step:
        verdict = hot(m)  # lag and width caused by a long step: more steps would not help
        if verdict is not None:
            return verdict
    steps = whole_steps(m.settings.i_max * max(2.0, m.lag / (0.5 * LAG_LIMIT)))
    suggestion, change = more_steps(m.settings, steps, "more steps per epoch")
    if m.memory is not None and m.memory <= FORGOTTEN:
        suggestion += " If the lag persists, compare the gradient with F: the chains do forget their start."
    return Verdict("lagging", "Lagging", "the target moves faster than the chains",
                   f"The cloud's centre is {amount('lag', m.lag)} off the target's in at least one coordinate; the limit is"
                   f" {limit_words('lag', m.limits['lag'])}.", suggestion, change)


def inaccurate(m: Measurements) -> Verdict | None:
    """Return the verdict on an accuracy below the ceiling with all other measurements within their limits."""
    if m.accuracy is None or m.ceiling is None or m.accuracy >= m.ceiling - max(ACCURACY_MARGIN, 3.0 * m.ceiling_sd):
        return None
    numbers = f"accuracy is {m.accuracy:.3f} where {m.ceiling:.3f} is possible"
    if m.width_bias is not None and m.width_bias > 0.5 * WIDTH_LIMIT:
        eta0 = below(m.settings.eta0 / 2)
        return Verdict("hot", "Too hot", "the cloud is wider than its target",
                       f"The cloud is up to {100 * m.width_bias:.0f} % wider than the target: {numbers}.",
                       f"Try η₀ = {eta0:g}.", {"eta0": float(eta0)})
    return Verdict("cold", "Too cold", "the cloud has not converged to its target",
                   f"The cloud and its target differ by more than sampling noise: {numbers}.",
                   *more_steps(m.settings, whole_steps(2 * m.settings.i_max), "more steps per epoch"))
