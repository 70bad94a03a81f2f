"""Whether rows need chains: what is cheaper than these, on the rows of a sweep, judged by the sweep's own reference.

A cell of a sweep says how good the best setting of a sampler is, not that a sampler is wanted. `run_rivals` runs the two
Gaussian fits that cost the same at every t beside it and, where neither is good enough, a particle filter; `rivals_words`
says what they lack, if anything.
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
"""Of IBIS, whatever is drawn from them: a cloud of some hundreds does not mix in ten dimensions."""
RIVALS = {"laplace": "a Laplace approximation refitted as data grow", "rvga": "R-VGA",
          "ibis": f"IBIS, a particle filter of {PARTICLES:,},"}
"""Key, as of ``KNOBLESS`` -> its name in a sentence; cheaper ones first."""
LARGEST_DIM, MOST_ROWS = 30, 20_000
"""Of IBIS: its cloud is renewed the more often the more dimensions there are, so a row takes 3 ms in 2, 100 ms in 124."""
SLICE = 100  # rows between two looks at ``stop``
MANY = 1e15  # draws: the noise of the reference alone is counted


@dataclass(frozen=True)
class Rival:
    """A method without knobs beside the reference, measured at the epochs and by the rules that a sweep's cells are.

    Attributes
    ----------
    key : {"laplace", "rvga", "ibis"}
    rows, dim : int
    lag : float
        Its mean to the target's, in target widths, root mean square over epochs, largest coordinate.
    narrowest, widest : float
        Its standard deviation over the target's, root mean square over epochs, smallest and largest coordinate.
    cost : float
        Gradient evaluations an epoch, shared by any number of draws; for IBIS, those of terms at its particles.
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
        """What is past its limit, by name, the furthest first; empty where it is as good as a safe cell."""
        off = {"lag": self.lag, "width": self.widest - 1.0, "narrowness": 1.0 - self.narrowest}
        limits = self.limits
        past = [name for name in off if not off[name] <= limits[name]]
        return {name: off[name] for name in sorted(past, key=lambda name: -off[name] / limits[name])}


@one_blas_thread()
def run_rivals(problem: Problem, features: Any, labels: Any, references: SweepReference, rows: int,
               stop: Callable[[], bool] = lambda: False) -> list[Rival]:
    """Run what is cheaper than chains on the first ``rows`` rows, one after the other, and measure the second half.

    What cannot run is left out; IBIS is run where no fit is good enough, in up to ``LARGEST_DIM`` dimensions and on up to
    ``MOST_ROWS`` rows. Nothing for a GradientOracle, whose curvature is not known, and where the reference is a Laplace
    approximation itself.

    Parameters
    ----------
    problem, features, labels
        The stream, features (T, d), labels (T,) or None.
    references : SweepReference
        With the judged epochs of ``rows``.
    rows : int
    stop : callable, optional
        True ends early, with those that are finished.
    """
    check_problem(problem)
    instance_of("references", references, SweepReference, "take it of a Sweep that has run")
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
        except ValueError:  # a flat prior: no mode at the first datum, no law before it
            continue
        if rival is None:
            break
        rivals.append(rival)
    return rivals


def _measured(key: str, sampler: GaussianFitSampler | IBIS, features: Any, labels: Any, references: SweepReference,
              rows: int, stop: Callable[[], bool]) -> Rival | None:
    """Run a method through the rows; None where it was stopped."""
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
    """Return the rivals that a finished sweep keeps with its reference; none where there are no such."""
    return [Rival(**rival) for rival in (reference or {}).get("fits", ())]


def rivals_words(rivals: Sequence[Rival], cost: float, chains: int) -> str:
    """Return what the rivals lack beside the tuned setting, in words; empty where there is none.

    Parameters
    ----------
    rivals : sequence of Rival
    cost : float
        Gradient evaluations an epoch of one chain at the setting.
    chains : int
        Chains that these are compared with.
    """
    if not rivals:
        return ""
    listed = "; ".join(_words(rival, cost, chains) for rival in rivals)
    sentence = f"{listed[0].upper()}{listed[1:]} (gradients, beside {chains:,} chains)."
    enough = next((rival for rival in rivals if not rival.faults), None)
    if enough is None:
        return f"{sentence} These rows need a sampler."
    if enough.key == "ibis":
        return (f"{sentence} These rows need a sampler. Where you have more chains than that, it may be the filter: replay "
                f"--algorithm ibis --chains {PARTICLES} runs it; now and then a row waits for a pass over all before it.")
    return f"{sentence} For means and widths these rows need no sampler: replay --algorithm {enough.key} runs it."


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
        return f"{name} is {value:.2f} sd off, where {limits['lag']:.2f} may be, at {price}"
    too = "wide" if fault == "width" else "narrow"
    return f"{name} is {amount(fault, value)} too {too}, where {amount(fault, limits[fault])} may be, at {price}"


def rivals_evidence(rivals: Sequence[Rival], cost: float, chains: int) -> dict[str, Any]:
    """Return plain values for the evidence of a setting: the words, and of each rival its lag and widths.

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
