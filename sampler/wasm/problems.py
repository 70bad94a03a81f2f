"""JSON record of a problem for the browser: its kind, the kernels that run on it and their arguments.

``app/js/lab/stream.js`` draws its rows and starts a sampler on it, with the same values as a sampler in Python.
"""

import math
from typing import Any

import numpy as np

from sampler.algorithms.algorithm_names import ONLINE_ALGORITHMS, PLAIN
from sampler.algorithms.glm_metric import weighting_of
from sampler.algorithms.saved_sampler import problem_meta
from sampler.algorithms.state_archive import WHOLE
from sampler.kernels.initial_state import PRIOR, STARTS
from sampler.problems.base import Problem
from sampler.problems.glm import GLM_KINDS
from sampler.version import VERSION
from sampler.wasm.files import read_manifest

FAMILIES = {("glm", None): "glm", ("glm", "dense"): "preconditioned", ("gaussian_mean", None): "gaussian_mean",
            ("gaussian_mean", "dense"): "preconditioned_gaussian_mean"}
"""Map from (kind of model, metric) to the name prefix of the module's entries."""


def family_of(problem: Problem, metric: str | None) -> str:
    """Return the name prefix of the entries for a problem with this metric (or None); empty if there are none."""
    family = FAMILIES.get(("glm" if problem.kind in GLM_KINDS else problem.kind, metric), "")
    return family if width_of(family, problem.dim) else ""


def width_of(family: str, dim: int) -> int:
    """Return the padded width of rows of ``dim`` columns: the smallest that the module has for the family, or 0."""
    entries, widths = read_manifest()["entries"], read_manifest()["constants"]["widths"]
    return next((width for width in widths if width >= dim and f"{family}_advance_{width}" in entries), 0)


def kernel_numbers(problem: Problem, family: str) -> dict[str, float]:
    """Return the numeric arguments, other than settings, of a family's entries, by name."""
    if problem.kind not in GLM_KINDS:
        return {}
    return {"kind": problem.kind_code} | (weighting_of(problem)._asdict() if family == "preconditioned" else {})


def problem_record(problem: Problem) -> dict[str, Any]:
    """Return a problem as JSON-compatible data.

    Parameters
    ----------
    problem : LogisticRegression, LinearRegression, PoissonRegression or GaussianMean
        With a dimension supported by the module.

    Returns
    -------
    dict
        ``kind``, ``dim``, ``prior_precision`` (dim * dim numbers, row by row), ``curvature_bound`` (None if unbounded),
        ``numbers`` (kind code and noise of the rows), ``start`` (the prior's draws, from ``STARTS`` of
        `sampler.kernels.initial_state`), ``algorithms`` (name -> class, family of entries, their numeric arguments and
        the memory entry of a saved state), ``saved`` and ``state`` (problem and version in the format of a saved state).

    Raises
    ------
    ValueError
        If the module has no kernels for the kind or the dimension.
    """
    algorithms = {}
    for name, kind in ONLINE_ALGORITHMS.items():
        metric = None if name == PLAIN else "dense"
        memory = {"metric": metric, "follows": False} if metric else {}
        family = family_of(problem, metric)
        if family and not kind.refusal(problem):
            algorithms[name] = {"name": kind.__name__, "family": family, "numbers": kernel_numbers(problem, family),
                                "memory": {"refresh_lapsed": False, "forgotten": 0, "since": None, **memory}}
    if not algorithms:
        raise ValueError(f"problem must have kernels in the module, got {problem!r}; its entries are "
                         f"{', '.join(read_manifest()['entries'])}")
    bound = problem.curvature_bound
    return {"kind": problem.kind, "dim": problem.dim, "prior_precision": np.diag(problem.prior_precision).ravel().tolist(),
            "curvature_bound": bound if math.isfinite(bound) else None,
            "numbers": {"kind": getattr(problem, "kind_code", -1), "noise_std": getattr(problem, "noise_std", 1.0)},
            "start": STARTS[PRIOR], "algorithms": algorithms, "saved": problem_meta(problem),
            "state": {"version": WHOLE, "release": VERSION}}
