"""Whether rows need a sampler: Gaussian fits on the rows of a sweep, judged by the sweep's own reference.

A cell of a sweep says how good the best setting of a sampler is, not that a sampler is wanted. `gaussian_fits` runs the
two fits that cost the same at every t beside it, and `fits_words` says what they lack, if anything.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler.algorithms.algorithm_names import KNOBLESS
from sampler.algorithms.laplace import GaussianFitSampler
from sampler.arguments import instance_of, whole_number
from sampler.problems.base import Problem
from sampler.problems.data_check import check_data, check_problem
from sampler.settings import Settings
from sampler.threads import one_blas_thread
from sampler.tuning.sweep_reference import SweepReference, judged_epochs
from sampler.tuning.verdicts.measurements import LIMITS, Measurements, amount

FITS = {"laplace": "a Laplace approximation refitted as data grow", "rvga": "R-VGA"}
"""Key, as of ``KNOBLESS`` -> its name in a sentence."""
SLICE = 500  # rows between two looks at ``stop``
MANY = 1e15  # draws: the noise of the reference alone is counted


@dataclass(frozen=True)
class GaussianFit:
    """A fit beside the reference, measured at the epochs and by the rules that a sweep's cells are.

    Attributes
    ----------
    key : {"laplace", "rvga"}
    rows, dim : int
    lag : float
        Its mean to the target's, in target widths, root mean square over epochs, largest coordinate.
    narrowest, widest : float
        Its standard deviation over the target's, root mean square over epochs, smallest and largest coordinate.
    cost : float
        Gradient evaluations an epoch, shared by any number of draws.
    reference_draws : int or None
        Effective draws of the reference; None: it is exact.
    """

    key: str
    rows: int
    dim: int
    lag: float
    narrowest: float
    widest: float
    cost: float
    reference_draws: int | None

    @property
    def limits(self) -> dict[str, float]:
        """What lag, width and narrowness may be: a cell's limits and the reference's noise."""
        noisy = Measurements(Settings(), self.rows, 1, 1, dim=self.dim, draws=MANY,
                             reference_draws=self.reference_draws).limits
        return {name: noisy[name] if self.reference_draws else LIMITS[name] for name in ("lag", "width", "narrowness")}

    @property
    def faults(self) -> dict[str, float]:
        """What is past its limit, by name, the furthest first; empty where the fit is as good as a safe cell."""
        off = {"lag": self.lag, "width": self.widest - 1.0, "narrowness": 1.0 - self.narrowest}
        limits = self.limits
        past = [name for name in off if not off[name] <= limits[name]]
        return {name: off[name] for name in sorted(past, key=lambda name: -off[name] / limits[name])}


@one_blas_thread()
def gaussian_fits(problem: Problem, features: Any, labels: Any, references: SweepReference, rows: int,
                  stop: Callable[[], bool] = lambda: False) -> list[GaussianFit]:
    """Fit the first ``rows`` rows, one after the other, and measure the second half; what cannot be fitted is left out.

    Nothing for a GradientOracle, whose curvature is not known, and where the reference is a Laplace approximation itself.

    Parameters
    ----------
    problem, features, labels
        The stream, features (T, d), labels (T,) or None.
    references : SweepReference
        With the judged epochs of ``rows``.
    rows : int
    stop : callable, optional
        True ends early, with the fits that are finished.
    """
    check_problem(problem)
    instance_of("references", references, SweepReference, "take it of a Sweep that has run")
    rows, fits = whole_number("rows", rows), []
    if problem.kind != "oracle":
        check_data(problem, features, labels, rows)
    for key in FITS if references.method != "laplace" else ():
        kind: Any = KNOBLESS[key]
        if kind.refusal(problem):
            continue
        try:
            fit = _measured(key, kind(problem, chains=1, threads=1), features, labels, references, rows, stop)
        except ValueError:  # a flat prior: no mode at the first datum, no law before it
            continue
        if fit is None:
            break
        fits.append(fit)
    return fits


def _measured(key: str, sampler: GaussianFitSampler, features: Any, labels: Any, references: SweepReference, rows: int,
              stop: Callable[[], bool]) -> GaussianFit | None:
    """Run a fit through the rows; None where it was stopped."""
    data = (features,) if labels is None else (features, labels)
    centres, widths, spent, half = [], [], 0, rows // 2
    sampler.reserve(rows)
    for t in sorted({*range(SLICE, rows, SLICE), half, *judged_epochs(rows)}):
        if stop():
            return None
        sampler.observe(*(part[sampler.t:t] for part in data))
        if t == half:
            spent = sampler.gradient_evaluations
        if t in references.epochs and t > half:
            truth = references.epochs[t]
            centres.append((sampler.mean - truth.mean) / truth.sd)
            widths.append(np.sqrt(np.diag(sampler.covariance)) / truth.sd)
    lag, width = (np.sqrt((np.array(part) ** 2).mean(axis=0)) for part in (centres, widths))
    return GaussianFit(key, rows, sampler.dim, float(lag.max()), float(width.min()), float(width.max()),
                       (sampler.gradient_evaluations - spent) / (rows - half), references.ess)


def fits_of(reference: dict[str, Any] | None) -> list[GaussianFit]:
    """Return the fits that a finished sweep keeps with its reference; none where there are no such."""
    return [GaussianFit(**fit) for fit in (reference or {}).get("fits", ())]


def fits_words(fits: Sequence[GaussianFit], cost: float, chains: int) -> str:
    """Return what the fits lack beside the tuned setting, in words; empty where there is none.

    Parameters
    ----------
    fits : sequence of GaussianFit
    cost : float
        Gradient evaluations an epoch of one chain at the setting.
    chains : int
        Chains that these are compared with.
    """
    if not fits:
        return ""
    listed = "; ".join(_words(fit, cost * chains) for fit in fits)
    sentence = f"{listed[0].upper()}{listed[1:]} (gradients, beside {chains:,} chains)."
    if all(fit.faults for fit in fits):
        return f"{sentence} These rows need a sampler."
    enough = next(fit.key for fit in fits if not fit.faults)
    return f"{sentence} For means and widths these rows need no sampler: replay --algorithm {enough} runs it."


def _words(fit: GaussianFit, cost: float) -> str:
    name, faults, limits = FITS[fit.key], fit.faults, fit.limits
    times = cost / fit.cost
    price = f"1/{float(f'{times:.2g}'):,.0f} of the cost" if times >= 1.5 else f"{1.0 / times:,.1f} times the cost"
    if not faults:
        off = amount("width", max(fit.widest - 1.0, 1.0 - fit.narrowest))
        return f"{name} is within {fit.lag:.2f} sd and {off} of the widths here at {price}"
    fault, value = next(iter(faults.items()))
    if fault == "lag":
        return f"{name} is {value:.2f} sd off, where {limits['lag']:.2f} may be, at {price}"
    too = "wide" if fault == "width" else "narrow"
    return f"{name} is {amount(fault, value)} too {too}, where {amount(fault, limits[fault])} may be, at {price}"


def fits_evidence(fits: Sequence[GaussianFit], cost: float, chains: int) -> dict[str, Any]:
    """Return plain values for the evidence of a setting: the words, and of each fit its lag and widths.

    Parameters
    ----------
    fits, cost, chains
        As for `fits_words`.
    """
    found: dict[str, Any] = {"fits_words": fits_words(fits, cost, chains) or None}
    for fit in fits:
        found |= {f"{fit.key}_lag": fit.lag, f"{fit.key}_narrowest": fit.narrowest, f"{fit.key}_widest": fit.widest,
                  f"{fit.key}_gradients_an_epoch": fit.cost}
    return found
