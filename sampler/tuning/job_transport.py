"""A sweep's job on its way to a worker: packed, unpacked, and one of its cells run there."""

import pickle
from dataclasses import dataclass, replace
from typing import Any

from sampler.problems.problem_by_name import load_problem
from sampler.settings import Settings
from sampler.tuning.sweep_cell import CellResult, run_cell

_jobs: dict[Any, Any] = {}


@dataclass(frozen=True)
class NamedProblem:
    """A problem known to another process by its module and name: compiled functions cannot travel."""

    name: str
    folder: str


def dumps(job: Any) -> bytes:
    """Return the job as bytes. A named problem travels by its name, functions of a notebook travel whole."""
    if hasattr(job.problem, "named"):
        job = replace(job, problem=NamedProblem(*job.problem.named))
    try:
        return pickle.dumps(job)
    except (pickle.PicklingError, AttributeError, TypeError):
        from numba import cloudpickle  # numba brings its own

        return cloudpickle.dumps(job)


def loads(payload: bytes) -> Any:
    """Return the job that ``dumps`` packed."""
    job = pickle.loads(payload)
    if isinstance(job.problem, NamedProblem):
        job = replace(job, problem=load_problem(job.problem.name, job.problem.folder))
    return job


def run_from_file(path: str, settings: Settings, rung: int) -> CellResult:
    """Run one cell of the job in a file; a worker reads the file once."""
    if path not in _jobs:
        _jobs.clear()
        with open(path, "rb") as file:
            _jobs[path] = loads(file.read())
    return run_cell(_jobs[path], settings, rung)


def run_from_bytes(payload: bytes, settings: Settings, rung: int) -> CellResult:
    """Run one cell of the job in ``payload``; a worker unpacks it once."""
    key = hash(payload)
    if key not in _jobs:
        _jobs.clear()
        _jobs[key] = loads(payload)
    return run_cell(_jobs[key], settings, rung)
