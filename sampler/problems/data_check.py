"""Checks of rows and labels against a problem, before any computation."""

from typing import Any

import numpy as np

from sampler.arguments import has_parts, real_array, shown, whole_number
from sampler.problems.glm import GeneralizedLinearModel


def check_problem(problem: Any) -> None:
    """Raise a ValueError unless ``problem`` has the attributes of a problem."""
    has_parts("problem", problem, ("kind", "dim", "posterior"), "make one with LogisticRegression(dim), or "
              "GradientOracle(gradients, dim)")


def terms_of(features: Any, terms: int | None) -> int:
    """Return the number of data: ``terms``, or the number of rows of ``features``."""
    if terms is not None:
        return whole_number("terms", terms, advice="it is the number of data of the gradient")
    if not isinstance(features, str | bytes | dict) and np.ndim(real_array("features", features, "one row per datum")):
        return len(features)
    raise ValueError(f"features must have one row per datum, got {shown(features)}; for a GradientOracle pass terms")


def check_data(problem: Any, features: Any, labels: Any, t: int) -> None:
    """Raise a ValueError unless the first ``t`` rows and labels are valid for the problem."""
    rows = real_array("features", features, "one row per datum")
    if rows.ndim == 0 or len(rows) < t:
        raise ValueError(f"features must have {t} rows or more, got {shown(features)}; pass one row per datum")
    if labels is None:
        if isinstance(problem, GeneralizedLinearModel):
            raise ValueError(f"labels must be given for {problem!r}, got None; pass one number per row of features")
        problem.posterior(rows[:t])
        return
    values = real_array("labels", labels, "one number per row", "recode texts as numbers first")
    if values.ndim != 1 or len(values) != len(rows):
        raise ValueError(f"labels must be {len(rows)} numbers, one per row of features, got {shown(labels)}; drop rows "
                         "without one")
    problem.posterior(rows[:t], values[:t])


def check_pair(problem: Any, data: Any) -> None:
    """Raise a ValueError unless ``data`` is (features, labels) with 2 rows or more, or () for an oracle."""
    if not isinstance(data, tuple | list) or len(data) > 2:
        raise ValueError(f"data must be a tuple (features, labels), or () for a GradientOracle, got {shown(data)}; pass the "
                         "rows of the stream")
    if not len(data):
        return
    if np.ndim(real_array("data", data[0], "a tuple (features, labels) of numbers")) == 0 or len(data[0]) < 2:
        raise ValueError(f"data must hold at least 2 rows, got {shown(data[0])}; pass a longer stream")
    check_data(problem, data[0], data[1] if len(data) == 2 else None, len(data[0]))
