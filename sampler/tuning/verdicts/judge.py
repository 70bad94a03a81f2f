"""`judge`: verdict on the measurements of a running setting; `verdict_of`: verdict on a sweep's cell."""

import numpy as np

from sampler.algorithms.algorithm_names import PLAIN
from sampler.arguments import instance_of, positive_number, whole_number
from sampler.settings import Settings, checked_settings
from sampler.tuning.forecast import CellForecast
from sampler.tuning.settings_grid import below
from sampler.tuning.sweep_cell import CellResult, settings_of
from sampler.tuning.verdicts.measurements import (
    ACCURACY_MARGIN,
    ENOUGH_DRAWS,
    LIMITS,
    LONG_STEP,
    OLD,
    WARM_UP,
    Measurements,
    Verdict,
    amount,
    limit_words,
)
from sampler.tuning.verdicts.rules import cold, diverged, hot, inaccurate, lagging, narrow, noisy, resets, stale

MEANWHILE = "Meanwhile, watch the escape ball shrink."
PAST = {"width": "width bias", "narrowness": "narrowness", "lag": "lag", "memory": "memory"}


def not_finite(m: Measurements) -> Verdict | None:
    """Return the verdict on measurements that are not finite, such as the memory of a constant coordinate."""
    if not m.not_finite:
        return None
    names = ", ".join(m.not_finite)
    return Verdict("waiting", "Not measured", "a measurement is not a finite number",
                   f"Not finite: {names}. The setting cannot be judged: a coordinate may be constant or have diverged.",
                   "Check the chains' positions and the code that measures them.")


def waiting(m: Measurements) -> Verdict | None:
    """Return the verdict on a run with too few epochs or without a reference."""
    if m.counts_from is not None and m.counts_from > m.t:
        return Verdict("waiting", "Measuring", "waiting for a checkpoint",
                       "Most chains still start from checkpoints of earlier settings. The cloud counts from epoch "
                       f"{m.counts_from:,} on, the first checkpoint of these, and is judged {WARM_UP} epochs later.",
                       MEANWHILE)
    if m.epochs < WARM_UP:
        since = f" since epoch {m.t - m.epochs:,}" if m.t > m.epochs > 0 else ""
        return Verdict("waiting", "Measuring", "too few epochs to judge",
                       f"{m.epochs} of {WARM_UP} epochs{since} are measured; {WARM_UP - m.epochs} more are needed to"
                       " compare the cloud with its target.", MEANWHILE)
    if m.accuracy is None or m.ceiling is None:
        return Verdict("waiting", "Measuring", "the target is being computed",
                       "There is no reference for this target yet, so accuracy cannot be judged.", MEANWHILE)
    return None


def weak_reference(m: Measurements) -> Verdict | None:
    """Return the verdict on a reference with too few effective draws or from too early an epoch."""
    if m.reference_draws is None:
        return None
    epoch = m.reference_epoch or 0
    if m.reference_draws < ENOUGH_DRAWS:
        sentence = (f"The reference has {m.reference_draws:,.0f} effective draws at epoch {epoch:,};"
                    f" {ENOUGH_DRAWS:,.0f} are needed to judge.")
    elif m.t - epoch > OLD * m.t:
        sentence = f"The reference was drawn at epoch {epoch:,} and the chains are at {m.t:,}: too old to judge by."
    else:
        return None
    return Verdict("weak_reference", "Weak reference", "the reference is too imprecise to judge by", sentence,
                   "Slow down or pause: the reference computation continues.")


def unknown_noise(m: Measurements) -> Verdict | None:
    """Return the verdict on a measurement past its limit whose noise is unknown."""
    values = {"width": m.width_bias, "narrowness": m.narrowness, "lag": m.lag, "memory": m.memory}
    past = [f"{PAST[name]} is {amount(name, value)}, with a limit of {limit_words(name)} plus noise"
            for name, value in values.items() if value is not None and value > LIMITS[name] and not m.has_noise(name)]
    if not past:
        return None
    words = "; ".join(past)
    return Verdict("waiting", "Noise unknown", "the number of draws was not passed",
                   f"{words[0].upper()}{words[1:]}. The noise depends on draws, pairs and dim of the measurements, which"
                   " were not passed: this may be a fault or chance.",
                   "Pass draws, pairs and dim to Measurements; infinite draws and pairs mean no noise.")


RARE = 0.01
"""Largest share of a chain's epochs with an exit that counts as rare."""


def safe(m: Measurements) -> Verdict:
    """Return the verdict on a setting without faults."""
    assert m.accuracy is not None and m.ceiling is not None  # else `waiting` applies
    chains = "1 chain agrees" if m.chains == 1 else f"{m.chains} chains agree"
    hotter = below(5 * m.settings.eta0)
    broken = "switch variance reduction off." if m.settings.variance_reduction else "wait: noise grows with t."
    exact = " as good as exact draws," if m.accuracy >= m.ceiling - m.ceiling_sd else ""
    biased = 0.0 < 3.0 * m.ceiling_sd < m.ceiling - m.accuracy
    close = f"{ACCURACY_MARGIN:g} in accuracy" if biased else "sampling noise"
    noise = f" ± {m.ceiling_sd:.3f}" if m.ceiling_sd else ""
    noise += ", above it by chance" if m.accuracy > m.ceiling else ", a small bias" if biased else ""
    return Verdict(
        "safe", "Safe", "close to its ceiling",
        f"{chains} with the target in {_compared(m)},{exact} to within {close}: accuracy {m.accuracy:.3f} against a"
        f" ceiling of {m.ceiling:.3f}{noise}.{_exits(m)}", f"To break it: raise η₀ to {hotter:g}, or {broken}")


def _compared(m: Measurements) -> str:
    """Return the measurements that were compared with the target, with their limits."""
    counted = m.has_noise("width")
    wide, off = (f" (to {amount(name, m.limits[name])})" if counted else "" for name in ("width", "lag"))
    compared = ["accuracy"]
    if m.width_bias is not None:
        compared.append(("largest width" if m.narrowness is None else "width") + wide)
    if m.lag is not None:
        compared.append(f"centre{off.replace('target ', '')}")
    words = " and ".join([", ".join(compared[:-1]), compared[-1]] if len(compared) > 1 else compared)
    return words if counted or len(compared) == 1 else f"{words} (noise unknown: the number of draws was not passed)"


def _exits(m: Measurements) -> str:
    """Return a sentence on exits from the escape ball and their relevance; "" if exits are not counted."""
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
        return f"{counted}: the proof requires few exits, not none."
    share = f"{100 * m.exits / epochs:.0f} %"
    return f"{counted}, {share}: with so small an R the proof implies little; the chains are as good."


_IN_ORDER = (diverged, not_finite, waiting, noisy, resets, weak_reference, unknown_noise, lagging, hot, cold, narrow,
             inaccurate, stale)


def judge(measured: Measurements) -> Verdict:
    """Return the first verdict that applies, in order of decreasing certainty; safe if none does.

    A pure function of `measured`. The effect of a suggestion is estimated by the advisor's model: width bias and gradient
    noise proportional to eta0, memory decreasing with eta0 i_max.
    """
    instance_of("measured", measured, Measurements, "make one with Measurements(settings, t, chains, epochs)")
    for rule in _IN_ORDER:
        verdict = rule(measured)
        if verdict is not None:
            return verdict
    return safe(measured)


def verdict_of(cell: CellResult, settings: Settings, chains: int, forecast: CellForecast | None = None,
               reference_draws: float | None = None, largest_curvature: float | None = None, dim: int = 1,
               horizon: int | None = None) -> Verdict:
    """Return the verdict on a cell's setting.

    Parameters
    ----------
    cell : CellResult
    settings : Settings
        Source of the knobs that are not swept.
    chains : int
        Chains of the cell.
    forecast : CellForecast, optional
        Forecast of the setting.
    reference_draws : float, optional
        Effective draws of the reference; None: exact.
    largest_curvature : float, optional
        ``Forecast.largest_curvature`` of the cell's algorithm, to detect long steps.
    dim : int
        Number of coordinates behind the worst widths, memory and lag.
    horizon : int, optional
        Number of rows of ``largest_curvature``, which is proportional to rows, while the step is inversely proportional.
        None: the cell's rows.
    """
    instance_of("cell", cell, CellResult, "pass one of a sweep's outcome")
    settings, chains, dim = checked_settings(settings), whole_number("chains", chains), whole_number("dim", dim)
    if reference_draws is not None:
        reference_draws = positive_number("reference_draws", reference_draws, np.inf, "None is an exact reference")
    if largest_curvature is not None:
        positive_number("largest_curvature", largest_curvature, np.inf, "None if it is unknown")
    own = settings_of(cell, settings)
    window, t = max(cell.rows // 2, 1), cell.rows if cell.diverged is None else cell.diverged[1]
    horizon = cell.rows if horizon is None else whole_number("horizon", horizon)
    if largest_curvature is not None and cell.algorithm == PLAIN:
        largest_curvature *= (t + own.offset) / (horizon + own.offset)
    if cell.diverged is not None:
        divisor = t + own.offset if cell.algorithm == PLAIN else 1.0
        limit = None if largest_curvature is None else LONG_STEP * divisor / largest_curvature
        return judge(Measurements(own, t, chains, t, diverged=cell.diverged, diverged_chains=1,
                                  largest_curvature=largest_curvature, largest_eta0=limit, algorithm=cell.algorithm))
    resets = round(cell.reset_rate * chains * window)
    exits = None if cell.exit_rate is None else round(cell.exit_rate * chains * window)
    return judge(Measurements(
        own, cell.rows, chains, cell.rows, accuracy=cell.accuracy, ceiling=cell.ceiling, ceiling_sd=cell.ceiling_sd,
        predicted=None if forecast is None else forecast.accuracy, width_bias=cell.widest - 1.0,
        narrowness=1.0 - cell.narrowest, lag=cell.lag, memory=cell.memory, dim=dim, resets=resets, exits=exits,
        window=window, checkpoint_epoch=1 << ((cell.rows - 1).bit_length() - 1), reference_draws=reference_draws,
        reference_epoch=cell.rows, largest_curvature=largest_curvature, algorithm=cell.algorithm, **cell.counts(chains)))
