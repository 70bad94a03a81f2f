"""`run_cell`: run one setting on the stream and measure it against the reference; `SweepJob`: inputs of all cells."""

import math
import pickle
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from sampler.algorithms.algorithm_names import PLAIN, online_algorithm
from sampler.algorithms.online_saga_ld import OnlineSagaLD
from sampler.algorithms.results import DivergenceError
from sampler.metrics.accuracy import uniform_accuracy
from sampler.metrics.ceiling import exact_ceiling
from sampler.metrics.diagnostics import successive_correlation
from sampler.problems.base import Problem
from sampler.problems.problem_by_name import load_problem
from sampler.settings import Settings
from sampler.tuning.algorithm_settings import with_algorithm
from sampler.tuning.settings_grid import KNOBS
from sampler.tuning.sweep_reference import SweepReference, judged_epochs

LOOK = 8
"""Rows between two calls of ``stop``."""


@dataclass(frozen=True, eq=False)
class SweepJob:
    """Inputs shared by all cells of a sweep, as plain arrays that can be sent to worker processes.

    Attributes
    ----------
    problem, features, labels
        Stream; features (T, d), labels (T,) or None; both None for a GradientOracle.
    chains, seed : int
        Equal for all cells: common random numbers reduce the noise of comparisons.
    rungs : tuple of int
        Rows at which a cell is judged and may be pruned; the last is the number of rows.
    references : SweepReference
    escape_radius : float or None
        R, for the share of epochs in which a chain left the ball R/sqrt(t+c) about the mode.
    """

    problem: Problem
    features: Any
    labels: np.ndarray | None
    chains: int
    seed: int
    rungs: tuple[int, ...]
    references: SweepReference
    escape_radius: float | None = None


@dataclass(frozen=True)
class CellResult:
    """Measurements of one setting up to one rung.

    Attributes
    ----------
    eta0, i_max, batch_size, acceptance_radius
        Swept knobs of the setting.
    rung, rows : int
        Last rung and its number of rows.
    accuracy, ceiling, ceiling_sd : float
        Marginal accuracy over the judged epochs (0 if a chain diverged); mean and sd of that of exact draws.
    width : float
        Ratio of standard deviations of cloud and target in the coordinate furthest from 1.
    lag : float
        Distance of the centres of cloud and target in target widths: root mean square over epochs, largest coordinate.
    memory : float
        Correlation of successive samples, largest coordinate; below 0 if steps overshoot, which ``widest`` shows.
    reset_rate, exit_rate : float, float or None
        Resets and exits per chain and epoch; exits are None without an escape radius.
    cost : float
        Gradient evaluations per chain and epoch.
    seconds : float
        Wall time; all other fields are independent of the machine.
    diverged : (chain, epoch, step) or None
    algorithm : {"saga-ld", "preconditioned"}
        Algorithm of the setting.
    narrowest, widest : float
        Ratio of standard deviations of cloud and target, smallest and largest coordinate.
    """

    eta0: float
    i_max: int
    batch_size: int
    acceptance_radius: float
    rung: int
    rows: int
    accuracy: float
    ceiling: float
    ceiling_sd: float
    width: float
    lag: float
    memory: float
    reset_rate: float
    exit_rate: float | None
    cost: float
    seconds: float
    diverged: tuple[int, int, int] | None = None
    algorithm: str = PLAIN
    narrowest: float = math.nan
    widest: float = math.nan

    @property
    def beside_target(self) -> dict[str, float]:
        """Excess width, narrowness and lag of the worst coordinate, keyed as `Measurements.limits`."""
        return {"width": self.widest - 1.0, "narrowness": 1.0 - self.narrowest, "lag": self.lag}

    def counts(self, chains: float) -> dict[str, Any]:
        """Return ``draws``, ``spacing`` and ``pairs`` of the measurements, as arguments of `Measurements`.

        Parameters
        ----------
        chains : int
            Chains of the cell; infinite: no noise.
        """
        judged = len(judged_epochs(self.rows))
        apart = (self.rows - self.rows // 2) // judged
        return {"draws": chains * judged, "spacing": max(apart, 1), "pairs": max(chains - 1, 1) * judged}

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return asdict(self)

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values; numbers that are not finite become strings."""
        return {name: str(value) if isinstance(value, float) and not abs(value) < 1e300 else value
                for name, value in self.to_dict().items()}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "CellResult":
        """Return the cell stored by `to_json`.

        Parameters
        ----------
        values : dict
            Result of `to_json`. Sweeps of version 0.6 store only ``width`` of the three widths.
        """
        values = {"narrowest": values["width"], "widest": values["width"]} | values
        fields: dict[str, Any] = {name: float(value) if isinstance(value, str) and name != "algorithm" else value
                                  for name, value in values.items()}
        return cls(**fields | {"diverged": tuple(fields["diverged"]) if fields["diverged"] else None})


def settings_of(cell: CellResult, base: Settings) -> Settings:
    """Return the settings of a cell; knobs that are not swept are those of ``base``."""
    return with_algorithm(base.replace(**{knob: getattr(cell, knob) for knob in KNOBS}), cell.algorithm)


class RunStopped(Exception):
    """Raised by a run that is stopped before its end."""


def run_cell(job: SweepJob, settings: Settings, rung: int, stop: Callable[[], bool] = lambda: False) -> CellResult:
    """Run ``settings`` from the first row to the end of ``rung`` and measure the second half of the rows.

    Raises
    ------
    RunStopped
        Within `LOOK` rows after ``stop()`` becomes True.
    """
    started = time.perf_counter()
    rows = job.rungs[rung]
    epochs, radius = judged_epochs(rows), job.escape_radius
    saga = online_algorithm(settings.algorithm)(job.problem, settings, chains=job.chains, seed=job.seed,
                                                threads=1)  # one core per worker
    saga.reserve(rows)
    levels, scores, befores, exits, resets, spent, half = [], [], [], [], 0, 0, rows // 2
    diverged = None
    try:
        _observe(job, saga, half, stop)
        spent = saga.gradient_evaluations
        for t in epochs:
            resets += _observe(job, saga, t - 1, stop)
            reference, before = job.references.epochs[t], saga.positions
            saga.watch(reference.mode if radius is not None else None)
            resets += _observe(job, saga, t, stop)
            after = saga.positions
            levels.append(reference.levels(after))
            scores.append((after - reference.mean) / reference.sd)
            befores.append((before - reference.mean) / reference.sd)
            exits.append((saga.farthest > (radius or 0.0) ** 2 / (t + settings.offset)).mean())
    except DivergenceError:
        where = saga.divergence
        diverged = (where.chain, where.epoch, where.step) if where else None
    n = job.chains * len(epochs)
    ceiling = exact_ceiling(n, saga.dim, job.references.ceiling_draws)
    common = (settings.eta0, settings.i_max, settings.batch_size, settings.acceptance_radius, rung, rows)
    if diverged is not None:
        cost = saga.gradient_evaluations / (max(saga.t, 1) * job.chains)
        return CellResult(*common, 0.0, ceiling.mean, ceiling.sd, np.inf, np.inf, 1.0, 1.0, None, cost,
                          time.perf_counter() - started, diverged, settings.algorithm, np.inf, np.inf)
    pooled, centres = np.concatenate(scores), np.array([z.mean(axis=0) for z in scores])
    narrowest, widest = (float(worst(pooled.std(axis=0))) for worst in (np.min, np.max))
    noise = (1.0 + 2.0 * np.sqrt(2.0 / len(epochs))) / job.chains  # mean of the squares by chance, plus two sd
    lag = np.sqrt(np.maximum((centres**2).mean(axis=0) - noise, 0.0))
    shared = job.chains > 1  # motion shared by all chains is not memory; with one chain it cannot be removed
    own, owned = ([z - z.mean(axis=0) if shared else z for z in part] for part in (befores, scores))
    memory = successive_correlation(np.concatenate(own), np.concatenate(owned)).highest
    return CellResult(*common, uniform_accuracy(np.concatenate(levels)), ceiling.mean, ceiling.sd,
                      widest if widest * narrowest > 1.0 else narrowest, float(lag.max()), float(memory),
                      resets / ((rows - half) * job.chains), None if radius is None else float(np.mean(exits)),
                      (saga.gradient_evaluations - spent) / ((rows - half) * job.chains),
                      time.perf_counter() - started, algorithm=settings.algorithm, narrowest=narrowest, widest=widest)


def _observe(job: SweepJob, saga: OnlineSagaLD, t: int, stop: Callable[[], bool]) -> int:
    """Observe rows up to ``t`` and return the number of resets."""
    resets = 0
    while saga.t < t:
        if stop():
            raise RunStopped
        if job.problem.kind == "oracle":
            resets += saga.observe().resets
            continue
        rows = slice(saga.t, min(t, saga.t + LOOK))
        labels = () if job.labels is None else (job.labels[rows],)
        resets += saga.observe(job.features[rows], *labels).resets
    return resets


def dumps(job: Any) -> bytes:
    """Serialize a job: a named problem by name and folder, functions defined in a notebook by value."""
    job = replace(job, problem=getattr(job.problem, "named", job.problem))  # compiled functions cannot be pickled
    try:
        return pickle.dumps(job)
    except (pickle.PicklingError, AttributeError, TypeError):
        from numba import cloudpickle  # bundled with numba

        return cloudpickle.dumps(job)


def loads(payload: bytes) -> Any:
    """Return the job serialized by `dumps`."""
    job = pickle.loads(payload)
    return replace(job, problem=load_problem(*job.problem)) if isinstance(job.problem, tuple) else job


def run_packed(packed: bytes | str, settings: Settings, rung: int) -> CellResult:
    """Run one cell of a job serialized by `dumps`, passed as bytes or as a file path; a worker deserializes it once."""
    return run_cell(_unpacked(packed), settings, rung)


@lru_cache(maxsize=1)
def _unpacked(packed: bytes | str) -> Any:
    return loads(packed if isinstance(packed, bytes) else Path(packed).read_bytes())
