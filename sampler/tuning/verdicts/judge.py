"""`judge`: the order in which verdicts are tried on a setting's measurements, a running one's or a sweep cell's."""

import numpy as np

from sampler.algorithms.algorithm_names import PLAIN
from sampler.arguments import instance_of, positive_number, whole_number
from sampler.settings import Settings, checked_settings
from sampler.tuning.forecast import CellForecast
from sampler.tuning.settings_grid import below
from sampler.tuning.sweep_cell import CellResult, settings_of
from sampler.tuning.verdicts.measurements import (
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
            for name, value in values.items() if value is not None and value > LIMITS[name] and not m.has_noise(name)]
    if not past:
        return None
    words = "; ".join(past)
    return Verdict("waiting", "Noise unknown", "the number of draws was not passed",
                   f"{words[0].upper()}{words[1:]}. How much that is depends on the draws, pairs and dim of the"
                   " measurements, which were not passed: this may be a fault, or chance.",
                   "Pass draws, pairs and dim to Measurements; inf draws and pairs are measured without noise.")


RARE = 0.01
"""Share of a chain's epochs with an exit up to which exits are called rare."""


def safe(m: Measurements) -> Verdict:
    """Nothing is wrong."""
    assert m.accuracy is not None and m.ceiling is not None  # else the verdict is that there is no target yet
    chains = "1 chain agrees" if m.chains == 1 else f"{m.chains} chains agree"
    hotter = below(5 * m.settings.eta0)
    broken = "switch variance reduction off." if m.settings.variance_reduction else "wait: noise grows with t."
    exact = " as good as exact draws," if m.accuracy >= m.ceiling - m.ceiling_sd else ""
    noise = f" ± {m.ceiling_sd:.3f}" if m.ceiling_sd else ""
    noise += ", above it by chance" if m.accuracy > m.ceiling else ""
    return Verdict(
        "safe", "Safe", "close to its ceiling",
        f"{chains} with the target in {_looked_at(m)},{exact} to within sampling noise: accuracy {m.accuracy:.3f} against a"
        f" ceiling of {m.ceiling:.3f}{noise}.{_exits(m)}", f"To break it: raise η₀ to {hotter:g}, or {broken}")


def _looked_at(m: Measurements) -> str:
    """Return what was compared with the target, and how finely: nothing is claimed of the rest."""
    known = m.has_noise("width")
    wide, off = (f" (to {amount(name, m.limits[name])})" if known else "" for name in ("width", "lag"))
    looked = ["accuracy"]
    if m.width_bias is not None:
        looked.append(("largest width" if m.narrowness is None else "width") + wide)
    if m.lag is not None:
        looked.append(f"centre{off.replace('target ', '')}")
    words = " and ".join([", ".join(looked[:-1]), looked[-1]] if len(looked) > 1 else looked)
    return words if known or len(looked) == 1 else f"{words} (how noisy these are is not known: no draws were passed)"


def _exits(m: Measurements) -> str:
    """Return how often the chains left the escape ball, and why that need not be never; "" where it is not counted."""
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
        return f"{counted}: the proof asks for few exits, not for none."
    share = f"{100 * m.exits / epochs:.0f} %"
    return f"{counted}, {share}: R draws it so small that the proof says little here; the chains are as good."


_IN_ORDER = (diverged, not_finite, waiting, noisy, resets, weak_reference, unknown_noise, lagging, hot, cold, narrow,
             inaccurate, stale)


def judge(measured: Measurements) -> Verdict:
    """Judge a setting: the first verdict that applies, in order of how sure it is; safe if none does.

    Pure; every number in the words comes from `measured`. A suggestion's effect is an estimate from the
    advisor's model (width bias and gradient noise in proportion to eta0, memory falling with eta0 i_max).
    """
    instance_of("measured", measured, Measurements, "make one with Measurements(settings, t, chains, epochs)")
    for applies in _IN_ORDER:
        verdict = applies(measured)
        if verdict is not None:
            return verdict
    return safe(measured)


def verdict_of(cell: CellResult, settings: Settings, chains: int, forecast: CellForecast | None = None,
               reference_draws: float | None = None, largest_curvature: float | None = None, dim: int = 1,
               horizon: int | None = None) -> Verdict:
    """Judge a cell's setting.

    Parameters
    ----------
    cell : CellResult
    settings : Settings
        The sweep's; the cell's own knobs replace theirs.
    chains : int
        Of a cell.
    forecast : CellForecast, optional
        Of the same setting.
    reference_draws : float, optional
        ``references.ess``.
    largest_curvature : float, optional
        ``Forecast.largest_curvature`` of the cell's algorithm, which says whether a step is long.
    dim : int
        Coordinates that widths, memory and lag are the largest of.
    horizon : int, optional
        Rows that ``largest_curvature`` is of: in fewer it is smaller in proportion, and the step longer, so that their
        product is the same. None: the cell's.
    """
    instance_of("cell", cell, CellResult, "take one of a sweep's outcome")
    settings, chains, dim = checked_settings(settings), whole_number("chains", chains), whole_number("dim", dim)
    if reference_draws is not None:
        reference_draws = positive_number("reference_draws", reference_draws, np.inf, "None is an exact reference")
    if largest_curvature is not None:
        positive_number("largest_curvature", largest_curvature, np.inf, "None where it is not known")
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
