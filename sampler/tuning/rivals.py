"""`run_rivals`: methods cheaper than chains on the rows of a sweep, compared with its reference.

A sweep finds the best setting of a sampler but does not show that a sampler is needed. `run_rivals` runs the two Gaussian
fits with a constant cost per row and, if neither is within the limits, a particle filter; `rivals_words` reports their
errors and costs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler.algorithms.algorithm_names import KNOBLESS
from sampler.algorithms.ibis import IBIS
from sampler.algorithms.laplace import GaussianFitSampler
from sampler.arguments import instance_of, whole_number
from sampler.problems.base import Problem
from sampler.problems.data_check import check_data, check_problem
from sampler.settings import Settings
from sampler.threads import one_blas_thread
from sampler.tuning.sweep_reference import SweepReference, judged_epochs
from sampler.tuning.verdicts.measurements import LIMITS, Measurements, amount

PARTICLES = 4096
"""Number of IBIS particles: some hundreds do not mix in ten dimensions."""
RIVALS = {"laplace": "a Laplace approximation refitted as data grow", "rvga": "R-VGA",
          "ibis": f"IBIS, a particle filter of {PARTICLES:,},"}
"""Key of ``KNOBLESS`` -> name in a sentence, in order of increasing cost."""
LARGEST_DIM, MOST_ROWS = 30, 20_000
"""Limits of IBIS: particles are renewed more often in more dimensions; a row takes 3 ms in 2, 100 ms in 124 dimensions."""
SLICE = 100  # rows between two calls of ``stop``
MANY = 1e15  # draws of a rival, so that limits include the noise of the reference only


@dataclass(frozen=True)
class Rival:
    """Errors and cost of a method without knobs, measured at the epochs and by the rules of a sweep's cells.

    Attributes
    ----------
    key : {"laplace", "rvga", "ibis"}
    rows, dim : int
    lag : float
        Distance of its mean from the target's in target widths: root mean square over epochs, largest coordinate.
    narrowest, widest : float
        Ratio of its standard deviation to the target's: root mean square over epochs, smallest and largest coordinate.
    cost : float
        Gradient evaluations per epoch, for any number of draws; for IBIS, evaluations of terms at its particles.
    reference_draws : int or None
        Effective draws of the reference; None: exact.
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
        """Limits of lag, width and narrowness: those of a cell plus the noise of the reference."""
        noisy = Measurements(Settings(), self.rows, 1, 1, dim=self.dim, draws=MANY,
                             reference_draws=self.reference_draws).limits
        return {name: noisy[name] if self.reference_draws else LIMITS[name] for name in ("lag", "width", "narrowness")}

    @property
    def faults(self) -> dict[str, float]:
        """Measurements past their limits by name, the largest ratio to its limit first; empty if within all limits."""
        off = {"lag": self.lag, "width": self.widest - 1.0, "narrowness": 1.0 - self.narrowest}
        limits = self.limits
        past = [name for name in off if not off[name] <= limits[name]]
        return {name: off[name] for name in sorted(past, key=lambda name: -off[name] / limits[name])}


@one_blas_thread()
def run_rivals(problem: Problem, features: Any, labels: Any, references: SweepReference, rows: int,
               stop: Callable[[], bool] = lambda: False) -> list[Rival]:
    """Run the methods cheaper than chains on the first ``rows`` rows and measure them in the second half.

    Methods that cannot run are skipped; IBIS runs only if every fit has faults, in up to ``LARGEST_DIM`` dimensions and on
    up to ``MOST_ROWS`` rows. Empty for a GradientOracle, whose curvature is unknown, and if the reference is a Laplace
    approximation itself.

    Parameters
    ----------
    problem, features, labels
        Stream, features (T, d), labels (T,) or None.
    references : SweepReference
        Must include the judged epochs of ``rows``.
    rows : int
    stop : callable, optional
        Polled; once it returns True, return the finished methods.
    """
    check_problem(problem)
    instance_of("references", references, SweepReference, "pass that of a finished Sweep")
    rows = whole_number("rows", rows)
    rivals: list[Rival] = []
    if problem.kind != "oracle":
        check_data(problem, features, labels, rows)
    for key in RIVALS if references.method != "laplace" else ():
        kind: Any = KNOBLESS[key]
        filters = kind is IBIS
        if filters and (problem.dim > LARGEST_DIM or rows > MOST_ROWS or not all(rival.faults for rival in rivals)):
            continue
        if kind.refusal(problem):
            continue
        try:
            sampler = kind(problem, chains=PARTICLES if filters else 1, threads=1)
            rival = _measured(key, sampler, features, labels, references, rows, stop)
        except ValueError:  # flat prior: no mode at the first datum, no prior law to draw from
            continue
        if rival is None:
            break
        rivals.append(rival)
    return rivals


def _measured(key: str, sampler: GaussianFitSampler | IBIS, features: Any, labels: Any, references: SweepReference,
              rows: int, stop: Callable[[], bool]) -> Rival | None:
    """Run a method through the rows and return its errors; None if stopped."""
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
    return Rival(key, rows, sampler.dim, float(lag.max()), float(width.min()), float(width.max()),
                 (sampler.gradient_evaluations - spent) / (rows - half), references.ess)


def rivals_of(reference: dict[str, Any] | None) -> list[Rival]:
    """Return the rivals stored with the reference of a finished sweep; empty if there are none."""
    return [Rival(**rival) for rival in (reference or {}).get("fits", ())]


def rivals_words(rivals: Sequence[Rival], cost: float, chains: int) -> str:
    """Return sentences on errors and relative costs of the rivals and whether a sampler is needed; empty without rivals.

    Parameters
    ----------
    rivals : sequence of Rival
    cost : float
        Gradient evaluations per epoch of one chain at the tuned setting.
    chains : int
        Number of chains for the comparison of costs.
    """
    if not rivals:
        return ""
    listed = "; ".join(_words(rival, cost, chains) for rival in rivals)
    sentence = f"{listed[0].upper()}{listed[1:]} (gradients, compared with {chains:,} chains)."
    enough = next((rival for rival in rivals if not rival.faults), None)
    if enough is None:
        return f"{sentence} These rows need a sampler."
    if enough.key == "ibis":
        return (f"{sentence} These rows need a sampler. With more chains than that, the filter is cheaper: run replay "
                f"--algorithm ibis --chains {PARTICLES}; occasionally a row waits for a pass over all earlier rows.")
    return f"{sentence} For means and widths these rows need no sampler: run replay --algorithm {enough.key}."


def _words(rival: Rival, cost: float, chains: int) -> str:
    name, faults, limits, times = RIVALS[rival.key], rival.faults, rival.limits, cost * chains / rival.cost
    price = f"1/{float(f'{times:.2g}'):,.0f} of the cost" if times >= 1.5 else f"{1.0 / times:,.1f} times the cost"
    if rival.key == "ibis":
        number = round(rival.cost / cost)
        price = "the cost of " + ("one chain" if number <= 1 else f"{number:,} chains")
    if not faults:
        off = amount("width", max(rival.widest - 1.0, 1.0 - rival.narrowest))
        return f"{name} is within {rival.lag:.2f} sd and {off} of the widths here at {price}"
    fault, value = next(iter(faults.items()))
    if fault == "lag":
        return f"{name} is {value:.2f} sd off (limit {limits['lag']:.2f}), at {price}"
    too = "wide" if fault == "width" else "narrow"
    return f"{name} is {amount(fault, value)} too {too} (limit {amount(fault, limits[fault])}), at {price}"


def rivals_evidence(rivals: Sequence[Rival], cost: float, chains: int) -> dict[str, Any]:
    """Return plain values for the evidence of a setting: `rivals_words`, and lag, widths and cost of each rival.

    Parameters
    ----------
    rivals, cost, chains
        As for `rivals_words`.
    """
    evidence: dict[str, Any] = {"fits_words": rivals_words(rivals, cost, chains) or None}
    for rival in rivals:
        evidence |= {f"{rival.key}_lag": rival.lag, f"{rival.key}_narrowest": rival.narrowest,
                     f"{rival.key}_widest": rival.widest, f"{rival.key}_gradients_an_epoch": rival.cost}
    return evidence
